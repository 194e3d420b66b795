import Foundation
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

/// How much of a text shows while it is there.
public enum ClipAppearance: Sendable, Hashable {
    /// All of it, all the time.
    case steady
    /// It fades in over this many frames, and out over as many.
    case fade(in: Int, out: Int)
    /// It is there for `on` frames, gone for `off`, and so on.
    case flicker(on: Int, off: Int)
    /// One character after the other, from the left; the first at once.
    case typed(charactersPerSecond: Double)

    /// The state of the text `frame` frames after its first one, of `count` in all.
    func state(ofFrame frame: Int, of count: Int, frameRate: Int, characters: Int) -> (shown: Int, opacity: Double) {
        switch self {
        case .steady:
            return (characters, 1)
        case .fade(let rise, let fall):
            let risen = Double(frame + 1) / Double(max(0, rise) + 1)
            let left = Double(count - frame) / Double(max(0, fall) + 1)
            return (characters, min(1, risen, left))
        case .flicker(let on, let off):
            return (characters, frame % max(1, on + off) < on ? 1 : 0)
        case .typed(let rate):
            return (min(characters, 1 + Int(max(0, rate) * Double(frame) / Double(frameRate))), 1)
        }
    }
}

/// Where something is at each moment of a clip. Times are seconds from the clip's beginning, also for a text that
/// appears later, so that several with the same velocity move as one.
public struct ClipMotion: Sendable, Hashable {
    /// At the beginning, in pixels.
    public var center: Point
    /// Pixels a second.
    public var velocity: Point
    /// How many times as large at the beginning.
    public var scale: Double
    /// How many times as large after each second: 1 keeps the size, 2 doubles it.
    public var growth: Double
    /// Clockwise at the beginning.
    public var degrees: Double
    public var degreesPerSecond: Double

    public init(
        _ center: Point, velocity: Point = Point(0, 0), scale: Double = 1, growth: Double = 1, degrees: Double = 0,
        degreesPerSecond: Double = 0
    ) {
        self.center = center
        self.velocity = velocity
        self.scale = scale
        self.growth = growth
        self.degrees = degrees
        self.degreesPerSecond = degreesPerSecond
    }

    /// From coordinates around the center, at their original size, to the picture's pixels.
    public func placement(atSecond seconds: Double) -> Affine {
        .place(
            center + velocity * seconds, scale: growth == 1 ? scale : scale * pow(growth, seconds),
            degrees: degrees + degreesPerSecond * seconds)
    }
}

/// The kind of display that shows a text.
public enum ClipDisplay: Sendable, Hashable {
    case font
    /// Seven bars a digit, as on clocks and meters: digits, minus, point, colon, and a space as wide as the colon. The anchor is the
    /// left end of the baseline, and the size is the height of a digit.
    case segments
    /// A drum that turns to another text of the same length in the last frames, seen through a window of the color of what is around
    /// it; in a font whose digits are of one width, on its baseline.
    case rolling(to: String, over: Int, window: OverlayColor)

    /// How far the drum has turned, 0 to 1.
    func rolled(inFrame frame: Int, of count: Int) -> Double {
        guard case .rolling(_, let length, _) = self else { return 0 }
        return max(0, Double(frame - (count - length) + 1) / Double(max(1, length) + 1))
    }
}
