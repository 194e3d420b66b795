import Foundation
import Synchronization
import TextSpotting

/// Lets a search go on with its other inputs when a library crashes in one of them.
///
/// Decoders are large C libraries, and some damaged or rare recordings crash them, which no error handling in the same
/// process can undo. The handler of such a signal has the program replaced by a fresh one (execve(2), one of the few
/// calls that a handler may make), which finds out from a journal what was done and what is left. The process keeps
/// its number, its standard streams and the files it writes, so shells and pipes notice nothing. As long as nothing crashes
/// it costs nothing; docs/decisions/crashes.md weighs it against a second process.
enum CrashRestart {
    /// The signals that libraries die of, and their names for users.
    static let signals: KeyValuePairs<Int32, StaticString> = [
        SIGSEGV: "segmentation fault", SIGABRT: "it aborted, as libraries also do when memory runs out",
        SIGBUS: "bus error", SIGILL: "illegal instruction",
        SIGTRAP: "it aborted, as libraries also do when memory runs out",
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

    /// The message about a crash after which the search does not continue. It is composed beforehand, because a signal handler may not.
    fileprivate struct Notice {
        let beginning: UnsafeMutablePointer<CChar>
        let end: UnsafeMutablePointer<CChar>
        /// The file that must not stay; nil for none.
        let unfinished: UnsafeMutablePointer<CChar>?
    }

    /// The address of a ``Notice``, which is never freed, as the handler may be reading it; 0 for none.
    fileprivate static let notice = Atomic<UInt>(0)

    // Set before the search begins, and read by the handler only while it runs.
    nonisolated(unsafe) fileprivate static var way: Way?
    // Written once, when the program begins, before there are other threads and before the handler.
    nonisolated(unsafe) private static var mask = sigset_t()

    /// Keeps in mind which signals were blocked when the program began: a program that goes on must begin with the same.
    static func rememberMask() { pthread_sigmask(SIG_BLOCK, nil, &mask) }

    /// From now on a crash shows the last messages of libraries, and then ends the program as it would without this.
    static func watch() {
        // Made now: not for the first time in a signal's handler.
        _ = (signals.count, notice.load(ordering: .relaxed), StandardError.descriptor)
        for (number, _) in signals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = crashed
            sigaction(number, &action, nil)
        }
    }

    /// From now on a crash is reported by a sentence and ends the program with the status of an error, where it does not go on.
    ///
    /// - Parameters:
    ///   - name: of what is read, without passwords.
    ///   - consequence: a full sentence.
    ///   - unfinished: the path of a file that must not stay.
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

    /// From now on a crash leads to a fresh start, as long as the journal says that something is worked on.
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
        // Those of libraries lead elsewhere; see LibraryNoise.
        _ = dup2(way.output, STDOUT_FILENO)
        _ = dup2(way.error, STDERR_FILENO)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        execve("/proc/self/exe", way.arguments, way.environment)
    }
}

/// Runs in a signal's handler: calls nothing that might allocate or wait.
private func crashed(_ number: Int32) {
    LibraryNoise.show(crash: number)
    // Then the signal has its usual effect, including a core dump.
    signal(number, SIG_DFL)
    raise(number)
}

/// Hides text that libraries write to the standard streams on their own: a warning of libpng, an assertion of GLib.
///
/// It would stand among the results or the messages, and does not help the user. It goes to standard error with `-v`, else into a pipe that
/// is not read: its contents are shown when the program dies of it, and when it is full, the rest is lost.
enum LibraryNoise {
    /// Diverts text from now on.
    ///
    /// - Parameter isShown: on standard error.
    static func divert(isShown: Bool) {
        guard !isShown, !isWanted, let pipe = pipe() else {
            // Results stand alone all the same.
            _ = dup2(StandardError.descriptor, STDOUT_FILENO)
            return
        }
        // Made now: not for the first time in a signal's handler.
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

    /// Shows the end of the diverted text. May be called in a signal's handler.
    ///
    /// - Parameter crash: the signal that the program dies of; where it does not, this does not return.
    static func show(crash: Int32) {
        guard noise < 0 else { return showNoise(crash: crash) }
        CrashRestart.goOn(after: crash)
        CrashRestart.report(crash)
    }

    /// The user looks for what libraries say.
    static var isWanted: Bool {
        let debugging = [
            "GST_DEBUG", "GST_TRACERS", "G_MESSAGES_DEBUG", "G_DEBUG", "ASAN_OPTIONS", "TSAN_OPTIONS",
            "SWIFT_BACKTRACE",
        ]
        return debugging.contains { getenv($0) != nil }
    }

    /// Neither end ever blocks.
    private static func pipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard Foundation.pipe(&ends) == 0 else { return nil }
        // Away from the numbers of the streams, which are written over.
        let own = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
        ends.forEach { close($0) }
        guard own.allSatisfy({ $0 >= 0 && fcntl($0, F_SETFL, O_NONBLOCK) == 0 }) else { return nil }
        return (own[0], own[1])
    }

    // Set once, before the handlers that read them are there.
    nonisolated(unsafe) fileprivate static var noise: Int32 = -1
    // The same.
    nonisolated(unsafe) fileprivate static var target: Int32 = -1
}

/// Messages of libraries and Swift when there is no memory left, before they die.
private let signsOfNoMemory: [StaticString] = ["failed to allocate", "bad_alloc", "Could not allocate memory"]

/// Messages of libraries when the system gives no more files or threads, and the sentence that replaces them.
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

/// Copies the end of the diverted text to standard error; if it says that files, threads or memory have run out, a sentence takes its place
/// and the program ends with the status of an error. Runs in a signal's handler: calls nothing that might allocate or wait.
private func showNoise(crash: Int32?) {
    // As much as a pipe holds (pipe(7)), of which the last lines say why it died.
    withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
        var filled = 0
        while filled < buffer.count {
            let count = read(LibraryNoise.noise, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
            guard count > 0 else { break }
            filled += count
        }
        for (sign, sentence) in signsOfLimits where stands(sign, in: buffer, filled) { end(saying: sentence) }
        // With no more files or threads the next input would have ended as this one.
        if let crash { CrashRestart.goOn(after: crash) }
        for sign in signsOfNoMemory where stands(sign, in: buffer, filled) { end(saying: outOfMemory) }
        if let crash { CrashRestart.report(crash) }
        let shown = min(filled, 8 << 10)
        _ = write(LibraryNoise.target, buffer.baseAddress?.advanced(by: filled - shown), shown)
    }
}

private func end(saying sentence: StaticString) -> Never {
    _ = write(LibraryNoise.target, sentence.utf8Start, sentence.utf8CodeUnitCount)
    // An error, as grep says it.
    _exit(2)
}

/// Whether a text stands in the first bytes of a buffer; without allocating anything.
private func stands(_ text: StaticString, in buffer: UnsafeMutableRawBufferPointer, _ filled: Int) -> Bool {
    guard let start = buffer.baseAddress, filled >= text.utf8CodeUnitCount else { return false }
    for offset in 0...(filled - text.utf8CodeUnitCount)
    where memcmp(start + offset, text.utf8Start, text.utf8CodeUnitCount) == 0 {
        return true
    }
    return false
}
