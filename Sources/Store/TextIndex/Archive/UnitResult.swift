import Errors
import Foundation
import Processes
import TextSpotting

/// The result of reading one ``ArchiveUnit``: a segment in a file of its own that describes itself.
///
/// It needs no lock and no catalog, so it can be written to and read from a network file system.
public struct UnitResult: Sendable {
    /// Facts about the recording that were learned while reading.
    public struct Outcome: Codable, Sendable, Hashable {
        /// The time up to which it was read, in seconds.
        public var end: Double
        /// The length that the recording states, in seconds.
        public var duration: Double?
        public var isStill: Bool
        /// The wall-clock time of its beginning, in seconds since 1970.
        public var wallStart: Double?
        /// The reason it was not read to its end.
        public var problem: String?

        public init(end: Double, duration: Double?, isStill: Bool, wallStart: Double?, problem: String?) {
            self.end = end
            self.duration = duration
            self.isStill = isStill
            self.wallStart = wallStart
            self.problem = problem
        }

        /// Whether the numbers are plausible: a damaged file may contain any number.
        var isSensible: Bool {
            (0..<1e9).contains(end) && (duration.map { abs($0) < 1e9 } ?? true)
                && (wallStart.map { abs($0) < 1e15 } ?? true)
        }
    }

    public let path: String
    public let unit: ArchiveUnit
    public let outcome: Outcome

    private static let key = "unit"
    private static let outcomeKey = "outcome"

    /// Reads the whole result to verify it, and closes it, because there may be thousands.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged` if the file is not a result, or was changed; `indexNewer`,
    ///   `indexUnreadable`).
    public init(path: String) throws {
        self.path = path
        (unit, outcome) = try Self.told(path) { () -> (ArchiveUnit, Outcome) in
            let segment = try SegmentFile(path: path)
            try segment.check()
            let meta = try segment.read { try SegmentFile.meta($0) }
            func value<Value: Decodable>(_ key: String) throws -> Value {
                guard let text = meta[key] else { throw ByteReader.Damage() }
                return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
            }
            let unit: ArchiveUnit = try value(Self.key)
            let outcome: Outcome = try value(Self.outcomeKey)
            guard unit.isWhole, outcome.isSensible else { throw ByteReader.Damage() }
            return (unit, outcome)
        }
    }

    /// Opens the lines of the result, for as long as the returned value exists.
    ///
    /// - Throws: the errors of ``init(path:)``.
    func segment() throws -> SegmentFile { try Self.told(path) { try SegmentFile(path: path) } }

    /// Returns whether a folder contains the complete result of a unit; nil if it contains none.
    ///
    /// The whole file is read, because otherwise a unit whose result was damaged on its way to the disk would never be
    /// read again.
    ///
    /// - Throws: ``FramegrepError`` (`indexNewer`, `indexUnreadable`) for a file in which nothing is known to be wrong.
    public static func isWhole(_ unit: ArchiveUnit, in folder: String) throws -> Bool? {
        let path = folder + "/" + unit.fileName
        guard FileName.withCName(path, { access($0, F_OK) }) == 0 || ![ENOENT, ENOTDIR].contains(errno) else {
            return nil
        }
        do {
            // Another plan may have the same unit under another number.
            return try UnitResult(path: path).unit.fileName == unit.fileName
        } catch let error as FramegrepError where error.code == .indexDamaged {
            return false
        }
    }

    /// Runs `body` and describes any error in one sentence: whatever is wrong with a result, the unit can be read
    /// again.
    private static func told<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as FramegrepError
            where [.indexNewer, .indexUnreadable].contains(error.code)
        {
            throw error
        } catch {
            throw failure(path)
        }
    }

    private static func failure(_ path: String) -> FramegrepError {
        FramegrepError(
            .indexDamaged,
            "\(path) is not a complete result of 'framegrep index run'; the same command reads its unit again.")
    }

    /// Writes a result: complete under its name, or not at all.
    ///
    /// It is made on a local disk, because SQLite needs one, then copied to its folder and renamed. If two programs
    /// write the same result, the later one replaces the earlier; both are equal.
    ///
    /// - Parameters:
    ///   - parts: the parts that were read, in order.
    ///   - folder: created if it does not exist.
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    public static func write(_ parts: [RecordedPart], of unit: ArchiveUnit, _ outcome: Outcome, to folder: String)
        throws
    {
        var contents = SegmentContents()
        for part in parts { contents.add(part, of: unit.source(outcome)) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let meta = try [
            key: String(decoding: encoder.encode(unit), as: UTF8.self),
            outcomeKey: String(decoding: encoder.encode(outcome), as: UTF8.self),
        ]
        let place = try UnitWorkspace()
        try SegmentFile.write(contents, to: place.file, meta: meta)
        try UnitFile.place(place.file, as: folder + "/" + unit.fileName)
        place.clear()
    }
}

extension ArchiveUnit {
    /// Returns the recording, as far as one of its units describes it.
    func source(_ outcome: UnitResult.Outcome) -> IndexedSource {
        IndexedSource(
            id: recording, name: input, manner: manner, stamp: nil, digest: fingerprint, state: .complete,
            end: StreamTime(seconds: outcome.end), duration: outcome.duration.map(StreamTime.init(seconds:)),
            isStill: outcome.isStill, problem: outcome.problem,
            wallStart: outcome.wallStart.map(Date.init(timeIntervalSince1970:)))
    }
}

/// Moves finished files to their destination, on any disk.
enum UnitFile {
    /// Returns the temporary name of a result. It includes the process identifier, so that a file left by a killed
    /// program is never taken for a result.
    private static func unfinished(_ path: String) -> String {
        let (folder, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        return "\(folder)/.\(name).\(ProcessInfo.processInfo.hostName)-\(getpid()).part"
    }

    /// Copies a file into the folder of its destination, syncs it to the disk, and renames it.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`) if it cannot be written, or its folder cannot be synced.
    static func place(_ own: String, as path: String) throws {
        let folder = (path as NSString).deletingLastPathComponent
        if let reason = NewFolder.make(folder, mode: 0o700) { throw failure(folder, reason) }
        let unfinished = unfinished(path)
        do {
            try copy(own, to: unfinished)
            guard rename(unfinished, path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            // A folder may be writable and not readable. The result stays: it is whole, and may have been there before.
            if let reason = Disk.failure(syncing: folder), reason != EACCES {
                throw POSIXError(.init(rawValue: reason) ?? .EIO)
            }
        } catch {
            unlink(unfinished)
            throw failure(
                path, (error as? POSIXError).map { String(cString: strerror($0.code.rawValue)) } ?? "\(error)")
        }
    }

    private static func copy(_ from: String, to: String) throws {
        let source = open(from, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { close(source) }
        // It contains text from pictures, so like the index it is readable by its owner only.
        let target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { close(target) }
        while true {
            guard let bytes = PipeBytes.readSome(1 << 20, from: source) else {
                throw POSIXError(.init(rawValue: errno) ?? .EIO)
            }
            guard !bytes.isEmpty else { break }
            if let reason = PipeBytes.failure(writing: bytes, to: target) {
                throw POSIXError(.init(rawValue: reason) ?? .EIO)
            }
        }
        if let reason = PipeBytes.failure(syncing: target) { throw POSIXError(.init(rawValue: reason) ?? .EIO) }
    }

    private static func failure(_ path: String, _ reason: String) -> FramegrepError {
        FramegrepError(
            .outputFailed,
            "The unit's result cannot be written to \(path): \(reason). Make room, or name another folder with --out.")
    }
}

/// A temporary folder on a local disk in which SQLite makes a unit's result; deleted with the last reference.
///
/// Folders left by killed programs are deleted when the next folder is made: each process holds a lock on a file in its
/// folder, which is released when the process ends, however that happens.
final class UnitWorkspace {
    private static let prefix = "framegrep-unit-"
    /// The age in seconds up to which a folder without a lock counts as one that is being made.
    private static let longestBirth = 3600.0

    /// The path of the result that is being made.
    let file: String
    private let folder: String
    private let descriptor: Int32

    /// - Throws: ``FramegrepError`` (`outputFailed`) if there is no room for it.
    init() throws {
        let parent = NSTemporaryDirectory()
        Self.clear(parent)
        while true {
            var name = Array("\(FileName.absolute(parent))/\(Self.prefix)XXXXXX".utf8CString)
            guard mkdtemp(&name) != nil else { throw Self.failure(parent) }
            let folder = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            let descriptor = open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                defer { rmdir(folder) }
                throw Self.failure(parent)
            }
            flock(descriptor, LOCK_EX)
            // Before it was locked, another program may have deleted it as a leftover.
            if access(folder + "/lock", F_OK) == 0 {
                (self.folder, self.descriptor, file) = (folder, descriptor, folder + "/unit")
                return
            }
            close(descriptor)
        }
    }

    deinit {
        clear()
        close(descriptor)
    }

    /// Deletes the folder early, before the last reference is gone.
    func clear() { Self.remove(folder) }

    private static func clear(_ parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let folder = (parent as NSString).appendingPathComponent(name)
            var status = stat()
            guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
                continue
            }
            let descriptor = open(folder + "/lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else {
                if Date().timeIntervalSince1970 - Double(status.st_mtim.tv_sec) > longestBirth { remove(folder) }
                continue
            }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { remove(folder) }
            close(descriptor)
        }
    }

    /// Removes the lock last, so that a folder that is still there can be cleared again.
    private static func remove(_ folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name != "lock" { unlink("\(folder)/\(name)") }
        unlink(folder + "/lock")
        rmdir(folder)
    }

    private static func failure(_ parent: String) -> FramegrepError {
        FramegrepError(
            .outputFailed,
            "A unit's result cannot be made in \(parent): \(String(cString: strerror(errno))). Make room, or name another folder with TMPDIR."
        )
    }
}
