import Foundation
import TestSupport
import Testing

/// The examples of the README and of the pages that continue it, run exactly as printed.
@Suite(.serialized) struct ReadmeTests {
    /// The commands of the blocks marked `console`.
    private static func commands(of name: String = "README.md") throws -> [String] {
        var isExample = false
        return try Checkout.text(name).split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
            if line.hasPrefix("```") { isExample = line == "```console" }
            return isExample && line.hasPrefix("$ ") ? String(line.dropFirst(2)) : nil
        }
    }

    /// The lines of the blocks marked `kind`; what stands behind a `#` in shell commands is for people, in their language.
    private static func block(_ kind: String, of name: String) throws -> [String] {
        var isInside = false
        let lines = try Checkout.text(name).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.compactMap { line -> String? in
            if line.hasPrefix("```") { isInside = line == "```\(kind)" }
            guard isInside, kind == "sh" else { return isInside ? String(line) : nil }
            return String(line).replacing(#/ *#.*$/#, with: "")
        }
    }

    /// The examples of one are run; those of the other are the same.
    @Test(arguments: ["console", "sh", "json"]) func readmesShowTheSameCommands(kind: String) throws {
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

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: Self.renderer), "needs render-clips beside framegrep")
    )
    func examplesDoWhatTheyShow() async throws {
        let folder = try TemporaryFolder()
        let rendering = try Running(Self.renderer, ["demo", "--output", folder.path])
        #expect(await rendering.end(within: 120).status == 0)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("pipelines"), withDestinationPath: Checkout.path + "/pipelines")
        let programs = URL(fileURLWithPath: Framegrep.path).deletingLastPathComponent().path
        let path = programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        @Sendable func follow(_ commands: [String]) async throws {
            for command in commands {
                let running = try Running(
                    "/bin/bash", ["-c", command], environment: ["PATH": path], folder: folder.path)
                let outcome = await running.end(within: 120)
                // A machine without a camera says so.
                let expected: [Int32] = command.hasSuffix("devices") ? [0, 1] : [0]
                #expect(expected.contains(outcome.status), "\(command): \(outcome)")
            }
        }
        // Those that play at their own speed, while the others work.
        let commands = try Self.pages.flatMap { try Self.commands(of: $0) }
        let playing = commands.filter { $0.hasPrefix("framegrep live") || $0.hasPrefix("framegrep run") }
        async let played: Void = follow(playing)
        try await follow(commands.filter { !playing.contains($0) })
        try await played
        #expect(folder.names.contains("found.mp4") && folder.names.contains("found"))
    }

    private static let pages = ["README.md", "docs/FIND.md", "docs/PIPELINES.md"]

    private static let renderer = URL(fileURLWithPath: Framegrep.path).deletingLastPathComponent()
        .appendingPathComponent("render-clips").path
}
