import Errors

/// A regular expression as steps for ``ExpressionRun`` (K. Thompson, "Regular expression search algorithm", 1968).
struct ExpressionProgram: Sendable {
    enum Step: Sendable {
        /// Takes one character of the set with this index.
        case take(Int)
        case check(ExpressionAssertion)
        /// Goes on at both, the first one is preferred.
        case split(Int, Int)
        case jump(Int)
        case match
    }

    /// More steps than this have repetitions that multiply; see ``ExpressionSyntax/weight``.
    static let maximumSteps = 5_000

    private(set) var steps: [Step] = []
    private(set) var sets: [SymbolSet] = []
    /// The characters that a match can begin with.
    private var firsts = SymbolSet([], ignoresCase: false)

    /// - Parameter syntax: of a ``ExpressionSyntax/weight`` of at most ``maximumSteps``.
    init(_ syntax: ExpressionSyntax, wholeWords: Bool) {
        if wholeWords { steps.append(.check(.edge)) }
        emit(syntax)
        if wholeWords { steps.append(.check(.edge)) }
        steps.append(.match)
        firsts = SymbolSet(reachableSets().map { .set(sets[$0]) }, ignoresCase: false)
    }

    /// A match can begin with this character; where it cannot, nothing has to be tried.
    func canBegin(with symbol: LineSymbol) -> Bool { firsts.contains(symbol) }

    private mutating func emit(_ syntax: ExpressionSyntax) {
        switch syntax {
        case .empty: return
        case .symbol(let set):
            sets.append(set)
            steps.append(.take(sets.count - 1))
        case .assertion(let assertion): steps.append(.check(assertion))
        case .sequence(let parts): for part in parts { emit(part) }
        case .choice(let parts): emit(choice: parts)
        case .repeated(let body, let least, let most, let isGreedy):
            emit(body, least: least, most: most, isGreedy: isGreedy)
        }
    }

    private mutating func emit(choice parts: [ExpressionSyntax]) {
        var jumps: [Int] = []
        for (index, part) in parts.enumerated() {
            guard index + 1 < parts.count else {
                emit(part)
                break
            }
            let split = append(.split(0, 0))
            emit(part)
            jumps.append(append(.jump(0)))
            steps[split] = .split(split + 1, steps.count)
        }
        for jump in jumps { steps[jump] = .jump(steps.count) }
    }

    private mutating func emit(_ body: ExpressionSyntax, least: Int, most: Int?, isGreedy: Bool) {
        for _ in 0..<least { emit(body) }
        guard let most else {
            // Once more, or on: the loop's head decides.
            let split = append(.split(0, 0))
            emit(body)
            steps.append(.jump(split))
            steps[split] = Self.split(into: split + 1, past: steps.count, isGreedy)
            return
        }
        var splits: [Int] = []
        for _ in least..<max(least, most) {
            splits.append(append(.split(0, 0)))
            emit(body)
        }
        for split in splits { steps[split] = Self.split(into: split + 1, past: steps.count, isGreedy) }
    }

    private static func split(into body: Int, past end: Int, _ isGreedy: Bool) -> Step {
        isGreedy ? .split(body, end) : .split(end, body)
    }

    private mutating func append(_ step: Step) -> Int {
        steps.append(step)
        return steps.count - 1
    }

    /// The sets that the first character taken can be of, whatever is asserted before it.
    private func reachableSets() -> [Int] {
        var found: [Int] = []
        var seen = [Bool](repeating: false, count: steps.count)
        var waiting = [0]
        while let step = waiting.popLast() {
            guard !seen[step] else { continue }
            seen[step] = true
            switch steps[step] {
            case .take(let set): found.append(set)
            case .check: waiting.append(step + 1)
            case .split(let first, let second): waiting += [first, second]
            case .jump(let target): waiting.append(target)
            case .match: break
            }
        }
        return found
    }
}

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
