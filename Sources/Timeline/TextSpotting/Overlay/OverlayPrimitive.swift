/// One item of the draw list, which the composer makes and the rasterizer turns into pixels. All lengths are in pixels
/// of the picture drawn on.
public enum OverlayPrimitive: Hashable, Sendable {
    /// A rounded line along `quad`, with a soft dark halo under it. `thickness` is the width of the bright line,
    /// centered on the sides of the quad; `opacity` 0 to 1 fades line and halo together.
    case outline(Quad, color: OverlayColor, thickness: Double, opacity: Double)
    /// A thin line along `quad` between two dark ones, visible over anything and yet unobtrusive.
    case hairline(Quad, color: OverlayColor, thickness: Double)
    /// A rectangle with rounded corners, painted in `color`.
    case tab(Rect, color: OverlayColor, cornerRadius: Double)
    /// The inside of `quad`, painted in `color` without an edge.
    case fill(Quad, color: OverlayColor)
    /// Text on a rounded tab.
    case label(OverlayLabel)
}

/// A line of text on a rounded tab, as wide as its text and inside its slot.
public struct OverlayLabel: Hashable, Sendable {
    /// A piece of the text with one style.
    public struct Run: Hashable, Sendable {
        public var text: String
        public var color: OverlayColor
        public var isBold: Bool

        public init(_ text: String, color: OverlayColor, isBold: Bool = false) {
            self.text = text
            self.color = color
            self.isBold = isBold
        }
    }

    /// The text, in reading order. Already made safe by ``OverlayText``.
    public var runs: [Run]
    /// The area available to the tab. The tab is as high as the slot, and never wider; text that does not fit ends in
    /// an ellipsis.
    public var slot: Rect
    /// The preferred left edge of the tab; the tab moves left if it would leave the slot.
    public var preferredX: Double
    /// The font size, in pixels per em.
    public var fontSize: Double
    public var background: OverlayColor
    /// The radius of the tab's corners.
    public var cornerRadius: Double
    /// The opacity of text and tab together, 0 to 1.
    public var opacity: Double

    public init(
        runs: [Run], slot: Rect, preferredX: Double, fontSize: Double, background: OverlayColor, cornerRadius: Double,
        opacity: Double
    ) {
        self.runs = runs
        self.slot = slot
        self.preferredX = preferredX
        self.fontSize = fontSize
        self.background = background
        self.cornerRadius = cornerRadius
        self.opacity = opacity
    }

    /// The whole text.
    public var text: String { runs.map(\.text).joined() }

    /// The empty space between the tab's left and right edges and its text, in pixels.
    public var padding: Double { fontSize * 0.45 }

    /// Returns the place of a tab whose text is `textWidth` wide.
    public func tab(textWidth: Double) -> Rect {
        let width = min(slot.width, textWidth + 2 * padding)
        let x = max(slot.minX, min(preferredX, slot.maxX - width))
        return Rect(x: x, y: slot.y, width: width, height: slot.height)
    }
}

/// Lays out the line at the bottom of the picture, `● EXIT  2 matches  8.3 readings/s, 0.1 s old`, and the sentences
/// above it.
struct StatusLine {
    let style: OverlayStyle
    /// The available area; the line is at its bottom.
    let area: Rect

    /// Returns the label at the bottom left of the picture; nil if the picture is too small for one.
    func label(for status: OverlayStatus) -> OverlayLabel? {
        guard let slot = slot(above: 0) else { return nil }
        let fontSize = style.fontSize * 0.9
        // If not everything fits, the figures are abbreviated, then left out.
        let forms = Form.allCases.map { runs(for: status, $0) }
        let fitting = forms.first { runs in
            OverlayText.estimatedWidth(runs.map(\.text).joined()) * fontSize < slot.width
        }
        return (fitting ?? forms.last).map { label($0, slot) }
    }

    /// The amount of detail shown.
    private enum Form: CaseIterable { case full, short, bare }

    /// Returns the labels of sentences above the status line, the last one directly above it; as many as there is room
    /// for.
    func labels(for notices: [OverlayNotice]) -> [OverlayLabel] {
        notices.reversed().enumerated().compactMap { index, notice in
            let color =
                switch notice.kind {
                case .done: OverlayColor.white
                case .advice: OverlayStyle.warning
                case .failure: OverlayStyle.failure
                }
            let text = OverlayText.singleLine(notice.text, limit: 160)
            guard !text.isEmpty, let slot = slot(above: index + 1) else { return nil }
            return label([OverlayLabel.Run(text, color: color, isBold: notice.kind != .done)], slot)
        }
    }

    /// Returns the row this many rows above the bottom one.
    private func slot(above rows: Int) -> Rect? {
        let height = style.labelHeight
        let y = area.maxY - height - Double(rows) * (height + style.margin * 0.4)
        guard area.height >= height * 3, area.width >= height * 4, y >= area.minY + height else { return nil }
        return Rect(x: area.minX, y: y, width: area.width, height: height)
    }

    private func label(_ runs: [OverlayLabel.Run], _ slot: Rect) -> OverlayLabel {
        OverlayLabel(
            runs: runs, slot: slot, preferredX: slot.minX, fontSize: style.fontSize * 0.9,
            background: OverlayStyle.tab, cornerRadius: slot.height / 2, opacity: 1)
    }

    private func runs(for status: OverlayStatus, _ form: Form) -> [OverlayLabel.Run] {
        var runs = [OverlayLabel.Run("●  ", color: stateColor(status))]
        if let typed = status.typed { return runs + typing(typed, status, form) }
        runs += searched(status)
        if let activity = status.activity {
            runs.append(
                OverlayLabel.Run(
                    "   \(OverlayText.singleLine(activity))", color: OverlayStyle.warning, isBold: true))
        } else if status.state != .running {
            runs.append(OverlayLabel.Run("   \(status.state.rawValue)", color: stateColor(status), isBold: true))
        }
        runs += matches(in: status)
        if form != .bare {
            runs.append(OverlayLabel.Run(figures(of: status, isShort: form == .short), color: OverlayStyle.faint))
        }
        return runs.filter { !$0.text.isEmpty }
    }

    /// Returns the number of matches; nothing before the first reading, when it is still unknown.
    private func matches(in status: OverlayStatus) -> [OverlayLabel.Run] {
        let reading = OverlayLabel.Run("   reading…", color: OverlayStyle.faint)
        guard status.matches > 0 || !status.isFirstReading else {
            return status.state == .running || status.state == .paused ? [reading] : []
        }
        let text = status.matches == 1 ? "1 match" : "\(status.matches) matches"
        let count = OverlayLabel.Run("   \(text)", color: status.matches > 0 ? .white : OverlayStyle.faint)
        return status.isFirstReading ? [count, reading] : [count]
    }

    private func searched(_ status: OverlayStatus) -> [OverlayLabel.Run] {
        let patterns = status.searched.prefix(4).enumerated().flatMap { index, pattern in
            [
                OverlayLabel.Run(index == 0 ? "" : " · ", color: OverlayStyle.faint),
                OverlayLabel.Run(
                    OverlayText.singleLine(pattern, limit: 24), color: OverlayColor.pattern(index), isBold: true),
            ]
        }
        let more = status.searched.count > 4 ? "  +\(status.searched.count - 4)" : ""
        return patterns + [OverlayLabel.Run(more, color: OverlayStyle.faint)]
    }

    /// Returns the text that is being typed, around the cursor, with hints if there is room.
    private func typing(_ typed: String, _ status: OverlayStatus, _ form: Form) -> [OverlayLabel.Run] {
        let letters = Array(typed)
        let cursor = max(0, min(letters.count, status.cursor ?? letters.count))
        // A long line is shown around the cursor.
        let reach = form == .full ? 40 : form == .short ? 24 : 12
        let first = letters.count <= reach ? 0 : max(0, min(letters.count - reach, cursor - reach * 3 / 4))
        let last = min(letters.count, first + reach)
        let color = status.isAllChosen ? OverlayColor.pattern(2) : .white
        func run(_ range: Range<Int>) -> OverlayLabel.Run {
            OverlayLabel.Run(Self.visible(String(letters[range])), color: color, isBold: true)
        }
        var runs = [
            OverlayLabel.Run(first > 0 ? "/…" : "/", color: OverlayStyle.faint), run(first..<max(first, cursor)),
            OverlayLabel.Run("▏", color: OverlayColor.pattern(0), isBold: true), run(min(last, cursor)..<last),
            OverlayLabel.Run(last < letters.count ? "…" : "", color: OverlayStyle.faint),
        ]
        if let offered = status.offered, form != .bare {
            let text = OverlayText.singleLine(offered, limit: 20)
            runs.append(OverlayLabel.Run("   ↑ \(text)", color: OverlayStyle.faint))
        }
        return runs.filter { !$0.text.isEmpty }
    }

    /// Returns text that is safe to draw, including the spaces at its ends, which a user who types them wants to see.
    private static func visible(_ text: String) -> String {
        let safe = OverlayText.singleLine(text, limit: 400)
        guard !safe.isEmpty else { return text.isEmpty ? "" : " " }
        return (text.first == " " ? " " : "") + safe + (text.last == " " ? " " : "")
    }

    private func figures(of status: OverlayStatus, isShort: Bool) -> String {
        // The age of a reading means nothing while the picture is paused.
        guard status.state != .paused else { return "" }
        var text = ""
        // Nothing is read again while nothing changes.
        if let rate = status.readingsPerSecond, rate < 0.05, let age = status.readingAge, age < 1 {
            return "   unchanged"
        }
        if let rate = status.readingsPerSecond, rate.isFinite, rate >= 0 {
            let (number, unit) = (Self.short(min(rate, 9999)), isShort ? "/s" : " readings/s")
            text += "   \(number)\(unit)"
        }
        if let age = status.readingAge, age.isFinite, age >= 0 {
            let number = Self.short(min(age, 9999))
            text += (text.isEmpty ? "   read " : ", ") + "\(number) s" + (isShort ? "" : " old")
        }
        return text
    }

    /// Returns a number with one decimal if it has one digit before the point.
    private static func short(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(tenths / 10)"
    }

    private func stateColor(_ status: OverlayStatus) -> OverlayColor {
        switch status.state {
        case .running: status.matches > 0 ? OverlayColor.pattern(0) : OverlayStyle.faint
        case .opening, .stalled, .reconnecting: OverlayStyle.warning
        case .failed: OverlayStyle.failure
        case .paused, .ended: OverlayStyle.faint
        }
    }
}

/// The sizes of the parts of the overlay, derived from the size of the picture they are drawn on.
///
/// Everything scales with the short side of the picture, so that the overlay looks the same on 640×360 and on 4K, with
/// lower bounds that keep lines and letters visible.
public struct OverlayStyle: Hashable, Sendable {
    /// The picture's size in pixels.
    public let pictureWidth: Int
    public let pictureHeight: Int
    /// The width of the bright line of a box.
    public let lineThickness: Double
    /// The font size of the labels, in pixels per em.
    public let fontSize: Double
    /// The least distance of labels from the edges of the picture.
    public let margin: Double
    /// The greatest distance of the line of a box from its text.
    let largestLine: Double

    public init(pictureWidth: Int, pictureHeight: Int) {
        self.pictureWidth = pictureWidth
        self.pictureHeight = pictureHeight
        let unit = Double(min(pictureWidth, pictureHeight)) / 720
        lineThickness = max(1.5, 3 * unit)
        fontSize = max(11, 19 * unit)
        margin = max(3, 12 * unit)
        largestLine = .infinity
    }

    /// Creates sizes in pixels of a window: letters have the usual size in any window, and are only a little larger in
    /// a large one.
    ///
    /// - Parameters:
    ///   - width: the width of the frame that is shown in the window, in pixels.
    ///   - height: the height of that frame, in pixels.
    ///   - scale: the number of window pixels per frame pixel.
    public init(windowWidth width: Int, height: Int, scale: Double) {
        pictureWidth = width
        pictureHeight = height
        let scale = scale.isFinite && scale > 0 ? scale : 1
        // The power of three quarters: a window twice as large is viewed from a little further away.
        let root = (Double(min(width, height)) * scale / 720).squareRoot()
        let unit = root * root.squareRoot()
        lineThickness = max(1.5, 3 * unit) / scale
        fontSize = max(12, 17 * unit) / scale
        margin = max(4, 10 * unit) / scale
        largestLine = 12 * unit / scale
    }

    public var labelHeight: Double { (fontSize * 1.55).rounded() }

    /// The inner part of the picture that labels may use.
    var labelArea: Rect {
        Rect(x: 0, y: 0, width: Double(pictureWidth), height: Double(pictureHeight)).grown(by: -margin)
    }

    /// Returns the thickness of the line around text `height` pixels high: thinner around small text, so that it never
    /// swallows it.
    func thickness(forTextHeight height: Double) -> Double {
        max(1.5, min(lineThickness, height * 0.16))
    }

    /// The dark tab behind labels, which keeps them readable over anything.
    static let tab = OverlayColor(hex: 0x0B1014, alpha: 0.82)
    /// The background of the list of keys, which has more text to read.
    static let panel = OverlayColor(hex: 0x0B1014, alpha: 0.96)
    /// The lines around text that was not searched for.
    static let other = OverlayColor(hex: 0xFFFFFF, alpha: 0.6)
    static let faint = OverlayColor(hex: 0xB8C4CC)
    static let warning = OverlayColor(hex: 0xFFB020)
    static let failure = OverlayColor(hex: 0xFF5C5C)
}

/// A color of the overlay: red, green, blue and opacity, each 0 to 1, in the picture's own (non-linear) values, not
/// premultiplied.
public struct OverlayColor: Hashable, Sendable {
    public var red: Double
    public var green: Double
    public var blue: Double
    /// 0 is invisible, 1 is opaque.
    public var alpha: Double

    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Creates a color from CSS notation, `0xRRGGBB`.
    public init(hex: UInt32, alpha: Double = 1) {
        self.init(
            red: Double(hex >> 16 & 0xFF) / 255, green: Double(hex >> 8 & 0xFF) / 255, blue: Double(hex & 0xFF) / 255,
            alpha: alpha)
    }

    /// Returns the same color, `factor` times as opaque.
    public func faded(to factor: Double) -> OverlayColor {
        OverlayColor(red: red, green: green, blue: blue, alpha: alpha * factor)
    }

    /// The perceived brightness, 0 to 1: the luma weights of ITU-R BT.709 applied to the non-linear values.
    public var brightness: Double { 0.2126 * red + 0.7152 * green + 0.0722 * blue }

    /// Returns the color between this one and `other`, at `fraction` of the way.
    public func mixed(with other: OverlayColor, at fraction: Double) -> OverlayColor {
        func between(_ a: Double, _ b: Double) -> Double { a + (b - a) * fraction }
        return OverlayColor(
            red: between(red, other.red), green: between(green, other.green), blue: between(blue, other.blue),
            alpha: between(alpha, other.alpha))
    }

    public static let black = OverlayColor(hex: 0x000000)
    public static let white = OverlayColor(hex: 0xFFFFFF)

    /// Bright colors with different hues and brightness, one for each pattern in turn.
    public static let patterns: [OverlayColor] = [
        OverlayColor(hex: 0x3DF5A0), OverlayColor(hex: 0xFFC53D), OverlayColor(hex: 0x5AC8FF),
        OverlayColor(hex: 0xFF7AB8), OverlayColor(hex: 0xC9A6FF), OverlayColor(hex: 0xF4F46A),
    ]

    /// Returns the color of the pattern with this index; the colors repeat after the last one.
    public static func pattern(_ index: Int) -> OverlayColor {
        let place = index % patterns.count
        return patterns[place < 0 ? place + patterns.count : place]
    }
}
