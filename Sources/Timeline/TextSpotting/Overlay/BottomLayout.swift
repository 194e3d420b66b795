/// Divides the bottom of a picture: the bar of a recording, the time beside the status line, and the remaining area.
public struct BottomLayout: Sendable {
    private let style: OverlayStyle
    private let player: OverlayPlayer?

    public init(style: OverlayStyle, _ player: OverlayPlayer?) {
        self.style = style
        self.player = player
    }

    /// The place of the bar; nil if there is none or no room for one.
    public var bar: Rect? {
        let area = style.labelArea
        let least = style.labelHeight * 4
        guard player != nil, area.width >= least, area.height >= least else { return nil }
        let height = (style.fontSize * 0.7).rounded()
        return Rect(x: area.minX, y: area.maxY - height, width: area.width, height: height)
    }

    /// Returns the time at a position on the bar; nil for a position elsewhere. Pointing is not exact, so positions
    /// just beside the bar count too.
    public func time(at place: Point) -> Double? {
        guard let bar, let player, bar.grown(by: style.margin).contains(place) else { return nil }
        return max(0, min(1, (place.x - bar.minX) / bar.width)) * player.duration
    }

    /// The row above the bar, without the area of the time.
    var statusArea: Rect {
        let rest = rest
        guard let label = timeLabel else { return rest }
        return Rect(x: rest.x, y: rest.y, width: max(0, label.slot.minX - rest.x - style.margin), height: rest.height)
    }

    /// Everything above the line at the bottom.
    var helpArea: Rect {
        let rest = rest
        return Rect(
            x: rest.x, y: rest.y, width: rest.width, height: max(0, rest.height - style.labelHeight - style.margin))
    }

    private var rest: Rect {
        let area = style.labelArea
        guard let bar else { return area }
        return Rect(
            x: area.x, y: area.y, width: area.width, height: max(0, bar.minY - style.margin * 0.6 - area.minY))
    }

    /// The label with the position in the recording, its length, and the playback mode.
    var timeLabel: OverlayLabel? {
        guard let player, bar != nil else { return nil }
        let rest = rest
        var text = "\(OverlayPlayer.clock(player.position)) / \(OverlayPlayer.clock(player.duration))"
        if player.speed != 1 { text += "  " + OverlayPlayer.factor(player.speed) }
        if player.isLooping { text += "  ↻" }
        let fontSize = style.fontSize * 0.9
        let width = min(rest.width, (OverlayText.estimatedWidth(text) + 1) * fontSize)
        let slot = Rect(
            x: rest.maxX - width, y: rest.maxY - style.labelHeight, width: width, height: style.labelHeight)
        return OverlayLabel(
            runs: [OverlayLabel.Run(text, color: .white)], slot: slot, preferredX: slot.maxX, fontSize: fontSize,
            background: OverlayStyle.tab, cornerRadius: slot.height / 2, opacity: 1)
    }

    /// The bar itself: the parts that were read, the sightings, and the current position.
    var primitives: [OverlayPrimitive] {
        guard let bar, let player else { return [] }
        let radius = bar.height * 0.3
        var list = [OverlayPrimitive.tab(bar, color: OverlayStyle.panel, cornerRadius: radius)]
        for span in player.read {
            let from = player.place(of: span.lowerBound, in: bar.width)
            let to = player.place(of: span.upperBound, in: bar.width)
            guard to > from else { continue }
            let part = Rect(x: bar.minX + from, y: bar.minY, width: to - from, height: bar.height)
            let color = OverlayStyle.faint.faded(to: 0.35)
            list.append(.tab(part, color: color, cornerRadius: min(radius, part.width / 2)))
        }
        for mark in marks(player, in: bar) {
            list.append(.tab(mark.place, color: OverlayColor.pattern(mark.patternIndex), cornerRadius: 0))
        }
        let knob = max(2, style.fontSize * 0.22)
        let x = bar.minX + player.place(of: player.position, in: bar.width) - knob / 2
        let place = Rect(
            x: max(bar.minX, min(bar.maxX - knob, x)), y: bar.minY - bar.height * 0.25, width: knob,
            height: bar.height * 1.5)
        return list + [
            .tab(place.grown(by: knob * 0.4), color: OverlayColor.black.faded(to: 0.6), cornerRadius: knob * 0.7),
            .tab(place, color: .white, cornerRadius: knob / 2),
        ]
    }

    /// The largest number of marks drawn; a bar has no room for more.
    private static let maximumMarks = 300

    /// Returns the sightings as parts of the bar, merging those that would look like one.
    private func marks(_ player: OverlayPlayer, in bar: Rect) -> [(place: Rect, patternIndex: Int)] {
        let least = max(2, style.fontSize * 0.15)
        var ends: [Int: (index: Int, end: Double)] = [:]
        var result: [(place: Rect, patternIndex: Int)] = []
        for mark in player.marks.sorted(by: { ($0.start, $0.patternIndex) < ($1.start, $1.patternIndex) }) {
            let from = bar.minX + player.place(of: mark.start, in: bar.width)
            let to = min(bar.maxX, max(from + least, bar.minX + player.place(of: mark.end, in: bar.width)))
            if let last = ends[mark.patternIndex], from <= last.end + 1 {
                guard to > last.end else { continue }
                let place = result[last.index].place
                result[last.index].place = Rect(x: place.x, y: place.y, width: to - place.x, height: place.height)
                ends[mark.patternIndex] = (last.index, to)
                continue
            }
            guard result.count < Self.maximumMarks else { break }
            ends[mark.patternIndex] = (result.count, to)
            result.append((Rect(x: from, y: bar.minY, width: to - from, height: bar.height), mark.patternIndex))
        }
        return result
    }
}

extension Rect {
    fileprivate func contains(_ point: Point) -> Bool {
        point.x >= minX && point.x < maxX && point.y >= minY && point.y < maxY
    }
}

/// The controls of a recording that is being played: a bar with the time and the sightings.
public struct OverlayPlayer: Hashable, Sendable {
    /// A sighting on the bar, in seconds of the recording.
    public struct Mark: Hashable, Sendable {
        public var start: Double
        public var end: Double
        /// The index that determines the color, as for its boxes.
        public var patternIndex: Int

        public init(start: Double, end: Double, patternIndex: Int) {
            self.start = start
            self.end = end
            self.patternIndex = patternIndex
        }
    }

    /// The length of the recording, in seconds.
    public var duration: Double
    /// The current position, in seconds.
    public var position: Double
    public var marks: [Mark]
    /// The parts that have been read, in seconds.
    public var read: [ClosedRange<Double>]
    /// The playback speed; 1 is the original speed.
    public var speed: Double
    /// Whether playback starts again at the end.
    public var isLooping: Bool

    public init(
        duration: Double, position: Double, marks: [Mark] = [], read: [ClosedRange<Double>] = [], speed: Double = 1,
        isLooping: Bool = false
    ) {
        self.duration = duration
        self.position = position
        self.marks = marks
        self.read = read
        self.speed = speed
        self.isLooping = isLooping
    }

    /// Returns the position of a time on a bar of this width, in pixels from its left edge.
    func place(of time: Double, in width: Double) -> Double {
        guard duration > 0, time.isFinite else { return 0 }
        return max(0, min(1, time / duration)) * width
    }

    /// Returns `0:07` or `1:02:03`.
    static func clock(_ seconds: Double) -> String {
        let whole = Int(max(0, seconds.isFinite ? seconds : 0))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let tail = "\(two(whole % 60))"
        return whole < 3600 ? "\(whole / 60):\(tail)" : "\(whole / 3600):\(two(whole / 60 % 60)):\(tail)"
    }

    /// Returns `×2` or `×0.25`.
    public static func factor(_ speed: Double) -> String {
        let hundredths = Int((speed * 100).rounded())
        if hundredths % 100 == 0 { return "×\(hundredths / 100)" }
        let part = hundredths % 100
        return "×\(hundredths / 100)." + (part % 10 == 0 ? "\(part / 10)" : part < 10 ? "0\(part)" : "\(part)")
    }
}
