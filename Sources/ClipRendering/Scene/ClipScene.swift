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
