import Errors
import Foundation
import TextSpotting

/// The result of reading one ``ArchiveUnit``: a segment in a file of its own that describes itself, and nothing else beside it.
///
/// It needs no lock and no catalog, so that it may be written to and read from a network file system.
public struct UnitResult: Sendable {
    /// Facts about the recording that were learnt while reading.
    public struct Outcome: Codable, Sendable, Hashable {
        /// Up to where it was read, in seconds.
        public var end: Double
        /// How long the recording says it is, in seconds.
        public var duration: Double?
        public var isStill: Bool
        /// The wall clock time of its beginning, in seconds since 1970.
        public var wallStart: Double?
        /// Why it was not read to its end.
        public var problem: String?

        public init(end: Double, duration: Double?, isStill: Bool, wallStart: Double?, problem: String?) {
            self.end = end
            self.duration = duration
            self.isStill = isStill
            self.wallStart = wallStart
            self.problem = problem
        }

        /// No time is further than a file can be long; a damaged file may say anything.
        var isSensible: Bool {
            (0..<1e9).contains(end) && (duration.map { abs($0) < 1e9 } ?? true)
                && (wallStart.map { abs($0) < 1e15 } ?? true)
        }
    }

    public let path: String
    public let unit: ArchiveUnit
    public let outcome: Outcome
    let segment: SegmentFile

    private static let key = "unit"
    private static let outcomeKey = "outcome"

    /// Opens a result, and reads all of it to see that it is whole.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`; `indexNewer`) if the file is not a result, or was changed.
    public init(path: String) throws {
        self.path = path
        do {
            segment = try SegmentFile(path: path)
            try segment.check()
            let meta = try segment.read { try SegmentFile.meta($0) }
            func value<Value: Decodable>(_ key: String) throws -> Value {
                guard let text = meta[key] else { throw ByteReader.Damage() }
                return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
            }
            (unit, outcome) = (try value(Self.key), try value(Self.outcomeKey))
            guard unit.isWhole, outcome.isSensible else { throw ByteReader.Damage() }
        } catch let error as FramegrepError where error.code == .indexNewer {
            throw error
        } catch {
            throw Self.failure(path)
        }
    }

    /// Whether the whole result of a unit lies in a folder; nil if nothing lies there.
    ///
    /// All of it is read, because a result that broke on its way to the disk would never be read again otherwise.
    public static func isWhole(_ unit: ArchiveUnit, in folder: String) -> Bool? {
        let path = folder + "/" + unit.fileName
        guard FileName.withCName(path, { access($0, F_OK) }) == 0 else { return nil }
        guard let found = try? UnitResult(path: path).unit else { return false }
        // Another plan may have it under another number.
        return found.fileName == unit.fileName
    }

    private static func failure(_ path: String) -> FramegrepError {
        FramegrepError(
            .indexDamaged,
            "\(path) is no whole result of 'framegrep index run'; the same command reads its unit again.")
    }

    /// Writes a result: whole under its name, or not at all.
    ///
    /// It is made on a disk of this machine, because SQLite's files want one, then copied beside its place and renamed. Of two who write
    /// the same one the later replaces the earlier, and both have written the same.
    ///
    /// - Parameters:
    ///   - parts: the parts that were read, in order.
    ///   - folder: made where it is not there.
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
    /// The recording, as far as one unit of it tells.
    func source(_ outcome: UnitResult.Outcome) -> IndexedSource {
        IndexedSource(
            id: recording, name: input, manner: manner, stamp: nil, digest: fingerprint, state: .complete,
            end: StreamTime(seconds: outcome.end), duration: outcome.duration.map(StreamTime.init(seconds:)),
            isStill: outcome.isStill, problem: outcome.problem,
            wallStart: outcome.wallStart.map(Date.init(timeIntervalSince1970:)))
    }
}
