/// One thing to draw over a picture: the draw list between the composer, which decides, and the rasterizer, which
/// makes pixels. All measures are pixels of the picture drawn on.
public enum OverlayPrimitive: Hashable, Sendable {
    /// A rounded line along `quad`, with a soft dark halo under it. `thickness` is the bright line's width, centered on
    /// the quad's sides; `opacity` 0 to 1 fades line and halo together.
    case outline(Quad, color: OverlayColor, thickness: Double, opacity: Double)
    /// A thin line along `quad` between two dark ones, so that it is seen over anything and yet stays in the background.
    case hairline(Quad, color: OverlayColor, thickness: Double)
    /// A rectangle with rounded corners, painted in `color`.
    case tab(Rect, color: OverlayColor, cornerRadius: Double)
    /// The inside of `quad`, painted in `color` with no edge.
    case fill(Quad, color: OverlayColor)
    /// Text on a rounded tab.
    case label(OverlayLabel)
}

/// A line of text on a rounded tab, as wide as its text and inside its slot.
public struct OverlayLabel: Hashable, Sendable {
    /// A piece of the text with one look.
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
    /// Where the tab may be. It is as high as the slot, and never wider; text that does not fit ends in an ellipsis.
    public var slot: Rect
    /// Where the tab's left edge would like to be; it moves left when the tab would leave the slot.
    public var preferredX: Double
    /// The size of the font, in pixels an em.
    public var fontSize: Double
    public var background: OverlayColor
    /// The radius of the tab's corners.
    public var cornerRadius: Double
    /// 0 to 1, fades text and tab together.
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

    /// Where a tab whose text is `textWidth` wide stands.
    public func tab(textWidth: Double) -> Rect {
        let width = min(slot.width, textWidth + 2 * padding)
        let x = max(slot.minX, min(preferredX, slot.maxX - width))
        return Rect(x: x, y: slot.y, width: width, height: slot.height)
    }
}
