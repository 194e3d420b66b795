public import Foundation
public import TextSpotting

/// A recording that the catalog knows.
public struct IndexedSource: Sendable, Hashable {
    /// How far it was read.
    public enum State: String, Sendable {
        /// All of it was read.
        case complete
        /// Some of it was read, from its beginning.
        case partial
        /// It could not be read.
        case failed
        /// It was read and is no longer kept. The catalog still lists it, so that it is not read again.
        case expired
    }

    public var id: SourceID
    /// The absolute path of the file, or the address.
    public var name: String
    /// The options with which it was read; see ``ReadingProfile``.
    public var manner: String
    /// The stamp of its file; nil if it is not a file.
    public var stamp: FileStamp?
    /// The digest of its file's contents; nil if it is not a file.
    public var digest: String?
    public var state: State
    /// The time up to which it was read.
    public var end: StreamTime
    /// The length that it states; nil if unknown.
    public var duration: StreamTime?
    /// Whether it is a single picture, which has no times.
    public var isStill: Bool
    /// The reason it could not be read, or not to its end.
    public var problem: String?
    /// The time at which it was read; nil if unknown.
    public var added: Date?
    /// The wall-clock time of its beginning; nil if unknown.
    public var wallStart: Date?
    /// Whether it was read live: the newest picture whenever the reader was free, and never again. See ``LiveName``.
    public var isLive: Bool
    /// For a skim, the time for which something must be visible to be seen for certain. Nil if every picture was looked
    /// at, or if it is unknown.
    public var interval: StreamTime? = nil
    /// The clock in its picture; nil if there is none.
    public var burntIn: ClockTrack? = nil

    public init(
        id: SourceID, name: String, manner: String, stamp: FileStamp?, digest: String?, state: State = .partial,
        end: StreamTime = .zero, duration: StreamTime? = nil, isStill: Bool = false, problem: String? = nil,
        added: Date? = nil, wallStart: Date? = nil, isLive: Bool = false
    ) {
        self.id = id
        self.name = name
        self.manner = manner
        self.stamp = stamp
        self.digest = digest
        self.state = state
        self.end = end
        self.duration = duration
        self.isStill = isStill
        self.problem = problem
        self.added = added
        self.wallStart = wallStart
        self.isLive = isLive
    }
}

/// Marks the reading options of a skim, which reads only some pictures, mostly key frames.
///
/// The mark is part of ``IndexedSource/manner``, so that a lost catalog can be rebuilt from the segments.
public enum SkimProfile {
    private static let suffix = " skim"

    /// Returns reading options, marked as those of a skim.
    public static func text(_ manner: String) -> String { manner + suffix }

    /// Returns whether reading options are marked as those of a skim.
    static func isSkim(_ manner: String) -> Bool { manner.hasSuffix(suffix) }
}

extension IndexedSource {
    /// Whether only some of its pictures were looked at; see ``SkimProfile``.
    public var isSkimmed: Bool { SkimProfile.isSkim(manner) }
}

/// Identifies a recording, whatever its file is called: a random number, drawn once.
public struct SourceID: Hashable, Sendable, Comparable {
    public let number: Int64

    public init(number: Int64) { self.number = number }

    /// Returns a new random identifier.
    public static func drawn() -> SourceID { SourceID(number: Int64.random(in: 1...Int64.max)) }

    public static func < (a: SourceID, b: SourceID) -> Bool { a.number < b.number }
}

/// Recognizes a file without reading it, by its size, its time of modification and its inode.
public struct FileStamp: Sendable, Hashable {
    public var size: Int64
    /// The time of modification, in nanoseconds since 1970.
    public var modified: Int64
    public var inode: Int64
    /// The number of its disk, which another disk may have after a restart of the machine (``isSameFile(as:)``).
    public var device: Int64
}

extension FileStamp {
    /// Returns nil if there is no such file, or if it is something else, such as a folder.
    public init?(path: String) {
        var status = stat()
        guard FileName.withCName(path, { stat($0, &status) }) == 0 else { return nil }
        self.init(status)
    }

    /// Does the same for an open file.
    public init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(
            size: Int64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec),
            inode: Int64(truncatingIfNeeded: status.st_ino), device: Int64(truncatingIfNeeded: status.st_dev))
    }

    /// Returns whether it is the same file, unchanged, as far as its size, time and inode show.
    ///
    /// The number of the disk does not count: USB, LVM, btrfs and NFS assign it anew at each mount.
    public func isSameFile(as other: FileStamp) -> Bool {
        (size, modified, inode) == (other.size, other.modified, other.inode)
    }

    /// Computes a digest of a file's contents from its size and six samples of 64 KB: enough to recognize the file
    /// under another name, and never used to mistake it for another file that still exists. Nil if it cannot be read.
    public static func digest(ofFile path: String) -> String? {
        let descriptor = FileName.withCName(path) { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let stamp = FileStamp(path: path) else { return nil }
        // Take the head, the tail, and four samples between them.
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

/// The index's name for an hour of a camera or a stream: the name of the source and the time of the hour's beginning,
/// such as `rtsp://camera/stream@2026-11-20T14:05:09.123Z`.
///
/// The name contains everything that is known about it, so that a lost catalog can be rebuilt from the segments.
public struct LiveName: Sendable, Hashable {
    /// The name of the camera or stream, without passwords.
    public var source: String
    /// The time of the beginning, to the millisecond.
    public var start: Date

    /// - Parameter start: rounded to the millisecond.
    public init(source: String, start: Date) {
        self.source = source
        self.start = Date(timeIntervalSince1970: (start.timeIntervalSince1970 * 1000).rounded() / 1000)
    }

    /// Returns nil if the text is not such a name.
    public init?(_ text: String) {
        guard let mark = text.lastIndex(of: "@"),
            let start = try? Self.style.parse(String(text[text.index(after: mark)...]))
        else { return nil }
        self.init(source: String(text[..<mark]), start: start)
    }

    /// The name in the form that the catalog uses.
    public var text: String {
        // A millisecond as a floating-point number is slightly too small or too large, and the style truncates.
        source + "@" + (start + 0.000_5).formatted(Self.style)
    }

    /// Returns reading options, marked as those of a live job.
    public static func manner(_ manner: String) -> String { prefix + manner }

    /// Returns whether reading options are marked as those of a live job.
    static func isManner(_ manner: String) -> Bool { manner.hasPrefix(prefix) }

    private static let prefix = "live "
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
