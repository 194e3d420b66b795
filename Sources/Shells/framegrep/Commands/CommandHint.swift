import ArgumentParser
import Foundation
import TextSpotting

/// The command that was probably meant if its name was taken for a pattern, because `find` need not be named.
struct CommandHint {
    let sentence: String

    /// - Parameters:
    ///   - arguments: all arguments.
    ///   - pattern: the argument that was taken for the pattern.
    ///   - inputs: the inputs that would be searched.
    ///
    /// - Returns: nil if the pattern does not look like a command, or if the inputs exist.
    init?(_ arguments: [String], pattern: String?, inputs: [String]) {
        guard let pattern, arguments.first == pattern, let meant = Self.meant(by: pattern) else { return nil }
        if let input = inputs.first {
            guard !input.contains("://"), input != StandardInput.name,
                FileName.withCName(input, { access($0, F_OK) }) != 0
            else { return nil }
        }
        sentence = "'\(pattern)' was taken for the pattern; did you mean 'framegrep \(meant)'?"
    }

    /// Suggestions if there is a pattern and nothing to search in.
    static func all(forPattern pattern: String?) -> [String] {
        let file = pattern.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }
        return [
            file.map { "'\($0)' was taken for the pattern." },
            CommandHint(Arguments.given, pattern: pattern, inputs: [])?.sentence,
            StandardInput.isPipe
                ? "To search a pipe, write - for it: 'cat lobby.mp4 | framegrep EXIT -'."
                : nil,
        ].compactMap(\.self)
    }

    /// Returns the command or the option that was probably meant; nil if the word is not similar to any.
    static func meant(by word: String) -> String? {
        let word = word.lowercased()
        if word == "version" || word == "ver" { return "--version" }
        let names = OtherCommands.names
        guard word.count > 2, !names.contains(word) else { return nil }
        let near = names.filter { distance(word, $0) <= ($0.count > 5 ? 2 : 1) }
        return near.min { distance(word, $0) < distance(word, $1) }
    }

    /// Returns how many letters must be changed, inserted, deleted or exchanged with the next one to turn one word into
    /// the other (optimal string alignment).
    static func distance(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a), Array(b))
        var rows = [Array(0...b.count)]
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var least = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, rows[i - 1][j - 1] + 1) }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}

/// The names and options of all commands, for users who give an option to the wrong one.
enum OtherCommands {
    /// The commands that `--help` lists, without subcommands of others.
    static var names: [String] { listed.compactMap { $0["commandName"] as? String } }

    /// Returns the answer if an option is unknown to a command and another one has it; nil if none has.
    ///
    /// - Parameter message: the message of the parser.
    static func answer(to message: String, _ arguments: [String]) -> String? {
        guard let found = message.firstMatch(of: /^Unknown option '--([a-z0-9-]+)'/) else { return nil }
        let having = listed.filter { command in
            (command["arguments"] as? [[String: Any]] ?? []).contains { argument in
                (argument["names"] as? [[String: Any]] ?? []).contains { $0["name"] as? String == String(found.1) }
            }
        }.compactMap { $0["commandName"] as? String }
        let own = arguments.first.flatMap { names.contains($0) ? $0 : nil } ?? "find"
        guard !having.isEmpty, !having.contains(own) else { return nil }
        let list = having.map { "'framegrep \($0)'" }
        let named =
            list.count < 2 ? list.joined() : list.dropLast().joined(separator: ", ") + " and " + list[list.count - 1]
        return "--\(found.1) is not an option of 'framegrep \(own)': \(named) \(list.count == 1 ? "has" : "have") it."
    }

    /// Returns the answer to `help WORD` if the word is not a command; the parser would print the help of the program.
    static func answer(toHelpFor arguments: [String]) -> String? {
        guard arguments.count > 1, arguments[0] == "help" else { return nil }
        let (word, names) = (arguments[1], names)
        let isKnown = FramegrepCommand.configuration.subcommands.contains { $0._commandName == word }
        guard !word.hasPrefix("-"), word != "help", !isKnown else { return nil }
        if let meant = CommandHint.meant(by: word), names.contains(meant) {
            return "there is no command '\(word)'; did you mean 'framegrep help \(meant)'?"
        }
        return "there is no command '\(word)'. The commands are \(names.joined(separator: ", "))."
    }

    /// The commands as the parser describes them.
    private static var listed: [[String: Any]] {
        let described = try? JSONSerialization.jsonObject(with: Data(FramegrepCommand._dumpHelp().utf8))
        let root = (described as? [String: Any])?["command"] as? [String: Any]
        return (root?["subcommands"] as? [[String: Any]] ?? []).filter {
            $0["shouldDisplay"] as? Bool != false && $0["commandName"] as? String != "help"
        }
    }
}
