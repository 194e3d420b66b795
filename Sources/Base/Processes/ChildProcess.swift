import Foundation
import Synchronization

/// A running program, and our ends of the pipes to it. It is killed when the last reference is gone. Thread-safe.
///
/// No caller waits for it to end, because a program that hangs on a lost disk ends only when the disk answers. A thread of its own
/// collects its status.
public final class ChildProcess: Sendable {
    /// The destination of one of its standard streams.
    public enum Stream: Sendable {
        /// Shares this program's own stream.
        case inherited
        /// `/dev/null`.
        case nothing
        case descriptor(Int32)
        /// A pipe; we keep the other end.
        case pipe
    }

    /// How it ended.
    public enum Ending: Hashable, Sendable {
        case exited(Int32)
        case killed(by: Int32)

        /// The status as `wait` returns it: Swift does not import the macros of <sys/wait.h>.
        init(_ status: Int32) { self = status & 0x7F != 0 ? .killed(by: status & 0x7F) : .exited(status >> 8 & 0xFF) }

        /// As a shell sees it.
        public var status: Int32 {
            switch self {
            case .exited(let status): status
            case .killed(let signal): 128 + signal
            }
        }
    }

    private struct State {
        var input: Int32?
        var errors: Int32?
        var isKilled = false
        /// Nil until the process has been waited for; until then no other process gets its number.
        var ending: Ending?
    }

    private let id: pid_t
    /// Our end of its standard output; negative without a pipe.
    public let output: Int32
    private let state: Mutex<State>

    /// Starts the program in its own process group.
    ///
    /// - Parameters:
    ///   - program: its path, or a name that is looked for on the `PATH`.
    ///   - words: its arguments, its own name first.
    public init(
        _ program: String, _ words: [String], input: Stream = .inherited, output: Stream = .inherited,
        errors: Stream = .inherited
    ) throws(Spawn.Failure) {
        // The pipes of the three streams, by their numbers; negative if there is none.
        var (ours, theirs): ([Int32], [Int32]) = ([-1, -1, -1], [-1, -1, -1])
        var streams = [input, output, errors]
        defer { for end in theirs where end >= 0 { close(end) } }
        do throws(Spawn.Failure) {
            for (number, stream) in streams.enumerated() {
                guard case .pipe = stream else { continue }
                guard let pipe = Spawn.pipe() else { throw Spawn.Failure(reason: errno) }
                let isInput = number == Int(STDIN_FILENO)
                (ours[number], theirs[number]) = isInput ? (pipe.write, pipe.read) : (pipe.read, pipe.write)
                streams[number] = .descriptor(theirs[number])
            }
            // Writing to a process that has died must fail with an error rather than kill this program with a signal.
            if ours[0] >= 0 { signal(SIGPIPE, SIG_IGN) }
            id = try Spawn.start(program, words, streams)
        } catch {
            for end in ours where end >= 0 { close(end) }
            throw error
        }
        self.output = ours[1]
        state = Mutex(State(input: ours[0] < 0 ? nil : ours[0], errors: ours[2] < 0 ? nil : ours[2]))
    }

    /// Writes all bytes into its pipe; returns false if it no longer reads or its input is closed.
    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool {
        state.withLock { $0.input }.map { PipeBytes.write(bytes, to: $0) } ?? false
    }

    /// Closes its input. No thread may be writing to it.
    public func closeInput() {
        if let input = state.withLock({ $0.input.take() }) { close(input) }
    }

    /// Returns our end of its standard error, which the caller must close from now on; nil without a pipe.
    public func takeErrors() -> Int32? { state.withLock { $0.errors.take() } }

    /// Whether it is still running and ``end()`` has not been called.
    public var isRunning: Bool {
        state.withLock { state in
            guard state.ending == nil, !state.isKilled else { return false }
            var information = siginfo_t()
            return waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT) == 0
                && information.si_signo == 0
        }
    }

    /// Kills it, but not the processes that it has started. Readers of its output reach the end.
    public func end() {
        state.withLock { state in
            if state.ending == nil, !state.isKilled { _ = kill(id, SIGKILL) }
            state.isKilled = true
        }
    }

    /// Sends a signal to it and to all processes that it has started, unless it has been waited for.
    public func send(_ signal: Int32) {
        // Under the lock, so that no other process can get its number meanwhile.
        state.withLock { if $0.ending == nil { _ = kill(-id, signal) } }
    }

    /// Blocks the calling thread until it ends.
    @discardableResult
    public func wait() -> Ending {
        // Another process may have its number by now.
        if let ending = state.withLock({ $0.ending }) { return ending }
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return state.withLock { state in
            if let ending = state.ending { return ending }
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            let ending = Ending(status)
            state.ending = ending
            return ending
        }
    }

    deinit {
        end()
        let (input, errors) = state.withLock { ($0.input, $0.errors) }
        for end in [input, output, errors] { if let end, end >= 0 { close(end) } }
        guard state.withLock({ $0.ending == nil }) else { return }
        var status: Int32 = 0
        guard waitpid(id, &status, WNOHANG) == 0 else { return }
        Self.takeLeave(of: id)
    }

    /// Waits, on a separate thread, for a program that was asked to end; otherwise it would stay in the process table
    /// until this program ends.
    private static func takeLeave(of id: pid_t) {
        let thread = Thread {
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
        }
        thread.name = "framegrep-leave"
        // Libraries' variables of each thread lie in it too, 60 KB with OpenBLAS.
        thread.stackSize = 256 << 10
        thread.start()
    }
}
