import Foundation
import TestSupport
import Testing

/// `framegrep serve` starts the page's server, wherever that is installed.
@Suite struct ServeCommandTests {
    /// Starts `serve` with only this PATH, as if nothing was set up.
    private func serve(_ arguments: [String], path: String) async throws -> Framegrep.Outcome {
        let home = try TemporaryFolder()
        return try await Framegrep.run(
            ["serve"] + arguments, environment: ["PATH": path, "FRAMEGREP_HOME": home.path], timeout: 20)
    }

    @Test func theServerIsToldWhatWasGiven() async throws {
        let folder = try TemporaryFolder()
        let server = try folder.write("#!/bin/sh\necho \"$0:$*\"\nexit 7\n", to: "framegrep-serve")
        #expect(chmod(server, 0o755) == 0)
        // The program that provides the cameras; after the dashes come the arguments of each of those jobs.
        let program = "--program " + URL(fileURLWithPath: Framegrep.path).resolvingSymlinksInPath().path
        let plain = try await serve([], path: folder.path)
        #expect(plain.stdout == "\(server):--port 8437 --address 127.0.0.1 \(program) --\n")
        // It replaces the program, including its status.
        #expect(plain.status == 7)
        let all = try await serve(
            ["--port", "0", "--open", "--index", "/somewhere else", "--address", "::1"], path: "/nowhere:" + folder.path
        )
        #expect(all.stdout == "\(server):--port 0 --address ::1 \(program) --index=/somewhere else --open --\n")
    }

    @Test func whereItIsNotInstalledThatIsSaid() async throws {
        let outcome = try await serve([], path: "/nowhere")
        #expect(outcome.status == 2 && outcome.stdout.isEmpty)
        #expect(
            outcome.stderr.contains("framegrep-serve, is not installed") && outcome.stderr.contains("scripts/serve"))
    }

    @Test func whatItTakesIsExplained() async throws {
        let outcome = try await serve(["--help"], path: "/nowhere")
        #expect(outcome.status == 0)
        for word in ["--port", "--open", "--index", "docs/PAGE.md", "ssh -L"] { #expect(outcome.stdout.contains(word)) }
        #expect(try await serve(["lobby.mp4"], path: "/nowhere").status == 2)
        #expect(try await serve(["--port", "x"], path: "/nowhere").status == 2)
    }
}
