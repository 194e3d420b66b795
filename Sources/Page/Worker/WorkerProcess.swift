import Foundation
import Synchronization

/// A process that decodes, as the server sees it. Ends when nobody holds it. Thread-safe.
final class WorkerProcess: Sendable {
    /// Its standard input and output.
    let input: Int32
    let output: Int32
    private let id: pid_t
    private let hasEnded = Atomic<Bool>(false)

    /// - Parameter program: what is started, which must understand ``MediaWork/option``.
    init(_ program: String, _ work: MediaWork) throws(PageProblem) {
        // One that has died is told by an error of a write, not by a signal that kills.
        signal(SIGPIPE, SIG_IGN)
        let result = Self.starting.withLock { _ in
            Result { () throws(PageProblem) in try Self.start(program, work) }
        }
        (id, input, output) = try result.get()
    }

    /// Ends it at once; who reads from it gets the end.
    func end() {
        if !hasEnded.exchange(true, ordering: .relaxed) { kill(id, SIGKILL) }
    }

    deinit {
        end()
        close(input)
        close(output)
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
    }

    /// One at a time: descriptors that must not be handed on are open for a moment.
    private static let starting = Mutex(())

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
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild.read, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, fromChild.write, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A Ctrl-C in the terminal is the server's: it ends its processes itself.
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        posix_spawnattr_setpgroup(&attributes, 0)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var id: pid_t = 0
        let result = Spawn.withArguments(["framegrep-serve", MediaWork.option, work.rawValue]) { words in
            posix_spawn(&id, program, &actions, &attributes, words, environ)
        }
        guard result == 0 else {
            close(toChild.write)
            close(fromChild.read)
            throw failure(result)
        }
        return (id, toChild.write, fromChild.read)
    }

    private static func failure(_ reason: Int32) -> PageProblem {
        PageProblem(503, "No process can be started that decodes: \(String(cString: strerror(reason))).")
    }
}
