/// The characters that one position of an expression accepts.
struct SymbolSet: Sendable {
    /// A class defined by a property of its characters.
    enum Property: Hashable, Sendable {
        case any
        case digit
        case word
        case space
        /// The first letters of Unicode's general categories: L, Lu, N, Nd, …
        case category(String)
    }

    enum Member: Sendable {
        /// A character, as its folded and its unfolded scalar.
        case character(code: UInt32, glyph: UInt32, marks: [UInt32])
        case range(ClosedRange<UInt32>)
        case property(Property, isNegated: Bool)
        /// A class within a class.
        case set(SymbolSet)
    }

    let members: [Member]
    let isNegated: Bool
    /// Compares without regard to case.
    let ignoresCase: Bool
    /// The answers of ``slowlyContains(_:)`` for each ASCII character, by its glyph: nearly every query is about one.
    private let low: UInt64
    private let high: UInt64

    init(_ members: [Member], isNegated: Bool = false, ignoresCase: Bool) {
        self.members = members
        self.isNegated = isNegated
        self.ignoresCase = ignoresCase
        var bits: (UInt64, UInt64) = (0, 0)
        for value in UInt32(0)..<128 {
            let symbol = LineSymbol(code: Self.lowercase(value), glyph: value, unit: 0)
            guard Self.contains(symbol, members, ignoresCase) != isNegated else { continue }
            if value < 64 { bits.0 |= 1 << UInt64(value) } else { bits.1 |= 1 << UInt64(value - 64) }
        }
        (low, high) = bits
    }

    func contains(_ symbol: LineSymbol) -> Bool {
        if symbol.glyph < 128, symbol.marks.isEmpty {
            return symbol.glyph < 64
                ? low >> UInt64(symbol.glyph) & 1 == 1 : high >> UInt64(symbol.glyph - 64) & 1 == 1
        }
        return Self.contains(symbol, members, ignoresCase) != isNegated
    }

    private static func contains(_ symbol: LineSymbol, _ members: [Member], _ ignoresCase: Bool) -> Bool {
        members.contains { member in
            switch member {
            case .character(let code, let glyph, let marks):
                return (ignoresCase ? code == folded(symbol) : glyph == symbol.glyph) && marks == symbol.marks
            case .range(let range):
                guard symbol.marks.isEmpty else { return false }
                if range.contains(symbol.glyph) { return true }
                guard ignoresCase else { return false }
                return range.contains(symbol.code) || range.contains(lowercase(symbol.glyph))
                    || range.contains(uppercase(symbol.glyph))
            case .property(let property, let isNegated):
                return has(property, symbol) != isNegated
            case .set(let set):
                return set.contains(symbol)
            }
        }
    }

    /// Case-sensitive lines were not case-folded, but `(?i)` requires it.
    private static func folded(_ symbol: LineSymbol) -> UInt32 {
        symbol.code == symbol.glyph ? lowercase(symbol.code) : symbol.code
    }

    private static func has(_ property: Property, _ symbol: LineSymbol) -> Bool {
        switch property {
        case .any: true
        case .space: symbol.isGap
        case .word: symbol.isWordPart
        case .digit:
            symbol.glyph < 128
                ? (0x30...0x39).contains(symbol.glyph)
                : Unicode.Scalar(symbol.glyph)?.properties.generalCategory == .decimalNumber
        case .category(let name): category(of: symbol.glyph).hasPrefix(name)
        }
    }

    static func lowercase(_ value: UInt32) -> UInt32 {
        if value < 128 { return (0x41...0x5A).contains(value) ? value + 0x20 : value }
        let mapped = Unicode.Scalar(value)?.properties.lowercaseMapping.unicodeScalars
        return mapped?.count == 1 ? mapped?.first?.value ?? value : value
    }

    private static func uppercase(_ value: UInt32) -> UInt32 {
        if value < 128 { return (0x61...0x7A).contains(value) ? value - 0x20 : value }
        let mapped = Unicode.Scalar(value)?.properties.uppercaseMapping.unicodeScalars
        return mapped?.count == 1 ? mapped?.first?.value ?? value : value
    }

    /// Returns the short name of a scalar's general category (Unicode Standard, section 4.5).
    private static func category(of value: UInt32) -> String {
        guard let scalar = Unicode.Scalar(value) else { return "Cs" }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: "Cn"
        @unknown default: "Cn"
        }
    }
}

/// Finds expressions in folded lines; runs only those whose letters occur in the line.
///
/// Most expressions have letters that every match must have (``Expression/literal``). These are looked for all at once,
/// so that the time for a line grows with its length and not with the number of expressions.
struct ExpressionSearch: Sendable {
    private let expressions: [(number: Int, expression: Expression)]
    private let literals: SkeletonAutomaton
    /// The expressions that have no such letters, as indices.
    private let others: [Int]

    var isEmpty: Bool { expressions.isEmpty }

    /// - Parameter expressions: the expressions, with the number under which ``spans(in:)`` reports each.
    init(_ expressions: [(number: Int, expression: Expression)]) {
        self.expressions = expressions
        others = expressions.indices.filter { expressions[$0].expression.literal.isEmpty }
        literals = SkeletonAutomaton(
            expressions.indices.map { (number: $0, skeleton: expressions[$0].expression.literal) }
                .filter { !$0.skeleton.isEmpty })
    }

    func spans(in folded: FoldedLine) -> [FoundSpan] {
        var chosen = Set(others)
        if !literals.isEmpty {
            literals.places(in: folded.units.map { SymbolSet.lowercase($0.code) }) { index, _ in chosen.insert(index) }
        }
        guard !chosen.isEmpty else { return [] }
        let symbols = folded.symbols
        return chosen.sorted().flatMap { index in
            expressions[index].expression.spans(number: expressions[index].number, in: folded, symbols)
        }
    }
}

extension ExpressionSyntax {
    /// See ``Expression/literal``.
    var literal: [UInt32] {
        var run: [UInt32] = []
        var longest: [UInt32] = []
        collect(&run, &longest)
        return run.count > longest.count ? run : longest
    }

    /// - Parameters:
    ///   - run: the letters that end here.
    ///   - longest: the longest run that has ended.
    private func collect(_ run: inout [UInt32], _ longest: inout [UInt32]) {
        switch self {
        case .empty, .assertion: return
        case .symbol(let set):
            if let letter = set.letter { run.append(letter) } else { Self.end(&run, &longest) }
        case .sequence(let parts): for part in parts { part.collect(&run, &longest) }
        case .choice: Self.end(&run, &longest)
        case .repeated(let body, let least, _, _):
            Self.end(&run, &longest)
            if least > 0 { body.collect(&run, &longest) }
            Self.end(&run, &longest)
        }
    }

    private static func end(_ run: inout [UInt32], _ longest: inout [UInt32]) {
        if run.count > longest.count { longest = run }
        run = []
    }
}

extension SymbolSet {
    /// The one letter that it accepts, in lowercase; nil if it accepts others or none, or letters with marks.
    fileprivate var letter: UInt32? {
        guard !isNegated, members.count == 1, case .character(let code, _, let marks) = members[0], marks.isEmpty else {
            return nil
        }
        return SymbolSet.lowercase(code)
    }
}

/// One character of a folded line as expressions see it: a letter with the marks that belong to it, or a gap.
struct LineSymbol: Sendable {
    /// The folded scalar; a space for a gap.
    var code: UInt32
    /// The scalar before case folding.
    var glyph: UInt32
    /// Vowel signs, viramas and other marks that make one character with it; usually none.
    var marks: [UInt32] = []
    /// The index of its first unit in the line; for a gap, that of the unit after it.
    var unit: Int

    static let gapCode: UInt32 = 0x20

    var isGap: Bool { code == Self.gapCode }
    var isWordPart: Bool { !isGap && FoldedLine.isWordPart(glyph) }
}

extension FoldedLine {
    /// The line as a sequence of characters, with a gap before each word but the first.
    var symbols: [LineSymbol] {
        var result: [LineSymbol] = []
        result.reserveCapacity(units.count + units.count / 4)
        for (index, unit) in units.enumerated() {
            if unit.afterGap, index > 0 {
                result.append(LineSymbol(code: LineSymbol.gapCode, glyph: LineSymbol.gapCode, unit: index))
            } else if index > 0, units[index - 1].character == unit.character, Self.isMark(unit.code) {
                result[result.count - 1].marks.append(unit.code)
                continue
            }
            result.append(LineSymbol(code: unit.code, glyph: unit.glyph, unit: index))
        }
        return result
    }

    /// Returns whether a scalar combines with the letter before it.
    static func isMark(_ value: UInt32) -> Bool {
        guard value >= 0x300, let scalar = Unicode.Scalar(value) else { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
