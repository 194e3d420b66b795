/// When a frame is on screen, and its place in the order of frames.
public struct FrameTime: Hashable, Sendable {
    /// Counts the frames of one stream from 0.
    public var index: Int
    /// The first moment at which the frame is visible.
    public var start: StreamTime
    /// How long it is visible; never negative.
    public var duration: StreamTime

    public init(index: Int, start: StreamTime, duration: StreamTime) {
        self.index = index
        self.start = start
        self.duration = duration
    }

    /// The first moment at which the frame is no longer visible.
    public var end: StreamTime { start + duration }
}
