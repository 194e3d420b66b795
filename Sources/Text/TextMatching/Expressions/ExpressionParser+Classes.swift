extension ExpressionParser {
    /// Parses a backslash and the characters after it.
    mutating func escape(from begin: Int) throws -> ExpressionSyntax {
        guard let character = peek else { throw failure("there is nothing after the backslash", at: begin) }
        switch character {
        case "b": return assertion(.wordBoundary)
        case "B": return assertion(.notWordBoundary)
        case "A": return assertion(.lineStart)
        case "z", "Z": return assertion(.lineEnd)
        case "Q":
            position += 1
            var parts: [ExpressionSyntax] = []
            while let next = peek, !take("\\E") {
                position += 1
                parts.append(literal(next))
            }
            return .sequence(parts)
        case "X", "N", "O":
            position += 1
            return .symbol(SymbolSet([.property(.any, isNegated: false)], ignoresCase: false))
        case "1"..."9", "k", "g":
            throw failure("a back-reference cannot be searched for, because its cost has no bound", at: begin)
        case "G", "K", "R", "C":
            throw failure("\\\(character) is not known here", at: begin)
        default: break
        }
        if let property = try property(from: begin) { return .symbol(SymbolSet([property], ignoresCase: ignoresCase)) }
        return literal(try escapedCharacter(from: begin))
    }

    private mutating func assertion(_ assertion: ExpressionAssertion) -> ExpressionSyntax {
        position += 1
        return .assertion(assertion)
    }

    /// `\d`, `\w`, `\s`, `\h` and their opposites, and `\p{…}`; nil for any other escape.
    private mutating func property(from begin: Int) throws -> SymbolSet.Member? {
        guard let character = peek else { return nil }
        switch character {
        case "d", "D", "w", "W", "s", "S", "h", "H", "v", "V":
            position += 1
            let name = Character(character.lowercased())
            let property: SymbolSet.Property = name == "d" ? .digit : name == "w" ? .word : .space
            return .property(property, isNegated: character.isUppercase)
        case "p", "P":
            position += 1
            guard take("{") else { throw failure("\\\(character) wants a category, as in \\p{Lu}", at: begin) }
            let isNegated = take("^") != (character == "P")
            var name = ""
            while let next = peek, next != "}", name.count < 40 {
                name.append(next)
                position += 1
            }
            guard take("}") else { throw failure("the category is not closed by a brace", at: begin) }
            guard let category = Self.categories[name.lowercased()] else {
                throw failure(
                    "the category is not known; general categories are (L, Lu, Ll, N, Nd, P, S, …)", at: begin)
            }
            return .property(.category(category), isNegated: isNegated)
        default: return nil
        }
    }

    private static let categories: [String: String] = {
        var known: [String: String] = [
            "letter": "L", "alphabetic": "L", "uppercase": "Lu", "lowercase": "Ll", "mark": "M", "number": "N",
            "digit": "Nd", "punctuation": "P", "symbol": "S", "separator": "Z",
        ]
        for name in [
            "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps",
            "Pe",
            "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Cn", "Co",
        ] { known[name.lowercased()] = name }
        return known
    }()

    /// Returns the character for `\n`, `\x41`, `\u{1F600}` or a backslash before a mark.
    private mutating func escapedCharacter(from begin: Int) throws -> Character {
        guard let character = peek else { throw failure("there is nothing after the backslash", at: begin) }
        position += 1
        switch character {
        case "n", "r", "t", "f", "a", "e", "0": return " "
        case "x": return try codePoint(digits: 2, from: begin)
        case "u": return try codePoint(digits: 4, from: begin)
        case "U": return try codePoint(digits: 8, from: begin)
        default:
            guard !character.isLetter, !character.isNumber else {
                throw failure("\\\(character) is not known", at: begin)
            }
            return character
        }
    }

    private mutating func codePoint(digits: Int, from begin: Int) throws -> Character {
        var hex = ""
        let isBraced = take("{")
        while let next = peek, next.isHexDigit, next.isASCII, hex.count < (isBraced ? 8 : digits) {
            hex.append(next)
            position += 1
        }
        guard isBraced ? take("}") : hex.count == digits, let value = UInt32(hex, radix: 16),
            let scalar = Unicode.Scalar(value)
        else { throw failure("it names no character of Unicode", at: begin) }
        return Character(scalar)
    }

    /// Parses a class: the text between brackets.
    mutating func characterClass(from begin: Int) throws -> SymbolSet {
        let isNegated = take("^")
        var members: [SymbolSet.Member] = []
        var isFirst = true
        while let next = peek, next != "]" || isFirst {
            isFirst = false
            let here = position
            if take("[:") {
                members.append(try namedClass(from: here))
            } else if take("[") {
                throw failure("a class within a class is not known; write \\[ for the character", at: here)
            } else if ["&&", "--", "~~"].contains(where: { take($0) }) {
                throw failure("operations on classes are not known; write \\ before the character", at: here)
            } else {
                try members.append(contentsOf: memberOrRange(from: here))
            }
        }
        guard take("]") else { throw failure("the class is not closed; write \\[ for the character", at: begin) }
        guard !members.isEmpty else { throw failure("the class has nothing in it", at: begin) }
        return SymbolSet(members, isNegated: isNegated, ignoresCase: ignoresCase)
    }

    private mutating func memberOrRange(from begin: Int) throws -> [SymbolSet.Member] {
        var lower = text[position]
        position += 1
        if lower == "\\" {
            if let property = try property(from: begin) { return [property] }
            lower = try escapedCharacter(from: begin)
        }
        guard peek == "-", let after = peek(after: 1), after != "]" else { return members(for: lower) }
        position += 1
        var upper = text[position]
        position += 1
        if upper == "\\" { upper = try escapedCharacter(from: position - 1) }
        guard let low = lower.unicodeScalars.first?.value, let high = upper.unicodeScalars.first?.value,
            lower.unicodeScalars.count == 1, upper.unicodeScalars.count == 1
        else { throw failure("a range goes from one character to another", at: begin) }
        guard low <= high else { throw failure("the range's end comes before its beginning", at: begin) }
        // Lines are folded, so letters with marks in a range are too.
        var result = [SymbolSet.Member.range(low...high)]
        for value in max(low, 0x80)..<max(low, 0x80, min(high, 0x600) + 1) {
            if let scalar = Unicode.Scalar(value) { result += members(for: Character(scalar)) }
        }
        return result
    }

    /// `[:alpha:]` and its like, after `[:`.
    private mutating func namedClass(from begin: Int) throws -> SymbolSet.Member {
        var name = ""
        while let next = peek, next.isLetter, next.isASCII {
            name.append(next)
            position += 1
        }
        guard take(":]") else { throw failure("the named class is not closed by :]", at: begin) }
        switch name {
        case "digit": return .property(.digit, isNegated: false)
        case "space", "blank": return .property(.space, isNegated: false)
        case "word": return .property(.word, isNegated: false)
        case "alpha": return .property(.category("L"), isNegated: false)
        case "upper": return .property(.category(ignoresCase ? "L" : "Lu"), isNegated: false)
        case "lower": return .property(.category(ignoresCase ? "L" : "Ll"), isNegated: false)
        case "punct": return .property(.category("P"), isNegated: false)
        case "alnum":
            return .set(
                SymbolSet(
                    [.property(.category("L"), isNegated: false), .property(.digit, isNegated: false)],
                    ignoresCase: false))
        case "xdigit":
            return .set(SymbolSet([.range(0x30...0x39), .range(0x61...0x66), .range(0x41...0x46)], ignoresCase: false))
        default:
            throw failure(
                "this named class is not known; alpha, digit, alnum, upper, lower, punct, space are", at: begin)
        }
    }
}
