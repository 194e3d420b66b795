import Foundation
import TestSupport
import Testing
import TextSpotting

/// `--exec` and `--bell`.
@Suite(.serialized, .timeLimit(.minutes(5))) struct NoticeTests {
    private let engine = ["--engine", "tesseract"]

    @Test func eachSightingIsGivenToACommandAsALine() async throws {
        let folder = try TemporaryFolder()
        let clip = try await cutsClip()
        let outcome = try await Framegrep.run(
            ["find", "-e", "GATE", "-e", "BUBBLES", clip, "--format", "jsonl", "--exec", "cat >> seen; echo told"]
                + engine,
            in: folder.path)
        #expect(outcome.status == 0)
        let seen = try String(contentsOfFile: folder.file("seen"), encoding: .utf8)
        #expect(Set(seen.split(separator: "\n").map(String.init)) == Set(outcome.lines))
        // The output of a command is not a result.
        #expect(!outcome.stdout.contains("told") && outcome.stderr.contains("told"))
    }

    @Test func whatIsReadIsNeverRun() async throws {
        let folder = try TemporaryFolder()
        let hostile = KnownClip(
            frameCount: 12,
            words: [
                KnownWord(
                    text: "x';touch$IFS\"pwned\";`touch pwned` $(touch pwned) EXIT", x: 20, y: 100, size: 18,
                    frames: 0..<12)
            ])
        let clip = folder.file("hostile.mp4")
        try await hostile.render(to: clip)
        let outcome = try await Framegrep.run(
            ["find", "EXIT", clip, "--exec", "sh -c 'cat > seen'"] + engine, in: folder.path)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(folder.names == ["hostile.mp4", "seen"])
        let line = try String(contentsOfFile: folder.file("seen"), encoding: .utf8)
        #expect(line.contains("touch"), "\(line)")
    }

    @Test func aCommandGetsNoPasswordsOfTheProgram() async throws {
        let folder = try TemporaryFolder()
        let secrets = ["FRAMEGREP_WEBHOOK_KEY", "FRAMEGREP_MQTT_PASSWORD", "FRAMEGREP_HTTP_PASSWORD"]
        let outcome = try await Framegrep.run(
            ["find", "GATE", try await cutsClip(), "--exec", "env > seen"] + engine,
            environment: Dictionary(uniqueKeysWithValues: (secrets + ["OTHER"]).map { ($0, "hunter2-\($0)") }),
            in: folder.path)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        let seen = try String(contentsOfFile: folder.file("seen"), encoding: .utf8)
        #expect(seen.contains("hunter2-OTHER"))
        for secret in secrets { #expect(!seen.contains(secret), "\(secret)") }
    }

    @Test func aCommandThatFailsIsAWarning() async throws {
        let outcome = try await Framegrep.run(["find", "GATE", try await cutsClip(), "--exec", "exit 3"] + engine)
        #expect(outcome.status == 0)
        #expect(outcome.stderr.contains("exit status 3"))
    }

    @Test func liveTellsWhenAWordAppears() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Framegrep.run(
            ["live", "GATE", try await standingClip(), "--headless", "--exec", "cat > seen"] + engine, in: folder.path)
        #expect(outcome.status == 0)
        let line = try Data(contentsOf: URL(fileURLWithPath: folder.file("seen")))
        let object = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
        #expect(object["type"] as? String == "appeared" && object["text"] as? String == "GATE")
    }

    @Test func commandsAreBoundedAndEndWithTheSecondInterrupt() async throws {
        let folder = try TemporaryFolder()
        // There are five words and two commands at a time, each of which would take ten minutes.
        let words = ["GATE", "BUBBLES", "EXIT", "Kitchen", "12"].flatMap { ["-e", $0] }
        let running = try Running(
            Framegrep.path,
            ["find"] + words + [try await cutsClip(), "--exec-limit", "2", "--exec", "echo $$ >> ids; sleep 600"]
                + engine,
            folder: folder.path)
        func ids() -> [Int32] {
            ((try? String(contentsOfFile: folder.file("ids"), encoding: .utf8)) ?? "").split(separator: "\n")
                .compactMap { Int32($0) }
        }
        #expect(await running.wait { ids().count == 2 && running.stderr.contains("waiting for") }, "\(running.stderr)")
        #expect(ids().allSatisfy { kill($0, 0) == 0 })
        running.send(SIGINT)
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 130 && ids().count == 2)
        #expect(try await holds { ids().allSatisfy { kill($0, 0) != 0 } })
    }

    @Test(.enabled(if: Tool.exists("script") && Tool.hasTerminals, "needs script, of bsdutils, and /dev/pts"))
    func theBellRingsOnATerminalOnly()
        async throws
    {
        let folder = try TemporaryFolder()
        let clip = try await cutsClip()
        let without = try await Framegrep.run(["find", "GATE", clip, "--bell"] + engine)
        #expect(
            !without.stderr.contains("\u{7}") && !without.stdout.contains("\u{7}") && without.stderr.contains("--bell"))
        let tool = try #require(Tool("script"))
        for (bell, expected) in [(" --bell", true), ("", false)] {
            let log = folder.file("log\(bell.count)")
            _ = try await tool.run(
                [
                    "-qec",
                    "'\(Framegrep.path)' find GATE '\(clip)' --engine tesseract\(bell) > '\(folder.file("out"))'", log,
                ])
            let text = String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
            #expect(text.contains("\u{7}") == expected)
            #expect(!((try? String(contentsOfFile: folder.file("out"), encoding: .utf8)) ?? "\u{7}").contains("\u{7}"))
        }
    }
}
