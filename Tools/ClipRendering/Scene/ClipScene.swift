import Foundation
public import OverlayDrawing
public import Painting
public import TextSpotting

/// The script of a rendered clip: a background, and texts with known words, places and times.
///
/// A value. The same scene gives the same frames every time on the same system: what looks random comes from ``seed``.
public struct ClipScene: Sendable {
    /// Names the clip's file, without an extension.
    public var name: String
    /// The purpose of the clip, in a few words.
    public var summary: String
    /// In pixels; even, as video formats want it.
    public var width: Int
    /// In pixels; even.
    public var height: Int
    /// Frames a second.
    public var frameRate: Int
    public var frameCount: Int
    public var background: ClipBackground
    /// First ones at the bottom.
    public var texts: [ClipText]
    /// Words that are not in the clip and that a search must not find.
    public var absent: [String]
    /// How far the whole picture is out of focus: the Gaussian's sigma in pixels.
    public var blur: Double
    /// Grain as of a sensor, new in each frame: how far a pixel may go towards white or black, 0 to 1.
    public var noise: Double
    public var seed: UInt64
    /// How much H.264 may lose: x264's quantizer, 20 is hardly to be seen, 38 is blocks; nil chooses by ``noise``.
    public var quantizer: Int?
    /// How many B-frames H.264 may put between others; 0 keeps decoding order and showing order the same.
    public var bFrames: Int

    /// - Parameter seconds: How long the clip is; rounded to whole frames, at least one.
    /// - Precondition: The size is positive and even, `frameRate` is positive.
    public init(
        _ name: String = "clip", summary: String = "", width: Int = 640, height: Int = 360, frameRate: Int = 25,
        seconds: Double = 2, background: ClipBackground = .flat(.white), texts: [ClipText] = [], absent: [String] = [],
        blur: Double = 0, noise: Double = 0, seed: UInt64 = 1, bFrames: Int = 0,
        quantizer: Int? = nil
    ) {
        precondition(width > 0 && height > 0 && width % 2 == 0 && height % 2 == 0, "a clip's sides are even")
        precondition(frameRate > 0, "a clip has a frame rate")
        self.name = name
        self.summary = summary
        self.width = width
        self.height = height
        self.frameRate = frameRate
        frameCount = max(1, Int((seconds * Double(frameRate)).rounded()))
        self.background = background
        self.texts = texts
        self.absent = absent
        self.blur = blur
        self.noise = noise
        self.seed = seed
        self.bFrames = bFrames
        self.quantizer = quantizer
    }

    /// When a frame becomes visible, rounded down to whole nanoseconds. (Matroska and WebM round it to milliseconds.)
    public func time(ofFrame index: Int) -> StreamTime {
        StreamTime(nanoseconds: Int64(index) * 1_000_000_000 / Int64(frameRate))
    }

    /// The whole picture.
    public var bounds: Rect { Rect(x: 0, y: 0, width: Double(width), height: Double(height)) }
}

/// The picture behind a clip's texts.
public enum ClipBackground: Sendable {
    case flat(OverlayColor)
    /// Changes evenly from the first color at the top-left to the second at the bottom-right.
    case gradient(OverlayColor, OverlayColor)
    /// Cloudy structure, coarse to fine, as in a photograph.
    case texture(ClipTexture)
    /// A picture made of shapes, which moves as a whole.
    case wall(ClipWall)

    /// A photo-like texture that stands still or moves.
    public static func texture(
        from dark: OverlayColor, to bright: OverlayColor, velocity: Point = Point(0, 0)
    ) -> ClipBackground {
        .texture(ClipTexture(from: dark, to: bright, velocity: velocity))
    }
}

/// Cloudy structure between two colors.
public struct ClipTexture: Sendable, Hashable {
    public var dark: OverlayColor
    public var bright: OverlayColor
    /// 0 (smooth) to 1 (as much fine structure as coarse).
    public var roughness: Double
    /// How often it repeats, in pixels; a power of two of at least 16.
    public var side: Int
    /// Pixels a second.
    public var velocity: Point

    public init(
        from dark: OverlayColor, to bright: OverlayColor, roughness: Double = 0.55, side: Int = 256,
        velocity: Point = Point(0, 0)
    ) {
        self.dark = dark
        self.bright = bright
        self.roughness = roughness
        self.side = side
        self.velocity = velocity
    }
}

/// A wide picture of shapes that the camera passes. At the clip's beginning its top-left corner is the frame's.
public struct ClipWall: Sendable {
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int
    public var color: OverlayColor
    /// First ones at the bottom.
    public var shapes: [Shape]
    /// Pixels a second.
    public var velocity: Point

    public init(width: Int, height: Int, color: OverlayColor, shapes: [Shape], velocity: Point = Point(0, 0)) {
        self.width = width
        self.height = height
        self.color = color
        self.shapes = shapes
        self.velocity = velocity
    }

    /// A rounded rectangle.
    public struct Shape: Sendable, Hashable {
        public var rect: Rect
        public var color: OverlayColor
        public var cornerRadius: Double

        public init(_ rect: Rect, _ color: OverlayColor, cornerRadius: Double = 0) {
            self.rect = rect
            self.color = color
            self.cornerRadius = cornerRadius
        }
    }
}

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
    /// it; in a font with digits of one width, on its baseline.
    case rolling(to: String, over: Int, window: OverlayColor)

    /// How far the drum has turned, 0 to 1.
    func rolled(inFrame frame: Int, of count: Int) -> Double {
        guard case .rolling(_, let length, _) = self else { return 0 }
        return max(0, Double(frame - (count - length) + 1) / Double(max(1, length) + 1))
    }
}
