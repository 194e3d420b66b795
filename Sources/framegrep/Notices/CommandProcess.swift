import Errors
import Foundation
import Processes
import Synchronization
import TextSpotting

/// A command of the user's, run by `sh` with a text on its standard input. Used by one thread.
///
/// The text comes from pictures, so it is data only: it is in no argument, in no variable and in no name of a file. The
/// command has a process group of its own, so that Ctrl-C reaches it only through us, and its output goes to standard
/// error, because standard output holds results.
struct CommandProcess: ~Copyable {
    let id: pid_t

    /// Starts it.
    ///
    /// - Throws: ``FramegrepError`` (`commandFailed`) when the system cannot.
    init(_ command: String, input: String) throws(FramegrepError) {
        // One at a time: a command that started in between would hold this one's input open.
        let result = Self.starting.withLock { _ in
            Result { () throws(FramegrepError) in try Self.start(command, input) }
        }
        id = try result.get()
    }

    private static let starting = Mutex(())

    private static func start(_ command: String, _ input: String) throws(FramegrepError) -> pid_t {
        let stdin = try pipe(holding: input)
        defer { close(stdin) }
        keepDescriptors()
        do {
            // Its output is no result: both of its streams go to standard error.
            let streams = Spawn.Streams(
                input: stdin, output: StandardError.descriptor, error: StandardError.descriptor)
            return try Spawn.start("/bin/sh", ["sh", "-c", command], streams)
        } catch {
            throw FramegrepError(.commandFailed, "The command of --exec cannot be started: \(error).")
        }
    }

    /// Waits for its end. Its number stays its own until ``outcome()`` is asked for.
    func waitForEnd() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0 {
            guard errno == EINTR else { return }
        }
    }

    /// How it ended, once it has: nil for well, else `exit status 3` or `signal 15`.
    consuming func outcome() -> String? {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        // The macros WIFSIGNALED, WTERMSIG and WEXITSTATUS of <sys/wait.h>, which Swift does not import.
        let signal = status & 0x7F
        if signal != 0 { return "signal \(signal)" }
        let code = status >> 8 & 0xFF
        return code == 0 ? nil : "exit status \(code)"
    }

    /// Ends a command, and all processes that it has started, by its process group.
    static func end(_ id: pid_t) { kill(-id, SIGTERM) }

    /// The reading end of a pipe that holds `text` and then ends: no thread waits for the command to read it.
    private static func pipe(holding text: String) throws(FramegrepError) -> Int32 {
        var ends: [Int32] = [-1, -1]
        let bytes = Array((text + "\n").utf8)
        guard Foundation.pipe(&ends) == 0 else { throw noInput(String(cString: strerror(errno))) }
        defer { close(ends[1]) }
        // A pipe holds 64 KiB (pipe(7)), far more than a sighting takes.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        guard write(ends[1], bytes, bytes.count) == bytes.count else {
            close(ends[0])
            throw noInput("it has \(bytes.count) bytes")
        }
        return ends[0]
    }

    private static func noInput(_ reason: String) -> FramegrepError {
        FramegrepError(.commandFailed, "The command of --exec cannot be given its input: \(reason).")
    }

    /// Has nothing that is open here handed on to the command: a library's camera, say, which would stay in use.
    private static func keepDescriptors() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }
}
