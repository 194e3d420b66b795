import CProcesses
import Foundation
import Synchronization

/// Starts other programs and creates pipes to them. Thread-safe.
///
/// They are started by `posix_spawn`, because Foundation's `Process` adds threads and event sources for each.
public enum Spawn {
    /// The reason a program could not be started.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// The value of `errno`.
        public let reason: Int32

        public init(reason: Int32) { self.reason = reason }

        public var description: String {
            // The system's own message would be "resource temporarily unavailable".
            reason == EAGAIN
                ? "the system allows no more processes (see 'ulimit -u')"
                : String(cString: strerror(reason))
        }
    }

    private static let withheld = Mutex(Set<String>())

    /// Withholds an environment variable from started programs, because it was set for this one only.
    public static func withhold(_ variable: String) { withheld.withLock { _ = $0.insert(variable) } }

    /// The environment of a program that is started, as C strings `NAME=VALUE` ending in NULL.
    public static var environment: [UnsafeMutablePointer<CChar>?] {
        let withheld = withheld.withLock { $0 }
        var variables: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let variable = next.pointee {
            next += 1
            if !withheld.contains(where: { strncmp(variable, $0 + "=", $0.utf8.count + 1) == 0 }) {
                variables.append(variable)
            }
        }
        return variables + [nil]
    }

    /// Starts a program in its own process group, so that Ctrl-C in the terminal reaches it only through us. It
    /// inherits no ignored or blocked signals.
    ///
    /// - Parameters:
    ///   - program: its path, or a name that is looked for on the `PATH`.
    ///   - words: its arguments, its own name first.
    ///   - streams: its standard streams, by their numbers; pipes have been made by now.
    /// - Returns: its number, which is not reused until it has been waited for.
    static func start(
        _ program: String, _ words: [String], _ streams: [ChildProcess.Stream]
    ) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in streams.enumerated() {
            switch stream {
            case .inherited, .pipe: break
            case .nothing: posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
            case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
            }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        posix_spawnattr_setflags(&attributes, Int16(flags))
        posix_spawnattr_setpgroup(&attributes, 0)
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var id: pid_t = 0
        let result = withArguments(words) { posix_spawnp(&id, program, &actions, &attributes, $0, environment) }
        guard result == 0 else { throw Failure(reason: result) }
        return id
    }

    /// The words as a C array that ends in NULL, while `body` runs.
    private static func withArguments<Result>(
        _ words: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = words.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return (copies + [nil]).withUnsafeBufferPointer { buffer in
            // An array with an element has a base address.
            buffer.baseAddress.map(body) ?? withUnsafePointer(to: nil, body)
        }
    }

    /// A pipe that no other program inherits; nil with `errno` if it cannot be made.
    public static func pipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        // This is done in one step, because a program that another thread starts in between would inherit the pipe.
        guard pipe2(&ends, O_CLOEXEC) == 0 else { return nil }
        return (ends[0], ends[1])
    }
}
