/// Names of hosts on the Internet (RFC 1123; labels may have letters of any script, as browsers show them).
enum DomainName {
    /// Endings with which a bare name is taken for an address. Endings that programs' files have too (`.md`, `.rs`, `.sh`,
    /// `.py`, `.so`, `.zip`) are left out: with `www.` or `https://` any ending is taken.
    static let commonEndings: Set<String> = [
        "com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "io", "dev", "app", "ai", "tv", "me", "co",
        "eu",
        "uk", "de", "fr", "es", "it", "nl", "be", "ch", "at", "dk", "se", "no", "fi", "ie", "pt", "gr", "cz", "hu",
        "ro",
        "ru", "ua", "tr", "il", "us", "ca", "mx", "br", "ar", "cl", "jp", "kr", "cn", "tw", "hk", "sg", "in", "id",
        "th",
        "vn", "au", "nz", "za", "xyz", "online", "shop", "site", "cloud", "tech", "blog", "news", "wiki", "museum",
    ]

    /// Endings that are believed across a gap, where an engine split the name.
    private static let splitEndings: Set<String> = [
        "com", "org", "net", "edu", "gov", "io", "dev", "info", "co", "uk", "de", "fr", "kr", "jp", "cn",
    ]

    struct Found {
        var end: Int
        var labels: [String]
        /// Its last label is one of ``commonEndings``.
        var hasCommonEnding: Bool { labels.count > 1 && commonEndings.contains(labels[labels.count - 1].lowercased()) }
        /// It could be a name of the Internet: two labels at least, the last of letters.
        var isFull: Bool {
            guard labels.count > 1, let last = labels.last?.unicodeScalars, last.count >= 2 else { return false }
            return last.allSatisfy(\.properties.isAlphabetic) || labels[labels.count - 1].hasPrefix("xn--")
        }
    }

    /// The name that begins at `start`, as far as it goes.
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

    /// A last label that a gap parts from its name, before or behind the dot.
    private static func splitLabel(at index: Int, in text: ContentText) -> (Int, Int)? {
        let dot = text.afterGap(index)
        guard text[dot] == "." else { return nil }
        let begin = text.afterGap(dot + 1)
        guard begin - index == 2, let end = label(at: begin, in: text), text.isFree(at: end),
            splitEndings.contains(text.text(begin..<end))
        else { return nil }
        return (begin, end)
    }

    /// The end of a label: letters, digits and hyphens inside, at most 63.
    private static func label(at start: Int, in text: ContentText) -> Int? {
        var end = start
        while text.isLetter(end) || text.isDigit(end) || text[end] == "-" && end > start { end += 1 }
        while end > start, text[end - 1] == "-" { end -= 1 }
        return end > start && end - start <= 63 ? end : nil
    }
}
