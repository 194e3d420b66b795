/// Runs a program over a line, all ways at once: time grows with the product of both lengths, never exponentially.
///
/// The threads of R. Pike's virtual machine (R. Cox, "Regular Expression Matching: the Virtual Machine Approach", 2009):
/// ways through the program are kept in the order in which a backtracking matcher would try them, so the match found is the one
/// that it would find: the leftmost, with the preferred alternatives.
struct ExpressionRun {
    private let program: ExpressionProgram
    private let line: FoldedLine
    private let symbols: [LineSymbol]
    /// For each step the last generation of threads that got there: only one of each comes to a step.
    private var visited: [Int]
    private var generation = 0
    private var stack: [Int] = []
    /// How many steps were taken in all: the measure of work.
    private(set) var work = 0
    /// The last position to which a beginning of a match reached.
    private(set) var farthest: (start: Int, end: Int)?

    /// A thread: where in the program, and where in the line its match began.
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

    /// At most this many steps are taken for one line: some times what one pass over it takes. Only expressions that look
    /// to the line's end from each of their many matches (`a.*b|a`) need more; of those the rest of the line is left out.
    static func bound(_ program: ExpressionProgram, _ count: Int) -> Int { 4 * program.steps.count * (count + 8) }

    /// Every match that takes something visible, none overlapping another, from left to right: ranges of symbols,
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

    /// The leftmost match that begins at `from` or later.
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
            // A later beginning is the last resort, and none at all once something was found.
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

    /// The next position whose character can begin a match.
    private mutating func nextStart(from position: Int) -> Int? {
        var position = position
        while position < symbols.count {
            work += 1
            if program.canBegin(with: symbols[position]) { return position }
            position += 1
        }
        return nil
    }

    /// Adds a thread for each character that can be taken next, following splits and jumps in order of preference.
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
