import Errors
import GStreamerMedia
import Synchronization
import TextSpotting
import Threads

/// The frames of a source that may be opened several times, as one stream for the display thread.
///
/// Thread-safe: whoever opens the source connects and disconnects, the display thread pulls. Frames of a connection that
/// was given up are never handed out after it.
final class SourceFrames: Sendable {
    /// What ``pull(timeout:)`` found.
    enum Pull: ~Copyable, Sendable {
        /// The next frame, and the number of its connection: frames of different connections have nothing in common.
        case sample(Sample, connection: Int)
        /// Nothing came in time.
        case timedOut
        /// The connection was given up: what was shown is old from now on. Said once for each.
        case lost
        /// Nothing will come any more.
        case endOfStream(FramegrepError?)
    }

    private struct State {
        var sink: AppSink?
        var connection = 0
        var isLive = false
        var isUntimed = false
        var framesWithoutTime = 0
        var isLossUnsaid = false
        var earlierBuffers = 0
        var end: (isOver: Bool, failure: FramegrepError?) = (false, nil)
        var opened = ContinuousClock.now
        var arrival: ContinuousClock.Instant?
        var asked = ContinuousClock.now
    }

    private let state = Mutex(State())
    /// The pipeline that is source and output in one; nil where they are two.
    private let shared: Pipeline?

    /// - Parameter shared: the one pipeline of a description of the person's own: its end is the end.
    init(shared: Pipeline? = nil) {
        self.shared = shared
    }

    /// Nothing more will come; what is still there can be pulled.
    var isOver: Bool { state.withLock { $0.end.isOver } }

    /// Whether source and output are one pipeline, so that they end together.
    var isShared: Bool { shared != nil }

    /// Frames come when they come, and are lost when nobody takes them.
    var isLive: Bool { state.withLock { $0.isLive } }

    /// The source gives its frames no times (pictures over HTTP, one after the other).
    var isUntimed: Bool { state.withLock { $0.isUntimed } }

    /// How many frames reached the program, over all connections.
    var received: Int { state.withLock { $0.earlierBuffers + ($0.sink?.receivedBuffers ?? 0) } }

    /// How long no frame has come (counted from the opening where none has come at all), and how long the connection has
    /// lasted; nil while nothing is open.
    ///
    /// A source is not silent while nobody asks for frames: a file waits while its picture is frozen.
    var silence: (silent: Duration, held: Duration)? {
        state.withLock { state in
            guard state.sink != nil else { return nil }
            let now = ContinuousClock.now
            if now - state.asked > .seconds(1) { return (.zero, now - state.opened) }
            return (now - (state.arrival ?? state.opened), now - state.opened)
        }
    }

    /// Frames come from here now.
    func connect(_ sink: AppSink, isLive: Bool) {
        state.withLock { state in
            state.sink = sink
            state.connection += 1
            state.isLive = isLive
            (state.isUntimed, state.framesWithoutTime) = (false, 0)
            (state.opened, state.asked, state.arrival) = (.now, .now, nil)
        }
    }

    /// The connection is over; its frames that were not pulled yet are too old to be shown.
    func disconnect() {
        state.withLock { state in
            guard let sink = state.sink else { return }
            state.earlierBuffers += sink.receivedBuffers
            state.sink = nil
            state.isLossUnsaid = true
        }
    }

    /// Whether whoever pulls has been told that the connection is over.
    var isLossKnown: Bool { state.withLock { !$0.isLossUnsaid } }

    /// Nothing more will come.
    func end(_ failure: FramegrepError? = nil) {
        state.withLock { $0.end = (true, $0.end.failure ?? failure) }
    }

    /// Waits for the next frame, on the calling thread.
    func pull(timeout: Duration) -> Pull {
        let (sink, connection, isLoss, end) = state.withLock { state in
            defer { state.isLossUnsaid = false }
            let now = ContinuousClock.now
            if now - state.asked > .seconds(1), state.arrival != nil { state.arrival = now }
            state.asked = now
            return (state.sink, state.connection, state.isLossUnsaid, state.end)
        }
        if isLoss { return .lost }
        guard let sink else {
            if end.isOver { return .endOfStream(end.failure) }
            BlockingSleep.sleep(min(timeout, .milliseconds(50)))
            return .timedOut
        }
        switch sink.pull(timeout: timeout) {
        case .sample(let sample):
            let isTimed = sample.streamTime != nil
            let isCurrent = state.withLock { state in
                guard state.connection == connection, state.sink != nil else { return false }
                state.arrival = .now
                state.framesWithoutTime += isTimed ? 0 : 1
                return true
            }
            guard isCurrent else { return .timedOut }
            if !isTimed { noticeUntimed(sink) }
            return .sample(sample, connection: connection)
        case .timedOut:
            return end.isOver ? .endOfStream(end.failure) : .timedOut
        case .endOfStream:
            // A source that fails sends an end too, and the bus's message may not have been looked at yet.
            if let shared { return .endOfStream(shared.bus.firstFailure) }
            if end.isOver { return .endOfStream(end.failure) }
            // Whoever opened the source hears of it from the bus and decides.
            BlockingSleep.sleep(min(timeout, .milliseconds(20)))
            return .timedOut
        }
    }

    /// Frames without times cannot be waited for: they come when they are sent, as a camera's do.
    private func noticeUntimed(_ sink: AppSink) {
        let isNews = state.withLock { state in
            guard !isShared, !state.isUntimed, state.framesWithoutTime >= 2 else { return false }
            (state.isUntimed, state.isLive) = (true, true)
            return true
        }
        if isNews { sink.becomeLive() }
    }
}
