import Foundation
import TestSupport
import Testing

/// Kinds of patterns, as users give them to `find`.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PatternKindsTests {
    private func find(_ arguments: String...) async throws -> Framegrep.Outcome {
        try await Framegrep.run(["find", "--engine", "tesseract"] + arguments)
    }

    /// Returns the texts that match, in a clip with GATE, BUBBLES, EXIT 12 and Kitchen.
    private func found(_ arguments: String...) async throws -> [String] {
        let clip = try await cutsClip()
        let outcome = try await Framegrep.run(
            ["find", "--engine", "tesseract", "--format", "jsonl"] + arguments + [clip])
        return outcome.objects.compactMap { $0["text"] as? String }.sorted()
    }

    @Test func expressionsAreFound() async throws {
        #expect(try await found("-E", "b{1}ub+les|k.t\\w+") == ["BUBBLES", "Kitchen"])
        #expect(try await found("-E", "-s", "[A-Z][a-z]+") == ["Kitchen"])
        #expect(try await found("-E", "^exit \\d+$") == ["EXIT 12"])
    }

    @Test func exactTextsAndNumbers() async throws {
        #expect(try await found("--exact", "exit 12") == ["EXIT 12"])
        #expect(try await found("--exact", "EX1T").isEmpty)
        #expect(try await found(":number") == ["12"])
        #expect(try await found("-e", ":date", "-e", ":ip").isEmpty)
    }

    @Test func allPatternsAtTheSameTime() async throws {
        let clip = try await cutsClip()
        // BUBBLES from frame 20 to 50, EXIT 12 from 35 on, Kitchen until 30.
        let both = try await find("--all", "-e", "BUBBLES", "-e", "EXIT 12", clip)
        #expect(both.status == 0)
        #expect(
            both.lines.sorted() == [
                "\(clip):00:00:01.400-00:00:02.000: BUBBLES", "\(clip):00:00:01.400-00:00:02.000: EXIT 12",
            ])
        let never = try await find("--all", "-e", "Kitchen", "-e", "EXIT", clip)
        #expect(never.status == 1 && never.stdout.isEmpty)
        #expect(try await find("--all", "-c", "-e", "BUBBLES", "-e", "EXIT", clip).stdout == "2\n")
        #expect(try await find("--all", "-q", "-e", "BUBBLES", "-e", "EXIT", clip).status == 0)
        #expect(try await find("--all", "-l", "-e", "BUBBLES", "-e", "zebra", clip).status == 1)
        #expect(try await find("--all", "-m", "1", "-e", "BUBBLES", "-e", "EXIT", clip).lines.count == 1)
    }

    @Test func boxesOfAllPatternsLieWithinTheirCommonTime() async throws {
        let clip = try await cutsClip()
        let folder = try TemporaryFolder()
        let boxes = folder.file("boxes.jsonl")
        _ = try await find("--all", "-e", "BUBBLES", "-e", "EXIT", clip, "--boxes", boxes)
        let lines = try String(contentsOfFile: boxes, encoding: .utf8).split(separator: "\n")
        let times = lines.compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["t"] as? Double
        }
        #expect(times.count == 30 && times.allSatisfy { $0 > 1.39 && $0 < 2 })
    }

    @Test func whatIsWrongIsSaidBeforeAnythingIsRead() async throws {
        for (arguments, words) in [
            (["-E", "GATE ("], ["character 6", "not closed"]), (["-E", "(?=a)"], ["look-ahead"]),
            (["-E", "a{2000}"], ["1000"]),
            (["-E", "--exact", "a"], ["--exact and -E"]), (["-E", "x{0}"], ["no character"]), (["-E", ""], ["empty"]),
        ] as [([String], [String])] {
            let outcome = try await Framegrep.run(["find"] + arguments + ["nothere.mp4"])
            #expect(outcome.status == 2 && outcome.stdout.isEmpty)
            for word in words { #expect(outcome.stderr.contains(word), "\(outcome.stderr)") }
            #expect(!outcome.stderr.contains("nothere"))
        }
    }
}
