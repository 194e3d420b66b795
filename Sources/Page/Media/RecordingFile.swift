import Foundation
import TextIndex
import TextSpotting

/// The file of a recording in the index, open to be read.
///
/// Only what the catalog names is ever opened, and only while it is the very file that was read (size, time of change, number on
/// the disk, looked at after it was opened): a link that was put in its place since leads nowhere.
final class RecordingFile: Sendable {
    let path: String
    let size: Int64
    /// In nanoseconds since 1970.
    let modified: Int64
    fileprivate let descriptor: Int32

    /// - Throws: ``PageProblem`` (404, 409) that says why it cannot be had.
    init(_ source: IndexedSource) throws(PageProblem) {
        guard let stamp = source.stamp else {
            throw PageProblem(404, "This recording is no file on this machine.")
        }
        path = source.name
        let descriptor = FileName.withCName(source.name) { open($0, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) }
        guard descriptor >= 0 else {
            let reason = errno == ENOENT ? "its file is gone" : String(cString: strerror(errno))
            throw PageProblem(404, "The recording cannot be opened: \(reason).")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, Self.isSame(status, stamp) else {
            close(descriptor)
            throw PageProblem(
                409,
                "The recording's file has changed since it was read; 'framegrep index' with its name reads it again.")
        }
        self.descriptor = descriptor
        size = stamp.size
        modified = stamp.modified
    }

    deinit { close(descriptor) }

    private static func isSame(_ status: stat, _ stamp: FileStamp) -> Bool {
        status.st_mode & S_IFMT == S_IFREG && Int64(status.st_size) == stamp.size
            && Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec) == stamp.modified
            && Int64(truncatingIfNeeded: status.st_ino) == stamp.inode
            && Int64(truncatingIfNeeded: status.st_dev) == stamp.device
    }

    /// Names this state of the file (`ETag`, strong).
    var tag: String { "\"\(String(size, radix: 36))-\(String(modified, radix: 36))\"" }

    /// Bytes of the file; fewer where it has become shorter.
    fileprivate func read(_ range: Range<Int64>) throws -> [UInt8] {
        let count = Int(range.upperBound - range.lowerBound)
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(
                    descriptor, buffer.baseAddress?.advanced(by: filled), count - filled,
                    off_t(range.lowerBound) + off_t(filled))
                if got < 0, errno == EINTR { continue }
                guard got >= 0 else {
                    throw PageProblem(500, "The recording cannot be read: \(String(cString: strerror(errno))).")
                }
                guard got > 0 else { break }
                filled += got
            }
        }
    }

    /// A part of the file, piece by piece.
    final class Chunks: ChunkSource {
        private let file: RecordingFile
        private let end: Int64
        private let place: Place

        init(_ file: RecordingFile, _ range: Range<Int64>) {
            self.file = file
            end = range.upperBound
            place = Place(range.lowerBound)
        }

        func next() async throws -> [UInt8]? {
            let (file, first, last) = (file, place.value, min(end, place.value + Self.piece))
            guard first < last else { return nil }
            let bytes = try await Blocking.run { _ in try file.read(first..<last) }
            // Fewer bytes than were announced break the connection, which is how the browser learns of it.
            guard bytes.count == Int(last - first) else { throw PageProblem(500, "The recording has become shorter.") }
            place.value = last
            return bytes
        }

        private static let piece: Int64 = 128 << 10

        // @unchecked: one task asks for one piece after the other.
        private final class Place: @unchecked Sendable {
            var value: Int64
            init(_ value: Int64) { self.value = value }
        }
    }
}
