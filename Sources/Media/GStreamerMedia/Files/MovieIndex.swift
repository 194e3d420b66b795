/// Checks whether an MP4 or QuickTime file has its index, without which it cannot be played.
///
/// Recorders write the index (`moov`) last, so a file that was cut short or is still being written has none.
/// GStreamer's `decodebin` sometimes loses the error that says so and then hangs, so this is checked beforehand.
/// Source: ISO/IEC 14496-12, 4.2: a file is a sequence of boxes, each with a 32-bit size, a four-letter type, and for
/// size 1 a 64-bit size.
enum MovieIndex {
    private static let first: Set<String> = ["ftyp", "mdat", "wide", "free", "skip"]
    /// `meta` stands for `moov` in still pictures (HEIF), `moof` in segments of a stream.
    private static let sufficient: Set<String> = ["moov", "meta", "moof"]

    /// - Returns: false only for a file that is certainly of this kind and certainly has no index.
    static func isPresent(in path: String) -> Bool {
        guard let file = FileBytes(path) else { return true }
        var offset: UInt64 = 0
        // No recorder writes more boxes at the top level, and fragmented files have their index among the first.
        for number in 0..<1000 {
            guard let box = Box(in: file, at: offset) else { return number == 0 }
            if number == 0, !first.contains(box.type) { return true }
            if sufficient.contains(box.type) { return true }
            guard let end = box.end else { return false }
            offset = end
        }
        return true
    }

    /// Returns whether the file's index is spread over fragments (`moof`) between its media data; false if it cannot be
    /// read.
    static func isFragmented(in path: String) -> Bool {
        guard let file = FileBytes(path) else { return false }
        var offset: UInt64 = 0
        // The first fragment comes soon after the header.
        for _ in 0..<32 {
            guard let box = Box(in: file, at: offset) else { return false }
            if box.type == "moof" { return true }
            guard let end = box.end else { return false }
            offset = end
        }
        return false
    }

    /// Returns the box with the index of a file that is a movie; nil if there is none among the first boxes.
    static func movie(in file: FileBytes) -> Box? {
        guard let box = Box(in: file, at: 0), first.contains(box.type) || box.type == "moov" else { return nil }
        return box.following(in: file).first { $0.type == "moov" }
    }

    /// The header of a box.
    struct Box {
        let type: String
        /// The offset at which its content begins.
        let content: UInt64
        /// The offset at which the next box begins; nil if this one extends to the end of the file.
        let end: UInt64?

        /// Returns nil at the end of the file and if there is no box.
        init?(in file: FileBytes, at offset: UInt64) {
            let head = file.bytes(at: offset, count: 16)
            guard head.count >= 8 else { return nil }
            type = String(decoding: head[4..<8], as: UTF8.self)
            let short = Self.number(head[0..<4])
            content = offset + (short == 1 ? 16 : 8)
            let size = short == 1 ? (head.count == 16 ? Self.number(head[8...]) : 0) : short
            guard size != 0 else {
                end = nil
                return
            }
            let (sum, isTooLarge) = offset.addingReportingOverflow(size)
            guard size >= 8, !isTooLarge else { return nil }
            end = sum
        }

        /// Returns the boxes inside of this one.
        func parts(in file: FileBytes) -> [Box] {
            Box(in: file, at: content).map { $0.following(in: file, until: end) } ?? []
        }

        /// Returns this box and the next ones.
        func following(in file: FileBytes, until limit: UInt64? = nil) -> [Box] {
            var boxes = [self]
            // No recorder writes more boxes beside each other.
            while boxes.count < 1000, let next = boxes.last?.end, next < limit ?? .max,
                let box = Box(in: file, at: next)
            {
                boxes.append(box)
            }
            return boxes
        }

        /// Returns the big-endian number that some bytes hold.
        static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    }
}
