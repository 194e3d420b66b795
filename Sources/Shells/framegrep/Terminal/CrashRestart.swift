import Foundation
import Synchronization
import TextSpotting

/// Lets a search continue with its other inputs when a library crashes in one of them.
///
/// Decoders are large C libraries, and some damaged or rare recordings crash them, which no error handling in the same
/// process can undo. The handler of such a signal replaces the program by a fresh one (execve(2), one of the few calls
/// that a handler may make), which reads from a journal what was done and what is left. The process keeps its number,
/// its standard streams and the files it writes, so shells and pipes notice nothing. Without a crash this costs
/// nothing; docs/decisions/crashes.md compares it with a second process.
enum CrashRestart {
    /// The signals that crashing libraries cause, and their names for users.
    static let signals: KeyValuePairs<Int32, StaticString> = [
        SIGSEGV: "segmentation fault", SIGABRT: "it aborted, as libraries also do when memory runs out",
        SIGBUS: "bus error", SIGILL: "illegal instruction",
        SIGTRAP: "it aborted, as libraries also do when memory runs out",
        SIGFPE: "arithmetic error",
    ]

    /// The data by which a program that continues after a crash finds its journal.
    struct Journal {
        /// The number of the input that is being searched; if it is negative there is nothing to continue, and a crash
        /// ends the program.
        var work: UnsafeMutablePointer<Int64>
        /// Receives the number of the signal.
        var crash: UnsafeMutablePointer<Int64>
        /// The descriptors that the next program must have open, including the journal.
        var descriptors: [Int32]
        /// `NAME=value` for its environment.
        var variable: String
    }

    /// The data of the handler. Written before the handler can be called, and never freed.
    fileprivate struct Way {
        var work: UnsafeMutablePointer<Int64>
        var crash: UnsafeMutablePointer<Int64>
        var descriptors: UnsafeMutableBufferPointer<Int32>
        var output: Int32
        var error: Int32
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
        var environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    }

    /// The message about a crash after which the search does not continue. It is composed beforehand, because a signal
    /// handler may not.
    fileprivate struct Notice {
        let beginning: UnsafeMutablePointer<CChar>
        let end: UnsafeMutablePointer<CChar>
        /// The path of an incomplete file to be removed; nil for none.
        let unfinished: UnsafeMutablePointer<CChar>?
    }

    /// The address of a ``Notice``, which is never freed because the handler may be reading it; 0 for none.
    fileprivate static let notice = Atomic<UInt>(0)

    // Set before the search begins, and read by the handler only while it runs.
    nonisolated(unsafe) fileprivate static var way: Way?
    // Written once, when the program begins, before there are other threads and before the handler.
    nonisolated(unsafe) private static var mask = sigset_t()

    /// Remembers which signals were blocked when the program began, because a program that continues must begin with
    /// the same ones.
    static func rememberMask() { pthread_sigmask(SIG_BLOCK, nil, &mask) }

    /// From now on, a crash shows the last messages of libraries, and then ends the program as it would without this.
    static func watch() {
        // Initialize these now, because they must not be initialized in a signal handler.
        _ = (signals.count, notice.load(ordering: .relaxed), StandardError.descriptor)
        for (number, _) in signals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = crashed
            sigaction(number, &action, nil)
        }
    }

    /// From now on, a crash after which the search does not continue is reported by a sentence, and ends the program
    /// with the status of an error.
    ///
    /// - Parameters:
    ///   - name: the name of the input, without passwords.
    ///   - consequence: a full sentence.
    ///   - unfinished: the path of an incomplete file to be removed.
    static func blame(_ name: String, _ consequence: String, removing unfinished: String? = nil) {
        guard !LibraryNoise.isWanted else { return }
        let notice = UnsafeMutablePointer<Notice>.allocate(capacity: 1)
        notice.initialize(
            to: Notice(
                beginning: strdup(
                    "framegrep: \(Visible.text(name)) could not be read to its end: a library that decodes or reads it crashed ("
                ),
                end: strdup("). \(consequence)\n"),
                unfinished: unfinished.map { FileName.withCName($0) { strdup($0) } }))
        Self.notice.store(UInt(bitPattern: notice), ordering: .releasing)
    }

    /// From now on, a crash leads to a fresh start while the journal says that there is work in progress.
    ///
    /// Call it again when the journal has more descriptors.
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

    /// Ends the program with the prepared sentence; returns if there is none.
    fileprivate static func report(_ number: Int32) {
        guard let notice = UnsafePointer<Notice>(bitPattern: notice.load(ordering: .acquiring))?.pointee else { return }
        if let path = notice.unfinished { unlink(path) }
        let output = StandardError.descriptor
        _ = write(output, notice.beginning, strlen(notice.beginning))
        for (signal, reason) in signals where signal == number {
            _ = write(output, reason.utf8Start, reason.utf8CodeUnitCount)
        }
        _ = write(output, notice.end, strlen(notice.end))
        _exit(2)
    }

    /// Replaces the process by a fresh program; returns if there is nothing to continue, or if it fails.
    fileprivate static func goOn(after number: Int32) {
        guard let way, way.work.pointee >= 0 else { return }
        way.crash.pointee = Int64(number)
        for descriptor in way.descriptors { _ = fcntl(descriptor, F_SETFD, 0) }
        // The streams of libraries lead elsewhere; see LibraryNoise.
        _ = dup2(way.output, STDOUT_FILENO)
        _ = dup2(way.error, STDERR_FILENO)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        execve("/proc/self/exe", way.arguments, way.environment)
    }
}

/// Runs in a signal handler: calls nothing that might allocate or wait.
private func crashed(_ number: Int32) {
    LibraryNoise.show(crash: number)
    // After that, the signal has its usual effect, including a core dump.
    signal(number, SIG_DFL)
    raise(number)
}

/// Hides text that libraries write to the standard streams on their own: a warning of libpng, an assertion of GLib.
///
/// It would appear among the results or the messages, and does not help the user. It goes to standard error with `-v`,
/// otherwise into a pipe that is not read: its contents are shown if the program crashes, and when it is full, the rest
/// is lost.
enum LibraryNoise {
    /// Diverts text from now on.
    ///
    /// - Parameter isShown: whether to show it on standard error.
    static func divert(isShown: Bool) {
        guard !isShown, !isWanted, let pipe = pipe() else {
            // The results are separate even so.
            _ = dup2(StandardError.descriptor, STDOUT_FILENO)
            return
        }
        // Initialize these now, because they must not be initialized in a signal handler.
        _ = (signsOfNoMemory.count, signsOfLimits.count, outOfMemory.utf8CodeUnitCount)
        noise = pipe.read
        target = StandardError.descriptor
        _ = dup2(pipe.write, STDOUT_FILENO)
        _ = dup2(pipe.write, STDERR_FILENO)
        close(pipe.write)
        CrashRestart.watch()
        // The program itself ends by `_exit`: a caller of `exit` is a library that gave up, as Xlib does.
        atexit { showNoise(crash: nil) }
    }

    /// Shows the end of the diverted text. May be called in a signal handler.
    ///
    /// - Parameter crash: the signal that ends the program; if the text shows that resources have run out, this does
    ///   not return.
    static func show(crash: Int32) {
        guard noise < 0 else { return showNoise(crash: crash) }
        CrashRestart.goOn(after: crash)
        CrashRestart.report(crash)
    }

    /// Whether the user wants to see the messages of libraries.
    static var isWanted: Bool {
        let debugging = [
            "GST_DEBUG", "GST_TRACERS", "G_MESSAGES_DEBUG", "G_DEBUG", "ASAN_OPTIONS", "TSAN_OPTIONS",
            "SWIFT_BACKTRACE",
        ]
        return debugging.contains { getenv($0) != nil }
    }

    /// Returns a pipe whose ends never block.
    private static func pipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard Foundation.pipe(&ends) == 0 else { return nil }
        // Use other numbers than those of the streams, which are replaced.
        let own = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
        ends.forEach { close($0) }
        guard own.allSatisfy({ $0 >= 0 && fcntl($0, F_SETFL, O_NONBLOCK) == 0 }) else { return nil }
        return (own[0], own[1])
    }

    // Set once, before the handlers that read them are installed.
    nonisolated(unsafe) fileprivate static var noise: Int32 = -1
    // Set once, before the handlers that read them are installed.
    nonisolated(unsafe) fileprivate static var target: Int32 = -1
}

/// Messages of libraries and Swift when memory has run out, before they crash.
private let signsOfNoMemory: [StaticString] = ["failed to allocate", "bad_alloc", "Could not allocate memory"]

/// Messages of libraries when the system provides no more files or threads, and the sentence that replaces them.
private let signsOfLimits: [(StaticString, StaticString)] = [
    ("Too many open files", outOfFiles), ("file descriptors has been reached", outOfFiles),
    ("Creating pipes for GWakeup", outOfFiles), ("creating thread '", outOfThreads),
    ("Thread creation failed", outOfThreads), ("what():  Resource temporarily unavailable", outOfThreads),
]

private let outOfFiles: StaticString =
    "framegrep: No more files can be opened. Raise the limit of 'ulimit -n', or read fewer recordings at a time.\n"
private let outOfThreads: StaticString =
    "framegrep: The system allows no more threads. End other programs, or raise the limit of 'ulimit -u'.\n"
private let outOfMemory: StaticString =
    "framegrep: There is not enough memory to go on. Close other programs, raise the limit (ulimit -v), or read fewer pictures at a time with --threads 1.\n"

/// Copies the end of the diverted text to standard error. If it shows that files, threads or memory have run out, a
/// sentence replaces it and the program ends with the status of an error. Runs in a signal handler: calls nothing that
/// might allocate or wait.
private func showNoise(crash: Int32?) {
    // A pipe holds this much (pipe(7)); its last lines show the reason for the crash.
    withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
        var filled = 0
        while filled < buffer.count {
            let count = read(LibraryNoise.noise, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
            guard count > 0 else { break }
            filled += count
        }
        for (sign, sentence) in signsOfLimits where stands(sign, in: buffer, filled) { end(saying: sentence) }
        // Without more files or threads the next input would end in the same way.
        if let crash { CrashRestart.goOn(after: crash) }
        for sign in signsOfNoMemory where stands(sign, in: buffer, filled) { end(saying: outOfMemory) }
        if let crash { CrashRestart.report(crash) }
        let shown = min(filled, 8 << 10)
        _ = write(LibraryNoise.target, buffer.baseAddress?.advanced(by: filled - shown), shown)
    }
}

private func end(saying sentence: StaticString) -> Never {
    _ = write(LibraryNoise.target, sentence.utf8Start, sentence.utf8CodeUnitCount)
    // The status of an error, as in grep.
    _exit(2)
}

/// Returns whether the first bytes of a buffer contain a text, without allocating anything.
private func stands(_ text: StaticString, in buffer: UnsafeMutableRawBufferPointer, _ filled: Int) -> Bool {
    guard let start = buffer.baseAddress, filled >= text.utf8CodeUnitCount else { return false }
    for offset in 0...(filled - text.utf8CodeUnitCount)
    where memcmp(start + offset, text.utf8Start, text.utf8CodeUnitCount) == 0 {
        return true
    }
    return false
}
