internal import Synchronization

/// The results of the pieces of one job of a ``WorkerPool``. Thread-safe.
final class WorkerResults<Result: Sendable>: Sendable {
    private struct State {
        var results: [Result?]
        var left: Int
        var failure: (any Error)?
    }
    private let state: Mutex<State>
    private let finish: @Sendable (Swift.Result<[Result], any Error>) -> Void

    /// - Parameter finish: called once, by the thread that ends the last piece.
    init(pieces: Int, finish: @escaping @Sendable (Swift.Result<[Result], any Error>) -> Void) {
        state = Mutex(State(results: Array(repeating: nil, count: pieces), left: pieces))
        self.finish = finish
    }

    /// Does a piece; after a failure the remaining ones are only counted.
    func take(_ piece: Int, _ work: () throws -> Result) {
        guard state.withLock({ $0.failure == nil }) else { return count(1) { _ in } }
        switch Swift.Result(catching: work) {
        case .success(let result): count(1) { $0.results[piece] = result }
        case .failure(let error): fail(1, error)
        }
    }

    /// Notes that this many pieces will not be done.
    @Sendable func fail(_ pieces: Int, _ error: any Error) {
        count(pieces) { $0.failure = $0.failure ?? error }
    }

    private func count(_ pieces: Int, _ change: (inout State) -> Void) {
        let ended = state.withLock { state -> Swift.Result<[Result], any Error>? in
            change(&state)
            state.left -= pieces
            guard state.left == 0 else { return nil }
            if let failure = state.failure { return .failure(failure) }
            return .success(state.results.compactMap { $0 })
        }
        if let ended { finish(ended) }
    }
}
