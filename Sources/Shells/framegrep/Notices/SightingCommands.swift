import Errors
import Foundation
import Processes
import Synchronization
import Threads

/// Runs the command of `--exec` for each sighting: some concurrently, the others in the order in which they came.
/// Thread-safe.
///
/// Buffering: at most ``queueLimit`` wait; beyond that the newest are dropped, counted, and reported at the end.
final class SightingCommands: Sendable {
    /// The largest number of waiting commands; with more, their news would be old.
    static let queueLimit = 100

    private struct State {
        var waiting: [String] = []
        var running: [ChildProcess] = []
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
    ///   - limit: the number that may run at once.
    ///   - warn: called for the first command that fails, and at the end with the number that did, and of those that
    ///     were dropped.
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
            let finished = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.workers -= 1
                guard state.workers == 0 else { return [] }
                state.waiting = []
                defer { state.finished = [] }
                return state.finished
            }
            warn(FramegrepError(.commandFailed, error.description))
            for waiting in finished { waiting.resume() }
        }
    }

    var pending: Int { state.withLock { $0.waiting.count + $0.running.count } }

    /// Returns when all have ended, and reports failures.
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

    /// Ends running commands and discards waiting ones.
    ///
    /// - Parameter signal: the signal that they, and everything that they have started, receive.
    func stop(by signal: Int32 = SIGTERM) {
        let running = state.withLock { state in
            state.isStopped = true
            state.waiting = []
            return state.running
        }
        for process in running { process.send(signal) }
    }

    /// Runs commands while there are any.
    private func work() {
        while let line = next() {
            do throws(FramegrepError) {
                let process = try UserCommand.start(command, input: line)
                // If they were stopped between its start and now, it is not in the list yet.
                if began(process) { process.send(SIGTERM) }
                let ending = process.wait()
                state.withLock { $0.running.removeAll { $0 === process } }
                switch ending {
                case .exited(0): break
                case .exited(let status): failed("it ended with exit status \(status)")
                case .killed(let signal): failed("it ended with signal \(signal)")
                }
            } catch {
                failed(error.message)
            }
        }
    }

    /// Records a process; returns true if all are to be ended.
    private func began(_ process: ChildProcess) -> Bool {
        state.withLock { state in
            state.running.append(process)
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
        warn(FramegrepError(.commandFailed, "The command of --exec failed: \(how). The search continues."))
    }
}

/// A user's command, run by `sh` with a text on its standard input.
///
/// The text comes from pictures, so it is only data: it is in no argument, in no variable and in no file name. The
/// command has a process group of its own, so that Ctrl-C reaches it only through this program, and its output goes to
/// standard error, because standard output holds results.
enum UserCommand {
    /// Passwords and keys that are set for this program only.
    private static let secrets = ["FRAMEGREP_WEBHOOK_KEY", "FRAMEGREP_MQTT_PASSWORD", "FRAMEGREP_HTTP_PASSWORD"]

    /// Starts a command, which gets the environment without ``secrets``.
    ///
    /// - Throws: ``FramegrepError`` (`commandFailed`) if the system cannot.
    static func start(_ command: String, input: String) throws(FramegrepError) -> ChildProcess {
        let stdin = try pipe(holding: input)
        defer { close(stdin) }
        keepDescriptors()
        secrets.forEach(Spawn.withhold)
        do {
            // Its output is not a result: both of its streams go to standard error.
            let errors = ChildProcess.Stream.descriptor(StandardError.descriptor)
            return try ChildProcess(
                "/bin/sh", ["sh", "-c", command], input: .descriptor(stdin), output: errors, errors: errors)
        } catch {
            throw FramegrepError(.commandFailed, "The command of --exec cannot be started: \(error).")
        }
    }

    /// Returns the reading end of a pipe that contains `text` and then ends, so that no thread has to wait for the
    /// command to read it.
    private static func pipe(holding text: String) throws(FramegrepError) -> Int32 {
        let bytes = Array((text + "\n").utf8)
        guard let ends = Spawn.pipe() else { throw noInput(String(cString: strerror(errno))) }
        defer { close(ends.write) }
        // A pipe holds 64 KiB (pipe(7)), far more than a sighting takes.
        _ = fcntl(ends.write, F_SETFL, O_NONBLOCK)
        guard write(ends.write, bytes, bytes.count) == bytes.count else {
            close(ends.read)
            throw noInput("it has \(bytes.count) bytes")
        }
        return ends.read
    }

    private static func noInput(_ reason: String) -> FramegrepError {
        FramegrepError(.commandFailed, "The command of --exec cannot be given its input: \(reason).")
    }

    /// Closes all other descriptors in the command, such as that of a library's camera, which would stay in use.
    private static func keepDescriptors() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }
}
