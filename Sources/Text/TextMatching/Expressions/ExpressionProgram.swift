import Errors

/// A regular expression as steps for ``ExpressionRun`` (K. Thompson, "Regular expression search algorithm", 1968).
struct ExpressionProgram: Sendable {
    enum Step: Sendable {
        /// Consumes one character of the set with this index.
        case take(Int)
        case check(ExpressionAssertion)
        /// Continues at both; the first one is preferred.
        case split(Int, Int)
        case jump(Int)
        case match
    }

    /// The largest number of steps, which only multiplied repetitions exceed; see ``ExpressionSyntax/weight``.
    static let maximumSteps = 5_000

    private(set) var steps: [Step] = []
    private(set) var sets: [SymbolSet] = []
    /// The characters that a match can begin with.
    private var firsts = SymbolSet([], ignoresCase: false)

    /// - Parameter syntax: its ``ExpressionSyntax/weight`` must be at most ``maximumSteps``.
    init(_ syntax: ExpressionSyntax, wholeWords: Bool) {
        if wholeWords { steps.append(.check(.edge)) }
        emit(syntax)
        if wholeWords { steps.append(.check(.edge)) }
        steps.append(.match)
        firsts = SymbolSet(reachableSets().map { .set(sets[$0]) }, ignoresCase: false)
    }

    /// Returns whether a match can begin with this character; if not, nothing needs to be tried there.
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
            // The head of the loop decides whether to repeat or continue.
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

    /// Returns the sets that may contain the first character consumed, ignoring assertions before it.
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
    /// The longest run of letters, in lowercase, that every match contains; empty if there is none.
    let literal: [UInt32]

    /// - Throws: ``FramegrepError`` `badPattern`: with the position of the error in `text` and the reason.
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

    /// Returns all places of the line at which it matches.
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

/// Runs a program over a line, following all paths at once: time grows with the product of both lengths, never
/// exponentially.
///
/// It uses the threads of R. Pike's virtual machine (R. Cox, "Regular Expression Matching: the Virtual Machine
/// Approach", 2009): paths through the program are kept in the order in which a backtracking matcher would try them, so
/// it finds the same match: the leftmost, with the preferred alternatives.
struct ExpressionRun {
    private let program: ExpressionProgram
    private let line: FoldedLine
    private let symbols: [LineSymbol]
    /// For each step, the last generation of threads that reached it: only one thread of each generation may.
    private var visited: [Int]
    private var generation = 0
    private var stack: [Int] = []
    /// The total number of steps, which measures the work.
    private(set) var work = 0
    /// The last position that a partial match has reached.
    private(set) var farthest: (start: Int, end: Int)?

    /// A thread: its place in the program, and the place in the line at which its match began.
    private struct Thread {
        var step: Int
        var start: Int
    }

    /// - Parameter symbols: the line's ``FoldedLine/symbols``.
    init(_ program: ExpressionProgram, over symbols: [LineSymbol], of line: FoldedLine) {
        self.program = program
        self.symbols = symbols
        self.line = line
        visited = [Int](repeating: 0, count: program.steps.count)
    }

    /// Returns the largest number of steps for one line: a few times that of one pass over it. Only expressions that
    /// scan to the end of the line from each of many matches (`a.*b|a`) need more; for those the rest of the line is
    /// left out.
    static func bound(_ program: ExpressionProgram, _ count: Int) -> Int { 4 * program.steps.count * (count + 8) }

    /// Returns every match that contains something visible, without overlaps, from left to right: ranges of symbols,
    /// without gaps at their ends.
    mutating func matches() -> [Range<Int>] {
        let bound = Self.bound(program, symbols.count)
        var found: [Range<Int>] = []
        var from = 0
        while from < symbols.count, work < bound {
            guard let match = next(from: from) else { break }
            from = max(match.upperBound, match.lowerBound + 1)
            var visible = match
            while let first = visible.first, symbols[first].isGap { visible = visible.dropFirst() }
            while let last = visible.last, symbols[last].isGap { visible = visible.dropLast() }
            if !visible.isEmpty { found.append(visible) }
        }
        return found
    }

    /// Returns the leftmost match that begins at `from` or later.
    private mutating func next(from: Int) -> Range<Int>? {
        var current: [Thread] = []
        var following: [Thread] = []
        var found: Range<Int>?
        generation += 2
        var position = from
        while position <= symbols.count {
            if current.isEmpty {
                guard found == nil, let start = nextStart(from: position) else { break }
                position = start
            }
            // A later beginning has the lowest priority, and is not tried once a match was found.
            if found == nil { add(0, start: position, at: position, generation, to: &current) }
            following.removeAll(keepingCapacity: true)
            threads: for thread in current {
                work += 1
                switch program.steps[thread.step] {
                case .take(let set):
                    guard position < symbols.count, program.sets[set].contains(symbols[position]) else { continue }
                    if position >= farthest?.end ?? -1 { farthest = (thread.start, position + 1) }
                    add(thread.step + 1, start: thread.start, at: position + 1, generation + 1, to: &following)
                case .match:
                    // Empty matches are ignored: a less preferred thread may still match something.
                    guard position > thread.start else { continue }
                    found = thread.start..<position
                    break threads
                default: continue
                }
            }
            swap(&current, &following)
            position += 1
            generation += 1
        }
        return found
    }

    /// Returns the next position at which a match can begin.
    private mutating func nextStart(from position: Int) -> Int? {
        var position = position
        while position < symbols.count {
            work += 1
            if program.canBegin(with: symbols[position]) { return position }
            position += 1
        }
        return nil
    }

    /// Adds a thread for each character that can be consumed next, following splits and jumps in order of preference.
    private mutating func add(
        _ step: Int, start: Int, at position: Int, _ generation: Int, to threads: inout [Thread]
    ) {
        stack.append(step)
        while let step = stack.popLast() {
            guard visited[step] != generation else { continue }
            visited[step] = generation
            work += 1
            switch program.steps[step] {
            case .take, .match: threads.append(Thread(step: step, start: start))
            case .jump(let target): stack.append(target)
            case .split(let first, let second):
                stack.append(second)
                stack.append(first)
            case .check(let assertion): if holds(assertion, at: position) { stack.append(step + 1) }
            }
        }
    }

    private func holds(_ assertion: ExpressionAssertion, at position: Int) -> Bool {
        switch assertion {
        case .lineStart: return position == 0
        case .lineEnd: return position == symbols.count
        case .wordBoundary: return isBetweenWordAndOther(position)
        case .notWordBoundary: return !isBetweenWordAndOther(position)
        case .edge:
            return position == 0 || position == symbols.count || symbols[position - 1].isGap
                || symbols[position].isGap || line.isBoundary(symbols[position].unit)
        }
    }

    private func isBetweenWordAndOther(_ position: Int) -> Bool {
        let before = position > 0 && symbols[position - 1].isWordPart
        let after = position < symbols.count && symbols[position].isWordPart
        return before != after
    }
}
