import Threads

/// The reaction to losing a running source: an unplugged camera, a network that drops, a server that restarts.
public struct LossPolicy: Sendable, Hashable {
    /// How often to try to get the source back, one try after the other without success.
    public enum Limit: Sendable, Hashable {
        case never
        /// The number of tries.
        case tries(Int)
        case forever
    }

    public var limit: Limit
    /// The first opening is tried again too, instead of being an error at once.
    public var triesFirstOpening: Bool
    /// The end of the stream is a loss, unless the source said how long it is: cameras have no end.
    public var endIsLoss: Bool
    /// A source silent for this long is closed and opened again; nil: it is only called stalled.
    public var reopensAfterSilence: Duration?
    /// How long an opened source may take to its first frame before that counts as a failure; nil: for ever.
    public var firstFrameTime: Duration?
    /// The longest pause between two tries.
    public var longestPause = Duration.seconds(15)

    /// A recording, or a pipeline of the user's own: there is nothing to get back.
    public static let none = LossPolicy(
        limit: .never, triesFirstOpening: false, endIsLoss: false, reopensAfterSilence: nil, firstFrameTime: nil)

    /// A network source.
    ///
    /// A source that never answered is an error at once, because a wrong address is likelier than a bad moment; with
    /// `.forever` it is waited for too.
    public static func network(_ limit: Limit) -> LossPolicy {
        LossPolicy(
            limit: limit, triesFirstOpening: limit == .forever, endIsLoss: true, reopensAfterSilence: .zero,
            firstFrameTime: .seconds(15))
    }

    /// A local camera that is waited for when it is unplugged.
    public static let waitingCamera = LossPolicy(
        limit: .forever, triesFirstOpening: false, endIsLoss: true, reopensAfterSilence: .seconds(10),
        firstFrameTime: .seconds(20), longestPause: .seconds(1))

    /// A local camera whose loss ends the job.
    public static let exitingCamera = LossPolicy(
        limit: .never, triesFirstOpening: false, endIsLoss: true, reopensAfterSilence: nil,
        firstFrameTime: .seconds(20))

    /// The pause before a try, the first being number 1: half a second, doubled each time up to the longest.
    public func pause(before attempt: Int) -> Duration {
        Backoff(first: .milliseconds(500), longest: longestPause).pause(after: attempt - 1)
    }

    /// Whether to name the try and its pause: not where looking again costs nothing and is done all the time.
    var namesTries: Bool { longestPause > .seconds(1) }

    func allows(_ attempt: Int) -> Bool {
        switch limit {
        case .never: false
        case .tries(let count): attempt <= count
        case .forever: true
        }
    }
}
