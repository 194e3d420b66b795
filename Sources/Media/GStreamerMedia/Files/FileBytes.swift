import Glibc
import TextSpotting

/// A file opened to read some of its bytes.
final class FileBytes: Sendable {
    private let descriptor: Int32

    /// Opens it, without waiting if it is a pipe; returns nil if it cannot be read.
    init?(_ path: String) {
        descriptor = FileName.withCName(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    var status: FileStatus? { FileStatus(ofDescriptor: descriptor) }

    /// The bytes at a place, fewer at the end of the file.
    func bytes(at offset: UInt64, count: Int) -> [UInt8] {
        guard let place = off_t(exactly: offset) else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = pread(descriptor, &bytes, count, place)
        return Array(bytes.prefix(max(0, filled)))
    }
}
