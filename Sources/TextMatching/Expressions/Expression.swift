import Errors

/// A regular expression, checked and ready to be searched for in lines.
struct Expression: Sendable {
    let program: ExpressionProgram
    /// Letters, in lower case, that stand side by side in every match; the longest such run, empty if there is none.
    let literal: [UInt32]

    /// - Throws: ``FramegrepError`` `badPattern`: says where `text` is wrong, and why.
    init(_ text: String, options: MatchOptions) throws {
        let syntax = try ExpressionParser.parse(text, caseSensitive: options.caseSensitive)
        guard syntax.weight <= ExpressionProgram.maximumSteps else {
            throw FramegrepError(
                .badPattern,
                "The regular expression is too large: its repetitions make more than \(ExpressionProgram.maximumSteps) steps of it; repeat less."
            )
        }
        guard syntax.canTakeSomething else {
            throw FramegrepError(
                .badPattern, "The regular expression matches no character, so there is nothing to search for.")
        }
        literal = syntax.literal
        program = ExpressionProgram(syntax, wholeWords: options.wholeWords)
    }

    /// Every place of the line where it matches.
    func spans(number: Int, in folded: FoldedLine, _ symbols: [LineSymbol]) -> [FoundSpan] {
        var run = ExpressionRun(program, over: symbols, of: folded)
        return run.matches().map { range in
            let end = range.upperBound < symbols.count ? symbols[range.upperBound].unit : folded.units.count
            let letters = folded.letters(ofUnits: symbols[range.lowerBound].unit..<end)
            return FoundSpan(
                number: number, letters: letters,
                score: MatchScore.score(ofReading: folded.letters[letters], source: folded.source))
        }
    }
}
