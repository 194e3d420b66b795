import Errors
import Foundation
import Synchronization
import Threads

/// Runs the command of `--exec` for each sighting: some at once, the others in the order in which they came. Thread-safe.
///
/// Buffering: at most ``queueLimit`` wait; of more, the newest are dropped, counted and spoken of at the end.
final class SightingCommands: Sendable {
    /// With a hundred waiting commands, their news is old.
    static let queueLimit = 100

    private struct State {
        var waiting: [String] = []
        var running = Set<pid_t>()
        var workers = 0
        var isStopped = false
        var dropped = 0
        var failed = 0
        var finished: [CheckedContinuation<Void, Never>] = []
    }

    private let command: String
    private let limit: Int
    private let warn: @Sendable (FramegrepError) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: how many may run at once.
    ///   - warn: called for the first command that fails, and at the end for how many did, and for those dropped.
    init(_ command: String, limit: Int, warn: @escaping @Sendable (FramegrepError) -> Void) {
        self.command = command
        self.limit = limit
        self.warn = warn
    }

    /// Runs the command with `line` on its standard input, now or when it is its turn.
    func run(_ line: String) {
        let needsWorker = state.withLock { state in
            guard !state.isStopped else { return false }
            guard state.waiting.count < Self.queueLimit else {
                state.dropped += 1
                return false
            }
            state.waiting.append(line)
            guard state.workers < limit else { return false }
            state.workers += 1
            return true
        }
        guard needsWorker else { return }
        do {
            try DedicatedThread.start(named: "framegrep-exec", stackSize: 1 << 19) { [self] in work() }
        } catch {
            state.withLock { state in
                state.workers -= 1
                if state.workers == 0 { state.waiting = [] }
            }
            warn(FramegrepError(.commandFailed, error.description))
        }
    }

    /// How many run or wait.
    var pending: Int { state.withLock { $0.waiting.count + $0.running.count } }

    /// Returns when all have ended, and says what went wrong.
    func finish() async {
        await withCheckedContinuation { done in
            let isIdle = state.withLock { state in
                if state.workers > 0 { state.finished.append(done) }
                return state.workers == 0
            }
            if isIdle { done.resume() }
        }
        let (failed, dropped) = state.withLock { ($0.failed, $0.dropped) }
        if failed > 1 { warn(FramegrepError(.commandFailed, "The command of --exec failed \(failed) times.")) }
        if dropped > 0 {
            warn(
                FramegrepError(
                    .commandFailed,
                    "The command of --exec was too slow: it was not run for \(dropped) sightings. "
                        + "Make it return sooner, or let more run at once with --exec-limit."))
        }
    }

    /// Ends those that run and forgets those that wait.
    func stop() {
        let running = state.withLock { state in
            state.isStopped = true
            state.waiting = []
            return state.running
        }
        for id in running { CommandProcess.end(id) }
    }

    /// A worker's life: as long as there is something to run.
    private func work() {
        while let line = next() {
            do throws(FramegrepError) {
                let process = try CommandProcess(command, input: line)
                let id = process.id
                // Stopped between its start and now: it is not in the list yet.
                if began(id) { CommandProcess.end(id) }
                process.waitForEnd()
                state.withLock { _ = $0.running.remove(id) }
                if let failure = process.outcome() { failed("it ended with \(failure)") }
            } catch {
                failed(error.message)
            }
        }
    }

    /// Keeps a process in mind; true when all are to be ended.
    private func began(_ id: pid_t) -> Bool {
        state.withLock { state in
            state.running.insert(id)
            return state.isStopped
        }
    }

    private func next() -> String? {
        let (line, finished) = state.withLock { state -> (String?, [CheckedContinuation<Void, Never>]) in
            if !state.waiting.isEmpty { return (state.waiting.removeFirst(), []) }
            state.workers -= 1
            guard state.workers == 0 else { return (nil, []) }
            defer { state.finished = [] }
            return (nil, state.finished)
        }
        for waiting in finished { waiting.resume() }
        return line
    }

    private func failed(_ how: String) {
        let (isFirst, isStopped) = state.withLock { state in
            state.failed += 1
            return (state.failed == 1, state.isStopped)
        }
        guard isFirst, !isStopped else { return }
        warn(FramegrepError(.commandFailed, "The command of --exec failed: \(how). The search goes on."))
    }
}
