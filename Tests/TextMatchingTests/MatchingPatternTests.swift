import Errors
import Testing
import TextMatching

@Suite("Matching: patterns and bounds")
struct MatchingPatternTests {
    @Test(
        "what holds nothing to read is refused with a sentence",
        arguments: [
            "", " ", "\t\n ", "\u{3000}", "\u{200B}", "\u{AD}", String(repeating: "a", count: 1001),
            "a" + String(repeating: "\u{301}", count: 5000),
        ])
    func refused(text: String) throws {
        let error = try #require(throws: FramegrepError.self) { try Pattern(text: text) }
        #expect(error.code == .badPattern)
        #expect(error.message.hasSuffix("."))
        #expect(!error.message.contains(text) || text.count < 2)
    }

    @Test("the longest allowed pattern is found")
    func longest() throws {
        let text = String(repeating: "abcdefghij", count: 100)
        #expect(try find(text, in: "xx \(text) yy").count == 1)
    }

    @Test("a line without words, without characters, and with a hostile character")
    func oddLines() throws {
        let matcher = Matcher(patterns: [try Pattern(text: "a")])
        #expect(matcher.matches(in: line("")).isEmpty)
        #expect(matcher.matches(in: line([[]])).isEmpty)
        #expect(matcher.matches(in: line([[], [("a", .nan)], []])).map(\.characterRange) == [1..<2])
        let stacked = "a" + String(repeating: "\u{301}", count: 100_000)
        #expect(try find("a", in: stacked).count == 1)
        #expect(Matcher(patterns: []).matches(in: line("a")).isEmpty)
    }

    @Test("many patterns that all but match everywhere are bounded work")
    func hostile() throws {
        let patterns = try (1...100).map { try Pattern(text: String(repeating: "0", count: $0)) }
        let found = Matcher(patterns: patterns).matches(in: line(String(repeating: "o", count: 5_000)))
        #expect(found.isEmpty)
        let plain = Matcher(patterns: patterns).matches(in: line(String(repeating: "0", count: 5_000)))
        #expect(plain.count(where: { $0.patternIndex == 0 }) == 2_000)
    }

    @Test("a pattern is found among a thousand others")
    func many() throws {
        let patterns = try (0..<1_000).map { try Pattern(text: "word\(1_000 + $0)") }
        let found = Matcher(patterns: patterns).matches(in: line("a word1742 b"))
        #expect(found.map(\.pattern) == ["word1742"])
    }
}
