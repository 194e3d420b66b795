import Foundation
import TestSupport
import Testing

/// `framegrep redact --report`: a report of the hidden text before and after, for the person who approves it.
@Suite(.serialized, .timeLimit(.minutes(4))) struct RedactReportTests {
    private let engine = ["--engine", "tesseract", "--language", "eng"]

    @Test func thePageShowsEachThingBeforeAndAfter() async throws {
        let folder = try TemporaryFolder()
        let clip = try await cutsClip()
        let outcome = try await Framegrep.run(
            ["redact", "BUBBLES", clip, "-o", "clean.mp4", "--report", "report.html"] + engine, in: folder.path,
            timeout: 120)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.stderr.contains("report.html: shows what was hidden, and is as secret as"), "\(outcome)")
        #expect(Set(folder.names) == ["clean.mp4", "report.html"])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("report.html"))
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
        let page = try String(contentsOfFile: folder.file("report.html"), encoding: .utf8)
        // Logs leak, and so would words on the report page.
        #expect(!page.uppercased().contains("BUBBLES") && page.contains("pattern 1 at"))
        #expect(page.contains("This page is as secret as the recording"))
        let pictures = page.split(separator: "data:image/jpeg;base64,").dropFirst().compactMap {
            $0.split(separator: "\"").first.map(String.init)
        }
        // Both pictures are there, and the copy's differs.
        #expect(pictures.count >= 2 && pictures.count.isMultiple(of: 2) && pictures[0] != pictures[1])
        #expect(!page.contains("no picture") && !page.contains("<script") && !page.contains("://"))
    }

    @Test(arguments: [["-o", "out", "-r"], ["--plan", "plan.jsonl"], ["-o", "clean.mp4", "--report", "-"]])
    func thereIsNoPageOfSeveralOrOfNone(options: [String]) async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Framegrep.run(
            ["redact", "BUBBLES", "--report", "report.html"] + options + [try await cutsClip()] + engine,
            in: folder.path)
        #expect(outcome.status == 2 && outcome.stderr.contains("--report"), "\(outcome)")
        #expect(folder.names.isEmpty)
    }

    /// Panoramas and some cameras write a smaller picture behind the one that is shown, which may contain the text that
    /// was hidden.
    @Test func aPictureBehindAnotherIsRefusedByName() async throws {
        let folder = try TemporaryFolder()
        let picture = try await Framegrep.run(
            ["find", "BUBBLES", try await cutsClip(), "--save-frames", folder.file("frames")] + engine)
        #expect(picture.status == 0, "\(picture)")
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder.file("frames")).first)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("frames/\(name)")))
        try (bytes + bytes).write(to: URL(fileURLWithPath: folder.file("two.jpg")))
        let outcome = try await Framegrep.run(
            ["redact", "BUBBLES", "two.jpg", "-o", "clean.png"] + engine, in: folder.path)
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.stderr.contains("two.jpg holds 2 pictures, one behind the other"), "\(outcome)")
        #expect(!folder.names.contains("clean.png"))
    }
}
