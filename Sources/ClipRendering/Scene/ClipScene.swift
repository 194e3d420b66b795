public import TextSpotting

/// The script of a rendered clip: a background with texts whose words, places and times are known.
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
