/// Web addresses and other URLs (RFC 3986): with a scheme, with `www.`, or a bare name with a common ending.
///
/// Gaps after the scheme and around the last dot of a host are attributed to the engine. Marks at the end that belong
/// to the sentence are left out.
struct URLRule: ContentRule {
    private static let longest = 400

    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        guard text.isFree(before: start), text.isLetter(start) || text.isDigit(start) else { return .none }
        let before = text[start - 1]
        guard before != "@", before != "-", before != ".", before != "/" else { return .none }
        if let host = endOfScheme(start, in: text) { return withScheme(host, in: text) }
        if let dot = text.end(of: "www", at: start), text[dot] == "." || text[text.afterGap(dot)] == "." {
            return afterWWW(text.afterGap(dot) + 1, in: text)
        }
        guard let name = DomainName.name(at: start, in: text), name.labels.count > 1 else { return .none }
        guard name.hasCommonEnding, text[name.end] != "@", text.isFree(at: name.end) else {
            return name.isFull && text[name.end] != "@"
                ? .refused("A name without https:// or www. counts only with a common ending such as .com.") : .none
        }
        return .found(end: withPath(name.end, in: text, from: start))
    }

    /// Returns the index after `https://`, with gaps allowed around its marks.
    private func endOfScheme(_ start: Int, in text: ContentText) -> Int? {
        guard text.isLetter(start), text[start].isASCII else { return nil }
        var end = start
        while end - start < 16, text[end].isASCII,
            text.isLetter(end) || text.isDigit(end) || ["+", "-", "."].contains(text[end])
        { end += 1 }
        let colon = text.afterGap(end)
        guard end - start >= 2, text[colon] == ":" else { return nil }
        let slash = text.afterGap(colon + 1)
        guard text[slash] == "/", text[slash + 1] == "/" else { return nil }
        return text.afterGap(slash + 2)
    }

    private func withScheme(_ begin: Int, in text: ContentText) -> ContentVerdict {
        // User name and password may precede the host.
        var host = begin
        var index = begin
        while index - begin < 100, text[index] != "/", text[index] != " ", text[index] != "\0" {
            if text[index] == "@" { host = index + 1 }
            index += 1
        }
        if text[host] == "[", let (end, _) = IPRule.colons(at: host + 1, in: text), text[end] == "]" {
            return .found(end: withPath(end + 1, in: text, from: begin))
        }
        if text[host] == "/" {
            // file:///etc/hosts has no host.
            let end = withPath(host, in: text, from: begin)
            return end > host + 1 ? .found(end: end) : .refused("No host follows the scheme.")
        }
        guard let name = DomainName.name(at: host, in: text) else { return .refused("No host follows the scheme.") }
        return .found(end: withPath(name.end, in: text, from: begin))
    }

    private func afterWWW(_ index: Int, in text: ContentText) -> ContentVerdict {
        let begin = text.afterGap(index)
        guard let name = DomainName.name(at: begin, in: text), name.isFull else {
            return .refused("No name with an ending such as .com follows www.")
        }
        return .found(end: withPath(name.end, in: text, from: begin))
    }

    /// Returns the end of port, path, query and fragment after a host.
    private func withPath(_ index: Int, in text: ContentText, from start: Int) -> Int {
        var end = index
        if text[end] == ":", let port = text.value(end + 1..<text.endOfDigits(end + 1)), (1...65_535).contains(port) {
            end = text.endOfDigits(end + 1)
        }
        guard ["/", "?", "#"].contains(text[end]) else { return end }
        let path = end
        var open: [Unicode.Scalar] = []
        while end - start < Self.longest, Self.isPathPart(text[end]) {
            if text[end] == "(" { open.append(")") }
            if text[end] == ")" {
                guard open.popLast() != nil else { break }
            }
            end += 1
        }
        while end > path, ".,;:!?'*".unicodeScalars.contains(text[end - 1]) { end -= 1 }
        return end
    }

    private static func isPathPart(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return (0x61...0x7A).contains(scalar.value) || (0x41...0x5A).contains(scalar.value)
                || (0x30...0x39).contains(scalar.value) || "-._~:/?#@!$&'()*+,;=%".unicodeScalars.contains(scalar)
        }
        return scalar.properties.isAlphabetic || scalar.properties.generalCategory == .nonspacingMark
    }
}

/// Internet host names (RFC 1123; labels may have letters of any script, as browsers show them).
enum DomainName {
    /// Endings with which a bare name counts as an address. Endings of program files (`.md`, `.rs`, `.sh`, `.py`,
    /// `.so`, `.zip`) are left out; after `www.` or `https://` any ending is accepted.
    static let commonEndings: Set<String> = [
        "com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "io", "dev", "app", "ai", "tv", "me", "co",
        "eu",
        "uk", "de", "fr", "es", "it", "nl", "be", "ch", "at", "dk", "se", "no", "fi", "ie", "pt", "gr", "cz", "hu",
        "ro",
        "ru", "ua", "tr", "il", "us", "ca", "mx", "br", "ar", "cl", "jp", "kr", "cn", "tw", "hk", "sg", "in", "id",
        "th",
        "vn", "au", "nz", "za", "xyz", "online", "shop", "site", "cloud", "tech", "blog", "news", "wiki", "museum",
    ]

    /// Endings that count even after a gap, at which an engine split the name.
    private static let splitEndings: Set<String> = [
        "com", "org", "net", "edu", "gov", "io", "dev", "info", "co", "uk", "de", "fr", "kr", "jp", "cn",
    ]

    struct Found {
        var end: Int
        var labels: [String]
        /// Whether its last label is one of ``commonEndings``.
        var hasCommonEnding: Bool { labels.count > 1 && commonEndings.contains(labels[labels.count - 1].lowercased()) }
        /// Whether it could be an Internet name: at least two labels, the last of letters.
        var isFull: Bool {
            guard labels.count > 1, let last = labels.last?.unicodeScalars, last.count >= 2 else { return false }
            return last.allSatisfy(\.properties.isAlphabetic) || labels[labels.count - 1].hasPrefix("xn--")
        }
    }

    /// Returns the name that begins at `start`, as far as it goes.
    static func name(at start: Int, in text: ContentText) -> Found? {
        guard let first = label(at: start, in: text) else { return nil }
        var found = Found(end: first, labels: [text.text(start..<first)])
        while found.labels.count < 12 {
            if text[found.end] == ".", let end = label(at: found.end + 1, in: text) {
                found.labels.append(text.text(found.end + 1..<end))
                found.end = end
            } else if let (begin, end) = splitLabel(at: found.end, in: text) {
                found.labels.append(text.text(begin..<end))
                found.end = end
            } else {
                break
            }
        }
        return found
    }

    /// Returns a last label that is separated from its name by a gap, before or after the dot.
    private static func splitLabel(at index: Int, in text: ContentText) -> (Int, Int)? {
        let dot = text.afterGap(index)
        guard text[dot] == "." else { return nil }
        let begin = text.afterGap(dot + 1)
        guard begin - index == 2, let end = label(at: begin, in: text), text.isFree(at: end),
            splitEndings.contains(text.text(begin..<end))
        else { return nil }
        return (begin, end)
    }

    /// Returns the end of a label: letters, digits and hyphens inside, at most 63.
    private static func label(at start: Int, in text: ContentText) -> Int? {
        var end = start
        while text.isLetter(end) || text.isDigit(end) || text[end] == "-" && end > start { end += 1 }
        while end > start, text[end - 1] == "-" { end -= 1 }
        return end > start && end - start <= 63 ? end : nil
    }
}

/// Internet addresses: four numbers up to 255 (RFC 791), or the text forms of RFC 4291, with a port or a prefix length.
///
/// One gap in a dotted address is attributed to the engine, and one that it dropped after a colon does not matter
/// (`Host:10.0.0.1`). `a::b` is more likely a name in C++, so an address needs a digit.
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

    /// Returns the end of four numbers with dots between them, and whether each is at most 255.
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
        guard text.isFree(at: end), text[end] != ":" else {
            return .refused("It does not continue as an address does.")
        }
        guard text[end] == "/" else { return .found(end: end) }
        return .found(end: withPortOrPrefix(end, in: text, longestPrefix: 128))
    }

    /// Returns the end of up to eight groups of hexadecimal digits, some of which one `::` may replace.
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
