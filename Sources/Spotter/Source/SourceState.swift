import Errors
import Synchronization
import TextSpotting
import Threads

/// The state of a running job's source as it is reported. Thread-safe.
///
/// ``SourceLife`` interprets each event; here the events come together, from the display (frames), from the task that opens the source
/// (everything else) and from the user (who may stop the picture), and changes are reported.
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
    /// Rings when the state is another: how long the source may be silent depends on it.
    let changes = TaskWakeEvent()
    private let state: Mutex<State>

    init(_ life: SourceLife, _ report: LiveReport) {
        self.report = report
        state = Mutex(State(life: life))
    }

    /// The user has stopped the picture.
    var isFrozen: Bool { state.withLock { $0.isFrozen } }

    /// The state for the user.
    var shown: OverlayStatus.State { state.withLock { $0.shown } }

    /// The source sends frames.
    var isRunning: Bool { state.withLock { $0.life.state == .running } }

    /// A silence of this length changes something; nil if none does.
    var patience: Duration? { state.withLock { $0.isFrozen ? nil : $0.life.patience } }

    /// Has `listener` called after each change, on whichever thread made it.
    func listen(_ listener: @escaping @Sendable () -> Void) { state.withLock { $0.listener = listener } }

    /// Stops the picture, or lets it go on; returns whether it stands still now.
    func toggleFreeze() -> Bool {
        change { state in
            state.isFrozen.toggle()
            return state.isFrozen
        }
    }

    /// A frame came.
    func frameArrived() { change { $0.life.frameArrived() } }

    /// The source is about to be opened; `nature` describes it, if that is known.
    func opening(_ nature: String) { change { $0.life.opening(nature) } }

    /// No frame has come for a time, in a connection that lasted for `held`; the answer is what to do about it.
    func silent(for time: Duration, held: Duration) -> SourceLife.Action {
        change { $0.isFrozen ? .none : $0.life.silent(for: time, held: held) }
    }

    func lost(_ failure: FramegrepError, held: Duration) -> SourceLife.Action {
        change { $0.life.lost(failure, held: held) }
    }

    func ended(isComplete: Bool, held: Duration) -> SourceLife.Action {
        change { $0.life.ended(isComplete: isComplete, held: held) }
    }

    /// Reports the state that it begins with.
    func begin() { change { _ in } }

    /// Does `body`, reports the state if it is another than was reported last, and wakes waiting tasks if anything changed: not otherwise,
    /// because those that wait look at the source again, and what they find would wake them anew.
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
