import Synchronization
import Threads

/// Admits a few callers at a time. Others wait for their turn; beyond a limit they are refused. Thread-safe.
final class Slots: Sendable {
    private struct State {
        var free: Int
        /// A bell for each waiting caller: rung when it is its turn, after it was removed from here.
        var waiting: [TaskWakeEvent] = []
    }

    private let state: Mutex<State>
    private let mostWaiting: Int

    init(_ count: Int, mostWaiting: Int) {
        state = Mutex(State(free: count))
        self.mostWaiting = mostWaiting
    }

    /// - Throws: ``PageProblem`` (503) if too many wait; `CancellationError`.
    func withSlot<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await take()
        defer { giveBack() }
        try Task.checkCancellation()
        return try await body()
    }

    /// A slot that is held until this is released.
    final class Held: Sendable {
        private let slots: Slots

        fileprivate init(_ slots: Slots) { self.slots = slots }

        deinit { slots.giveBack() }
    }

    func hold() async throws -> Held {
        try await take()
        return Held(self)
    }

    private func take() async throws {
        let bell = TaskWakeEvent()
        let isFree = try state.withLock { state in
            guard state.free == 0 else {
                state.free -= 1
                return true
            }
            guard state.waiting.count < mostWaiting else {
                throw PageProblem(
                    503, "The server has too much to do at once; try again in a moment.",
                    headers: [("Retry-After", "2")])
            }
            state.waiting.append(bell)
            return false
        }
        if isFree { return }
        await bell.wait()
        // A caller that is still waiting was cancelled.
        let isTurn = state.withLock { state in
            let index = state.waiting.firstIndex { $0 === bell }
            if let index { state.waiting.remove(at: index) }
            return index == nil
        }
        guard isTurn else { throw CancellationError() }
    }

    private func giveBack() {
        let next = state.withLock { state -> TaskWakeEvent? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.ring()
    }
}
