public import GStreamerMedia
public import TextSpotting

/// Sees each frame of a running picture with the boxes on it, besides the window or the recording that there may be.
///
/// Asked by the display thread, which must not wait.
public protocol FrameViewer: Sendable {
    /// Somebody looks at the moment. Else no frame is shown, and no box is followed for it.
    var isLooking: Bool { get }

    /// Takes a frame; returns at once. One at a time.
    func see(_ frame: consuming sending ViewedFrame)
}

/// A frame and what is found in it.
public struct ViewedFrame: ~Copyable, Sendable {
    /// Of a camera whose buffers are few: to be let go of soon.
    public let sample: Sample
    public let time: StreamTime
    /// When it came from the source.
    public let arrival: ContinuousClock.Instant
    public let boxes: [ViewedBox]
}

/// The words of a pattern where they are in one frame.
public struct ViewedBox: Sendable, Hashable {
    /// Of the sighting.
    public var id: Int
    public var pattern: String
    public var text: String
    /// Which of the patterns it is, for its color.
    public var patternIndex: Int
    public var score: Double
    /// 0 for what was just read, 1 for what is about to go.
    public var age: Double
    /// In pixels of the picture as displayed.
    public var quad: Quad
}
