import Errors
import Testing

@testable import TextMatching

/// Malicious patterns and text: nothing crashes, and work stays within its bound, counted in steps.
@Suite("Matching: hostile patterns and text")
struct MatchingFuzzTests {
    /// Generates the same numbers each time (a linear congruential generator, D. Knuth's constants).
    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    private static let pieces = [
        "a", "b", "ab", "0", "O", "1", "l", "rn", "m", " ", "  ", ".", "*", "+", "?", "|", "(", ")", "[", "]", "^", "$",
        "\\", "\\d", "\\w", "\\b",
        "{2}", "{0,9}", "{1,}", "{999}", "(?:", "(?i)", "(?=", "[^", "a-z", "-", "\\p{L}", "\\Q", "\\E", "ß", "é",
        "e\u{301}", "ﬁ", "한", "ᄒ", "ᅡ", "東", "ガ", "ｶﾞ", "कि", "น้ำ",
        "שָׁ", "مُ", "\u{200B}", "\u{202E}", "\u{0}", "\u{FFFD}", "👩‍👩‍👧", "🇰🇷", "\u{1D400}", "\u{10FFFF}", "@", ".com", "://",
        "www.", ":", "::", "192", "256", "2026", "-11-", "$", "€", "am",
    ]

    private func text(_ dice: inout Dice, _ count: Int) -> String {
        (0..<Int.random(in: 0...count, using: &dice)).map { _ in
            let piece = Self.pieces.randomElement(using: &dice) ?? ""
            return Int.random(in: 0..<40, using: &dice) == 0 ? String(repeating: piece, count: 50) : piece
        }.joined()
    }

    @Test("patterns and text of all sorts", arguments: 0..<8)
    func everything(seed: UInt64) throws {
        var dice = Dice(state: seed &* 977 &+ 5)
        var searched = 0
        for _ in 0..<150 {
            let pattern = text(&dice, 14)
            let kind: PatternKind = [.plain, .exact, .expression, .expression][Int.random(in: 0..<4, using: &dice)]
            let options = MatchOptions(
                caseSensitive: Bool.random(using: &dice), wholeWords: Bool.random(using: &dice))
            let found: Pattern
            do { found = try Pattern(typed: pattern, as: kind, options: options) } catch let error as FramegrepError {
                #expect(error.code == .badPattern && error.message.hasSuffix("."))
                continue
            }
            searched += 1
            let lines = (0..<3).map { _ in line(text(&dice, 60)) }.filter { !$0.words.isEmpty }
            let matches = Matcher(patterns: [found]).matches(in: lines, blocks: .consecutive(lines.count))
            for match in matches {
                #expect(!match.text.isEmpty && (0...1).contains(match.score))
                let characters = Array(match.lines.map { lines[$0].text }.joined(separator: " "))
                #expect(match.characterRange.upperBound <= characters.count)
                #expect(String(characters[match.characterRange]) == match.text)
            }
            _ = Matcher(patterns: [found]).explanations(in: lines, blocks: .consecutive(lines.count))
        }
        #expect(searched > 20)
    }

    @Test("kinds of content in text of all sorts", arguments: ContentKind.allCases)
    func contents(kind: ContentKind) throws {
        var dice = Dice(state: 7)
        let matcher = Matcher(patterns: [try Pattern(typed: kind.notation, as: .plain)])
        for _ in 0..<300 {
            let read = line(text(&dice, 80))
            guard !read.words.isEmpty else { continue }
            for match in matcher.matches(in: read) { #expect(read.text.contains(match.text)) }
        }
        for digit in ["1", "1.", "1,111", "1:", "1-1/", "a@", "a.", "$1", "::", "http://", "www.", "(0)"] {
            _ = matcher.matches(in: line(String(repeating: digit, count: 3_000)))
        }
    }

    @Test(
        "expressions that would keep a backtracking matcher for ever take no more steps than their bound",
        arguments: [
            "(a+)+$", "(a|a)*b", "(a|aa)+$", "(a*)*b", "((a*)*)*c", "(x+x+)+y", "(.*)*(.*)*z", "a.*b|a",
            "(a?){500}a{500}", "(a{1,30}){1,30}b",
            "(\\w+\\s?)+!", "(?:a?){1000}", "([a-z]+)*[^a-z]q", "(.+)+\\d{900}", "^(([a-z])+.)+[A-Z]([a-z])+$",
            ".*.*.*.*.*.*.*.*.*=",
        ])
    func exponential(expression: String) throws {
        let found = try Expression(expression, options: MatchOptions())
        for text in [
            String(repeating: "a", count: 3_000), String(repeating: "x", count: 3_000),
            String(repeating: "ab ", count: 1_000),
            String(repeating: "a", count: 1_999) + "!",
        ] {
            let folded = FoldedLine(line(text), folding: TextFolding(caseSensitive: false))
            let symbols = folded.symbols
            #expect(symbols.count <= 2 * FoldedLine.maximumLength)
            var run = ExpressionRun(found.program, over: symbols, of: folded)
            _ = run.matches()
            // Allow one pass over the line beyond the bound, which is checked between passes.
            #expect(run.work <= 2 * ExpressionRun.bound(found.program, symbols.count), "\(run.work)")
        }
    }

    @Test("a pass over a line takes a number of steps that grows with both lengths, not with their powers")
    func linear() throws {
        func work(_ count: Int, _ length: Int) throws -> Int {
            let found = try Expression("(?:a?){\(count)}a{\(count)}b", options: MatchOptions())
            let folded = FoldedLine(
                line(String(repeating: "a", count: length)), folding: TextFolding(caseSensitive: false))
            var run = ExpressionRun(found.program, over: folded.symbols, of: folded)
            _ = run.matches()
            return run.work
        }
        let base = try work(20, 200)
        #expect(try work(40, 200) < 3 * base)
        #expect(try work(20, 400) < 3 * base)
    }

    @Test("what would be too large is refused before it is made")
    func large() throws {
        for expression in [
            "((((a{1000}){1000}){1000}){1000}){1000}", "((((a{0}){1000}){1000}){1000}){1000}",
            "(?:(?:(?:x?){100}){100}){100}",
            String(repeating: "(", count: 900),
            String(repeating: "(a", count: 200) + String(repeating: ")", count: 200),
            String(repeating: "a{900}", count: 100), "((((((){1000}){1000}){1000}){1000}){1000}){1000}a",
        ] {
            #expect(throws: FramegrepError.self, "\(expression)") { try Pattern(text: expression, kind: .expression) }
        }
        let words = (0..<2_000).map { "\($0)" + String(repeating: "a", count: 600) }
        #expect(throws: FramegrepError.self) { try SearchMode().matcher(for: words) }
        let many = (0..<2_000).map { "\($0)a{100}" }
        #expect(throws: FramegrepError.self) { try SearchMode(kind: .expression).matcher(for: many) }
        #expect(try SearchMode(kind: .expression).matcher(for: Array(many.prefix(100))).patterns.count == 100)
    }

    @Test("the longest patterns of each kind against the longest lines")
    func longest() throws {
        let wide = String(repeating: "m", count: 1_000)
        let digits = String(repeating: "[0-9a-z]", count: 125)
        for (text, kind) in [(wide, PatternKind.plain), (wide, .exact), (digits, .expression)] {
            let matcher = Matcher(patterns: [try Pattern(text: text, kind: kind)])
            for read in ["m", "rn", "w", "vv "] { _ = matcher.matches(in: line(String(repeating: read, count: 4_000))) }
            let lines = (0..<50).map { _ in line(String(repeating: "m", count: 300)) }
            _ = matcher.matches(in: lines, blocks: .consecutive(lines.count))
        }
    }
}
