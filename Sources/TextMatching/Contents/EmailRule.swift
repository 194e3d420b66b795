/// Addresses of electronic mail (RFC 5321, without quoted names), `mailto:` not needed. Gaps around the @ are taken for
/// the engine's.
struct EmailRule: ContentRule {
    func verdict(at start: Int, in text: ContentText) -> ContentVerdict {
        guard Self.isNamePart(start, in: text), text[start] != ".", !Self.isNamePart(start - 1, in: text) else {
            return .none
        }
        var end = start
        while Self.isNamePart(end, in: text) { end += 1 }
        let at = text.afterGap(end)
        guard text[at] == "@" else { return .none }
        let begin = text.afterGap(at + 1)
        guard end - start <= 64 else { return .refused("The name before the @ has more than 64 characters.") }
        guard text[end - 1] != ".", !(start..<end).contains(where: { text[$0] == "." && text[$0 + 1] == "." }) else {
            return .refused("Dots in the name before the @ stand one by one, between other characters.")
        }
        guard let domain = DomainName.name(at: begin, in: text), domain.end - begin <= 253 else {
            return .refused("No name of a host follows the @.")
        }
        guard domain.isFull else { return .refused("The host's name has no ending such as .com.") }
        guard text[domain.end] != "@", text[domain.end] != "_" else {
            return .refused("The address goes on as no address does.")
        }
        // An @ with gaps on both sides also stands in prices and in handles.
        if begin - end > 2, !domain.hasCommonEnding {
            return .refused("With gaps around the @ only common endings count.")
        }
        return .found(end: domain.end)
    }

    /// RFC 5322's atom text and dots, and letters of any script (RFC 6531).
    private static func isNamePart(_ index: Int, in text: ContentText) -> Bool {
        text.isLetter(index) || text.isDigit(index)
            || text[index].isASCII && ".!#$%&'*+/=?^_{|}~-".unicodeScalars.contains(text[index])
    }
}
