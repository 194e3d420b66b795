extension ContentKind {
    /// The rule where things are to be hidden: besides what ``rule`` finds it takes what is incomplete, cut off or partly covered, because a bar
    /// too many costs less than one too few.
    var ruleForHiding: any ContentRule {
        switch self {
        case .plate: PlateRuleForHiding()
        case .email: EmailRuleForHiding()
        case .phone: NumbersForHiding(complete: PhoneRule())
        case .ip: IPRuleForHiding()
        case .url: URLRuleForHiding()
        case .card: CardRuleForHiding()
        case .iban: IBANRuleForHiding()
        case .date, .time, .number, .money, .code: rule
        }
    }
}

/// A line that is nothing but 3 to 10 capital letters and digits, with at least one of each or in an order that some country has, marks and gaps wherever
/// they are. In other lines what ``PlateRule`` finds.
struct PlateRuleForHiding: ContentRule {
    private static let lengths = 3...10
    /// Characters that are in times, sums, shares and addresses, and in no plate.
    private static let others = Set("@%:€$£¥+=/\\".unicodeScalars)

    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        if start == 0, isPlate(text) { return .found(end: text.count) }
        return PlateRule().verdict(at: start, in: text)
    }

    /// Small letters that differ from the capital ones in their size only, which a reader of one line does not see.
    private static let sameShape = Set("cosvwxzkpuil|".unicodeScalars)

    private func isPlate(_ text: ContentText) -> Bool {
        var scalars: [Unicode.Scalar] = []
        var starts: Set<Int> = []
        var (marks, isParted) = ([Int: Unicode.Scalar](), false)
        for index in 0..<text.count {
            let scalar = text[index]
            let isPart =
                text.isDigit(index) || ("A"..."Z").contains(scalar) || Self.sameShape.contains(scalar)
                || PlateOrder.isLocal(scalar) || PlateOrder.isCyrillic(scalar)
            if isPart {
                if isParted, !scalars.isEmpty { starts.insert(scalars.count) }
                scalars.append(scalar)
            } else {
                guard !text.isLetter(index), !Self.others.contains(text[index]) else { return false }
                if !text.isGap(index), !scalars.isEmpty { marks[scalars.count] = text[index] }
            }
            isParted = !isPart
            guard scalars.count <= Self.lengths.upperBound, starts.count < 5 else { return false }
        }
        marks[scalars.count] = nil
        guard scalars.count >= Self.lengths.lowerBound, !marks.isEmpty || !PlateRule.isOther(scalars, starts) else {
            return false
        }
        let digits = scalars.count { ("0"..."9").contains($0) }
        let isSmall = scalars.allSatisfy { Self.sameShape.contains($0) || ("0"..."9").contains($0) }
        if digits > 0, digits < scalars.count, scalars.count >= 4, !isSmall || !marks.isEmpty {
            return !starts.isEmpty || !PlateRule.isWord(scalars, inside: true)
        }
        // All letters, or all digits: misread in an order with its marks, or one of the few orders of digits alone.
        guard !marks.isEmpty, !starts.isEmpty, marks.values.allSatisfy({ $0 == "-" || $0 == "·" }) else { return false }
        return PlateOrders.forHidingByLength[scalars.count]?.contains { order in
            digits == scalars.count
                ? order.misreadings(scalars, groups: starts, marks: Set(marks.keys)) == 0
                : order.looseMisreadings(scalars).map { 3 * $0 <= scalars.count } ?? false
        } ?? false
    }
}

/// Addresses of electronic mail, and what is left of one that is not all there: up to its @ and a little more, from its @ on, its host alone, or with another sign
/// instead of the @.
struct EmailRuleForHiding: ContentRule {
    /// Characters that are read instead of an @.
    private static let likeAt: Set<Unicode.Scalar> = ["@", "©", "®", "€", "&", "¢", "Q"]

    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        let whole = EmailRule().verdict(at: start, in: text)
        if case .found = whole { return whole }
        if let end = withoutName(start, in: text) ?? withoutHost(start, in: text) { return .found(end: end) }
        return whole
    }

    /// `jane.doe@`, `jane.doe@exam`, `jane.doe©example.com`: all that follows without a gap.
    private func withoutHost(_ start: Int, in text: ContentText) -> Int? {
        guard isPart(start, in: text), !isPart(start - 1, in: text), text[start - 1] != "@" else { return nil }
        var end = start
        while isPart(end, in: text), text[end] != "Q" || text[end + 1] == "Q" { end += 1 }
        guard end - start >= 2 else { return nil }
        let sign = text.afterGap(end)
        guard Self.likeAt.contains(text[sign]) else { return nil }
        let begin = text.afterGap(sign + 1)
        let host = DomainName.name(at: begin, in: text)
        if text[sign] != "@" {
            guard let host, host.hasCommonEnding else { return nil }
            return host.end
        }
        // A gap on either side is a price's or a place's.
        guard sign == end || host?.hasCommonEnding == true else { return nil }
        var last = host?.end ?? sign + 1
        while text[last] != "\0", !text.isGap(last) { last += 1 }
        return last
    }

    /// `@example.com`, `example.com`: no address of the web goes on so, or begins with www. or a scheme.
    private func withoutName(_ start: Int, in text: ContentText) -> Int? {
        let begin = text[start] == "@" ? start + 1 : start
        guard text.isLetter(begin) || text.isDigit(begin), begin > start || text.isFree(before: start),
            !["/", ".", "-", ":"].contains(text[start - 1]), text.end(of: "www.", at: begin) == nil,
            let host = DomainName.name(at: begin, in: text), host.hasCommonEnding,
            host.labels.allSatisfy({ $0.count > 1 }),
            !["/", "@", ":", "?"].contains(text[host.end])
        else { return nil }
        return host.end
    }

    private func isPart(_ index: Int, in text: ContentText) -> Bool {
        text.isLetter(index) || text.isDigit(index) || "._+-'".unicodeScalars.contains(text[index])
    }
}

/// Internet addresses of which one number or two are there yet: `192.168.1.`, `10.0.0`, `fe80::`.
struct IPRuleForHiding: ContentRule {
    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        let whole = IPRule().verdict(at: start, in: text)
        if case .found = whole { return whole }
        guard text.isDigit(start), text.isFree(before: start), ![".", "-", ":"].contains(text[start - 1]) else {
            return whole
        }
        var (index, parts) = (start, 0)
        while parts < 4 {
            let end = text.endOfDigits(index)
            guard let value = text.value(index..<end), value <= 255, end - index <= 3 else { break }
            (parts, index) = (parts + 1, end)
            guard text[index] == "." else { break }
            index += 1
        }
        // A version has small numbers: two of at least two figures are an address.
        let first = text.value(start..<text.endOfDigits(start)) ?? 0
        return parts >= 2 && text[index - 1] == "." || parts == 3 && first >= 10 && text.isFree(at: index)
            ? .found(end: index) : whole
    }
}

/// Addresses of the web of which the beginning is there: `https://`, `www.ex`.
struct URLRuleForHiding: ContentRule {
    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        let whole = URLRule().verdict(at: start, in: text)
        if case .found = whole { return whole }
        guard text.isFree(before: start) else { return whole }
        for scheme in ["http", "https", "ftp", "rtsp", "ssh"] {
            guard let colon = text.end(of: scheme, at: start), [":", ";"].contains(text[text.afterGap(colon)]) else {
                continue
            }
            return .found(end: endOfWord(text.afterGap(colon) + 1, in: text))
        }
        if let dot = text.end(of: "www", at: start), [".", ","].contains(text[dot]) {
            return .found(end: endOfWord(dot, in: text))
        }
        return whole
    }

    private func endOfWord(_ index: Int, in text: ContentText) -> Int {
        var end = text.afterGap(index)
        while text[end] != "\0", !text.isGap(end) { end += 1 }
        return end
    }
}

/// Numbers of cards of which eight digits or more are there, right or not: in groups of four, as `3782 822463`, or all in one. Two letters among
/// them may be misread digits or gaps.
struct CardRuleForHiding: ContentRule {
    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        guard NumbersForHiding.isDigit(start, in: text), text.isFree(before: start) || text.followsLabel(start),
            !["-", ".", ",", "+"].contains(text[start - 1])
        else { return CardRule().verdict(at: start, in: text) }
        // With misread digits more must be there.
        for (misread, least) in [(2, 12), (0, 8)] {
            let end = NumbersForHiding.end(of: start, in: text, marks: " -", misread: misread)
            // Each letter that resembles no digit may be one, or a gap.
            let isCard = [("0", "0"), (" ", " "), ("0", " "), (" ", "0")].contains {
                (first: Unicode.Scalar, second: Unicode.Scalar) in
                var letters = [second, first]
                let plain = text.text(start..<end).unicodeScalars.map { scalar -> Unicode.Scalar in
                    scalar == " " || scalar == "-"
                        ? " " : NumbersForHiding.digit(of: scalar) ?? letters.popLast() ?? second
                }
                return Self.isCard(plain.split(separator: " ").map(\.count), least: least)
            }
            if isCard { return .found(end: end) }
        }
        return .none
    }

    /// - Parameters:
    ///   - groups: the numbers of digits that stand together.
    ///   - least: the least number of digits.
    private static func isCard(_ groups: [Int], least: Int) -> Bool {
        let digits = groups.reduce(0, +)
        let isGrouped =
            groups.count > 1
            && (groups.dropLast().allSatisfy { $0.isMultiple(of: 4) } || groups.prefix(2).elementsEqual([4, 6]))
        return (least...19).contains(digits) && (isGrouped || groups.count == 1 && digits >= 13)
    }
}

/// Numbers of several groups that are not all there, or in which a letter was read instead of a digit: found if digits are added, or if the letters
/// are taken for the digits that they look like.
struct NumbersForHiding: ContentRule {
    let complete: any ContentRule

    /// The fewest digits that must have been read.
    private static let least = 5

    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        let whole = complete.verdict(at: start, in: text)
        if case .found = whole { return whole }
        guard text.isDigit(start) || text[start] == "+" || text[start] == "(",
            text.isFree(before: start) || text.followsWord(start), !["-", "/", "."].contains(text[start - 1])
        else { return whole }
        let end = Self.end(of: start, in: text, marks: "+() -./")
        let digits = (start..<end).count { text.isDigit($0) }
        guard digits >= Self.least, end - start <= 40, !isOther(start, end, in: text) else { return whole }
        let plain = text.text(start..<end).unicodeScalars.map { Self.digits[$0] ?? $0 }
        let read = String(String.UnicodeScalarView(plain))
        // Up to ten further digits may follow, or be missing: nothing shows how many.
        let begun = ["", "0", "55", "555", "5550", "55501", "555012", "5550123", "55501234"]
        let isBegun = begun.contains { added in finds(read + added, from: read.unicodeScalars.count) }
        return isBegun || finds(read, from: read.unicodeScalars.count) ? .found(end: end) : whole
    }

    /// Letters that are taken for digits.
    private static let digits: [Unicode.Scalar: Unicode.Scalar] = [
        "O": "0", "o": "0", "D": "0", "Q": "0", "I": "1", "l": "1", "|": "1", "i": "1", "Z": "2", "z": "2", "S": "5",
        "s": "5", "B": "8",
    ]

    private func finds(_ text: String, from read: Int) -> Bool {
        let text = ContentText(FoldedLine(RecognizedText(text), folding: TextFolding(caseSensitive: true)))
        guard case .found(let end) = complete.verdict(at: 0, in: text) else { return false }
        return end >= min(read, text.count)
    }

    /// A digit, or a letter beside one that is taken for it.
    static func isDigit(_ index: Int, in text: ContentText) -> Bool {
        text.isDigit(index) || digits[text[index]] != nil && (text.isDigit(index - 1) || text.isDigit(index + 1))
    }

    /// The digit that a character is or looks like; nil for others.
    static func digit(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        ("0"..."9").contains(scalar) ? scalar : digits[scalar]
    }

    /// Behind the last digit of a run of digits, marks and gaps.
    ///
    /// - Parameter misread: the number of other letters that may be in it, each beside a digit and by itself.
    static func end(of start: Int, in text: ContentText, marks: String, misread: Int = 0) -> Int {
        var (index, last, left) = (start, start, misread)
        while index < text.count {
            if isDigit(index, in: text) {
                last = index + 1
            } else if left > 0, isMisread(index, in: text) {
                (last, left) = (index + 1, left - 1)
            } else if !marks.unicodeScalars.contains(text[index]) {
                break
            }
            index += 1
        }
        return last
    }

    private static func isMisread(_ index: Int, in text: ContentText) -> Bool {
        text.isLetter(index) && !text.isLetter(index - 1) && !text.isLetter(index + 1)
            && (text.isDigit(index - 1) || text.isDigit(index + 1))
    }

    /// It is a date, a time, an address or a sum.
    private func isOther(_ start: Int, _ end: Int, in text: ContentText) -> Bool {
        [DateRule(), TimeRule(), IPRule(), MoneyRule()].contains { (rule: any ContentRule) in
            guard case .found(let other) = rule.verdict(at: start, in: text) else { return false }
            return other >= end
        }
    }
}
