public import TextSpotting

/// The text read in a stretch of a recording.
public struct RecordedPart: Sendable, Hashable {
    /// Where the stretch begins and ends, in stream time.
    public var from: StreamTime
    public var to: StreamTime
    public var frames: FrameTimes
    /// Which frames were read, by their numbers in ``frames``.
    public var steps: [Int]
    public var lines: [RecordedLine]
    /// The clock in the picture; its texts are not among the lines.
    public var clock: ClockTrack?

    public init(
        from: StreamTime, to: StreamTime, frames: FrameTimes = FrameTimes(), steps: [Int] = [],
        lines: [RecordedLine] = [], clock: ClockTrack? = nil
    ) {
        self.from = from
        self.to = to
        self.frames = frames
        self.steps = steps
        self.lines = lines
        self.clock = clock
    }
}
