import Foundation
import TestSupport
import Testing

/// The examples of the README and of the pages that continue it, run exactly as printed.
@Suite(.serialized) struct ReadmeTests {
    /// Returns the commands of the blocks marked `bash`, which can be pasted as printed, and of those marked `console`,
    /// which have a prompt.
    private static func commands(of name: String = "README.md") throws -> [String] {
        var kind = ""
        return try Checkout.text(name).split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
            if line.hasPrefix("```") {
                kind = String(line.dropFirst(3))
                return nil
            }
            switch kind {
            case "bash": return String(line)
            case "console" where line.hasPrefix("$ "): return String(line.dropFirst(2))
            default: return nil
            }
        }
    }

    /// The README's steps after `scripts/demo`, with which its examples work as printed.
    private static func preparations() throws -> [String] {
        let lines = try block("sh", of: "README.md")
        let demo = try #require(lines.firstIndex(of: "scripts/demo"))
        return Array(lines[(demo + 1)...].prefix { !$0.hasPrefix("```") })
    }

    /// Returns the lines of the blocks marked `kind`; comments after a `#` in shell commands are translated.
    private static func block(_ kind: String, of name: String) throws -> [String] {
        var isInside = false
        let lines = try Checkout.text(name).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.compactMap { line -> String? in
            if line.hasPrefix("```") { isInside = line == "```\(kind)" }
            guard isInside, kind == "sh" else { return isInside ? String(line) : nil }
            return String(line).replacing(#/ *#.*$/#, with: "")
        }
    }

    /// The examples of one README are run; those of the other are the same.
    @Test(arguments: ["bash", "sh", "json"]) func readmesShowTheSameCommands(kind: String) throws {
        let english = try Self.block(kind, of: "README.md")
        #expect(english.count > 1)
        #expect(try Self.block(kind, of: "README.ko.md") == english)
    }

    @Test func everySubcommandHasAnExample() throws {
        let commands = try Self.commands()
        for name in ["find", "index", "live", "run", "explain", "devices", "doctor"] {
            #expect(commands.contains { $0.hasPrefix("framegrep \(name)") }, "\(name)")
        }
    }

    @Test func pagesHaveExamples() throws {
        for name in Self.pages { #expect(try Self.commands(of: name).count > 1, "\(name)") }
    }

    static var hasRenderer: Bool { FileManager.default.isExecutableFile(atPath: renderer) }

    @Test(.enabled(if: hasRenderer && Framegrep.hasNetworks, "needs render-clips beside framegrep, and the networks"))
    func examplesDoWhatTheyShow() async throws {
        // As `scripts/demo` leaves a checkout.
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file(".build"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file(".build/release"),
            withDestinationPath: URL(fileURLWithPath: Framegrep.path).deletingLastPathComponent().path)
        let rendering = try Running(Self.renderer, ["demo", "--output", folder.file("demo-output")])
        #expect(await rendering.end(within: 120).status == 0)
        let before = try Self.preparations()
        #expect(before.count == 2 && before.last == "cd demo-output")
        @Sendable func follow(_ commands: [String]) async throws {
            for command in commands {
                let running = try Running(
                    "/bin/bash", ["-c", (before + [command]).joined(separator: " && ")], folder: folder.path)
                let outcome = await running.end(within: 120)
                // A machine without a camera reports that.
                let expected: [Int32] = command.hasSuffix("devices") ? [0, 1] : [0]
                #expect(expected.contains(outcome.status), "\(command): \(outcome)")
            }
        }
        // Run the commands that play in real time while the others work.
        let commands = try Self.pages.flatMap { try Self.commands(of: $0) }
        let playing = commands.filter { $0.hasPrefix("framegrep live") || $0.hasPrefix("framegrep run") }
        async let played: Void = follow(playing)
        try await follow(commands.filter { !playing.contains($0) })
        try await played
        let made = try FileManager.default.contentsOfDirectory(atPath: folder.file("demo-output"))
        #expect(made.contains("found.mp4") && made.contains("found"))
    }

    private static let pages = ["README.md", "docs/GUIDE.md", "docs/FIND.md", "docs/PIPELINES.md"]

    static let renderer = URL(fileURLWithPath: Framegrep.path).deletingLastPathComponent()
        .appendingPathComponent("render-clips").path
}
