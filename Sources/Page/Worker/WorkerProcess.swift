import Foundation
import Processes
import Synchronization

/// A decoding process, as the server sees it. Ends with the last reference to it. Thread-safe.
final class WorkerProcess: Sendable {
    /// Its standard input and output.
    let input: Int32
    let output: Int32
    private let id: pid_t
    private let hasEnded = Atomic<Bool>(false)

    /// - Parameter program: the program to start, which must understand ``MediaWork/option``.
    init(_ program: String, _ work: MediaWork) throws(PageProblem) {
        // A process that has died shows by an error of a write, not by a signal that kills.
        signal(SIGPIPE, SIG_IGN)
        (id, input, output) = try Self.start(program, work)
    }

    /// Ends it at once; who reads from it gets the end.
    func end() {
        if !hasEnded.exchange(true, ordering: .relaxed) { kill(id, SIGKILL) }
    }

    /// It has not ended, nor been told to.
    var isRunning: Bool {
        guard !hasEnded.load(ordering: .relaxed) else { return false }
        var info = siginfo_t()
        return waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo == 0
    }

    deinit {
        end()
        close(input)
        close(output)
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
    }

    private static func start(_ program: String, _ work: MediaWork) throws(PageProblem) -> (pid_t, Int32, Int32) {
        guard let toChild = Spawn.pipe() else { throw failure(errno) }
        guard let fromChild = Spawn.pipe() else {
            let reason = errno
            close(toChild.read)
            close(toChild.write)
            throw failure(reason)
        }
        defer {
            close(toChild.read)
            close(fromChild.write)
        }
        do {
            let streams = Spawn.Streams(input: toChild.read, output: fromChild.write, error: Spawn.Streams.nothing)
            let id = try Spawn.start(program, ["framegrep-serve", MediaWork.option, work.rawValue], streams)
            return (id, toChild.write, fromChild.read)
        } catch {
            close(toChild.write)
            close(fromChild.read)
            throw failure(error.reason)
        }
    }

    private static func failure(_ reason: Int32) -> PageProblem {
        PageProblem(503, "No process can be started that decodes: \(String(cString: strerror(reason))).")
    }
}
