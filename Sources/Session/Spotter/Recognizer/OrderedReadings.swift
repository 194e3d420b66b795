import Synchronization

/// Runs the readings of successive steps side by side, and joins them in the order of the steps, each as soon as it and all
/// before it are done.
///
/// Buffering policy: at most `limit` steps are begun and not joined; none is dropped before the end. Thread-safe; for one run.
final class OrderedReadings<Step: Sendable, Reading: Sendable>: Sendable {
    /// A reading under way.
    typealias Work = Task<Reading, any Error>

    private struct Begun: Sendable {
        let number: Int
        let step: Step
        let work: Work?
    }

    private struct State {
        var running: [Int: Work] = [:]
        var starting: Task<Void, Never>?
        var isEnding = false
        /// No more steps are waited for.
        var hasAllSteps = false
    }

    private let limit: Int
    private let executor: (any TaskExecutor)?
    private let state = Mutex(State())

    /// - Parameter executor: where steps are waited for and begun; nil for Swift's shared pool.
    init(limit: Int, executor: (any TaskExecutor)? = nil) {
        self.limit = max(1, limit)
        self.executor = executor
    }

    /// Runs until there are no more steps, until it is told that it is enough, or after ``interrupt()`` until a reading is
    /// missing: what is done before that one is joined.
    ///
    /// To be called in a task that is not cancelled, because what is done is to be joined even then; ``interrupt()`` is how
    /// to end it early.
    ///
    /// - Parameters:
    ///   - next: waits for the next step; nil when there is none.
    ///   - begin: begins to read a step, and may take out of it what is not needed any more. Nil where there is nothing to read.
    ///   - join: takes a step and what was read of it; true when that is enough.
    /// - Throws: what a reading or `next` throws, once all before it are joined.
    func run(
        next: @escaping @Sendable () async throws -> Step?,
        begin: @escaping @Sendable (inout Step) async -> Work?,
        join: (Step, Reading?) async throws -> Bool
    ) async throws {
        let (begun, beginning) = AsyncThrowingStream.makeStream(of: Begun.self)
        let (places, freeing) = AsyncStream.makeStream(of: Void.self)
        for _ in 0..<limit { freeing.yield() }
        let starting = Task(executorPreference: executor) { [self] in
            do {
                var number = 0
                for await _ in places {
                    guard var step = try await next() else { break }
                    let work = await begin(&step)
                    if let work { note(work, number) }
                    beginning.yield(Begun(number: number, step: step, work: work))
                    number += 1
                }
                beginning.finish()
            } catch {
                beginning.finish(throwing: isEnding ? nil : error)
            }
        }
        let hasAllSteps = state.withLock { state in
            state.starting = starting
            return state.hasAllSteps
        }
        if hasAllSteps { starting.cancel() }
        defer { interrupt(awaitsSteps: false) }
        for try await item in begun {
            let reading: Reading?
            do {
                reading = try await item.work?.value
            } catch is CancellationError where isEnding {
                return
            }
            state.withLock { _ = $0.running.removeValue(forKey: item.number) }
            if try await join(item.step, reading) { return }
            freeing.yield()
        }
    }

    /// Cancels the readings under way and all that begin later.
    ///
    /// - Parameter awaitsSteps: steps that need no reading are still waited for and joined.
    func interrupt(awaitsSteps: Bool = true) {
        let (running, starting) = state.withLock { state in
            state.isEnding = true
            if !awaitsSteps { state.hasAllSteps = true }
            return (Array(state.running.values), state.hasAllSteps ? state.starting : nil)
        }
        for work in running { work.cancel() }
        starting?.cancel()
    }

    private var isEnding: Bool { state.withLock { $0.isEnding } }

    private func note(_ work: Work, _ number: Int) {
        let isEnding = state.withLock { state in
            state.running[number] = work
            return state.isEnding
        }
        if isEnding { work.cancel() }
    }
}
