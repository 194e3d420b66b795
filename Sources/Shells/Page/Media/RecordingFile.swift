import Foundation
import TextIndex
import TextSpotting

/// The file of a recording in the index, open for reading.
///
/// Only files that the catalog names are opened, and only while they are the ones that were read (size, modification
/// time and inode, checked after opening), so a link that has replaced one is not followed.
final class RecordingFile: Sendable {
    let path: String
    let size: Int64
    /// The time of modification, in nanoseconds since 1970.
    let modified: Int64
    private let stamp: FileStamp
    private let descriptor: Int32

    /// Opens the file. Blocks, but not for longer than its disk may take (``SlowDisk``).
    ///
    /// - Throws: ``PageProblem`` (404, 409, 503) with the reason.
    static func opened(_ source: IndexedSource) throws(PageProblem) -> RecordingFile {
        guard let stamp = source.stamp else {
            throw PageProblem(404, "This recording is not a file on this machine.")
        }
        return try inTime(on: stamp.device) { () throws(PageProblem) in try RecordingFile(source, stamp) }
    }

    /// - Throws: what `call` throws; ``PageProblem`` (503) if the disk does not respond.
    private static func inTime<Value: Sendable>(
        on disk: Int64, _ call: @escaping @Sendable () throws(PageProblem) -> Value
    ) throws(PageProblem) -> Value {
        guard case .some(let result) = SlowDisk.map([()], on: { disk }, { Result(catching: call) })[0] else {
            throw PageProblem(503, "The disk with this recording does not respond.", headers: [("Retry-After", "10")])
        }
        return try result.get()
    }

    private init(_ source: IndexedSource, _ stamp: FileStamp) throws(PageProblem) {
        path = source.name
        self.stamp = stamp
        let descriptor = FileName.withCName(source.name) { open($0, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) }
        guard descriptor >= 0 else {
            let reason = errno == ENOENT ? "its file is gone" : String(cString: strerror(errno))
            throw PageProblem(404, "The recording cannot be opened: \(reason).")
        }
        guard FileStamp(descriptor: descriptor)?.isSameFile(as: stamp) ?? false else {
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

    /// The tag of this state of the file (`ETag`, strong).
    var tag: String { "\"\(String(size, radix: 36))-\(String(modified, radix: 36))\"" }

    /// Returns bytes of the file; fewer if it is no longer the file that was opened: something else may have been written
    /// into it since. Blocks like ``opened(_:)``.
    fileprivate func read(_ range: Range<Int64>) throws(PageProblem) -> [UInt8] {
        try Self.inTime(on: stamp.device) { () throws(PageProblem) in
            let bytes = try self.bytes(range)
            // Only after they were read, because it may be written at any time.
            return FileStamp(descriptor: self.descriptor)?.isSameFile(as: self.stamp) ?? false ? bytes : []
        }
    }

    private func bytes(_ range: Range<Int64>) throws(PageProblem) -> [UInt8] {
        let count = Int(range.upperBound - range.lowerBound)
        var failure: PageProblem?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(
                    descriptor, buffer.baseAddress?.advanced(by: filled), count - filled,
                    off_t(range.lowerBound) + off_t(filled))
                if got < 0, errno == EINTR { continue }
                if got < 0 {
                    failure = PageProblem(500, "The recording cannot be read: \(String(cString: strerror(errno))).")
                }
                guard got > 0 else { break }
                filled += got
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// A part of the file, in pieces.
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
            // Sending fewer bytes than announced breaks the connection, which shows the browser that something is
            // missing.
            guard bytes.count == Int(last - first) else { throw PageProblem(500, "The recording has changed.") }
            place.value = last
            return bytes
        }

        private static let piece: Int64 = 128 << 10

        // @unchecked: one task requests one piece after the other.
        private final class Place: @unchecked Sendable {
            var value: Int64
            init(_ value: Int64) { self.value = value }
        }
    }
}

/// The answer to a request for the bytes of a recording: whole, in part, or not at all (RFC 9110, sections 13 and 14).
enum MediaAnswer {
    static func answer(_ file: RecordingFile, to request: PageRequest) -> PageResponse {
        let date = httpDate(file.modified)
        var headers: [(name: String, value: String)] = [
            ("Accept-Ranges", "bytes"), ("ETag", file.tag), ("Last-Modified", date),
            ("Cache-Control", "private, no-cache"),
        ]
        if request.header("if-none-match").map({ names(file.tag, in: $0) }) ?? false {
            return PageResponse(status: 304, headers: headers)
        }
        headers.append(("Content-Type", MediaType.of(fileNamed: file.path)))
        // A range of another state of the file would be combined with the browser's bytes of this one.
        let isSameState = request.header("if-range").map { $0 == file.tag || $0 == date } ?? true
        let asked = request.method == "GET" && isSameState ? request.header("range") : nil
        switch ByteRange(asked, size: file.size) {
        case .whole:
            return PageResponse(status: 200, headers: headers, body: body(file, 0..<file.size))
        case .part(let range):
            headers.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)"))
            return PageResponse(status: 206, headers: headers, body: body(file, range))
        case .none:
            return PageProblem(
                416, "The recording has \(file.size) bytes.", headers: [("Content-Range", "bytes */\(file.size)")]
            ).response
        }
    }

    private static func body(_ file: RecordingFile, _ range: Range<Int64>) -> PageResponse.Body {
        .chunks(RecordingFile.Chunks(file, range), length: range.upperBound - range.lowerBound)
    }

    private static func names(_ tag: String, in list: String) -> Bool {
        list == "*" || list.split(separator: ",").contains { $0.drop { $0 == " " }.replacing("W/", with: "") == tag }
    }

    /// Returns `Sun, 22 Nov 2026 12:00:00 GMT`.
    static func httpDate(_ nanoseconds: Int64) -> String {
        let format = DateFormatter()
        // The words of the header are English, whatever the user's language is.
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: Date(timeIntervalSince1970: Double(nanoseconds / 1_000_000_000)))
    }
}

/// Determines the media type of a file for browsers from the ending of its name, using a list.
///
/// Files that are not on the list are served as bytes, which browsers do not show (`nosniff`): a file whose name ends
/// in `.html` or `.svg` never becomes a page with the rights of this one.
enum MediaType {
    static func of(fileNamed name: String) -> String {
        guard let dot = name.lastIndex(of: "."), !name[dot...].contains("/") else { return unknown }
        return known[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    static let unknown = "application/octet-stream"

    private static let known = [
        "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/mp4", "webm": "video/webm", "mkv": "video/webm",
        "ogv": "video/ogg", "ogg": "video/ogg",
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp", "gif": "image/gif",
        "bmp": "image/bmp", "avif": "image/avif",
    ]
}
