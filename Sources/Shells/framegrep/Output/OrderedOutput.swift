import Synchronization
import Threads

/// Prints the messages of concurrent searches one after the other, in the order of their inputs. Thread-safe.
///
/// Messages of the input whose turn it is are printed at once; those of later inputs are kept until their turn. So the
/// output is the same as if the inputs had been searched one after the other. Nothing is locked while a message is
/// printed: other threads leave their messages to the thread that prints, and continue.
final class OrderedOutput: Sendable {
    typealias Action = @Sendable () -> Void

    private struct State {
        /// The input whose turn it is.
        var turn: Int
        /// Messages to print now, in order.
        var due: [Action] = []
        /// Whether a thread is printing.
        var isSpeaking = false
        var kept: [Int: [Action]] = [:]
        var ended = Set<Int>()
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var isClosed = false
    }

    private let state: Mutex<State>
    private let begins: @Sendable (Int) -> Bool

    /// - Parameters:
    ///   - first: the number of the first input.
    ///   - begins: called each time another one has its turn; returns false if nothing more should be printed.
    init(from first: Int, begins: @escaping @Sendable (Int) -> Bool) {
        state = Mutex(State(turn: first))
        self.begins = begins
    }

    /// The input whose turn it is; earlier ones are over.
    var turn: Int { state.withLock { $0.turn } }

    /// Prints a message of an input, now or at its turn.
    func say(_ index: Int, _ action: @escaping Action) {
        state.withLock { state in
            guard !state.isClosed else { return }
            if index == state.turn { state.due.append(action) } else { state.kept[index, default: []].append(action) }
        }
        speak()
    }

    /// Runs an action that only matters at this moment, if it is the input's turn and nothing else is being printed.
    func show(_ index: Int, _ action: () -> Void) {
        let isFree = state.withLock { state in
            guard index == state.turn, !state.isClosed, !state.isSpeaking else { return false }
            state.isSpeaking = true
            return true
        }
        guard isFree else { return }
        action()
        sayWhatIsDue()
    }

    /// Returns when it is the input's turn.
    func turn(of index: Int) async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                if index <= state.turn || state.isClosed { return true }
                state.waiting[index] = continuation
                return false
            }
            if isNow { continuation.resume() }
        }
    }

    /// Records that an input has no more messages.
    func end(_ index: Int) {
        state.withLock { state in
            if index == state.turn { state.due.append(passOn) } else { state.ended.insert(index) }
        }
        speak()
    }

    /// Ends the output; nothing more will be printed.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            state.kept = [:]
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    // MARK: Printing

    /// Prints everything that is due, unless another thread is doing so.
    private func speak() {
        let isFree = state.withLock { $0.isSpeaking.raise() }
        if isFree { sayWhatIsDue() }
    }

    private func sayWhatIsDue() {
        func takeDue() -> [Action] {
            state.withLock { state in
                defer { state.due = [] }
                state.isSpeaking = !state.due.isEmpty
                return state.due
            }
        }
        while case let due = takeDue(), !due.isEmpty { due.forEach { $0() } }
    }

    /// Gives the turn to the next input, whose messages so far are due then.
    private func passOn() {
        let turn = state.withLock { state in
            state.turn += 1
            let turn = state.turn
            state.due += state.kept.removeValue(forKey: turn) ?? []
            state.due.append { self.wake(turn) }
            if state.ended.remove(turn) != nil { state.due.append(passOn) }
            return turn
        }
        guard !begins(turn) else { return }
        state.withLock { $0.due = [] }
        close()
    }

    /// Wakes a task that waits for its turn.
    private func wake(_ index: Int) { state.withLock { $0.waiting.removeValue(forKey: index) }?.resume() }
}

/// The part of an ``OrderedOutput`` that belongs to one input.
struct OrderedWriter: Sendable {
    let output: OrderedOutput
    let index: Int

    func say(_ action: @escaping OrderedOutput.Action) { output.say(index, action) }
    func show(_ action: () -> Void) { output.show(index, action) }
    func turn() async { await output.turn(of: index) }

    func tell(_ text: String, naming: Bool = true) { say { StandardError.line(text, naming: naming) } }
}
