/// Several patterns in one text: a line each, or GStreamer's notation for lists, `<EXIT, "GATE 12">`, because the text of a pipeline cannot
/// contain a line break.
enum PatternList {
    /// The patterns, without those of white space only.
    static func patterns(_ text: String) -> [String] {
        let items = listed(text) ?? text.split(whereSeparator: \.isNewline).map(String.init)
        return items.filter { !$0.allSatisfy(\.isWhitespace) }
    }

    /// The items between `<` and `>`, apart by commas; quotes keep commas and spaces, a backslash keeps a quote, a comma or
    /// another backslash. Nil for a text that is no list.
    private static func listed(_ text: String) -> [String]? {
        let trimmed = text.trimmed
        guard trimmed.first == "<", trimmed.last == ">", trimmed.count > 1, !text.contains(where: \.isNewline) else {
            return nil
        }
        var items = [""]
        var isQuoted = false
        var characters = trimmed.dropFirst().dropLast().makeIterator()
        while let character = characters.next() {
            switch character {
            case "\"": isQuoted.toggle()
            case "\\":
                let next = characters.next().map(String.init) ?? ""
                items[items.count - 1] += #"",\"#.contains(next) ? next : "\\" + next
            case "," where !isQuoted: items.append("")
            default: items[items.count - 1].append(character)
            }
        }
        return items.map(\.trimmed)
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
