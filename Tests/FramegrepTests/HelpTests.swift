import Foundation
import TestSupport
import Testing

/// The output of `--help` on a terminal of 80 columns.
@Suite(.timeLimit(.minutes(2))) struct HelpTests {
    private struct Command {
        let path: [String]
        let discussion: String
    }

    private static func commands(_ object: [String: Any], below path: [String] = []) -> [Command] {
        let own = Command(path: path, discussion: object["discussion"] as? String ?? "")
        let below = object["subcommands"] as? [[String: Any]] ?? []
        return [own] + below.flatMap { commands($0, below: path + [$0["commandName"] as? String ?? ""]) }
    }

    /// The help of a command with an implied subcommand includes that subcommand's options.
    @Test(arguments: [["index", "--help"], ["help", "index"]]) func theHelpForIndexHasTheOptionsOfAdd(_ words: [String])
        async throws
    {
        let outcome = try await Framegrep.run(words)
        #expect(outcome.status == 0, "\(outcome)")
        for option in ["--skim", "--watch", "--index", "--retain", "SUBCOMMANDS"] {
            #expect(outcome.stdout.contains(option), "\(option)")
        }
        #expect(outcome.lines.allSatisfy { $0.count <= 80 })
    }

    /// As `git help` does; the general help would hide the mistake.
    @Test(arguments: [("fnd", "did you mean 'framegrep help find'?"), ("nonsense", "The commands are find, values,")])
    func helpForNoCommandSaysSo(word: String, answer: String) async throws {
        let outcome = try await Framegrep.run(["help", word])
        #expect(outcome.status == 2 && outcome.stdout.isEmpty, "\(outcome)")
        #expect(outcome.stderr.contains("'\(word)'") && outcome.stderr.contains(answer), "\(outcome)")
    }

    @Test func noExampleIsWrapped() async throws {
        let commands = try await Self.all()
        #expect(commands.count > 15)
        var examples = 0
        for command in commands {
            let lines = command.discussion.split(separator: "\n").filter {
                $0.hasPrefix("framegrep ") || $0.hasPrefix("    ")
            }
            guard !lines.isEmpty else { continue }
            examples += lines.count
            let help = try await Framegrep.run(["help"] + command.path, environment: ["COLUMNS": "80"])
            let shown = Set(help.stdout.split(separator: "\n"))
            for line in lines { #expect(shown.contains(line), "\(command.path): \(line)") }
        }
        #expect(examples > 40)
    }

    /// This includes usage lines, which the parser does not wrap.
    @Test func noLineIsWiderThanTheTerminal() async throws {
        let paths = try await Self.all().map(\.path)
        #expect(paths.count > 15)
        for path in paths {
            let help = try await Framegrep.run(["help"] + path, environment: ["COLUMNS": "80"])
            #expect(help.status == 0)
            for line in help.lines { #expect(line.count <= 80, "\(path): \(line)") }
        }
    }

    /// Each example is on its own line, or continues after a backslash, so that it can be read and pasted; and none is
    /// lost.
    @Test(arguments: [30, 40, 60]) func examplesStayExamplesOnANarrowTerminal(columns: Int) async throws {
        func words(_ text: some StringProtocol) -> [Substring] {
            String(text).replacing(" \\\n", with: " ").split { $0 == " " || $0 == "\n" }
        }
        for command in try await Self.all() where !command.discussion.isEmpty {
            let help = try await Framegrep.run(["help"] + command.path, environment: ["COLUMNS": "\(columns)"]).stdout
            let end = try #require(help.range(of: "\nUSAGE:")).lowerBound
            let start = try #require(help.range(of: "\n\n")).upperBound
            let shown = help[start..<end]
            #expect(words(shown) == words(command.discussion), "\(command.path): \(shown)")
            var isOpen = false
            for line in shown.split(separator: "\n") {
                // Only text that cannot be divided may be wider.
                let text = line.hasSuffix(" \\") ? line.dropLast(2) : line
                let isOneWord = !text.trimmingCharacters(in: .whitespaces).contains(" ") || text.contains("'")
                #expect(line.count <= columns || isOneWord, "\(command.path): \(line)")
                if isOpen { #expect(line.hasPrefix("    "), "\(command.path): \(line)") }
                isOpen = line.hasSuffix("\\")
            }
        }
        let find = try await Framegrep.run(["find", "--help"], environment: ["COLUMNS": "40"]).stdout
        #expect(
            find.contains(
                """
                framegrep find -e 'GATE 12' -e DELAYED \\
                    terminal.mkv --format jsonl

                """), "\(find)")
        #expect(find.contains("framegrep find EXIT --since yesterday\n    what was recorded since then\n"), "\(find)")
    }

    private static func all() async throws -> [Command] {
        let dump = try await Framegrep.run("--experimental-dump-help")
        let root = try #require(try JSONSerialization.jsonObject(with: Data(dump.stdout.utf8)) as? [String: Any])
        return commands(try #require(root["command"] as? [String: Any])).filter { $0.path != ["help"] }
    }
}
