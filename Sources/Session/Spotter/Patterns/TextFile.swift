import Errors
import Foundation
import Synchronization
import TextSpotting

/// Reads a small file, or a pipe (`-`, a FIFO, `<(…)`), whose contents are then kept because it cannot be read again.
public enum TextFile {
    public enum Failure: Error {
        /// The file is unreadable, for this reason given by the system.
        case unreadable(String)
        case tooLong
        /// The first line that is not UTF-8.
        case noText(line: Int)
    }

    /// The name of standard input.
    public static let standardInput = "-"

    private static let kept = Mutex<[String: String]>([:])
    private static let patience = Mutex<Duration?>(nil)
    private static let pending = Mutex<[String: PendingRead]>([:])

    /// Limits how long reading a file may take from now on: a pipe that is never written to, or a file on a disk that
    /// is gone, then counts as unreadable. Standard input has no limit.
    public static func limitWaiting(to patience: Duration) { Self.patience.withLock { $0 = patience } }

    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - limit: the largest size in bytes.
    public static func text(of path: String, limit: Int) throws(Failure) -> String {
        if let text = kept.withLock({ $0[path] }) { return text }
        let (bytes, canBeReadAgain) = try readInTime(path, limit: limit)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .noText(line: firstBadLine(of: bytes))
        }
        if !canBeReadAgain { kept.withLock { $0[path] = text } }
        return text
    }

    private static func firstBadLine(of bytes: [UInt8]) -> Int {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return (lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0) + 1
    }

    /// Returns the contents as bytes, which are not kept.
    public static func bytes(ofFile path: String, limit: Int) throws(Failure) -> [UInt8] {
        try readInTime(path, limit: limit).bytes
    }

    private typealias Content = (bytes: [UInt8], canBeReadAgain: Bool)

    /// Reads the file on a thread of its own if there is a time limit: a disk that is gone blocks its readers forever.
    private static func readInTime(_ path: String, limit: Int) throws(Failure) -> Content {
        guard path != standardInput, let patience = patience.withLock({ $0 }) else {
            return try read(path, limit: limit, until: nil)
        }
        // A thread that waits on its own ends on its own, a little earlier.
        let end = ContinuousClock.now + patience + .milliseconds(500)
        while true {
            let (read, isOwn) = begin(path, limit: limit, until: .now + patience)
            guard let result = read.result(until: end) else {
                throw .unreadable("it did not answer within \(patience.components.seconds) s")
            }
            // Another read began before this one was requested: the file may have been replaced since.
            if isOwn { return try result.get() }
        }
    }

    /// Starts a thread that reads the file. While one still waits for the file, no second one is started, because they
    /// would accumulate.
    ///
    /// - Returns: whether it was started now.
    private static func begin(
        _ path: String, limit: Int, until deadline: ContinuousClock.Instant
    ) -> (PendingRead, isOwn: Bool) {
        pending.withLock { pending in
            if let read = pending[path] { return (read, false) }
            let read = PendingRead()
            pending[path] = read
            let thread = Thread {
                let result = Result { () throws(Failure) in try Self.read(path, limit: limit, until: deadline) }
                Self.pending.withLock { _ = $0.removeValue(forKey: path) }
                read.finish(result)
            }
            thread.name = "framegrep-file"
            thread.start()
            return (read, true)
        }
    }

    /// The result of a reading thread, for those that wait for it.
    private final class PendingRead: Sendable {
        private let outcome = Mutex<Result<Content, Failure>?>(nil)
        private let work = DispatchGroup()

        init() { work.enter() }

        func finish(_ result: Result<Content, Failure>) {
            outcome.withLock { $0 = result }
            work.leave()
        }

        /// Returns nil if it takes longer.
        func result(until deadline: ContinuousClock.Instant) -> Result<Content, Failure>? {
            let (seconds, rest) = (deadline - .now).components
            _ = work.wait(timeout: .now() + max(0, Double(seconds) + Double(rest) / 1e18))
            return outcome.withLock { $0 }
        }
    }

    private static func read(
        _ path: String, limit: Int, until deadline: ContinuousClock.Instant?
    ) throws(Failure) -> Content {
        let isInput = path == standardInput
        // Without this flag opening a FIFO blocks until there is a writer.
        let flags = O_RDONLY | O_CLOEXEC | (deadline != nil && FileStatus(of: path)?.kind == S_IFIFO ? O_NONBLOCK : 0)
        let descriptor = isInput ? dup(STDIN_FILENO) : FileName.withCName(path) { open($0, flags) }
        guard descriptor >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let bytes = try bytes(of: descriptor, limit: limit, until: deadline)
        return (bytes, !isInput && FileStatus(ofDescriptor: descriptor)?.isFile == true)
    }

    /// Waits until data can be read, or until the last writer is gone.
    private static func wait(for descriptor: Int32, until deadline: ContinuousClock.Instant) throws(Failure) {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let left = (deadline - .now).components
            let milliseconds = max(0, left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000)
            let count = poll(&wanted, 1, Int32(clamping: milliseconds))
            if count > 0 { return }
            guard count < 0 && errno == EINTR || milliseconds > 0 && .now < deadline else {
                throw .unreadable("it is a pipe, and nothing comes from it")
            }
        }
    }

    private static func bytes(
        of descriptor: Int32, limit: Int, until deadline: ContinuousClock.Instant?
    ) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            if let deadline { try wait(for: descriptor, until: deadline) }
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else { throw .tooLong }
        }
    }
}

/// A file of patterns, one per line (`-` for standard input); blank lines are ignored.
public struct PatternFile: Sendable {
    public let path: String

    public init(path: String) { self.path = path }

    /// - Throws: `FramegrepError` (`badPattern`) if the file cannot be read, is not text, or contains no pattern.
    public func patterns() throws -> [String] {
        let shown = path == TextFile.standardInput ? "Standard input (-f -)" : "The pattern file \(path)"
        let text: String
        do { text = try TextFile.text(of: path, limit: 4 << 20) } catch {
            guard case .unreadable(let reason) = error else {
                throw FramegrepError(.badPattern, "\(shown) is not UTF-8 text of at most 4 MiB.")
            }
            throw FramegrepError(.badPattern, "\(shown) cannot be read: \(reason). Check its name and permissions.")
        }
        let lines = text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.allSatisfy(\.isWhitespace) }
        guard !lines.isEmpty else {
            throw FramegrepError(.badPattern, "\(shown) has no pattern in it; write one a line.")
        }
        return lines
    }
}
