import ArgumentParser
import Foundation

/// Formats the parser's help so that examples and lists of options can be read on a narrow terminal too: the parser
/// wraps them like sentences.
enum HelpText {
    /// The width that examples are written for.
    private static let usual = 80

    static func message(for error: any Error) -> String {
        let message = FramegrepCommand.fullMessage(for: error)
        let columns = columns
        guard columns < usual else { return message }
        return narrowed(message, as: FramegrepCommand.fullMessage(for: error, columns: usual), to: columns)
    }

    /// The width of the terminal, determined as the parser does.
    private static var columns: Int {
        if let given = getenv("COLUMNS").flatMap({ Int(String(cString: $0)) }), given > 0 { return given }
        var size = winsize()
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : usual
    }

    /// - Parameters:
    ///   - narrow: a command's help, wrapped to this many columns.
    ///   - wide: the same help, wrapped to a width at which examples stay whole.
    static func narrowed(_ narrow: String, as wide: String, to columns: Int) -> String {
        var (lines, wideLines) = (narrow.components(separatedBy: "\n"), wide.components(separatedBy: "\n"))
        guard let usage = lines.firstIndex(where: { $0.hasPrefix("USAGE:") }),
            let wideUsage = wideLines.firstIndex(where: { $0.hasPrefix("USAGE:") }),
            let begin = lines[..<usage].firstIndex(of: ""), let wideBegin = wideLines[..<wideUsage].firstIndex(of: "")
        else { return narrow }
        let paragraphs = wideLines[wideBegin..<wideUsage].split(separator: "").map(Array.init)
        let shown = paragraphs.map { paragraph in
            paragraph[0].contains(#/^(?:(?:sudo )?framegrep |-)/#)
                ? examples(paragraph).flatMap { $0.lines(columns: columns) }
                : wrapped(paragraph.joined(separator: " "), to: columns)
        }
        lines.replaceSubrange(begin..<usage, with: shown.flatMap { [""] + $0 } + [""])
        return lines.joined(separator: "\n")
    }

    /// A command and its comment.
    private struct Example {
        var command: [String]
        var comment: String

        func lines(columns: Int) -> [String] {
            var lines: [String] = []
            var line = ""
            for (number, word) in command.enumerated() {
                let isLast = number == command.count - 1
                // A space and a backslash follow, so that it can be pasted.
                if !line.isEmpty, line.count + 1 + word.count + (isLast ? 0 : 2) > columns {
                    lines.append(line + " \\")
                    line = "    " + word
                } else {
                    line += (line.isEmpty ? "" : " ") + word
                }
            }
            lines.append(line)
            return lines + wrapped(comment, to: columns - 4).map { "    " + $0 }
        }
    }

    /// Returns the examples: a command begins at the left; its comment follows after two spaces or more; indented lines
    /// continue it.
    private static func examples(_ lines: [String]) -> [Example] {
        var examples: [Example] = []
        var open = ""
        for line in lines {
            let isIndented = line.hasPrefix(" ")
            let text = line.trimmingCharacters(in: .whitespaces)
            if !open.isEmpty || !isIndented {
                open += (open.isEmpty ? "" : " ") + (text.hasSuffix(" \\") ? String(text.dropLast(2)) : text)
                let parts = words(of: open)
                if text.hasSuffix("\\") || parts.isQuoted { continue }
                examples.append(Example(command: parts.command, comment: parts.comment))
                open = ""
            } else if !examples.isEmpty {
                let known = examples[examples.count - 1].comment
                examples[examples.count - 1].comment = known.isEmpty ? text : known + " " + text
            }
        }
        return examples
    }

    /// Returns the words of a command, with quoted text as one, and the rest after a gap; and whether the quotation
    /// continues in the next line.
    private static func words(of line: String) -> (command: [String], comment: String, isQuoted: Bool) {
        var words = [""]
        var isQuoted = false
        for (place, character) in zip(line.indices, line) {
            if character == "'" { isQuoted.toggle() }
            guard character == " ", !isQuoted else {
                words[words.count - 1].append(character)
                continue
            }
            let rest = line[place...]
            if rest.hasPrefix("  ") { return (words, rest.trimmingCharacters(in: .whitespaces), false) }
            words.append("")
        }
        return (words, "", isQuoted)
    }

    private static func wrapped(_ text: String, to columns: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= columns {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
