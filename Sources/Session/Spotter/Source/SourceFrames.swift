import Errors
import GStreamerMedia
import Synchronization
import TextSpotting
import Threads

/// The frames of a source that may be opened several times, as one stream for the display thread.
///
/// Thread-safe: the task that opens the source connects and disconnects, the display thread pulls. Frames of an
/// abandoned connection are never returned after it.
final class SourceFrames: Sendable {
    /// The result of ``pull(within:)``.
    enum Pull: ~Copyable, Sendable {
        /// The next frame, and the number of its connection: frames of different connections are unrelated.
        case sample(Sample, connection: Int)
        /// No frame is available.
        case nothing
        /// The connection was closed: the shown picture is old from now on. Reported once for each.
        case lost
        /// No more frames follow.
        case endOfStream(FramegrepError?)

        fileprivate var isNothing: Bool {
            switch self {
            case .nothing: true
            default: false
            }
        }
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
        /// How long the last frame is shown, as it states itself.
        var shownFor = Duration.zero
        /// The time at which a frame was last requested, and whether a thread is waiting for one.
        var asked = ContinuousClock.now
        var isAwaited = false
        /// The source's time of its beginning; see ``StreamOrigin``.
        var origin = StreamTime.zero
        /// Whether the source is moving to another time.
        var isJumping = false
    }

    /// A longer time that a frame states is taken for a mistake.
    private static let longestShown = Duration.seconds(60)

    /// Wakes the pulling thread. It rings here for frames, connections and ends; other parts ring it for anything else
    /// that the thread checks.
    let bell = WakeEvent()
    private let lossSaid = TaskWakeEvent()
    private let state = Mutex(State())
    /// The pipeline that is source and output in one; nil if they are two.
    private let shared: Pipeline?

    /// - Parameter shared: the only pipeline of a description of the user's own, with which the frames end.
    init(shared: Pipeline? = nil) {
        self.shared = shared
    }

    /// Whether no more frames arrive; available ones can still be pulled.
    var isOver: Bool { state.withLock { $0.end.isOver } }

    /// The source's time of its beginning.
    var origin: StreamTime { state.withLock { $0.origin } }

    /// The number of the current connection; 0 before the first.
    var connectionNumber: Int { state.withLock { $0.connection } }

    /// Whether source and output are one pipeline, so that they end together.
    var isShared: Bool { shared != nil }

    /// Whether frames arrive in real time, and are lost if they are not taken.
    var isLive: Bool { state.withLock { $0.isLive } }

    /// Whether the source gives its frames no times (pictures over HTTP, one after the other).
    var isUntimed: Bool { state.withLock { $0.isUntimed } }

    /// The number of frames that reached the program, over all connections.
    var received: Int { state.withLock { $0.earlierBuffers + ($0.sink?.receivedBuffers ?? 0) } }

    /// The time for which no frame has arrived (since the opening, if none has arrived at all), and the duration of the
    /// connection; nil while nothing is open.
    ///
    /// A source is not silent while no frames are requested: a file waits while its picture is frozen. Nor is it while
    /// the last frame is shown: of a frame every five seconds each is expected that late, and the time is negative
    /// until then.
    var silence: (silent: Duration, held: Duration)? {
        state.withLock { state in
            guard state.sink != nil else { return nil }
            let now = ContinuousClock.now
            if !state.isAwaited, now - state.asked > .seconds(1) { return (.zero, now - state.opened) }
            return (now - (state.arrival ?? state.opened) - state.shownFor, now - state.opened)
        }
    }

    /// Takes frames from this sink from now on.
    ///
    /// - Parameters:
    ///   - pipeline: the pipeline that `sink` belongs to.
    ///   - origin: the source's time of its beginning.
    func connect(_ sink: AppSink, of pipeline: Pipeline, isLive: Bool, origin: StreamTime = .zero) {
        state.withLock { state in
            state.sink = sink
            state.origin = origin
            state.connection += 1
            state.isLive = isLive
            (state.isUntimed, state.framesWithoutTime) = (false, 0)
            (state.opened, state.asked, state.arrival, state.shownFor) = (.now, .now, nil, .zero)
        }
        pipeline.whenFramesArrive { [bell] in bell.ring() }
        bell.ring()
    }

    /// Moves the source to another time: later frames are those of a new connection.
    ///
    /// - Parameter move: returns whether it succeeded.
    func jump(_ move: () async -> Bool) async -> Bool {
        state.withLock { $0.isJumping = true }
        let hasMoved = await move()
        state.withLock { state in
            state.isJumping = false
            if hasMoved { state.connection += 1 }
        }
        bell.ring()
        return hasMoved
    }

    /// Ends the connection; its frames that were not pulled yet are too old to be shown.
    func disconnect() {
        state.withLock { state in
            guard let sink = state.sink else { return }
            state.earlierBuffers += sink.receivedBuffers
            state.sink = nil
            state.isLossUnsaid = true
        }
        bell.ring()
    }

    /// Waits until the pulling thread has learned that the connection is over, but no longer than this.
    func awaitLossBeingKnown(atMost time: Duration) async {
        let deadline = ContinuousClock.now + time
        while state.withLock({ $0.isLossUnsaid }), .now < deadline, !Task.isCancelled {
            await lossSaid.wait(atMost: deadline - .now)
        }
    }

    /// Announces that no more frames follow.
    func end(_ failure: FramegrepError? = nil) {
        state.withLock { $0.end = (true, $0.end.failure ?? failure) }
        bell.ring()
    }

    /// If output and source are one pipeline, keeps taking frames so that the end of the stream gets through and files
    /// are completed, but only for a limited time, because a source may never end.
    func letEndThrough() {
        guard isShared else { return }
        let deadline = ContinuousClock.now + .seconds(5)
        while ContinuousClock.now < deadline {
            if case .endOfStream = pull(within: deadline - .now) { return }
        }
    }

    /// Waits for the next frame on the calling thread, at most until the bell rings for any reason.
    ///
    /// - Parameter time: the time to wait; nil to wait for the bell only.
    func pull(within time: Duration?) -> Pull {
        let first = take()
        if !first.isNothing { return first }
        state.withLock { $0.isAwaited = true }
        bell.wait(atMost: time ?? .seconds(3600))
        state.withLock { ($0.isAwaited, $0.asked) = (false, .now) }
        return take()
    }

    /// Returns the next frame, if it is available.
    func take() -> Pull {
        let (sink, connection, isLoss, end) = state.withLock { state in
            defer { state.isLossUnsaid = false }
            let now = ContinuousClock.now
            if now - state.asked > .seconds(1), state.arrival != nil { state.arrival = now }
            state.asked = now
            return (state.isJumping ? nil : state.sink, state.connection, state.isLossUnsaid, state.end)
        }
        if isLoss {
            lossSaid.ring()
            return .lost
        }
        guard let sink else { return end.isOver ? .endOfStream(end.failure) : .nothing }
        switch sink.pull(timeout: .zero) {
        case .sample(let sample):
            let isTimed = sample.streamTime != nil
            let shownFor = min(.nanoseconds(sample.duration?.nanoseconds ?? 0), Self.longestShown)
            let isCurrent = state.withLock { state in
                guard state.connection == connection, state.sink != nil, !state.isJumping else { return false }
                (state.arrival, state.shownFor) = (.now, shownFor)
                state.framesWithoutTime += isTimed ? 0 : 1
                return true
            }
            guard isCurrent else { return .nothing }
            if !isTimed { noticeUntimed(sink) }
            return .sample(sample, connection: connection)
        case .timedOut:
            return end.isOver ? .endOfStream(end.failure) : .nothing
        case .endOfStream:
            // A source that fails sends an end too, and the message on the bus may not have been handled yet.
            if let shared { return .endOfStream(shared.bus.firstFailure) }
            // The task that opened the source is notified through the bus and decides.
            return end.isOver ? .endOfStream(end.failure) : .nothing
        }
    }

    /// Notices frames without times, which cannot be waited for: they come when they are sent, like those of a camera.
    private func noticeUntimed(_ sink: AppSink) {
        let isNews = state.withLock { state in
            guard !isShared, !state.isUntimed, state.framesWithoutTime >= 2 else { return false }
            (state.isUntimed, state.isLive) = (true, true)
            return true
        }
        if isNews { sink.becomeLive() }
    }
}
