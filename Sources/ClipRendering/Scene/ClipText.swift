public import OverlayDrawing
public import TextSpotting

/// A line of text in a clip: its look, its place as a function of time, and when it is there.
public struct ClipText: Sendable, Hashable {
    public var text: String
    public var font: FontFace
    /// Pixels an em, where ``motion`` does not scale it.
    public var size: Double
    public var color: OverlayColor
    /// Where its ``anchor`` is: the center of the whole text's ink.
    public var motion: ClipMotion
    public var appearance: ClipAppearance
    /// The frames in which it is there, hard cuts at both ends; nil is the whole clip.
    public var frames: Range<Int>?
    /// The plate that the text is printed on, if not on the background itself.
    public var plate: ClipPlate?
    /// The point of the text that ``motion`` moves: the center of its ink, or, for values that change in one place, the left end of its
    /// baseline.
    public var anchor: CanvasText.Anchor
    public var display = ClipDisplay.font

    public init(
        _ text: String, font: FontFace = .sansBold, size: Double = 48, color: OverlayColor = .black,
        motion: ClipMotion, appearance: ClipAppearance = .steady, frames: Range<Int>? = nil, plate: ClipPlate? = nil,
        anchor: CanvasText.Anchor = .center
    ) {
        self.text = text
        self.font = font
        self.size = size
        self.color = color
        self.motion = motion
        self.appearance = appearance
        self.frames = frames
        self.plate = plate
        self.anchor = anchor
    }

    /// A text that stands still around `center`, or where `anchor` says.
    public init(
        _ text: String, at center: Point, font: FontFace = .sansBold, size: Double = 48, color: OverlayColor = .black,
        appearance: ClipAppearance = .steady, frames: Range<Int>? = nil, plate: ClipPlate? = nil,
        anchor: CanvasText.Anchor = .center
    ) {
        self.init(
            text, font: font, size: size, color: color, motion: ClipMotion(center), appearance: appearance,
            frames: frames, plate: plate, anchor: anchor)
    }
}

/// A rounded plate behind a text, which moves with it.
public struct ClipPlate: Sendable, Hashable {
    public var color: OverlayColor
    /// How far it reaches beyond the text's ink, in the text's pixels: to the sides (x), and up and down (y).
    public var padding: Point
    public var cornerRadius: Double

    public init(_ color: OverlayColor, padding: Point = Point(12, 10), cornerRadius: Double = 4) {
        self.color = color
        self.padding = padding
        self.cornerRadius = cornerRadius
    }
}
