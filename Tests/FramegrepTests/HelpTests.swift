import Foundation
import TestSupport
import Testing

/// What `--help` shows on a terminal of 80 columns.
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

    /// Of a command whose subcommand is seldom named, its options are there too.
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

    @Test func noExampleIsWrapped() async throws {
        let dump = try await Framegrep.run("--experimental-dump-help")
        let root = try #require(
            try JSONSerialization.jsonObject(with: Data(dump.stdout.utf8)) as? [String: Any])
        let commands = Self.commands(try #require(root["command"] as? [String: Any])).filter { $0.path != ["help"] }
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
}
