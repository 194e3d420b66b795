import ArgumentParser
import Foundation
import TextSpotting

/// What to search for: shared by `find`, `live` and `run`.
struct PatternOptions: ParsableArguments {
    @Option(
        name: [.customShort("e"), .customLong("pattern")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A pattern; may be given several times.", valueName: "pattern"))
    var patterns: [String] = []

    @Option(
        name: [.customShort("f"), .customLong("pattern-file")],
        help: ArgumentHelp("Read patterns from a file, one a line.", valueName: "file"))
    var files: [String] = []

    @Flag(name: [.customShort("s"), .customLong("case-sensitive")], help: "Tell upper case from lower, and é from e.")
    var caseSensitive = false

    @Flag(name: [.customShort("w"), .customLong("whole-words")], help: "Match whole words only.")
    var wholeWords = false

    /// Patterns were given by options, so no positional argument is one.
    var areGivenByOption: Bool { !patterns.isEmpty || !files.isEmpty }

    /// All patterns, in the order given: those of `-e`, then those of `-f`, then `positional`.
    ///
    /// - Throws: ``FramegrepError`` for an empty pattern, a file that cannot be read, or no pattern at all.
    func matcher(positional: String?) throws -> Matcher {
        var texts = patterns
        for file in files { texts += try Self.lines(of: file) }
        if let positional { texts.append(positional) }
        guard !texts.isEmpty else {
            throw FramegrepError(
                .badPattern, "There is no pattern to search for: give a word, as in 'framegrep EXIT lobby.mp4'.")
        }
        var seen = Set<String>()
        let options = MatchOptions(caseSensitive: caseSensitive, wholeWords: wholeWords)
        return Matcher(
            patterns: try texts.filter { seen.insert($0).inserted }.map { try Pattern(text: $0, options: options) })
    }

    private static func lines(of file: String) throws -> [String] {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw FramegrepError(
                .badPattern, "The pattern file \(file) cannot be read: it does not exist, or you may not read it.")
        }
        guard data.count <= 4 << 20, let text = String(data: data, encoding: .utf8) else {
            throw FramegrepError(.badPattern, "The pattern file \(file) is not UTF-8 text of at most 4 MiB.")
        }
        let lines = text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.allSatisfy(\.isWhitespace) }
        guard !lines.isEmpty else {
            throw FramegrepError(.badPattern, "The pattern file \(file) has no pattern in it; write one a line.")
        }
        return lines
    }
}
