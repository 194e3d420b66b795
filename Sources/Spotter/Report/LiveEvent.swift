public import Errors
public import TextSpotting

/// An event of a live job, in order. Times are stream times.
public enum LiveEvent: Sendable {
    /// The state of the source has changed.
    case state(OverlayStatus.State, message: String)
    /// A pattern appeared; `latency` is the time from the arrival of the frame that first showed it to its box being
    /// drawn (without a picture: to its being read).
    case appeared(Sighting, at: StreamTime, latency: Duration)
    /// A box as drawn in one frame; only when boxes were asked for.
    case box(id: Int, Quad, at: StreamTime)
    /// A sighting is over.
    case disappeared(Sighting, at: StreamTime)
    /// A line of text came into view, matched or not; only when all text was asked for.
    case textAppeared(id: Int)
    /// It is over, and this is how it stood at its best. Its `pattern` is empty.
    case text(Sighting, at: StreamTime)
    /// Once a second.
    case statistics(LiveStatistics, at: StreamTime)
    /// Something is not as it should be, but the job goes on.
    case warning(FramegrepError)
    /// A picture was kept that the person at the window wanted.
    case snapshot(path: String, at: StreamTime)
    /// The last event.
    case end(LiveEnd)
}

/// How and with what the live job ended.
public struct LiveEnd: Sendable {
    public enum Reason: String, Sendable { case eos, quit, signal, error }

    public var reason: Reason
    /// How many sightings there were.
    public var sightings: Int
    /// The totals and the last measurements.
    public var statistics: LiveStatistics
    public var time: StreamTime
    /// Why, when the reason is an error.
    public var failure: FramegrepError?
    /// How many frames were handed on to the window or the recording.
    public var shownFrames = 0

    public init(
        reason: Reason, sightings: Int, statistics: LiveStatistics, time: StreamTime,
        failure: FramegrepError? = nil, shownFrames: Int = 0
    ) {
        (self.reason, self.sightings, self.statistics, self.time) = (reason, sightings, statistics, time)
        (self.failure, self.shownFrames) = (failure, shownFrames)
    }
}

/// A live job's result for a receiver that keeps the readings.
public enum LiveResult: Sendable {
    /// All that the reading of a frame found. Frames that were skipped are among its frames, as far as they are remembered (some
    /// seconds), and thumbnails show the whole frame, also where only a part of it is read.
    case read(FrameResult, arrival: ContinuousClock.Instant)
    /// The source was lost: what comes has nothing to do with what was read.
    case lost
}
