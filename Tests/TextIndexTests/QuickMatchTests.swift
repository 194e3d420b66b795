import Testing
import TextMatching
import TextSpotting

@testable import TextIndex

/// What is told of a kept line without its evidence is what is told with it.
@Suite struct QuickMatchTests {
    private static let words = [
        "status", "error", "state", "stats", "exit", "gate", "gale", "width", "wide", "keyframe", "frames", "12", "to",
    ]

    @Test func theEvidenceIsTakenApartOnlyWhereItCounts() throws {
        var seed: UInt64 = 11
        func next(_ count: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % count
        }
        let matchers = try Self.words.map { Matcher(patterns: [try Pattern(text: $0)]) }
        var (quick, all) = (0, 0)
        for _ in 0..<400 {
            var text = (0...2 + next(6)).map { _ in Self.words[next(Self.words.count)] }.joined(separator: " ")
            // Some letters are misread, and some of these have the truth among their alternatives.
            var others: [Int: (Character, Double)] = [:]
            for _ in 0..<next(4) {
                let place = text.index(text.startIndex, offsetBy: next(text.count))
                guard text[place] != " " else { continue }
                others[text[..<place].count { $0 != " " }] = (text[place], 0.3)
                text.replaceSubrange(place...place, with: ["q", "0", "n", "i"][next(4)])
            }
            let line = Lines.line(text, others: others)
            let data = LineCodec.encode(
                RecordedLine(
                    line: line, steps: 0..<1,
                    words: line.words.map { _ in .init(id: 1, start: .zero, end: StreamTime(seconds: 1)) }))
            let (bare, whole) = (
                try KeptLine(data, text: line.text, withEvidence: false), try KeptLine(data, text: line.text)
            )
            #expect(bare.presences == whole.presences && bare.path == whole.path)
            for matcher in matchers {
                let matches = matcher.matches(in: whole.recognized)
                all += matches.isEmpty ? 0 : 1
                guard let told = matcher.matchesAsRead(in: bare.recognized) else { continue }
                quick += 1
                #expect(told == matches, "\(text)")
            }
        }
        // Most that match at all.
        #expect(quick * 2 > all && all > 1_000, "\(quick) of \(all)")
    }
}
