/// A live job's result for a receiver that keeps the readings.
public enum LiveResult: Sendable {
    /// All that the reading of a frame found. Frames that were skipped are among its frames, as far as they are remembered (some
    /// seconds), and thumbnails show the whole frame, also where only a part of it is read.
    case read(FrameResult, arrival: ContinuousClock.Instant)
    /// The source was lost: what comes has nothing to do with what was read.
    case lost
}
