import Foundation
import TestSupport
import Testing

/// A library that crashes in one recording costs only that recording.
///
/// The signal is sent from outside; it reaches the same handler as a fault in a decoder.
@Suite(.serialized, .timeLimit(.minutes(3))) struct CrashTests {
    private let server: SilentServer

    init() throws { server = try SilentServer() }

    /// Searches three inputs, the second of which makes the search wait until it crashes there.
    private func search(
        _ options: [String], dyingOf signal: Int32 = SIGSEGV, isLast: Bool = false
    ) async throws -> Framegrep.Outcome {
        let inputs = [try await cutsClip(), server.address] + (isLast ? [] : [try await standingClip()])
        let job = try Running(Framegrep.path, ["find", "--engine", "tesseract", "GATE"] + options + inputs)
        #expect(await job.wait { server.hasGuest }, "\(job.stderr)")
        job.send(signal)
        let outcome = await job.end(within: 60)
        #expect(!outcome.timedOut)
        return outcome
    }

    @Test(arguments: [SIGSEGV, SIGABRT, SIGILL, SIGTRAP]) func theOthersAreSearched(signal: Int32) async throws {
        let outcome = try await search([], dyingOf: signal)
        #expect(outcome.status == 2 && outcome.signal == nil, "\(outcome)")
        #expect(outcome.lines.count == 2, "\(outcome)")
        #expect(
            outcome.lines.first?.contains("cuts.mp4") == true && outcome.lines.last?.contains("standing.mp4") == true)
        #expect(outcome.stderr.contains("\(server.address) could not be searched to its end"), "\(outcome.stderr)")
        #expect(outcome.stderr.contains("the search continues with the next."))
    }

    @Test func theLastOneEndsTheSearch() async throws {
        let outcome = try await search([], isLast: true)
        #expect(outcome.status == 2 && outcome.lines.count == 1, "\(outcome)")
        #expect(outcome.stderr.contains("was found in it until then is above."), "\(outcome.stderr)")
    }

    @Test func aFileOfResultsIsWhole() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("before", to: "seen.csv")
        let outcome = try await search(["--format", "csv", "-o", file])
        #expect(outcome.status == 2 && outcome.stdout.isEmpty)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(whereSeparator: \.isNewline)
        #expect(lines.count == 3 && lines.filter { $0.hasPrefix("source,") }.count == 1, "\(lines)")
        #expect(folder.names == ["seen.csv"])
    }

    @Test func countsAndNumbersGoOn() async throws {
        let cues = try await search(["--format", "srt"])
        #expect(cues.lines.filter { Int($0) != nil } == ["1", "2"], "\(cues.stdout)")
        let another = try CrashTests()
        let counts = try await another.search(["-c"])
        #expect(counts.lines.count == 3 && counts.lines.map { $0.suffix(2) } == [":1", ":0", ":1"], "\(counts.stdout)")
    }

    /// Commands that read a single recording report that a library crashed, and in which recording.
    @Test(arguments: [
        ["values", "--near", "GATE"], ["redact", "GATE", "-o", "r.mp4"], ["redact", "GATE", "--plan", "p.jsonl"],
        ["index", "--index", "x"], ["index", "--index", "x", "-j", "2"],
    ])
    func otherCommandsSayWhatCrashed(arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        let job = try Running(
            Framegrep.path, arguments + [server.address, "--engine", "tesseract"], folder: folder.path)
        #expect(await job.wait { server.hasGuest }, "\(job.stderr)")
        job.send(SIGSEGV)
        let outcome = await job.end(within: 60)
        #expect(outcome.status == 2 && outcome.signal == nil && outcome.stdout == "", "\(outcome)")
        #expect(outcome.stderr.split(separator: "\n").count == 1, "\(outcome)")
        #expect(
            outcome.stderr.contains(server.address) && outcome.stderr.contains("crashed (segmentation fault)"),
            "\(outcome)")
        #expect(folder.names.allSatisfy { $0 == "x" }, "\(folder.names)")
    }

    /// A copy that is not complete is removed.
    @Test func aRedactedCopyDoesNotStayUnfinished() async throws {
        let folder = try TemporaryFolder()
        let job = try Running(
            Framegrep.path, ["redact", "GATE", try await cutsClip(), "-o", "r.mp4", "--engine", "tesseract"],
            folder: folder.path)
        // At the start an empty file is made and removed, to see whether one can be written. What is hidden is printed
        // before the copy begins.
        #expect(await job.wait { !job.stdout.isEmpty && !folder.names.isEmpty }, "\(job.stderr)")
        job.send(SIGSEGV)
        let outcome = await job.end(within: 60)
        #expect(outcome.status == 2 && outcome.stderr.contains("r.mp4 is not written."), "\(outcome)")
        #expect(folder.names.isEmpty)
    }

    @Test func aCrashWithoutASearchEndsTheProgram() async throws {
        let job = try Running(
            Framegrep.path, ["live", "GATE", server.address, "--headless", "--engine", "tesseract"])
        #expect(await job.wait { server.hasGuest })
        job.send(SIGSEGV)
        #expect(await job.end(within: 30).signal == SIGSEGV)
    }

    @Test func anInterruptionStillCounts() async throws {
        let second = try SilentServer()
        let job = try Running(
            Framegrep.path,
            ["find", "--engine", "tesseract", "GATE", try await cutsClip(), server.address, second.address])
        #expect(await job.wait { server.hasGuest })
        job.send(SIGSEGV)
        #expect(await job.wait { second.hasGuest }, "\(job.stderr)")
        job.send(SIGINT)
        let outcome = await job.end(within: 60)
        #expect(outcome.signal == SIGINT && outcome.lines.count == 1, "\(outcome)")
    }
}
