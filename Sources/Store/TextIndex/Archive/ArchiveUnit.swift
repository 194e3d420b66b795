public import TextSpotting

/// A stretch of one recording that is read on its own, by any machine and as often as needed: a line of `index plan`.
///
/// A unit names everything that its result depends on. So two machines that read it write the same result, and a unit
/// that was planned for another file, another program or other settings is refused instead of being mixed in.
public struct ArchiveUnit: Codable, Sendable, Hashable {
    /// How its pictures are read; the defaults of the planning machine are written out.
    public struct Reading: Codable, Sendable, Hashable {
        public var engine: String
        public var level: String
        public var language: String?
        public var region: String?
        /// The maximum age in seconds.
        public var maximumAge: Double?
        public var program: String
        /// The length of a unit, in seconds.
        public var grid: Double

        enum CodingKeys: String, CodingKey {
            case engine, level, language, region, program, grid
            case maximumAge = "max_age"
        }

        public init(
            engine: String, level: String, language: String?, region: String?, maximumAge: Double?, program: String,
            grid: Double
        ) {
            self.engine = engine
            self.level = level
            self.language = language
            self.region = region
            self.maximumAge = maximumAge
            self.program = program
            self.grid = grid
        }
    }

    /// The number of the unit in the plan, from 0.
    public var unit: Int
    /// The absolute path of the recording's file, or its address.
    public var input: String
    /// A digest of the file's contents (``FileStamp/digest(ofFile:)``); nil if it is not a file.
    public var fingerprint: String?
    /// The number of the unit within its recording, from 0.
    public var piece: Int
    public var pieces: Int
    /// The beginning of the unit, in seconds.
    public var from: Double
    /// The beginning of the next unit; nil for the last one, which ends with the recording.
    public var to: Double?
    /// The reading options in the form that the catalog uses.
    public var manner: String
    public var reading: Reading
    /// A checksum of ``manner`` and ``reading``.
    public var settings: String

    /// Returns the units of a recording.
    ///
    /// They depend only on its length and the grid. A rest shorter than a tenth of a unit is added to the last one.
    ///
    /// - Parameters:
    ///   - length: nil if it is unknown, or if the recording cannot be seeked in; then all of it is one unit.
    ///   - first: the number of its first unit in the plan.
    public static func units(
        of input: String, fingerprint: String?, length: StreamTime?, manner: String, reading: Reading, first: Int
    ) -> [ArchiveUnit] {
        let settings = sum(manner, reading)
        let count = length.map { max(1, Int(($0.seconds / reading.grid + 0.9).rounded(.down))) } ?? 1
        return (0..<count).map { piece in
            ArchiveUnit(
                unit: first + piece, input: input, fingerprint: fingerprint, piece: piece, pieces: count,
                from: Double(piece) * reading.grid, to: piece + 1 < count ? Double(piece + 1) * reading.grid : nil,
                manner: manner, reading: reading, settings: settings)
        }
    }

    /// Whether it can come from a plan: its numbers make sense, and its settings match their checksum. (``fingerprint``
    /// shows whether the recording has changed.)
    public var isWhole: Bool {
        settings == Self.sum(manner, reading) && piece >= 0 && piece < pieces && pieces <= 10_000_000
            && from >= 0 && from < 1e9 && (to.map { $0 > from && $0 < 1e9 } ?? true)
            && (to == nil) == (piece + 1 == pieces)
    }

    /// The file name of its result: the same wherever the unit is read, and for the same unit of another plan.
    public var fileName: String {
        var sum = SHA256()
        for text in [input, fingerprint ?? "", settings] { sum.add(text) }
        for number in [piece, pieces] { sum.add(Int64(number)) }
        return String(sum.finish().prefix(24)) + "." + Self.fileExtension
    }

    /// The extension of result files.
    public static let fileExtension = "fgu"

    /// Identifies the recording and how it is read: the same file read with other settings has another identifier.
    var recording: SourceID {
        var sum = SHA256()
        for text in [input, fingerprint ?? "", settings] { sum.add(text) }
        return SourceID(number: Int64(sum.finish().prefix(15), radix: 16) ?? 1)
    }

    /// The beginnings of this unit and of the next one, as times.
    public var times: (from: StreamTime, to: StreamTime?) {
        (StreamTime(seconds: from), to.map(StreamTime.init(seconds:)))
    }

    private static func sum(_ manner: String, _ reading: Reading) -> String {
        var sum = SHA256()
        for text in [manner, reading.engine, reading.level, reading.language ?? "", reading.region ?? ""] {
            sum.add(text)
        }
        for number in [reading.maximumAge ?? -1, reading.grid] { sum.add("\(number)") }
        sum.add(reading.program)
        return String(sum.finish().prefix(16))
    }
}
