/// Internet addresses: four numbers up to 255 (RFC 791), or the text forms of RFC 4291, with a port or a prefix's length.
///
/// One gap in a dotted address is taken for the engine's, and one that it dropped behind a colon is no obstacle
/// (`Host:10.0.0.1`). `a::b` is a name in C++ before it is an address: without a digit none is one.
struct IPRule: ContentRule {
    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        let before = text[start - 1]
        guard text.isFree(before: start), before != "." else { return .none }
        if before == ":" { return text.followsLabel(start) ? dotted(at: start, in: text) : .none }
        if text.isDigit(start) {
            let dotted = dotted(at: start, in: text)
            if dotted != .none { return dotted }
        }
        return text.isHexDigit(start) || text[start] == ":" ? colons(at: start, in: text) : .none
    }

    private func dotted(at start: Int, in text: ContentText) -> ContentVerdict {
        guard let (end, isInRange) = Self.dotted(at: start, in: text) else { return .none }
        guard isInRange else { return .refused("Each of an address's four numbers is at most 255.") }
        if text[end] == ".", text.isDigit(end + 1) { return .refused("An address has four numbers, not more.") }
        guard !text.isWordLetter(end) else { return .refused("A letter follows the address directly.") }
        return .found(end: withPortOrPrefix(end, in: text, longestPrefix: 32))
    }

    /// The end of four numbers with dots between them, and whether each is at most 255.
    static func dotted(at start: Int, in text: ContentText) -> (end: Int, isInRange: Bool)? {
        var index = start
        var gaps = 0
        var isInRange = true
        for part in 0..<4 {
            if part > 0 {
                let dot = text.afterGap(index)
                guard text[dot] == "." else { return nil }
                let next = text.afterGap(dot + 1)
                gaps += (dot - index) + (next - dot - 1)
                guard gaps <= 1 else { return nil }
                index = next
            }
            let end = text.endOfDigits(index)
            guard let value = text.value(index..<end), end - index <= 3 else { return nil }
            isInRange = isInRange && value <= 255
            index = end
        }
        return (index, isInRange)
    }

    private func withPortOrPrefix(_ end: Int, in text: ContentText, longestPrefix: Int) -> Int {
        guard text[end] == ":" || text[end] == "/" else { return end }
        let digits = end + 1..<text.endOfDigits(end + 1)
        guard let value = text.value(digits), text.isFree(at: digits.upperBound) else { return end }
        let isFine = text[end] == ":" ? (1...65_535).contains(value) : value <= longestPrefix
        return isFine ? digits.upperBound : end
    }

    private func colons(at start: Int, in text: ContentText) -> ContentVerdict {
        guard let (end, hasDigit) = Self.colons(at: start, in: text) else { return .none }
        guard hasDigit else { return .refused("Without a digit this is a name rather than an address.") }
        guard text.isFree(at: end), text[end] != ":" else { return .refused("The address goes on as no address does.") }
        guard text[end] == "/" else { return .found(end: end) }
        return .found(end: withPortOrPrefix(end, in: text, longestPrefix: 128))
    }

    /// The end of up to eight groups of hexadecimal digits, of which one `::` stands for those left out.
    static func colons(at start: Int, in text: ContentText) -> (end: Int, hasDigit: Bool)? {
        var index = start
        var groups = 0
        var isShortened = false
        if text[index] == ":" {
            guard text[index + 1] == ":" else { return nil }
            isShortened = true
            index += 2
        }
        while groups < 8, text.isHexDigit(index) {
            if groups > 0 || isShortened, let (end, isInRange) = dotted(at: index, in: text) {
                guard isInRange, isShortened ? groups <= 5 : groups == 6 else { return nil }
                return (end, true)
            }
            var end = index
            while text.isHexDigit(end) { end += 1 }
            guard end - index <= 4 else { return nil }
            groups += 1
            index = end
            guard text[index] == ":" else { break }
            if text[index + 1] == ":" {
                guard !isShortened else { return nil }
                isShortened = true
                index += 2
            } else if text.isHexDigit(index + 1) {
                index += 1
            } else {
                break
            }
        }
        guard isShortened ? (1...7).contains(groups) : groups == 8 else { return nil }
        return (index, (start..<index).contains { text.isDigit($0) })
    }
}
