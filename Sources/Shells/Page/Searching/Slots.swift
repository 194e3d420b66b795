import Synchronization

/// Lets a few callers do something at a time. Others wait for their turn; beyond a limit they are refused. Thread-safe.
final class Slots: Sendable {
    private struct State {
        var free: Int
        var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
        var next = 0
        /// Callers that were cancelled before they waited.
        var cancelled: Set<Int> = []
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

    /// A slot that is taken as long as there is a reference to this.
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
        let number = try state.withLock { state -> Int? in
            guard state.free == 0 else {
                state.free -= 1
                return nil
            }
            guard state.waiting.count < mostWaiting else {
                throw PageProblem(
                    503, "The server has too much to do at once; try again in a moment.",
                    headers: [("Retry-After", "2")])
            }
            state.next += 1
            return state.next
        }
        guard let number else { return }
        let isTurn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in wait(number, continuation) }
        } onCancel: {
            cancel(number)
        }
        guard isTurn else { throw CancellationError() }
    }

    private func wait(_ number: Int, _ continuation: CheckedContinuation<Bool, Never>) {
        let answer = state.withLock { state -> Bool? in
            if state.cancelled.remove(number) != nil { return false }
            // One may have become free since.
            guard state.free == 0 else {
                state.free -= 1
                return true
            }
            state.waiting.append((number, continuation))
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }

    private func cancel(_ number: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                // Either it does not wait yet, or its turn has come; a number that was served is never asked for again.
                if state.cancelled.count < 1000 { state.cancelled.insert(number) }
                return nil
            }
            return state.waiting.remove(at: index).continuation
        }
        waiter?.resume(returning: false)
    }

    private func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
