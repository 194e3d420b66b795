import Foundation
import GRDB
import TextMatching
import TextSpotting

@testable import TextIndex

/// A separate folder for a test, deleted when it is released.
final class IndexTestFolder: Sendable {
    let path = NSTemporaryDirectory() + "framegrep-index-\(UUID().uuidString)"

    func folder() throws -> IndexFolder { try IndexFolder(path) }

    /// The only segment.
    func segment() throws -> String {
        let folder = try folder()
        return folder.segment(folder.segmentsOnDisk().first ?? "")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Lines as returned by a reader.
enum Lines {
    /// - Parameters:
    ///   - others: alternatives to letters of the text, with their probabilities, by their indices among all letters.
    ///   - y: the line's top, in pixels.
    static func line(
        _ text: String, others: [Int: (Character, Double)] = [:], y: Double = 40, withEvidence: Bool = true
    ) -> TextLine {
        var evidence = ReadingEvidence()
        var words: [TextWord] = []
        var x = 20.0
        var number = 0
        for word in text.split(separator: " ") {
            let letters = Array(word)
            let step = 1 / Double(letters.count)
            var spans: [CharacterSpan] = []
            for (index, letter) in letters.enumerated() {
                let other = others[number]
                let probability = 1 - (other?.1 ?? 0.001)
                evidence.peaks.append(Float(evidence.count))
                evidence.append(
                    blank: -7,
                    [candidate(letter, probability)] + (other.map { [candidate($0.0, $0.1)] } ?? []))
                evidence.append(blank: -0.001, [])
                spans.append(
                    CharacterSpan(
                        character: letter, start: Double(index) * step, end: Double(index + 1) * step,
                        confidence: probability))
                number += 1
            }
            let width = 12 * Double(letters.count)
            words.append(
                TextWord(
                    quad: Quad(Rect(x: x, y: y, width: width, height: 20)), characters: spans,
                    confidence: spans.reduce(0) { $0 + $1.confidence } / Double(spans.count)))
            x += width + 10
        }
        return TextLine(
            quad: Quad(Rect(x: 20, y: y, width: x - 30, height: 20)), words: words, confidence: 0.98,
            evidence: withEvidence ? [evidence] : [], source: withEvidence ? .neuralFast : .tesseract)
    }

    private static func candidate(_ letter: Character, _ probability: Double) -> ReadingEvidence.Candidate {
        .init(scalar: letter.unicodeScalars.first?.value ?? 0, logarithm: Float(log(probability)))
    }

    /// Returns a part in which each of these lines is visible alone for a second, with a second between them.
    static func part(_ lines: [TextLine], from: Double = 0) -> RecordedPart {
        let recorded = lines.enumerated().map { number, line in
            let start = from + 2 * Double(number)
            return RecordedLine(
                line: line, steps: number..<number + 1,
                words: line.words.map { _ in
                    .init(id: number + 1, start: StreamTime(seconds: start), end: StreamTime(seconds: start + 1))
                })
        }
        let nanoseconds = Int64(from * 1e9)
        return RecordedPart(
            from: StreamTime(nanoseconds: nanoseconds),
            to: StreamTime(nanoseconds: nanoseconds + Int64(lines.count) * 2_000_000_000),
            frames: FrameTimes(runs: [
                .init(start: nanoseconds, count: 2 * lines.count, span: Int64(lines.count) * 2_000_000_000)
            ]),
            steps: lines.indices.map { 2 * $0 }, lines: recorded)
    }

    static func source(_ name: String) -> IndexedSource {
        IndexedSource(
            id: .drawn(), name: name, manner: "made up", stamp: nil, digest: nil, state: .complete,
            end: StreamTime(seconds: 10))
    }
}

extension TextIndex {
    /// Returns the lines in which a pattern is found, by recording.
    func found(_ pattern: String, kind: PatternKind = .plain, minimumScore: Double = 0.3) throws -> [String: [String]] {
        let matcher = Matcher(patterns: [try Pattern(typed: pattern, as: kind)])
        let answer = try search(for: matcher, minimumScore: minimumScore)
        let names = Dictionary(uniqueKeysWithValues: try sources().map { ($0.id, $0.name) })
        return Dictionary(
            uniqueKeysWithValues: answer.sightings.map { (names[$0] ?? "?", $1.map(\.line).sorted()) }
        ).filter { !$0.value.isEmpty }
    }
}

/// Files as written by programs before pages had checksums.
enum OldFile {
    /// Replaces a file with checksums by one without.
    ///
    /// - Parameter change: makes further changes.
    static func make(of path: String, isCatalog: Bool, change: (Database) throws -> Void = { _ in }) throws {
        let made = path + ".old"
        let queue = try DatabaseQueue(path: made)
        try queue.inDatabase { database in
            try database.execute(sql: "ATTACH ? AS new", arguments: [path])
            let parts = try Row.fetchAll(
                database, sql: "SELECT type, name, sql FROM new.sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC")
            for part in parts {
                let (type, name, sql): (String, String, String) = (part[0], part[1], part[2])
                guard name != "leftover" else { continue }
                try database.execute(sql: sql)
                if type == "table" { try database.execute(sql: "INSERT INTO main.\(name) SELECT * FROM new.\(name)") }
            }
            try database.execute(
                sql: isCatalog
                    ? "UPDATE main.meta SET value = '1' WHERE key = 'format'"
                    : "DELETE FROM main.meta WHERE key = 'sums'")
            try change(database)
        }
        try queue.close()
        guard rename(made, path) == 0 else { throw POSIXError(.EIO) }
        guard !isCatalog else { return }
        // The catalog stores its size.
        let parent = (0..<3).reduce(path) { path, _ in (path as NSString).deletingLastPathComponent }
        let folder = try IndexFolder(parent)
        guard folder.exists else { return }
        let name = path.split(separator: "/").suffix(2).joined(separator: "/")
        let catalog = try IndexDatabase.open(folder.catalog, for: .writing)
        try catalog.write {
            try $0.execute(
                sql: "UPDATE segment SET bytes = ? WHERE name = ?", arguments: [Disk.length(ofFile: path), name])
        }
        try catalog.close()
    }
}

/// Units of an archive.
enum Units {
    static var one: ArchiveUnit {
        ArchiveUnit.units(
            of: "/a.mp4", fingerprint: nil, length: nil, manner: "made up",
            reading: .init(
                engine: "neural", level: "fast", language: nil, region: nil, maximumAge: nil, program: "1", grid: 1800),
            first: 0)[0]
    }
}

extension IndexTestFolder {
    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}

/// Generates the same numbers in every run (SplitMix64, G. Steele and others, 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
