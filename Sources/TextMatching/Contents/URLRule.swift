/// Addresses of the web and the like (RFC 3986): with a scheme, with `www.`, or a bare name with a common ending.
///
/// Gaps behind the scheme and around the last dot of a host are taken for the engine's. Marks at the end that belong to
/// the sentence are left out.
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

    /// The index behind `https://`, gaps allowed around its marks.
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
        // A name and a password may stand before the host.
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

    /// The end of port, path, query and fragment behind a host.
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
