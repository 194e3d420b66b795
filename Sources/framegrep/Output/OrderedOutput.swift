import Synchronization

/// Lets searches that run side by side speak one after the other, in the order of their inputs. Thread-safe.
///
/// What an input says at its turn is said at once; before, it is kept until its turn comes. So what is printed is the same as if one
/// had been searched after the other.
final class OrderedOutput: Sendable {
    typealias Action = @Sendable () -> Void

    private struct State {
        /// The input whose turn it is.
        var turn: Int
        var kept: [Int: [Action]] = [:]
        var ended = Set<Int>()
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var isClosed = false
    }

    private let state: Mutex<State>
    private let begins: @Sendable (Int) -> Bool

    /// - Parameters:
    ///   - first: the number of the first input.
    ///   - begins: told each time another one has its turn; false where nothing more is to be said.
    init(from first: Int, begins: @escaping @Sendable (Int) -> Bool) {
        state = Mutex(State(turn: first))
        self.begins = begins
    }

    /// The input whose turn it is; those before it are over.
    var turn: Int { state.withLock { $0.turn } }

    /// Does what an input has to say, now or at its turn. It must not lead back here.
    func say(_ index: Int, _ action: @escaping Action) {
        state.withLock { state in
            guard !state.isClosed else { return }
            if index == state.turn { action() } else { state.kept[index, default: []].append(action) }
        }
    }

    /// Does what has a meaning only at this moment, if it is the input's turn.
    func show(_ index: Int, _ action: () -> Void) {
        state.withLock { if index == $0.turn, !$0.isClosed { action() } }
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

    /// An input has said all that it had to say.
    func end(_ index: Int) {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.ended.insert(index)
            while state.ended.remove(state.turn) != nil {
                state.turn += 1
                if !begins(state.turn) { state.isClosed = true }
                guard !state.isClosed else { continue }
                for action in state.kept.removeValue(forKey: state.turn) ?? [] { action() }
            }
            return state.waiting.removeValue(forKey: state.turn)
        }
        next?.resume()
    }

    /// Nothing more is to be said by anybody.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            state.kept = [:]
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// The part of an ``OrderedOutput`` that is one input's.
struct OrderedVoice: Sendable {
    let output: OrderedOutput
    let index: Int

    func say(_ action: @escaping OrderedOutput.Action) { output.say(index, action) }
    func show(_ action: () -> Void) { output.show(index, action) }
    func turn() async { await output.turn(of: index) }

    /// Says a line on standard error.
    func tell(_ text: String, naming: Bool = true) { say { StandardError.line(text, naming: naming) } }
}
