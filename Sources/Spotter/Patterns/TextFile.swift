import Foundation
import Synchronization
import TextSpotting

/// Reads a small file whole, or what comes through a pipe (`-`, a FIFO, `<(…)`), which is then kept: it cannot be read again.
public enum TextFile {
    public enum Failure: Error {
        /// With the system's reason.
        case unreadable(String)
        case tooLong
        case noText
    }

    /// The name of standard input.
    public static let standardInput = "-"

    private static let kept = Mutex<[String: String]>([:])

    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - limit: in bytes.
    public static func text(of path: String, limit: Int) throws(Failure) -> String {
        if let text = kept.withLock({ $0[path] }) { return text }
        let (bytes, canBeReadAgain) = try read(path, limit: limit)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .noText }
        if !canBeReadAgain { kept.withLock { $0[path] = text } }
        return text
    }

    /// The same as bytes, which are not kept.
    public static func bytes(ofFile path: String, limit: Int) throws(Failure) -> [UInt8] {
        try read(path, limit: limit).bytes
    }

    private static func read(_ path: String, limit: Int) throws(Failure) -> (bytes: [UInt8], canBeReadAgain: Bool) {
        let isInput = path == standardInput
        let descriptor = isInput ? dup(STDIN_FILENO) : FileName.withCName(path) { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let bytes = try bytes(of: descriptor, limit: limit)
        var status = stat()
        let isFile = !isInput && fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        return (bytes, isFile)
    }

    private static func bytes(of descriptor: Int32, limit: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else { throw .tooLong }
        }
    }
}
