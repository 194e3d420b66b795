import Synchronization

/// Runs the readings of successive steps concurrently, and joins them in the order of the steps, each as soon as it and
/// all earlier ones are done.
///
/// Buffering policy: at most `limit` steps are started and not joined; none is dropped before the end. Thread-safe; for
/// one run.
final class OrderedReadings<Step: Sendable, Reading: Sendable>: Sendable {
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
        /// Whether no more steps are awaited.
        var hasAllSteps = false
    }

    private let limit: Int
    private let executor: (any TaskExecutor)?
    private let state = Mutex(State())

    /// - Parameter executor: runs the code that awaits and starts steps; nil for Swift's shared pool.
    init(limit: Int, executor: (any TaskExecutor)? = nil) {
        self.limit = max(1, limit)
        self.executor = executor
    }

    /// Runs until there are no more steps, until `join` returns true, or after ``interrupt()`` until a reading is
    /// missing: everything done before that one is joined.
    ///
    /// Call it in a task that is not cancelled, because finished readings must be joined even then; use ``interrupt()``
    /// to end it early.
    ///
    /// - Parameters:
    ///   - next: awaits the next step; nil if there is none.
    ///   - begin: starts to read a step, and may remove what is no longer needed from it. Nil if there is nothing to
    ///     read.
    ///   - join: takes a step and its reading; returns true when enough has been found.
    /// - Throws: the error of a reading or of `next`, once all earlier ones are joined.
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
                    guard let begun = try await start(number, next, begin) else { break }
                    beginning.yield(begun)
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

    private func start(
        _ number: Int, _ next: () async throws -> Step?, _ begin: (inout Step) async -> Work?
    ) async throws -> Begun? {
        guard var step = try await next() else { return nil }
        let work = await begin(&step)
        if let work { note(work, number) }
        return Begun(number: number, step: step, work: work)
    }

    /// Cancels the readings in progress and all later ones.
    ///
    /// - Parameter awaitsSteps: whether steps that need no reading are still awaited and joined.
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
