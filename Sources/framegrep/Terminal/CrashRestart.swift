import Foundation

/// Lets a search go on with its other inputs when a library crashes in one of them.
///
/// Decoders are large C libraries, and some damaged or rare recordings crash them, which no error handling in the same
/// process can undo. The handler of such a signal has the program replaced by a fresh one (execve(2), one of the few
/// calls that a handler may make), which finds out from a journal what was done and what is left. The process keeps
/// its number, its standard streams and the files it writes, so shells and pipes notice nothing. As long as nothing crashes
/// it costs nothing; docs/decisions/crashes.md weighs it against a second process.
enum CrashRestart {
    /// The signals that libraries die of, and their names for users.
    static let signals: KeyValuePairs<Int32, String> = [
        SIGSEGV: "segmentation fault", SIGABRT: "it gave up, as libraries do for want of memory too",
        SIGBUS: "bus error", SIGILL: "illegal instruction",
        SIGTRAP: "it gave up, as libraries do for want of memory too",
        SIGFPE: "arithmetic error",
    ]

    /// The data by which a program that goes on after a crash finds its journal.
    struct Journal {
        /// The number of the input that is being searched; below zero there is nothing to go on with, and a crash ends
        /// the program.
        var work: UnsafeMutablePointer<Int64>
        /// Takes the number of the signal.
        var crash: UnsafeMutablePointer<Int64>
        /// The descriptors that the next program must have open, the journal itself among them.
        var descriptors: [Int32]
        /// `NAME=value`, for its environment.
        var variable: String
    }

    /// The data of the handler. Written before it can be called, and never freed.
    fileprivate struct Way {
        var work: UnsafeMutablePointer<Int64>
        var crash: UnsafeMutablePointer<Int64>
        var descriptors: UnsafeMutableBufferPointer<Int32>
        var output: Int32
        var error: Int32
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
        var environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    }

    // Set before the search begins, and read by the handler only while it runs.
    nonisolated(unsafe) fileprivate static var way: Way?
    // Written once, when the program begins, before there are other threads and before the handler.
    nonisolated(unsafe) private static var mask = sigset_t()

    /// Keeps in mind which signals were blocked when the program began: a program that goes on must begin with the same.
    static func rememberMask() { pthread_sigmask(SIG_BLOCK, nil, &mask) }

    /// From now on a crash shows what libraries said last, and ends the program as it would have ended without this.
    static func watch() {
        for (number, _) in signals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = crashed
            sigaction(number, &action, nil)
        }
    }

    /// From now on a crash leads to a fresh start, as long as the journal says that something is worked on.
    ///
    /// To be called again where the journal's descriptors have become more.
    static func arm(_ journal: Journal) {
        guard !LibraryNoise.isWanted else { return }
        let descriptors = UnsafeMutableBufferPointer<Int32>.allocate(capacity: journal.descriptors.count)
        _ = descriptors.initialize(from: journal.descriptors)
        way = Way(
            work: journal.work, crash: journal.crash, descriptors: descriptors, output: StandardOutput.descriptor,
            error: StandardError.descriptor, arguments: CommandLine.unsafeArgv,
            environment: environment(with: journal.variable))
        watch()
    }

    private static func environment(with entry: String) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
        var count = 0
        while environ[count] != nil { count += 1 }
        let copy = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: count + 2)
        for index in 0..<count { copy[index] = environ[index].flatMap { strdup($0) } }
        copy[count] = strdup(entry)
        copy[count + 1] = nil
        return copy
    }

    /// Becomes a fresh program; returns where that is not to be, or does not work.
    fileprivate static func goOn(after number: Int32) {
        guard let way, way.work.pointee >= 0 else { return }
        way.crash.pointee = Int64(number)
        for descriptor in way.descriptors { _ = fcntl(descriptor, F_SETFD, 0) }
        // Those of libraries lead elsewhere; see LibraryNoise.
        _ = dup2(way.output, STDOUT_FILENO)
        _ = dup2(way.error, STDERR_FILENO)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        execve("/proc/self/exe", way.arguments, way.environment)
    }
}

/// Runs in a signal's handler: calls nothing that might allocate or wait.
private func crashed(_ number: Int32) {
    CrashRestart.goOn(after: number)
    LibraryNoise.show()
    // Then the signal does what it does, with the dump that the system may make of it.
    signal(number, SIG_DFL)
    raise(number)
}
