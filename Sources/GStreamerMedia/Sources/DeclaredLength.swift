import Glibc
import TextSpotting

/// Compares the length that a container declares in its head with that of its file.
///
/// Sources: ISO/IEC 14496-12, 4.2 (boxes); RFC 8794, 4 and 5, and RFC 9559, 5.1 (EBML, Matroska's Segment); Microsoft's
/// RIFF specification (AVI).
enum DeclaredLength {
    /// - Returns: true only for a file that certainly ends before the end it declares.
    static func exceedsFile(_ path: String) -> Bool {
        let file = FileName.withCName(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard file >= 0 else { return false }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        let length = UInt64(clamping: status.st_size)
        let head = bytes(of: file, at: 0, count: 64)
        if head.starts(with: matroska) { return segmentEnd(head).map { $0 > length } ?? false }
        if head.starts(with: Array("RIFF".utf8)), head.count >= 12, head[8..<11].elementsEqual("AVI".utf8) {
            return 8 + head[4..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) } > length
        }
        return head.count >= 8 && head[4..<8].elementsEqual("ftyp".utf8) && lastBoxEnd(file, length) > length
    }

    /// - Returns: true only for a Matroska or WebM file behind which another one follows in the same file.
    static func isFollowedByAnother(_ path: String) -> Bool {
        let file = FileName.withCName(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard file >= 0 else { return false }
        defer { close(file) }
        let head = bytes(of: file, at: 0, count: 64)
        guard head.starts(with: matroska) else { return false }
        if let end = segmentEnd(head) { return bytes(of: file, at: end, count: 4).elementsEqual(matroska) }
        return hasAnotherHead(file)
    }

    /// Whether the head of a Matroska or WebM file stands anywhere behind the first one; reads all of the file, of which
    /// nothing says where its first part ends.
    private static func hasAnotherHead(_ file: Int32) -> Bool {
        let (step, overlap) = (1 << 20, 64)
        var place: UInt64 = 64
        while true {
            let part = bytes(of: file, at: place, count: step + overlap)
            guard part.count >= overlap else { return false }
            for start in places(of: matroska, in: part) {
                // The name of the format, an element of the head, tells it from four bytes of a picture that look alike.
                let head = part[start..<min(start + overlap, part.count)]
                if ["matroska", "webm"].contains(where: { !places(of: Array($0.utf8), in: Array(head)).isEmpty }) {
                    return true
                }
            }
            place += UInt64(step)
        }
    }

    private static func places(of pattern: [UInt8], in bytes: [UInt8]) -> [Int] {
        guard let first = pattern.first else { return [] }
        var found: [Int] = []
        bytes.withUnsafeBytes { all in
            guard let base = all.baseAddress else { return }
            var start = 0
            // Only the C function is fast enough for a film.
            while start < all.count, let place = memchr(base + start, Int32(first), all.count - start) {
                let index = base.distance(to: place)
                if all[index...].starts(with: pattern) { found.append(index) }
                start = index + 1
            }
        }
        return found
    }

    /// How such a file begins.
    private static let matroska: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3]

    private static func bytes(of file: Int32, at offset: UInt64, count: Int) -> [UInt8] {
        guard let place = off_t(exactly: offset) else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(file, &bytes, count, place)
        return Array(bytes.prefix(max(0, read)))
    }

    /// Where the last of a movie's boxes says that it ends.
    private static func lastBoxEnd(_ file: Int32, _ length: UInt64) -> UInt64 {
        var offset: UInt64 = 0
        while offset < length {
            let head = bytes(of: file, at: offset, count: 16)
            guard head.count >= 8 else { return offset }
            let short = head[0..<4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let size = short == 1 && head.count == 16 ? head[8..<16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } : short
            let (end, isTooLarge) = offset.addingReportingOverflow(size)
            // Size 0 means up to the end of the file; what is smaller than a head is no box.
            guard size >= 8, !isTooLarge else { return length }
            offset = end
        }
        return offset
    }

    /// Where a Matroska file's Segment ends; nil if it does not say, as in a live stream.
    private static func segmentEnd(_ head: [UInt8]) -> UInt64? {
        guard let first = variableNumber(head, at: 4), let place = Int(exactly: first.value).map({ first.next + $0 }),
            place + 4 < head.count, head[place..<(place + 4)].elementsEqual([0x18, 0x53, 0x80, 0x67]),
            let segment = variableNumber(head, at: place + 4)
        else { return nil }
        let (end, isTooLarge) = UInt64(segment.next).addingReportingOverflow(segment.value)
        return isTooLarge ? nil : end
    }

    /// EBML's numbers say by their leading zero bits how long they are; all ones means unknown.
    private static func variableNumber(_ bytes: [UInt8], at index: Int) -> (value: UInt64, next: Int)? {
        guard index < bytes.count, bytes[index] != 0 else { return nil }
        let extra = bytes[index].leadingZeroBitCount
        guard index + extra < bytes.count else { return nil }
        let mask = UInt64(1) << UInt64(7 * (extra + 1)) - 1
        let value = bytes[index...(index + extra)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & mask
        return value == mask ? nil : (value, index + extra + 1)
    }
}
