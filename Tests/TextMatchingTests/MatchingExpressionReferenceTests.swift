import Testing

@testable import TextMatching

/// Compares random expressions with Swift's own `Regex`: the matches are the same, leftmost and with the same
/// preferences.
@Suite("Matching: expressions beside Swift's Regex")
struct MatchingExpressionReferenceTests {
    /// Generates the same numbers each time (a linear congruential generator, D. Knuth's constants).
    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    private func expression(_ dice: inout Dice, _ depth: Int) -> String {
        let choice = Int.random(in: 0..<(depth > 0 ? 10 : 4), using: &dice)
        switch choice {
        case 0, 1: return ["a", "b", "c", "1"].randomElement(using: &dice) ?? "a"
        case 2: return [".", "[ab]", "[^a]", "\\d", "\\w"].randomElement(using: &dice) ?? "."
        case 3: return ["\\b", "\\B", "a", "b"].randomElement(using: &dice) ?? "b"
        case 4, 5: return expression(&dice, depth - 1) + expression(&dice, depth - 1)
        case 6: return "(?:\(expression(&dice, depth - 1))|\(expression(&dice, depth - 1)))"
        default:
            let mark =
                ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?", "{1,}"].randomElement(using: &dice) ?? "*"
            // A repeated part consumes something, because backtracking matchers and this one differ about empty
            // repetitions.
            let letter = ["a", "b", "[^b]"].randomElement(using: &dice) ?? "a"
            return "(?:\(letter)\(expression(&dice, depth - 1)))\(mark)"
        }
    }

    @Test("the same matches", arguments: 0..<4)
    func same(seed: UInt64) throws {
        var dice = Dice(state: seed &* 7919 &+ 3)
        var compared = 0
        for _ in 0..<400 {
            // It begins with a letter, so that no match is empty.
            let text = ["a", "(?:a|b)", "[ab]"].randomElement(using: &dice) ?? "a"
            let pattern = text + expression(&dice, 3)
            let read = (0..<Int.random(in: 1...12, using: &dice)).map { _ in
                ["a", "b", "c", "1"].randomElement(using: &dice) ?? "a"
            }.joined()
            let reference = try Regex(pattern).wordBoundaryKind(.simple)
            let expected = read.matches(of: reference).map { String(read[$0.range]) }
            let found = try Expression(pattern, options: MatchOptions())
            let folded = FoldedLine(line(read), folding: TextFolding(caseSensitive: false))
            let spans = found.spans(number: 0, in: folded, folded.symbols)
            let characters = Array(read)
            #expect(spans.map { String(characters[$0.letters]) } == expected, "\(pattern) in \(read)")
            compared += expected.isEmpty ? 0 : 1
        }
        #expect(compared > 100)
    }
}
