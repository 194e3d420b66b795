import Glibc
import Testing

@testable import TextMatching

/// Misread letters: which are accepted, and from which readers.
@Suite("Matching: doubt, evidence and scores")
struct MatchingScoreTests {
    /// The score from which matches are shown by default (--min-score).
    private static let shown = 0.3

    /// A line of one word whose evidence is given letter by letter: a step for the letters, one for the blank after them.
    private func line(
        _ read: String, _ steps: [[(Character, Float)]], source: ReadingSource = .neuralFast
    ) -> RecognizedText {
        var evidence = ReadingEvidence()
        for letters in steps {
            let candidates = letters.compactMap { letter, probability in
                letter.unicodeScalars.first.map {
                    ReadingEvidence.Candidate(scalar: $0.value, logarithm: log(probability))
                }
            }
            evidence.append(blank: log(max(0.000_01, 1 - letters.reduce(0) { $0 + $1.1 })), candidates)
            evidence.append(blank: log(0.999), [])
        }
        evidence.peaks = read.indices.enumerated().map { Float(2 * $0.offset) + 0.5 }
        let word = zip(read, steps).map { ($0, Double($1.map(\.1).max() ?? 0)) }
        return TextMatchingTests.line([word], evidence: [evidence], source: source)
    }

    private func scores(_ pattern: String, _ line: RecognizedText) throws -> [Double] {
        Matcher(patterns: [try Pattern(text: pattern)]).matches(in: line).map(\.score)
    }

    private func clear(_ text: String) -> [[(Character, Float)]] { text.map { [($0, Float(0.998))] } }

    @Test(
        "a clear reading of another word is never a hit, whatever read it",
        arguments: [
            ("crying", "cyring"), ("OMAR", "OSCAR"), ("bubbles", "bubblen"), ("babbles", "bubbles"),
            ("lipgloss", "lipstick"), ("LONDRES", "LOURDES"), ("RUE DE LONDRES", "RUE DE LONDON"),
            ("118 FPS", "181 FPS"), ("Software Engineer", "Software Engines"),
            ("Application Verified", "Application Terrified"),
        ], ReadingSource.allCases)
    func otherWords(words: (String, String), source: ReadingSource) throws {
        for (pattern, read) in [words, (words.1, words.0)] {
            var line = TextMatchingTests.line(read, confidence: source == .tesseract ? 0.96 : 0.998)
            line.source = source
            #expect(try scores(pattern, line).allSatisfy { $0 < Self.shown }, "\(pattern) in \(read)")
            #expect(try scores(read, line).allSatisfy { $0 > 0.95 })
            #expect(try scores(read, line).count == 1)
        }
        var skate = TextMatchingTests.line("skate", confidence: 0.99)
        skate.source = source
        #expect(try scores("skater", skate).allSatisfy { $0 < Self.shown })
    }

    @Test("evidence finds a word that the best reading has wrong, and only there")
    func evidence() throws {
        var steps = clear("bubblen")
        steps[6] = [("n", 0.5), ("s", 0.48)]
        let torn = line("bubblen", steps)
        let found = try #require(try scores("bubbles", torn).first)
        #expect(found > Self.shown)
        #expect(try scores("bubblen", torn).count == 1)
        #expect(try scores("bubbler", torn).allSatisfy { $0 < found / 2 })
        #expect(try scores("bubbles", line("bubblen", clear("bubblen"))).allSatisfy { $0 < Self.shown })
        // The better the evidence, the higher the score.
        steps[6] = [("n", 0.6), ("s", 0.02)]
        let weak = try scores("bubbles", line("bubblen", steps)).first ?? 0
        #expect(weak < found)
    }

    @Test("a match covers what was read in the pattern's place, and no more")
    func place() throws {
        var steps = clear("xxskatexx")
        steps[4] = [("o", 0.5), ("a", 0.45)]
        let read = line("xxskotexx", steps)
        let match = try #require(Matcher(patterns: [try Pattern(text: "skate")]).matches(in: read).first)
        #expect(match.text == "skote")
        #expect(match.parts == [TextMatch.Part(line: 0, word: 0, characters: 2..<7)])
    }

    @Test("without evidence the characters' own confidence tells")
    func confidences() throws {
        func read(_ confidence: Double) throws -> Double {
            let word = "strecting".enumerated().map { ($1, $0 == 4 ? confidence : Double(Float(0.998))) }
            return try scores("streeting", TextMatchingTests.line([word], source: .tesseract)).first ?? 0
        }
        #expect(try read(0.45) > read(0.97))
        #expect(try read(0.97) < Self.shown)
    }

    @Test("the scores' maps rise, from 0 to 1")
    func maps() {
        for (source, maps) in LearntScores.maps {
            for (way, map) in maps {
                let values = stride(from: 0, through: 1, by: 0.01).map(map.callAsFunction)
                #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 }, "\(source) \(way)")
                #expect(values.allSatisfy { (0...1).contains($0) })
            }
        }
    }

    @Test("hostile evidence and patterns: nothing crashes, scores stay within 0 and 1", arguments: 0..<6)
    func hostile(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let letters = Array("ab0O1lrnm. é漢")
        for _ in 0..<60 {
            let read = (0..<Int.random(in: 1...80, using: &random)).map { _ in
                letters.filter { $0 != " " }.randomElement(using: &random) ?? "a"
            }
            var steps: [[(Character, Float)]] = []
            for _ in read {
                let count = Int.random(in: 0...10, using: &random)
                steps.append(
                    (0..<count).map { _ in
                        (letters.randomElement(using: &random) ?? "a", Float.random(in: 0...1, using: &random))
                    })
            }
            var line = line(String(read), steps, source: ReadingSource.allCases.randomElement(using: &random) ?? .other)
            if Bool.random(using: &random), let count = line.evidence.first?.peaks.count, count > 0 {
                let bad: [Float] = [.nan, .infinity, -.infinity, -5, 1e9]
                line.evidence[0].peaks[Int.random(in: 0..<count, using: &random)] =
                    bad.randomElement(using: &random) ?? 0
            }
            let patterns = try (0..<Int.random(in: 1...30, using: &random)).map { _ in
                try Pattern(
                    text: "a"
                        + String(
                            (0..<Int.random(in: 0...40, using: &random)).map { _ in
                                letters.randomElement(using: &random) ?? "a"
                            }))
            }
            for match in Matcher(patterns: patterns).matches(in: line) { #expect((0...1).contains(match.score)) }
        }
    }

    @Test("candidates of a line are bounded, however often pieces of patterns stand in it")
    func bounded() throws {
        let patterns = try (0..<60).map { try Pattern(text: String(repeating: "a", count: 300 + $0) + "b") }
        let plain = patterns.compactMap(\.plain)
        let read = TextMatchingTests.line(String(repeating: "a", count: 2_000), confidence: 0.5)
        let folded = FoldedLine(read, folding: TextFolding(caseSensitive: false))
        let (scalars, unitAt) = TolerantSearch.skeleton(folded.units)
        let candidates = PieceIndex(plain).candidates(in: folded, scalars, unitAt)
        #expect(!candidates.isEmpty && candidates.count <= PieceIndex.mostCandidates)
        for match in Matcher(patterns: patterns).matches(in: read) { #expect((0...1).contains(match.score)) }
    }
}

/// Generates the same numbers each time (S. Vigna's SplitMix64).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
