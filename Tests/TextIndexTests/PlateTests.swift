import GRDB
import Testing
import TextMatching
import TextSpotting

@testable import TextIndex

/// Plates of two lines are found in an index as in pictures.
@Suite struct PlateTests {
    private let folder = IndexTestFolder()

    /// Returns a line that is visible in some of a part's readings, which are a second apart.
    private func line(_ text: String, y: Double, _ steps: Range<Int>) -> RecordedLine {
        let line = Lines.line(text, y: y)
        return RecordedLine(
            line: line, steps: steps,
            words: line.words.enumerated().map { number, _ in
                .init(
                    id: 100 * Int(y) + 10 * steps.lowerBound + number,
                    start: StreamTime(seconds: Double(steps.lowerBound)),
                    end: StreamTime(seconds: Double(steps.upperBound)))
            })
    }

    private func index(_ lines: [RecordedLine], name: String = "a") throws -> TextIndex {
        let index = try TextIndex.forWriting(try folder.folder())
        let part = RecordedPart(
            from: .zero, to: StreamTime(seconds: 10),
            frames: FrameTimes(runs: [.init(start: 0, count: 10, span: 10_000_000_000)]), steps: Array(0..<10),
            lines: lines)
        _ = try index.add(part, of: Lines.source(name), inPlaceOf: nil)
        return index
    }

    /// Returns the results, with their times.
    private func found(_ pattern: String, in index: TextIndex) throws -> [String] {
        let answer = try index.search(
            for: Matcher(patterns: [try Pattern(typed: pattern, as: .plain)]), minimumScore: 0.3)
        return answer.sightings.values.flatMap(\.self).sorted { $0.start < $1.start }
            .map { "\($0.text) \(Int($0.start.seconds))-\(Int($0.end.seconds))" }
    }

    /// The results are those of reading (``MatchingCodeTests``): once, without matches in one of the lines alone.
    @Test(arguments: [
        (["WX 69", "JK 3092"], "WX69JK3092", ["WX 69 JK 3092 0-10"]),
        (["UGT", "2R82"], "ugt2r82", ["UGT 2R82 0-10"]),
        (["JL", "447 DP"], "JL447DP", ["JL 447 DP 0-10"]),
        (["EXIT", "12"], "EXIT12", []), (["AR55", "GBZ", "AR66"], "AR55GBZ", []),
        (["the AR55", "GBZ"], "AR55GBZ", []),
    ])
    func theyAreFound(lines: [String], typed: String, expected: [String]) throws {
        let index = try index(lines.enumerated().map { line($1, y: 40 + 24 * Double($0), 0..<10) })
        #expect(try found(":plate", in: index) == expected)
        #expect(try found(typed, in: index) == expected)
    }

    /// Lines far apart, or never in view together, are not a plate.
    @Test func linesApartAreNone() throws {
        let index = try index([
            line("UGT", y: 40, 0..<10), line("2R82", y: 140, 0..<10), line("AR55", y: 240, 0..<4),
            line("GBZ", y: 264, 5..<10),
        ])
        for pattern in [":plate", "UGT2R82", "AR55GBZ"] { #expect(try found(pattern, in: index).isEmpty, "\(pattern)") }
    }

    /// A line that is a plate by itself is found while the other is not there.
    @Test func aLineAloneIsFoundMeanwhile() throws {
        let index = try index([line("WX 69", y: 40, 3..<6), line("JK 3092", y: 64, 0..<10)])
        #expect(try found(":plate", in: index) == ["JK 3092 0-3", "WX 69 JK 3092 3-6", "JK 3092 6-10"])
        #expect(try found("WX69JK3092", in: index) == ["WX 69 JK 3092 3-6"])
        #expect(try found("JK3092", in: index) == ["JK 3092 0-10"])
    }

    /// A search examines only lines of plates, and skips segments that are marked as having none.
    @Test func linesOfPlatesAreMarked() throws {
        let index = try index([
            line("EXIT", y: 40, 0..<10), line("12", y: 64, 0..<10), line("UGT", y: 140, 0..<10),
            line("2R82", y: 164, 0..<10), line("GATE", y: 240, 0..<10),
        ])
        _ = index
        let segment = try SegmentFile(path: try folder.segment())
        #expect(try segment.texts(ofLines: try segment.linesInPlates()) == ["UGT", "2R82"])
    }

    /// Segments of programs that did not mark lines are searched in the same way, and so are their rewritten ones.
    @Test func olderSegmentsAreSearchedAlike() throws {
        _ = try index([line("WX 69", y: 40, 3..<6), line("JK 3092", y: 64, 0..<10), line("GATE", y: 240, 0..<10)])
        let path = try folder.segment()
        try OldFile.make(of: path, isCatalog: false) { database in
            try database.execute(
                sql: "DELETE FROM main.meta WHERE key = 'plates'; UPDATE main.line SET kinds = kinds & ?",
                arguments: [Int64(~LineGrams.isInPlate)])
        }
        let expected = ["JK 3092 0-3", "WX 69 JK 3092 3-6", "JK 3092 6-10"]
        let old = try #require(try TextIndex.forSearching(try folder.folder()))
        #expect(try found(":plate", in: old) == expected)
        let other = IndexTestFolder()
        _ = try TextIndex.forWriting(try other.folder()).merge(old)
        let new = try SegmentFile(path: try other.segment())
        #expect(try new.read { try SegmentFile.meta($0)[SegmentFile.plates] } == "2")
        #expect(try found(":plate", in: try #require(try TextIndex.forSearching(try other.folder()))) == expected)
    }
}
