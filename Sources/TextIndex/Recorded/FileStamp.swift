import Foundation
import TextSpotting

/// Recognizes a file without reading it: its size, when it was changed, and which file of the disk it is.
public struct FileStamp: Sendable, Hashable {
    public var size: Int64
    /// In nanoseconds since 1970.
    public var modified: Int64
    public var inode: Int64
    public var device: Int64

    /// Nil if there is no such file, or it is no file.
    public init?(path: String) {
        var status = stat()
        guard FileName.withCName(path, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        size = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        inode = Int64(truncatingIfNeeded: status.st_ino)
        device = Int64(truncatingIfNeeded: status.st_dev)
    }

    init(size: Int64, modified: Int64, inode: Int64, device: Int64) {
        self.size = size
        self.modified = modified
        self.inode = inode
        self.device = device
    }

    /// Computes a digest of a file's contents from six samples of 64 KB and its size: enough to recognize the file under another name,
    /// never to confuse it with another one that still exists. Nil if it cannot be read.
    public static func digest(ofFile path: String) -> String? {
        let descriptor = FileName.withCName(path) { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let stamp = FileStamp(path: path) else { return nil }
        // The head, the tail, and four between them.
        let piece = 65_536
        let places = stamp.size <= 6 * Int64(piece) ? [0] : (0...5).map { $0 * (stamp.size - Int64(piece)) / 5 }
        var bytes = [UInt8](repeating: 0, count: places.count == 1 ? 6 * piece : piece)
        // Two sums of different kinds (FNV-1a; a polynomial), 128 bits together.
        var sums: (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x9AE1_6A3B_2F90_404F)
        for place in places {
            let count = pread(descriptor, &bytes, bytes.count, off_t(place))
            guard count >= 0 else { return nil }
            for byte in bytes[..<count] {
                sums.0 = (sums.0 ^ UInt64(byte)) &* 0x100_0000_01B3
                sums.1 = (sums.1 &+ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15
            }
        }
        return "\(stamp.size)-\(String(sums.0, radix: 16))-\(String(sums.1 ^ (sums.1 >> 29), radix: 16))"
    }
}
