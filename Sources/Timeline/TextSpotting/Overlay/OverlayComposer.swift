/// Composes the draw list for one picture: boxes, their labels and the status line.
///
/// Pure: the same content and size give the same list. Labels distinguish patterns, so there are none for one pattern
/// with many boxes. A label is placed above its box, below it or beside it where it covers nothing; otherwise it is
/// left out.
public struct OverlayComposer: Sendable {
    /// The largest number of boxes drawn; more could not be told apart.
    public static let maximumBoxes = 200
    /// The largest number of labels drawn, which is lower still for a single pattern: more would bury the picture.
    static let maximumLabels = 24
    static let maximumLabelsOfOne = 3

    public let style: OverlayStyle

    public init(pictureWidth: Int, pictureHeight: Int) {
        style = OverlayStyle(pictureWidth: pictureWidth, pictureHeight: pictureHeight)
    }

    /// - Parameter style: the sizes to draw with.
    public init(style: OverlayStyle) { self.style = style }

    /// Returns the draw list, from back to front. Boxes that are not finite or lie outside the picture are left out.
    public func compose(_ boxes: [OverlayBox], status: OverlayStatus? = nil) -> [OverlayPrimitive] {
        compose(OverlayContent(boxes: boxes, status: status))
    }

    /// Returns the draw list for everything that can be drawn.
    public func compose(_ content: OverlayContent) -> [OverlayPrimitive] {
        let drawn = content.boxes.lazy.filter { isVisible($0.quad) }.prefix(Self.maximumBoxes).map {
            (box: $0, frame: frame(around: $0.quad))
        }
        let layout = BottomLayout(style: style, content.player)
        var list = others(content.otherText)
        for (box, frame) in drawn {
            list.append(
                .outline(
                    frame, color: OverlayColor.pattern(box.patternIndex),
                    thickness: style.thickness(forTextHeight: box.quad.height), opacity: Self.opacity(age: box.age)))
        }
        let bottom = StatusLine(style: style, area: layout.statusArea)
        let lines =
            [content.status.flatMap(bottom.label)].compactMap { $0 } + bottom.labels(for: content.notices)
            + [layout.timeLabel].compactMap { $0 }
        var placer = LabelPlacer(area: style.labelArea, height: style.labelHeight)
        placer.avoid(drawn.map(\.frame.bounds) + lines.map(\.slot) + [layout.bar].compactMap { $0 })
        placer.avoid(content.textPlaces.lazy.filter(isVisible).map(\.bounds))
        list += labels(for: drawn.map { ($0.box, $0.frame) }, &placer).map { .label($0) }
        list += layout.primitives + lines.map { .label($0) }
        return list + (content.help.map(HelpPanel(style: style, area: layout.helpArea).primitives) ?? [])
    }

    /// Returns the labels that there is room for: the first of each pattern before the second of any.
    private func labels(for drawn: [(box: OverlayBox, frame: Quad)], _ placer: inout LabelPlacer) -> [OverlayLabel] {
        let patterns = Set(drawn.map(\.box.patternIndex))
        let isTold = patterns.count > 1
        guard isTold || drawn.count <= Self.maximumLabelsOfOne else { return [] }
        var counts: [Int: Int] = [:]
        let ranked = drawn.map { item in
            defer { counts[item.box.patternIndex, default: 0] += 1 }
            return (rank: counts[item.box.patternIndex, default: 0], item: item)
        }
        let most = max(1, Self.maximumLabels / max(1, patterns.count))
        return ranked.filter { $0.rank < most }.sorted { $0.rank < $1.rank }.prefix(Self.maximumLabels)
            .compactMap { _, item in
                let gap = style.thickness(forTextHeight: item.box.quad.height) * 1.5
                return label(for: item.box, frame: item.frame, gap: gap, placer: &placer)
            }
    }

    /// Returns thin lines around text that was read but not searched for.
    private func others(_ quads: [Quad]) -> [OverlayPrimitive] {
        let thickness = max(1, style.lineThickness * 0.5)
        return quads.lazy.filter(isVisible).prefix(Self.maximumBoxes).map { quad in
            let frame = quad.grown(by: thickness + min(quad.height * 0.12, style.lineThickness * 2))
            return .hairline(frame, color: OverlayStyle.other, thickness: thickness)
        }
    }

    /// Returns the opacity of a box of this age: full at first, a quarter at the end, so that it fades but always stays
    /// visible.
    static func opacity(age: Double) -> Double {
        let fraction = age.isNaN ? 1 : max(0, min(1, age))
        return 1 - 0.75 * fraction * fraction
    }

    /// Returns whether every corner can be drawn and some of the box is inside the picture.
    private func isVisible(_ quad: Quad) -> Bool {
        let bounds = quad.bounds
        let numbers = quad.corners.flatMap { [$0.x, $0.y] }
        guard numbers.allSatisfy({ $0.isFinite && abs($0) < 1e6 }) else { return false }
        return bounds.maxX > 0 && bounds.maxY > 0
            && bounds.minX < Double(style.pictureWidth) && bounds.minY < Double(style.pictureHeight)
    }

    /// Returns the quad of the line around a box: clear of the letters, and inside the picture if the text itself is.
    private func frame(around quad: Quad) -> Quad {
        let thickness = style.thickness(forTextHeight: quad.height)
        let grown = quad.grown(by: min(style.largestLine, thickness + min(quad.height * 0.14, style.lineThickness * 3)))
        let picture = Rect(x: 0, y: 0, width: Double(style.pictureWidth), height: Double(style.pictureHeight))
        let bounds = quad.bounds
        guard picture.intersection(bounds) == bounds else { return grown }
        let inset = min(thickness, picture.width / 2, picture.height / 2)
        return grown.mapped { corner in
            Point(
                max(inset, min(picture.maxX - inset, corner.x)), max(inset, min(picture.maxY - inset, corner.y)))
        }
    }

    private func label(
        for box: OverlayBox, frame: Quad, gap: Double, placer: inout LabelPlacer
    ) -> OverlayLabel? {
        let text = OverlayText.singleLine(box.text)
        guard !text.isEmpty else { return nil }
        let color = OverlayColor.pattern(box.patternIndex)
        var runs = [OverlayLabel.Run(text, color: color, isBold: true)]
        if let score = box.score, score.isFinite {
            let percent = Int((max(0, min(1, score)) * 100).rounded())
            runs.append(OverlayLabel.Run("  \(percent)%", color: OverlayStyle.faint))
        }
        let label = OverlayLabel(
            runs: runs, slot: style.labelArea, preferredX: frame.bounds.minX, fontSize: style.fontSize,
            background: OverlayStyle.tab, cornerRadius: style.fontSize * 0.35, opacity: Self.opacity(age: box.age))
        let width = OverlayText.estimatedWidth(label.text) * style.fontSize
        return placer.place(label, textWidth: width, frame: frame.bounds, gap: gap)
    }
}

extension Quad {
    /// Returns the quad with every side moved outward by `margin` pixels, along the directions of the text.
    ///
    /// A quad without extent in a direction grows along the picture's axes.
    public func grown(by margin: Double) -> Quad {
        let across = (topRight - topLeft) + (bottomRight - bottomLeft)
        let down = (bottomLeft - topLeft) + (bottomRight - topRight)
        let u = across.length > 0 ? across * (margin / across.length) : Point(margin, 0)
        let v = down.length > 0 ? down * (margin / down.length) : Point(0, margin)
        return Quad(
            topLeft: topLeft - u - v, topRight: topRight + u - v, bottomRight: bottomRight + u + v,
            bottomLeft: bottomLeft - u + v)
    }
}

/// Finds room for labels, one after the other.
struct LabelPlacer {
    /// The part of the picture that labels stay inside.
    let area: Rect
    /// The height of every label.
    let height: Double
    private var obstacles: [Rect] = []

    init(area: Rect, height: Double) {
        self.area = area
        self.height = height
    }

    /// Keeps later labels away from these.
    mutating func avoid(_ rects: [Rect]) {
        obstacles += rects
    }

    /// Returns the slot for `label`, whose text is about `textWidth` wide: above `frame`, below it, or beside it, where
    /// it covers nothing. Nil if there is no such room.
    mutating func place(_ label: OverlayLabel, textWidth: Double, frame: Rect, gap: Double) -> OverlayLabel? {
        guard area.height >= height, area.width >= height * 2 else { return nil }
        let middle = frame.center.y - height / 2
        let width = textWidth + 2 * label.padding
        let places = [
            (frame.minX, frame.minY - gap - height), (frame.minX, frame.maxY + gap), (frame.maxX + gap, middle),
            (frame.minX - gap - width, middle),
        ]
        for (x, y) in places where y >= area.minY && y + height <= area.maxY {
            var candidate = label
            candidate.slot = Rect(x: area.minX, y: y, width: area.width, height: height)
            candidate.preferredX = x
            let tab = candidate.tab(textWidth: textWidth)
            guard tab.width >= width - 1, frame.intersection(tab).area == 0,
                obstacles.allSatisfy({ $0.intersection(tab).area == 0 })
            else { continue }
            obstacles.append(tab)
            return candidate
        }
        return nil
    }
}
