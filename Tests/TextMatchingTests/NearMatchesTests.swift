import Glibc
import Testing

@testable import TextMatching

/// Decides which lines are worth a second look.
@Suite("Lines that may hold a searched word misread")
struct NearMatchesTests {
    /// Returns a line of one word of which the reader saw `seen` at each letter, and nothing else.
    private func line(_ read: String, _ seen: [[(Character, Float)]]) -> RecognizedText {
        var evidence = ReadingEvidence()
        for letters in seen {
            let candidates = letters.compactMap { letter, probability in
                letter.unicodeScalars.first.map {
                    ReadingEvidence.Candidate(scalar: $0.value, logarithm: log(probability))
                }
            }
            evidence.append(blank: log(Float(0.001)), candidates)
            evidence.append(blank: log(Float(0.999)), [])
        }
        evidence.peaks = read.indices.enumerated().map { Float(2 * $0.offset) + 0.5 }
        let word = zip(read, seen).map { ($0, Double($1.map(\.1).max() ?? 0)) }
        return TextMatchingTests.line([word], evidence: [evidence], source: .neuralFast)
    }

    private func clear(_ text: String) -> [[(Character, Float)]] { text.map { [($0, Float(0.998))] } }

    private func isDoubtful(_ line: RecognizedText, searching text: String) throws -> Bool {
        NearMatches(Matcher(patterns: [try Pattern(text: text)])).isDoubtful(line)
    }

    @Test(
        "a word of which nothing else was seen is not read again",
        arguments: [("wish", "fish"), ("bubbles", "bubblen"), ("skate", "skater"), ("London", "Londn")])
    func clearOnes(read: String, searched: String) throws {
        #expect(try !isDoubtful(line(read, clear(read)), searching: searched))
        // Without alternatives nothing is known.
        #expect(try isDoubtful(TextMatchingTests.line(read), searching: searched))
    }

    @Test("another letter that was seen is reason to read again: in the word, or beside it")
    func doubtedOnes() throws {
        var seen = clear("wish")
        seen[0] = [("w", 0.96), ("f", 0.03)]
        #expect(try isDoubtful(line("wish", seen), searching: "fish"))
        seen[0] = [("w", 0.99), ("f", 0.004)]
        #expect(try !isDoubtful(line("wish", seen), searching: "fish"))
        // Only its case is in doubt, which does not matter.
        seen[0] = [("w", 0.6), ("W", 0.39)]
        #expect(try !isDoubtful(line("wish", seen), searching: "fish"))
        // A mark that may be a letter is next to the word.
        var beside = clear("skate-glow")
        beside[5] = [("-", 0.9), ("r", 0.08)]
        #expect(try isDoubtful(line("skate-glow", beside), searching: "skater"))
        // A mark far from the word does not matter.
        var far = clear("skate-glow")
        far[9] = [("w", 0.6), ("v", 0.3)]
        #expect(try !isDoubtful(line("skate-glow", far), searching: "skater"))
    }

    @Test("a letter that may be none is reason to read again")
    func weakLetters() throws {
        var seen = clear("bubbless")
        seen[7] = [("s", 0.45)]
        #expect(try isDoubtful(line("bubbless", seen), searching: "bubblesx"))
    }

    @Test("what is found with doubt is read again, however the letters were seen")
    func weakMatches() throws {
        let plain = TextMatchingTests.line("EX1T", confidence: 0.6)
        #expect(try isDoubtful(plain, searching: "EXIT"))
    }
}
