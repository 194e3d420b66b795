import Errors

/// Parses a regular expression in the syntax of Swift's `Regex`, except for parts that cannot be searched for in linear
/// time.
///
/// Supported: characters and escapes, `.`, classes, `^ $ \A \z \b \B`, groups (named or not), alternatives, the
/// quantifiers `* + ? {n} {n,} {n,m}` and their lazy forms, `(?i)`. Rejected with a message: everything that needs the
/// history of the match (look-around, back-references, atomic groups, possessive quantifiers), and anything unknown to
/// this engine.
struct ExpressionParser {
    /// The deepest nesting of groups, for each of which the parser calls itself.
    static let deepestNesting = 100
    /// The highest count of a quantifier.
    static let highestCount = 1_000

    let text: [Character]
    let folding: TextFolding
    var position = 0
    var ignoresCase: Bool
    private var depth = 0

    /// - Throws: ``FramegrepError`` `badPattern`: with the position and the reason.
    static func parse(_ text: String, caseSensitive: Bool) throws -> ExpressionSyntax {
        var parser = ExpressionParser(text, caseSensitive: caseSensitive)
        let syntax = try parser.alternatives()
        if parser.peek == ")" { throw parser.failure("the parenthesis closes no group; write \\) for the character") }
        return syntax
    }

    private init(_ text: String, caseSensitive: Bool) {
        self.text = Array(text)
        folding = TextFolding(caseSensitive: caseSensitive)
        ignoresCase = !caseSensitive
    }

    // MARK: Characters

    var peek: Character? { position < text.count ? text[position] : nil }

    func peek(after count: Int) -> Character? { position + count < text.count ? text[position + count] : nil }

    mutating func take(_ wanted: String) -> Bool {
        let wanted = Array(wanted)
        guard text.dropFirst(position).starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    /// Makes an error for `position` (default: here), a sentence that begins with the place.
    func failure(_ reason: String, at place: Int? = nil) -> FramegrepError {
        let place = min(place ?? position, text.count)
        let rest = String(text[place...].prefix(12))
        let here =
            place >= text.count
            ? "at its end" : "at character \(place + 1) ('\(rest)\(text.count - place > 12 ? "…" : "")')"
        return FramegrepError(.badPattern, "The regular expression is wrong \(here): \(reason).")
    }

    // MARK: Structure

    private mutating func alternatives() throws -> ExpressionSyntax {
        // `(?i)` applies to the end of its group, across alternatives.
        let outer = ignoresCase
        defer { ignoresCase = outer }
        var choices = [try sequence()]
        while take("|") { choices.append(try sequence()) }
        return choices.count == 1 ? choices[0] : .choice(choices)
    }

    private mutating func sequence() throws -> ExpressionSyntax {
        var parts: [ExpressionSyntax] = []
        var lastWasSpace = false
        while let next = peek, next != "|", next != ")" {
            let begin = position
            let isSpace = next.isWhitespace
            guard let atom = try atom() else { continue }
            let quantified = try quantified(atom, from: begin)
            // There is one gap between two words, however many spaces the expression has.
            if isSpace, lastWasSpace, case .symbol = quantified { continue }
            lastWasSpace = isSpace
            parts.append(quantified)
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    /// Parses one thing that a quantifier can follow; nil for a comment or an option such as `(?i)`.
    private mutating func atom() throws -> ExpressionSyntax? {
        let begin = position
        guard let character = peek else { return nil }
        position += 1
        switch character {
        case ".": return .symbol(SymbolSet([.property(.any, isNegated: false)], ignoresCase: false))
        case "^": return .assertion(.lineStart)
        case "$": return .assertion(.lineEnd)
        case "[": return .symbol(try characterClass(from: begin))
        case "(": return try group(from: begin)
        case "\\": return try escape(from: begin)
        case "*", "+", "?":
            throw failure(
                "there is nothing before the \(character) to repeat; write \\\(character) for the character", at: begin)
        default: return literal(character)
        }
    }

    /// Returns a folded character; ß becomes two.
    func literal(_ character: Character) -> ExpressionSyntax {
        let members = self.members(for: character)
        let parts = members.map { ExpressionSyntax.symbol(SymbolSet([$0], ignoresCase: ignoresCase)) }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    /// The folded form of a character; empty for an invisible one.
    func members(for character: Character) -> [SymbolSet.Member] {
        if character.isWhitespace { return [.property(.space, isNegated: false)] }
        var members: [(code: UInt32, glyph: UInt32, marks: [UInt32])] = []
        for unit in folding.fold(String(character)).units {
            if FoldedLine.isMark(unit.code), !members.isEmpty {
                members[members.count - 1].marks.append(unit.code)
            } else {
                let code = ignoresCase ? SymbolSet.lowercase(unit.code) : unit.code
                members.append((code, unit.glyph, []))
            }
        }
        return members.map { .character(code: $0.code, glyph: $0.glyph, marks: $0.marks) }
    }

    private mutating func group(from begin: Int) throws -> ExpressionSyntax? {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepestNesting else {
            throw failure("groups nest more than \(Self.deepestNesting) deep", at: begin)
        }
        let outer = ignoresCase
        if take("?") {
            if take("#") {
                while let next = peek, next != ")" {
                    _ = next
                    position += 1
                }
                guard take(")") else { throw failure("the comment is not closed", at: begin) }
                return nil
            }
            guard try groupKind(from: begin) else { return nil }
        }
        let body = try alternatives()
        ignoresCase = outer
        guard take(")") else { throw failure("the group is not closed; write \\( for the character", at: begin) }
        return body
    }

    /// Parses the text after `(?`; returns false if there is nothing else, as in `(?i)`.
    private mutating func groupKind(from begin: Int) throws -> Bool {
        for (mark, name) in [
            ("=", "look-ahead"), ("!", "look-ahead"), ("<=", "look-behind"), ("<!", "look-behind"),
            (">", "an atomic group"), ("(", "a conditional group"), ("|", "a branch reset"), ("*", "look-around"),
        ] where take(mark) {
            throw failure("\(name) cannot be searched for, because its cost has no bound", at: begin)
        }
        if take(":") { return true }
        if take("P<") || take("<") || take("'") {
            var name = ""
            while let next = peek, next.isLetter || next.isNumber || next == "_" {
                name.append(next)
                position += 1
            }
            guard !name.isEmpty, take(">") || take("'") else {
                throw failure("the group's name is not closed", at: begin)
            }
            return true
        }
        var isOn = true
        while let flag = peek {
            position += 1
            switch flag {
            case "i": ignoresCase = isOn
            // A line contains no line breaks, so these options change nothing.
            case "s", "m", "n": continue
            case "-": isOn = false
            case ":": return true
            case ")": return false
            default: throw failure("the option '\(flag)' is not known; (?i) and (?-i) are", at: position - 1)
            }
        }
        throw failure("the group is not closed; write \\( for the character", at: begin)
    }

    // MARK: Quantifiers

    private mutating func quantified(_ atom: ExpressionSyntax, from begin: Int) throws -> ExpressionSyntax {
        var result = atom
        var isFirst = true
        while let (least, most) = try quantifier() {
            guard isFirst else {
                throw failure("a quantifier follows a quantifier; put the first into a group", at: position - 1)
            }
            isFirst = false
            let isGreedy = !take("?")
            if peek == "+" {
                throw failure("a possessive quantifier cannot be searched for; leave the second + out")
            }
            result = .repeated(atom, least: least, most: most, isGreedy: isGreedy)
            guard result.weight <= ExpressionProgram.maximumSteps else {
                throw failure(
                    "its repetitions multiply to more than \(ExpressionProgram.maximumSteps) steps; repeat less",
                    at: begin)
            }
        }
        return result
    }

    /// Parses the quantifier here; returns nil if there is none.
    private mutating func quantifier() throws -> (least: Int, most: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        let begin = position
        guard take("{") else { return nil }
        let least = number()
        var most = least
        if take(",") {
            most = number()
            guard least != nil || most != nil, take("}") else { return literalBrace(begin) }
        } else {
            guard least != nil, take("}") else { return literalBrace(begin) }
            guard let least, least <= Self.highestCount else { throw tooOften(begin) }
            return (least, least)
        }
        guard least ?? 0 <= Self.highestCount, most ?? 0 <= Self.highestCount else { throw tooOften(begin) }
        if let most, most < least ?? 0 { throw failure("its greatest count is below its least", at: begin) }
        return (least ?? 0, most)
    }

    /// Treats a brace that begins no count as a character.
    private mutating func literalBrace(_ begin: Int) -> (least: Int, most: Int?)? {
        position = begin
        return nil
    }

    private func tooOften(_ begin: Int) -> FramegrepError {
        failure("a repetition counts at most to \(Self.highestCount)", at: begin)
    }

    /// Parses digits as a number; one that is too large counts as one more than the limit.
    private mutating func number() -> Int? {
        var value: Int?
        while let digit = peek?.wholeNumberValue, peek?.isASCII == true {
            value = min((value ?? 0) * 10 + digit, Self.highestCount + 1)
            position += 1
        }
        return value
    }
}

/// A parsed regular expression.
indirect enum ExpressionSyntax: Sendable {
    case empty
    /// One character.
    case symbol(SymbolSet)
    case assertion(ExpressionAssertion)
    case sequence([ExpressionSyntax])
    /// Alternatives, of which the first that matches counts.
    case choice([ExpressionSyntax])
    /// - `most`: nil for any number.
    case repeated(ExpressionSyntax, least: Int, most: Int?, isGreedy: Bool)

    /// An upper bound on the steps of its program and on the work of compiling it. It is known beforehand, so that
    /// nested repetitions cannot exhaust time or memory.
    var weight: Int {
        switch self {
        case .empty, .symbol, .assertion: return 1
        case .sequence(let parts), .choice(let parts):
            return parts.reduce(1) { Self.sum($0, Self.sum($1.weight, 2)) }
        case .repeated(let body, let least, let most, _):
            let (weight, overflow) = Self.sum(body.weight, 1).multipliedReportingOverflow(by: most ?? least + 1)
            return overflow ? .max : Self.sum(weight, 1)
        }
    }

    /// Whether it can consume at least one character.
    var canTakeSomething: Bool {
        switch self {
        case .empty, .assertion: false
        case .symbol: true
        case .sequence(let parts), .choice(let parts): parts.contains(where: \.canTakeSomething)
        case .repeated(let body, _, let most, _): most != 0 && body.canTakeSomething
        }
    }

    private static func sum(_ a: Int, _ b: Int) -> Int {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}

/// A condition between two characters.
enum ExpressionAssertion: Sendable, Hashable {
    case lineStart
    case lineEnd
    /// A word begins or ends here: `\b`.
    case wordBoundary
    case notWordBoundary
    /// No word continues across this position; `-w` requires that at both ends.
    case edge
}
