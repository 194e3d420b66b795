public import Errors
import Glibc
import TextSpotting
import Threads

/// A source that can be read once, from its beginning to its end: standard input, a FIFO, a character device.
///
/// It is opened here and passed to GStreamer as an open descriptor (`fdsrc`), so that nothing else reads from it first,
/// because bytes read from a pipe are gone. The descriptor is open as long as this object exists. Thread-safe.
public final class PipeInput: Sendable {
    /// The descriptor that an `fdsrc` reads; nothing else may.
    public let descriptor: Int32
    private let name: String

    /// Opens it without waiting for a writer.
    ///
    /// - Returns: nil for a source that can be opened repeatedly.
    /// - Throws: `FramegrepError` (`sourceUnavailable`) if it cannot be opened, or is a terminal.
    public init?(_ source: SourceURI) throws(FramegrepError) {
        name = "'\(source.redacted)'"
        if source.isStandardInput {
            descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10)
        } else if let path = source.path, Self.canBeReadOnce(path) {
            // Without O_NONBLOCK opening a FIFO blocks until there is a writer, and Ctrl-C has no effect until then.
            descriptor = FileName.withCName(path) { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        } else {
            return nil
        }
        guard descriptor >= 0, fcntl(descriptor, F_GETFL) & O_ACCMODE != O_WRONLY else {
            let reason = descriptor >= 0 ? "it is closed" : String(cString: strerror(errno))
            throw FramegrepError(
                .sourceUnavailable, "\(name) cannot be read: \(reason). Check what it is connected to.")
        }
        if isatty(descriptor) == 1 {
            throw FramegrepError(
                .sourceUnavailable,
                "\(name) is a terminal, which sends no recording. Send one: framegrep EXIT - < lobby.mp4.")
        }
        // The flags of a FIFO belong to this descriptor alone; those of standard input are shared with other programs
        // and must stay.
        if !source.isStandardInput { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) }
        KnownTexts.remember(file: "fd://\(descriptor)", shownAs: source.given)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Waits until something can be read.
    ///
    /// - Parameters:
    ///   - limit: nil for no limit.
    ///   - advice: the end of the message if nothing comes: how to wait longer.
    /// - Throws: `CancellationError` when the task is cancelled; `FramegrepError` (`sourceNotVideo`) if the source ends
    ///   without data, or (`sourceUnavailable`) if none has arrived by then.
    public func waitForData(atMost limit: Duration? = nil, advice: String = "; --patience TIME waits longer")
        async throws
    {
        let deadline = limit.map { ContinuousClock.now + $0 }
        let cancellation = CancellationFlag()
        let hasData = try await withTaskCancellationHandler {
            try await DedicatedThread.run(named: "framegrep-pipe") { [descriptor, name] in
                var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                while true {
                    try cancellation.check()
                    guard poll(&wanted, 1, Self.patience) > 0 else {
                        guard let limit, let deadline, .now >= deadline else { continue }
                        throw FramegrepError(
                            .sourceUnavailable,
                            "\(name) is a pipe to which nothing was written for \(limit.components.seconds) seconds. Check the program that should write to it\(advice)."
                        )
                    }
                    return wanted.revents & Int16(POLLIN) != 0
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        guard hasData else {
            throw FramegrepError(.sourceNotVideo, "\(name) is empty: it ended before any data came.")
        }
    }

    /// In milliseconds: the longest time until a cancelled task is noticed.
    private static let patience: Int32 = 50

    /// Returns whether a source can be read only once; nothing is opened.
    public static func isReadOnce(_ source: SourceURI) -> Bool {
        source.isStandardInput || source.path.map(canBeReadOnce) ?? false
    }

    private static func canBeReadOnce(_ path: String) -> Bool {
        FileStatus(of: path).map { [S_IFIFO, S_IFCHR, S_IFSOCK].contains($0.kind) } ?? false
    }
}
