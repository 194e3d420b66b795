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
        /// The next frame, and the number of its connection: frames of different connections have nothing in common.
        case sample(Sample, connection: Int)
        /// Nothing is there.
        case nothing
        /// The connection was given up: the shown picture is old from now on. Reported once for each.
        case lost
        /// Nothing will come any more.
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
        /// When a frame was last asked for, and whether a thread is waiting for one.
        var asked = ContinuousClock.now
        var isAwaited = false
        /// The source's time of its beginning; see ``StreamOrigin``.
        var origin = StreamTime.zero
        /// The source is on its way to another time.
        var isJumping = false
    }

    /// Wakes the thread that pulls. Rings here for frames, connections and ends; others ring it for other things that the thread looks at.
    let bell = WakeEvent()
    private let lossSaid = TaskWakeEvent()
    private let state = Mutex(State())
    /// The pipeline that is source and output in one; nil if they are two.
    private let shared: Pipeline?

    /// - Parameter shared: the one pipeline of a description of the user's own: its end is the end.
    init(shared: Pipeline? = nil) {
        self.shared = shared
    }

    /// Nothing more will come; frames that are there can still be pulled.
    var isOver: Bool { state.withLock { $0.end.isOver } }

    /// The source's time of its beginning.
    var origin: StreamTime { state.withLock { $0.origin } }

    /// The number of the connection whose frames come; 0 before the first.
    var connectionNumber: Int { state.withLock { $0.connection } }

    /// Whether source and output are one pipeline, so that they end together.
    var isShared: Bool { shared != nil }

    /// Frames come in real time, and are lost if they are not taken.
    var isLive: Bool { state.withLock { $0.isLive } }

    /// The source gives its frames no times (pictures over HTTP, one after the other).
    var isUntimed: Bool { state.withLock { $0.isUntimed } }

    /// How many frames reached the program, over all connections.
    var received: Int { state.withLock { $0.earlierBuffers + ($0.sink?.receivedBuffers ?? 0) } }

    /// How long no frame has arrived (counted from the opening if none has arrived at all), and how long the connection
    /// has lasted; nil while nothing is open.
    ///
    /// A source is not silent while no frames are requested: a file waits while its picture is frozen.
    var silence: (silent: Duration, held: Duration)? {
        state.withLock { state in
            guard state.sink != nil else { return nil }
            let now = ContinuousClock.now
            if !state.isAwaited, now - state.asked > .seconds(1) { return (.zero, now - state.opened) }
            return (now - (state.arrival ?? state.opened), now - state.opened)
        }
    }

    /// Frames come from here now.
    ///
    /// - Parameters:
    ///   - pipeline: the one that `sink` belongs to.
    ///   - origin: the source's time of its beginning.
    func connect(_ sink: AppSink, of pipeline: Pipeline, isLive: Bool, origin: StreamTime = .zero) {
        state.withLock { state in
            state.sink = sink
            state.origin = origin
            state.connection += 1
            state.isLive = isLive
            (state.isUntimed, state.framesWithoutTime) = (false, 0)
            (state.opened, state.asked, state.arrival) = (.now, .now, nil)
        }
        pipeline.whenFramesArrive { [bell] in bell.ring() }
        bell.ring()
    }

    /// Has the source go to another time: frames that come after that are those of a new connection.
    ///
    /// - Parameter move: returns whether it could.
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

    /// The connection is over; its frames that were not pulled yet are too old to be shown.
    func disconnect() {
        state.withLock { state in
            guard let sink = state.sink else { return }
            state.earlierBuffers += sink.receivedBuffers
            state.sink = nil
            state.isLossUnsaid = true
        }
        bell.ring()
    }

    /// Waits until the pulling thread has learnt that the connection is over, but no longer than this.
    func awaitLossBeingKnown(atMost time: Duration) async {
        let deadline = ContinuousClock.now + time
        while state.withLock({ $0.isLossUnsaid }), .now < deadline, !Task.isCancelled {
            await lossSaid.wait(atMost: deadline - .now)
        }
    }

    /// Nothing more will come.
    func end(_ failure: FramegrepError? = nil) {
        state.withLock { $0.end = (true, $0.end.failure ?? failure) }
        bell.ring()
    }

    /// Waits for the next frame, on the calling thread: at most until the bell rings, for whatever reason.
    ///
    /// - Parameter time: how long to wait; nil for no end but the bell's.
    func pull(within time: Duration?) -> Pull {
        let first = take()
        if !first.isNothing { return first }
        state.withLock { $0.isAwaited = true }
        bell.wait(atMost: time ?? .seconds(3600))
        state.withLock { ($0.isAwaited, $0.asked) = (false, .now) }
        return take()
    }

    /// The next frame, if it is there.
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
            let isCurrent = state.withLock { state in
                guard state.connection == connection, state.sink != nil, !state.isJumping else { return false }
                state.arrival = .now
                state.framesWithoutTime += isTimed ? 0 : 1
                return true
            }
            guard isCurrent else { return .nothing }
            if !isTimed { noticeUntimed(sink) }
            return .sample(sample, connection: connection)
        case .timedOut:
            return end.isOver ? .endOfStream(end.failure) : .nothing
        case .endOfStream:
            // A source that fails sends an end too, and the bus's message may not have been looked at yet.
            if let shared { return .endOfStream(shared.bus.firstFailure) }
            // The task that opened the source hears of it from the bus and decides.
            return end.isOver ? .endOfStream(end.failure) : .nothing
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
