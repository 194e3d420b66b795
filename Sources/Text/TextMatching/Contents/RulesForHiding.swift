extension ContentKind {
    /// The rule for hiding: in addition to the results of ``rule`` it finds content that is incomplete, cut off or
    /// partly covered, because a bar too many costs less than one too few.
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

/// Finds lines that consist of 3 to 10 capital letters and digits, with at least one of each or in an order that some
/// country has, and marks and gaps anywhere. In other lines it finds the same as ``PlateRule``.
struct PlateRuleForHiding: ContentRule {
    private static let lengths = 3...10
    /// Characters that occur in times, sums, shares and addresses, but never in plates.
    private static let others = Set("@%:€$£¥+=/\\".unicodeScalars)

    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        if start == 0, isPlate(text) { return .found(end: text.count) }
        return PlateRule(isForHiding: true).verdict(at: start, in: text)
    }

    /// Small letters that differ from capitals only in size, which a reader of a single line cannot see.
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
        // With only letters or only digits it is misread in an order with its marks, or has one of the few orders of
        // digits alone.
        guard !marks.isEmpty, !starts.isEmpty, marks.values.allSatisfy({ $0 == "-" || $0 == "·" }) else { return false }
        return PlateOrders.forHidingByLength[scalars.count]?.contains { order in
            digits == scalars.count
                ? order.misreadings(scalars, groups: starts, marks: Set(marks.keys)) == 0
                : order.looseMisreadings(scalars).map { 3 * $0 <= scalars.count } ?? false
        } ?? false
    }
}

/// Email addresses and parts of them: up to the @ and a little more, from the @ on, the host alone, or with another
/// sign instead of the @.
struct EmailRuleForHiding: ContentRule {
    /// Characters that are read instead of an @.
    private static let likeAt: Set<Unicode.Scalar> = ["@", "©", "®", "€", "&", "¢", "Q"]

    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        let whole = EmailRule().verdict(at: start, in: text)
        if case .found = whole { return whole }
        if let end = withoutName(start, in: text) ?? withoutHost(start, in: text) { return .found(end: end) }
        return whole
    }

    /// Finds `jane.doe@`, `jane.doe@exam` and `jane.doe©example.com`, with everything that follows without a gap.
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
        // With a gap on either side, the sign belongs to a price or a place.
        guard sign == end || host?.hasCommonEnding == true else { return nil }
        var last = host?.end ?? sign + 1
        while text[last] != "\0", !text.isGap(last) { last += 1 }
        return last
    }

    /// Finds `@example.com` and `example.com`, unless it continues as a web address or begins with www. or a scheme.
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

/// Internet addresses with at least one or two numbers left: `192.168.1.`, `10.0.0`, `fe80::`.
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
        // Versions have small numbers; two numbers of at least two digits are an address.
        let first = text.value(start..<text.endOfDigits(start)) ?? 0
        return parts >= 2 && text[index - 1] == "." || parts == 3 && first >= 10 && text.isFree(at: index)
            ? .found(end: index) : whole
    }
}

/// Web addresses of which the beginning is visible: `https://`, `www.ex`.
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

/// Card numbers with eight digits or more, valid or not: in groups of four, as `3782 822463`, or without gaps. Two
/// letters among them may be misread digits or gaps.
struct CardRuleForHiding: ContentRule {
    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        guard NumbersForHiding.isDigit(start, in: text), text.isFree(before: start) || text.followsLabel(start),
            !["-", ".", ",", "+"].contains(text[start - 1])
        else { return CardRule().verdict(at: start, in: text) }
        // If digits were misread, more of them are required.
        for (misread, least) in [(2, 12), (0, 8)] {
            let end = NumbersForHiding.end(of: start, in: text, marks: " -", misread: misread)
            // Each letter that resembles no digit may be a digit or a gap.
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
    ///   - groups: the number of digits in each group.
    ///   - least: the least number of digits.
    private static func isCard(_ groups: [Int], least: Int) -> Bool {
        let digits = groups.reduce(0, +)
        let isGrouped =
            groups.count > 1
            && (groups.dropLast().allSatisfy { $0.isMultiple(of: 4) } || groups.prefix(2).elementsEqual([4, 6]))
        return (least...19).contains(digits) && (isGrouped || groups.count == 1 && digits >= 13)
    }
}

/// Incomplete numbers of several groups, and those in which a letter was read instead of a digit: a number is found if
/// the rule matches after digits are added, or after the letters are replaced by the digits that they look like.
struct NumbersForHiding: ContentRule {
    let complete: any ContentRule

    /// The least number of digits that must have been read.
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
        // Up to ten further digits may follow, or be missing: their number is unknown.
        let begun = ["", "0", "55", "555", "5550", "55501", "555012", "5550123", "55501234"]
        let isBegun = begun.contains { added in finds(read + added, from: read.unicodeScalars.count) }
        // A date may be followed by a time, and both together have as many digits as a number; so has a row of values.
        let isNational =
            Self.mayBeNational(plain) && !isOther(start, start, in: text)
            && !(text.isGap(start - 1) && text.isDigit(start - 2))
        return isBegun || isNational || finds(read, from: read.unicodeScalars.count) ? .found(end: end) : whole
    }

    /// Returns whether the digits may be a national phone number. Each country has its own forms: `12 34 56 78` in Denmark
    /// and `1588-1234` in Korea: nine to twelve digits without gaps, or seven to thirteen in up to five short groups.
    private static func mayBeNational(_ read: [Unicode.Scalar]) -> Bool {
        let groups = read.split { !("0"..."9").contains($0) }
        let digits = groups.reduce(0) { $0 + $1.count }
        guard groups.count > 1 else { return (9...12).contains(digits) }
        // A single stop is a decimal point, and a slash divides values.
        let hasStop = read.count { $0 == "." } == 1
        let areYears = groups.allSatisfy {
            $0.count == 4 && ["19", "20"].contains(String(String.UnicodeScalarView($0.prefix(2))))
        }
        return !hasStop && !read.contains("/") && !areYears && groups.count <= 5 && (7...13).contains(digits)
            && (groups.allSatisfy { $0.count <= 4 } || longGroups.contains(groups.map(\.count)))
            && groups.count { $0.count == 1 } <= 1
    }

    /// The forms of national numbers with a group of five digits: `98765 43210` in India, `11 95550-1234` and the same with
    /// the country's code in Brazil, and `87 123 45678`.
    private static let longGroups: Set<[Int]> = [[5, 5], [5, 4], [2, 5, 4], [2, 2, 5, 4], [2, 3, 5]]

    /// Letters that count as digits.
    private static let digits: [Unicode.Scalar: Unicode.Scalar] = [
        "O": "0", "o": "0", "D": "0", "Q": "0", "I": "1", "l": "1", "|": "1", "i": "1", "Z": "2", "z": "2", "S": "5",
        "s": "5", "B": "8",
    ]

    private func finds(_ text: String, from read: Int) -> Bool {
        let text = ContentText(FoldedLine(RecognizedText(text), folding: TextFolding(caseSensitive: true)))
        guard case .found(let end) = complete.verdict(at: 0, in: text) else { return false }
        return end >= min(read, text.count)
    }

    /// Returns whether there is a digit, or a letter next to one that counts as a digit.
    static func isDigit(_ index: Int, in text: ContentText) -> Bool {
        text.isDigit(index) || digits[text[index]] != nil && (text.isDigit(index - 1) || text.isDigit(index + 1))
    }

    /// Returns the digit that a character is or looks like; nil for other characters.
    static func digit(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        ("0"..."9").contains(scalar) ? scalar : digits[scalar]
    }

    /// Returns the index after the last digit of a run of digits, marks and gaps.
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

    /// Returns whether it is a date, a time, an address or a sum.
    private func isOther(_ start: Int, _ end: Int, in text: ContentText) -> Bool {
        [DateRule(), TimeRule(), IPRule(), MoneyRule()].contains { (rule: any ContentRule) in
            guard case .found(let other) = rule.verdict(at: start, in: text) else { return false }
            return other >= end
        }
    }
}
