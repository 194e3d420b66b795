/// Names as one level of an MQTT topic, and as the identifiers of Home Assistant.
///
/// Names come from command lines and addresses, patterns too; nothing that was read in a picture ever becomes a part of a topic.
public enum TopicName {
    /// Longer names are cut: a topic has 65,535 bytes at most, and people look at them.
    static let longest = 64

    /// A name as one level of a topic: without `+`, `#`, `/`, control and formatting characters.
    ///
    /// Two names that differ stay different: a changed name gets a few digits at its end, computed from the original.
    public static func level(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            let isHidden = [.control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse]
                .contains(scalar.properties.generalCategory)
            if isHidden || "+#/".unicodeScalars.contains(scalar) {
                text += "-"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        text = String(text.prefix(longest))
        // A character may have any number of accents.
        while text.utf8.count > 4 * longest { text.removeLast() }
        // `$` begins the broker's own topics, and an empty level looks like a mistake.
        if text.isEmpty || text.hasPrefix("$") { text = "-" + text.dropFirst() }
        return text == name ? text : text + "~" + digits(of: name)
    }

    /// A name of letters, digits, dots, dashes and underscores: `rtsp://camera/stream` is `camera-stream`. Others may be called the same.
    public static func plain(_ name: String) -> String {
        var rest = name[...]
        if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
        if let end = rest.firstIndex(where: { "?#".contains($0) }), name.contains("://") { rest = rest[..<end] }
        var text = ""
        for character in rest {
            let isPlain = character.isLetter || character.isNumber || "._".contains(character)
            if isPlain { text.append(character) } else if !text.hasSuffix("-") { text.append("-") }
        }
        let trimmed = text.drop { $0 == "-" }.prefix(longest)
        let end = trimmed.lastIndex { $0 != "-" }
        guard let end else { return "source" }
        return level(String(trimmed[...end]))
    }

    /// Letters without accents, digits and underscores only, as Home Assistant wants an identifier (`[a-zA-Z0-9_-]`); names that differ stay
    /// two.
    public static func identifier(_ name: String) -> String {
        let text = String(
            String.UnicodeScalarView(
                name.unicodeScalars.prefix(longest).map {
                    $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) ? $0 : "_"
                }))
        return text == name ? text : text + "_" + digits(of: name)
    }

    /// Eight digits that another name hardly has (FNV-1a of 32 bits): the same on every machine and in every run.
    static func digits(of name: String) -> String {
        let hash = name.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 8 - text.count) + text
    }
}
