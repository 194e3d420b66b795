import Foundation

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
        _ = (signsOfNoMemory.count, outOfMemory.utf8CodeUnitCount)
        noise = pipe.read
        target = StandardError.descriptor
        _ = dup2(pipe.write, STDOUT_FILENO)
        _ = dup2(pipe.write, STDERR_FILENO)
        close(pipe.write)
        CrashRestart.watch()
        // The program itself ends by `_exit`: a caller of `exit` is a library that gave up, as Xlib does.
        atexit { showNoise() }
    }

    /// Shows the end of the diverted text. May be called in a signal's handler.
    static func show() { if noise >= 0 { showNoise() } }

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

private let outOfMemory: StaticString =
    "framegrep: There is not enough memory to go on. Close other programs, raise the limit (ulimit -v), or read fewer pictures at a time with --threads 1.\n"

/// Copies the end of the diverted text to standard error; if it says that memory has run out, a sentence takes its place and the program
/// ends with the status of an error. Runs in a signal's handler: calls nothing that might allocate or wait.
private func showNoise() {
    // As much as a pipe holds (pipe(7)), of which the last lines say why it died.
    withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
        var filled = 0
        while filled < buffer.count {
            let count = read(LibraryNoise.noise, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
            guard count > 0 else { break }
            filled += count
        }
        for sign in signsOfNoMemory where stands(sign, in: buffer, filled) {
            _ = write(LibraryNoise.target, outOfMemory.utf8Start, outOfMemory.utf8CodeUnitCount)
            // An error, as grep says it.
            _exit(2)
        }
        let shown = min(filled, 8 << 10)
        _ = write(LibraryNoise.target, buffer.baseAddress?.advanced(by: filled - shown), shown)
    }
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
