import Errors
import Synchronization
import TextSpotting
import Threads

/// The reported state of a running job's source. Thread-safe.
///
/// ``SourceLife`` interprets each event; this type collects the events from the display (frames), from the task that
/// opens the source (everything else) and from the user (who may stop the picture), and reports changes.
final class SourceState: Sendable {
    private struct State {
        var isFrozen = false
        var life: SourceLife
        var said: (state: OverlayStatus.State, message: String)?
        var listener: (@Sendable () -> Void)?

        /// The source's state, as long as the user has not stopped the picture.
        var shown: OverlayStatus.State { isFrozen && life.state == .running ? .paused : life.state }
    }

    private let report: LiveReport
    /// Rings when the state changes, because it determines how long the source may be silent.
    let changes = TaskWakeEvent()
    private let state: Mutex<State>

    init(_ life: SourceLife, _ report: LiveReport) {
        self.report = report
        state = Mutex(State(life: life))
    }

    /// Whether the user has stopped the picture.
    var isFrozen: Bool { state.withLock { $0.isFrozen } }

    /// The state for the user.
    var shown: OverlayStatus.State { state.withLock { $0.shown } }

    /// Whether the source sends frames.
    var isRunning: Bool { state.withLock { $0.life.state == .running } }

    /// The silence that changes something; nil if none does.
    var patience: Duration? { state.withLock { $0.isFrozen ? nil : $0.life.patience } }

    /// Calls `listener` after each change, on the thread that made it.
    func listen(_ listener: @escaping @Sendable () -> Void) { state.withLock { $0.listener = listener } }

    /// Stops or resumes the picture; returns whether it stands still now.
    func toggleFreeze() -> Bool {
        change { state in
            state.isFrozen.toggle()
            return state.isFrozen
        }
    }

    func frameArrived() { change { $0.life.frameArrived() } }

    /// Records that the source is about to be opened; `nature` describes it, if that is known.
    func opening(_ nature: String) { change { $0.life.opening(nature) } }

    /// Records that no frame has arrived for a time, in a connection that lasted for `held`; returns what to do about
    /// it.
    func silent(for time: Duration, held: Duration) -> SourceLife.Action {
        change { $0.isFrozen ? .none : $0.life.silent(for: time, held: held) }
    }

    func lost(_ failure: FramegrepError, held: Duration) -> SourceLife.Action {
        change { $0.life.lost(failure, held: held) }
    }

    func ended(isComplete: Bool, held: Duration) -> SourceLife.Action {
        change { $0.life.ended(isComplete: isComplete, held: held) }
    }

    /// Reports the initial state.
    func begin() { change { _ in } }

    /// Runs `body`, reports the state if it differs from the last report, and wakes waiting tasks only if anything
    /// changed: they check the source again, and would otherwise wake themselves.
    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, news, isOther, listener) = state.withLock { state in
            let before = (state.isFrozen, state.life)
            let result = body(&state)
            let now = (state.shown, state.shown == .paused ? "frozen" : state.life.message)
            let isSaid = state.said.map { $0 == now } ?? false
            if !isSaid { state.said = now }
            return (result, isSaid ? nil : now, before != (state.isFrozen, state.life), state.listener)
        }
        if let (state, message) = news { report.tell(.state(state, message: message)) }
        if isOther {
            changes.ring()
            listener?()
        }
        return result
    }
}

/// The state of a source and the next action: a state machine without clocks, threads or pipelines.
///
///     opening ──frame──▶ running ◀──frame── stalled
///        │                │  └──silence──▶    │
///        │             loss│            silence│
///        ▼                ▼                   ▼
///      failed ◀─limit── reconnecting ──frame──▶ running
///
/// Its owner reports events to it and carries out the actions that it returns.
struct SourceLife: Sendable, Hashable {
    enum Action: Sendable, Hashable {
        case none
        /// Close the source, and open it again after a pause.
        case reopen(after: Duration)
        /// The job is over; without a failure because the source ended.
        case end(FramegrepError?)
    }

    let policy: LossPolicy
    /// The silence that counts as a stall.
    let stallTime: Duration
    private(set) var state = OverlayStatus.State.opening
    /// The message for the user; empty if there is nothing to add to the state.
    private(set) var message = ""
    /// The number of times the source came back.
    private(set) var recoveries = 0
    /// The number of consecutive attempts that delivered no frame.
    private(set) var attempts = 0
    /// The number of pauses, each longer than the previous one, since a connection last held.
    private var pauses = 0
    private var hasRun = false
    /// A description of the source, once known: `1280×720 at 30 frames a second, MJPEG`.
    private var nature = ""

    /// The time after which a connection resets the pauses. One that breaks sooner does not, although a frame that it
    /// delivered makes its attempt a success: a camera that sends an occasional picture exists.
    static let steadyTime = Duration.seconds(5)

    init(policy: LossPolicy, stallTime: Duration) {
        self.policy = policy
        self.stallTime = stallTime
    }

    /// Records that the source is about to be opened; `nature` describes it, if that is known.
    mutating func opening(_ nature: String) {
        self.nature = nature
        if state == .opening { message = nature }
    }

    mutating func frameArrived() {
        guard state != .running else { return }
        let isBack = state == .reconnecting
        if isBack { recoveries += 1 }
        message =
            switch state {
            case .reconnecting: "the source is back" + (nature.isEmpty ? "" : ": \(nature)")
            case .stalled: "frames come again"
            default: nature
            }
        state = .running
        hasRun = true
        attempts = 0
    }

    /// The silence after which ``silent(for:held:)`` changes something; nil for never.
    var patience: Duration? {
        switch state {
        case .running: stallTime
        case .stalled: policy.reopensAfterSilence.map { stallTime + $0 }
        case .opening, .reconnecting: policy.firstFrameTime
        default: nil
        }
    }

    /// Records that no frame has arrived for a time, counted from the last frame or from the opening.
    ///
    /// - Parameter held: how long the connection has lasted.
    mutating func silent(for time: Duration, held: Duration) -> Action {
        switch state {
        case .running where time >= stallTime:
            state = .stalled
            message = "no frame for \(seconds(stallTime))"
            return .none
        case .stalled:
            guard let patience = policy.reopensAfterSilence, time >= stallTime + patience else { return .none }
            return lost(
                FramegrepError(.sourceUnavailable, "The source has sent no frame for \(seconds(time))."), held: held)
        case .opening, .reconnecting:
            guard let patience = policy.firstFrameTime, time >= patience else { return .none }
            return lost(
                FramegrepError(
                    .sourceUnavailable,
                    "No frame came from the source within \(seconds(patience)). It may be damaged or unreachable."
                ), held: .zero)
        default:
            return .none
        }
    }

    /// Records the end of the stream.
    ///
    /// - Parameter isComplete: whether the source had stated its length, so that this is its intended end.
    mutating func ended(isComplete: Bool, held: Duration) -> Action {
        guard policy.endIsLoss, !isComplete else { return .end(nil) }
        return lost(FramegrepError(.sourceUnavailable, "The source ended the connection."), held: held)
    }

    /// Records that the source failed, or could not be opened.
    mutating func lost(_ failure: FramegrepError, held: Duration) -> Action {
        guard hasRun || policy.triesFirstOpening else { return .end(failure) }
        if held >= Self.steadyTime { pauses = 0 }
        guard policy.allows(attempts + 1) else { return .end(attempts == 0 ? failure : vain(failure)) }
        attempts += 1
        pauses += 1
        let pause = policy.pause(before: pauses)
        if hasRun { state = .reconnecting }
        let count =
            switch policy.limit {
            case .tries(let limit): "try \(attempts) of \(limit)"
            default: "try \(attempts)"
            }
        message =
            policy.namesTries
            ? "\(count) in \(seconds(pause)): \(failure.message)" : "\(failure.message) It is waited for."
        return .reopen(after: pause)
    }

    private func vain(_ failure: FramegrepError) -> FramegrepError {
        let times = attempts == 1 ? "once" : "\(attempts) times"
        return FramegrepError(
            failure.code, "\(failure.message) It was tried again \(times) in vain; --reconnect sets how often.")
    }

    private func seconds(_ duration: Duration) -> String {
        let tenths = Int((duration.milliseconds / 100).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
