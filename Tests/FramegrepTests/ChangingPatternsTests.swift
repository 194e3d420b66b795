import Foundation
import TestSupport
import Testing

/// The patterns change while a job runs.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ChangingPatternsTests {
    /// Runs with a picture that contains GATE and BUBBLES until it is interrupted.
    private func running(_ arguments: [String], input: Pipe? = nil) throws -> Running {
        let word =
            "shaded-background=false draw-shadow=false draw-outline=false color=0xff000000 font-desc=\"Sans Bold 40\""
        return try Running(
            Framegrep.path,
            [
                "run", "--engine", "tesseract", "--events", "jsonl",
                "videotestsrc pattern=white is-live=true ! video/x-raw,width=640,height=360,framerate=10/1 "
                    + "! textoverlay text=GATE valignment=top \(word) ! textoverlay text=BUBBLES valignment=bottom \(word) "
                    + "! appsink name=frames",
            ] + arguments,
            input: input?.fileHandleForReading)
    }

    private func interrupted(_ running: Running) async -> Framegrep.Outcome {
        running.send(SIGINT)
        return await running.end(within: 60)
    }

    private func say(_ text: String, to pipe: Pipe) throws {
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    private func has(_ running: Running, _ words: String...) async -> Bool {
        await running.wait(within: 60) {
            running.stdout.split(separator: "\n").contains { line in words.allSatisfy { line.contains($0) } }
        }
    }

    @Test func linesOnStandardInputAreThePattern() async throws {
        let input = Pipe()
        let job = try running(["--patterns-from", "-"], input: input)
        #expect(await has(job, "\"running\""))
        #expect(!job.stdout.contains("appeared"))
        try say("GATE\n", to: input)
        #expect(await has(job, "\"appeared\"", "\"pattern\":\"GATE\""))
        try say("+bubbles\n", to: input)
        #expect(await has(job, "\"appeared\"", "\"pattern\":\"bubbles\""))
        try say("zebra\n", to: input)
        #expect(await has(job, "\"disappeared\"", "\"pattern\":\"bubbles\""))
        #expect(await has(job, "\"disappeared\"", "\"pattern\":\"GATE\""))
        try input.fileHandleForWriting.close()
        #expect(await interrupted(job).status == 130)
    }

    @Test func everyLineOfAThousandAtOnceCounts() async throws {
        let input = Pipe()
        let job = try running(["--patterns-from", "-", "--exact"], input: input)
        // One of them is invalid, but the others still count.
        var lines = (0..<1000).map { "+zebra \($0)\n" }
        lines[400] = "+GATE\n"
        lines[600] = "+ \n"
        lines[999] = "+bubbles\n"
        try say(lines.joined(), to: input)
        #expect(await has(job, "\"appeared\"", "\"pattern\":\"GATE\""))
        #expect(await has(job, "\"appeared\"", "\"pattern\":\"bubbles\""))
        #expect(await has(job, "\"warning\"", "bad-pattern"))
        try input.fileHandleForWriting.close()
        #expect(await interrupted(job).status == 130)
    }

    @Test func anEditedFileIsReadAgainAtOnceAndABadOneChangesNothing() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("words")
        try "[z]ebra\n".write(toFile: file, atomically: true, encoding: .utf8)
        let job = try running(["-E", "-f", file])
        #expect(await has(job, "\"running\""))
        try "GA[T]E\n".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(await has(job, "\"appeared\"", "GA[T]E"))
        try "GATE(\n".write(toFile: file, atomically: false, encoding: .utf8)
        #expect(await has(job, "\"warning\"", "bad-pattern", "not closed"))
        #expect(!job.stdout.contains("disappeared"))
        try "BUBBLE.\n".write(toFile: file, atomically: false, encoding: .utf8)
        #expect(await has(job, "\"disappeared\"", "GA[T]E"))
        #expect(await has(job, "\"appeared\"", "BUBBLE."))
        #expect(await interrupted(job).status == 130)
    }

    @Test func whereTheyComeFromIsChecked() async throws {
        let outcome = try await Framegrep.run(["live", "--patterns-from", "words.txt", "x.mp4"])
        #expect(outcome.status == 2 && outcome.stderr.contains("-f"))
    }
}
