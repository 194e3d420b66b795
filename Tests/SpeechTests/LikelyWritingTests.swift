import Foundation
import Testing

@testable import Speech

@Suite struct LikelyWritingTests {
    /// The pieces that may follow others, as shares; 2 ends, 3 and more are pieces.
    private static let shares: [[Int64]: [Int: Float]] = [
        [3]: [2: 0.1, 4: 0.45, 5: 0.45], [3, 4]: [2: 0.2, 3: 0.8], [3, 5]: [2: 0.2, 3: 0.8],
        [6]: [7: 0.95, 2: 0.05], [6, 7]: [2: 0.95, 3: 0.05],
    ]

    private func found(atFirst first: [Int: Float]) -> [LikelyWriting.Run] {
        var writing = LikelyWriting(end: 2, first: 3)
        var runs: [[Int64]] = [[]]
        while true {
            let logits = runs.flatMap { run -> [Float] in
                let shares = run.isEmpty ? first : Self.shares[run] ?? [2: 1]
                // Any constant may be in them.
                return (0..<8).map { shares[$0].map { log($0) + 3 } ?? -50 }
            }
            guard let step = writing.goOn(logits, count: 8) else { return writing.found }
            runs = zip(step.parents, step.pieces).map { runs[Int($0)] + [$1] }
        }
    }

    @Test func theLikeliestPieceMayLeadAstray() throws {
        let found = found(atFirst: [3: 0.6, 6: 0.4])
        #expect(found.first?.pieces == [6, 7])
        #expect(abs(try #require(found.first).score - log(0.4 * 0.95 * 0.95)) < 0.01)
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.score >= $1.score })
    }

    @Test func nothingBeginsWithAMark() {
        #expect(found(atFirst: [0: 0.9, 2: 0.05, 6: 0.05]).first?.pieces == [6, 7])
    }

    @Test func whatNeverEndsIsCutOff() {
        var writing = LikelyWriting(end: 2, first: 3)
        var (count, steps) = (1, 0)
        while let step = writing.goOn(
            [Float](repeating: 0, count: 8 * count).enumerated().map { $0.offset % 8 == 5 ? 9 : -30 }, count: 8)
        {
            (count, steps) = (step.pieces.count, steps + 1)
        }
        #expect(steps == LikelyWriting.longest - 1)
        #expect(writing.found.first?.pieces.isEmpty == false)
    }
}

@Suite struct WordCountsTests {
    private static let rows = [
        (" ", 1_000_000), ("a", 50_000), ("cold", 1_000), ("colds", 10), ("door", 2_000), ("front", 2_000),
        ("front door", 900), ("front floor", 1), ("floor", 2_000), ("winter", 900),
    ]
    private let counts: WordCounts?

    init() {
        let text = Self.rows.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }.map { "\($0)\t\($1)\n" }.joined()
        counts = WordCounts(Array(text.utf8))
    }

    @Test func whatIsWrittenOftenMakesMoreSense() throws {
        let counts = try #require(counts)
        #expect(counts.sense(of: "front door") > counts.sense(of: "front floor"))
        #expect(counts.sense(of: "winter cold") > counts.sense(of: "winter colds"))
        #expect(counts.sense(of: "winter colds") > counts.sense(of: "winter zzz"))
        // Each word is looked up: the first and the last too.
        for (word, _) in Self.rows where !word.contains(" ") {
            #expect(counts.sense(of: word) > counts.sense(of: "zzz"))
        }
    }

    @Test(arguments: ["", "no rows", "a\t5\n", " \tx\n", " \t0\n"])
    func whatIsNoListIsNone(_ text: String) { #expect(WordCounts(Array(text.utf8)) == nil) }

    @Test func wordsSaidAgainAndAgainAreSaidOnce() {
        #expect(SpeechProcess.once("blue paint blue paint") == "blue paint")
        #expect(SpeechProcess.once("exit exit exit") == "exit")
        #expect(SpeechProcess.once("blue paint blue") == "blue paint blue")
        #expect(SpeechProcess.once("") == "")
    }
}
