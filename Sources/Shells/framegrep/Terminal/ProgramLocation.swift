import Errors
import Foundation
import Processes
import Spotter
import TextSpotting

/// The location of this program and of the files that were installed with it: in a prefix (`PREFIX/bin`,
/// `PREFIX/libexec/framegrep`, `PREFIX/share/framegrep`) or in a checkout's build. No path is compiled in, so that an
/// installation can be moved.
enum ProgramLocation {
    /// The folder of the program, without links.
    static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .path

    /// The checkout that the program was built in; nil if it was installed.
    static var checkout: String? {
        folder.range(of: "/.build/", options: .backwards).map { String(folder[..<$0.lowerBound]) }
    }

    /// Returns a script that comes with the program: in a checkout's `scripts`, otherwise in `../libexec/framegrep`.
    static func script(_ name: String) -> String? {
        let folders = [checkout.map { $0 + "/scripts" }, folder + "/../libexec/framegrep"].compactMap(\.self)
        return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 && FileStatus(of: $0)?.isFolder != true }
    }

    /// The folder of the pipelines that come with the program; nil if there is none.
    static var pipelines: String? {
        let folders = [checkout.map { $0 + "/pipelines" }, folder + "/../share/framegrep/pipelines"].compactMap(\.self)
        return folders.first { FileStatus(of: $0)?.isFolder == true }
    }

    /// Replaces this program by another one, which gets the streams that this one was started with.
    ///
    /// - Throws: ``FramegrepError`` (`commandFailed`) if it cannot be started; it does not return otherwise.
    static func become(_ path: String, _ arguments: [String]) throws -> Never {
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        // Restore the original streams: the messages of libraries are diverted in this program only.
        dup2(StandardOutput.descriptor, STDOUT_FILENO)
        dup2(StandardError.descriptor, STDERR_FILENO)
        for number in [SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2] { signal(number, SIG_DFL) }
        execve(path, words, Spawn.environment)
        throw FramegrepError(.commandFailed, "\(path) cannot be started: \(String(cString: strerror(errno))).")
    }
}

/// The program's name and version, for `--version` and for receivers over the network.
enum ProgramVersion {
    static let text = "0.1.0"
}

/// The arguments of the command line.
enum Arguments {
    /// The arguments without the program's name, or those of the job for which another framegrep has started this one
    /// (``JobPlan``). They contain file names, which are bytes: Swift's own list would replace those that are not UTF-8.
    static let given: [String] = {
        let words = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { FileName.text(ofCName: $0) }
        }
        return words == [JobPlan.option] ? JobPlan()?.arguments ?? words : words
    }()
}

/// grep's exit statuses; thrown by a command to end with one of them without a message.
enum ExitStatus: Int32, Error {
    case found = 0
    case notFound = 1
    case error = 2
}
