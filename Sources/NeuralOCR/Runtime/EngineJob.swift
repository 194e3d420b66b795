import Synchronization

/// One job's pieces and what has come of them.
final class EngineJob<Result: Sendable>: Sendable {
    private struct State {
        var results: [Result?]
        var left: Int
        var failure: (any Error)?
    }
    private let state: Mutex<State>
    private let work: @Sendable (Int) throws -> Result
    private let finish: @Sendable (Swift.Result<[Result], any Error>) -> Void

    /// - Parameters:
    ///   - work: does one piece.
    ///   - finish: called once, by the thread that ends the last piece.
    init(
        pieces: Int, work: @escaping @Sendable (Int) throws -> Result,
        finish: @escaping @Sendable (Swift.Result<[Result], any Error>) -> Void
    ) {
        state = Mutex(State(results: Array(repeating: nil, count: pieces), left: pieces))
        self.work = work
        self.finish = finish
    }

    /// Does the piece `index`; after a failure the remaining ones are only counted.
    @Sendable func run(_ index: Int) {
        let outcome: Swift.Result<Result, any Error>?
        if state.withLock({ $0.failure == nil }) {
            outcome = Swift.Result { try work(index) }
        } else {
            outcome = nil
        }
        let ended = state.withLock { state -> Swift.Result<[Result], any Error>? in
            switch outcome {
            case .success(let result): state.results[index] = result
            case .failure(let error): state.failure = state.failure ?? error
            case nil: break
            }
            state.left -= 1
            guard state.left == 0 else { return nil }
            if let failure = state.failure { return .failure(failure) }
            return .success(state.results.compactMap { $0 })
        }
        if let ended { finish(ended) }
    }
}
