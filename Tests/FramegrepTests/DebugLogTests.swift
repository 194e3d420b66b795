import TestSupport
import Testing

/// The debug log, which is printed only on request: docs/DEBUGGING.md.
@Suite(.serialized, .timeLimit(.minutes(3))) struct DebugLogTests {
    private let search = ["--engine", "tesseract"]

    @Test func whatIsReadAndWhyIsToldWhenAsked() async throws {
        let clip = try await cutsClip()
        let outcome = try await Framegrep.run(
            ["find", "GATE", clip] + search, environment: ["GST_DEBUG": "framegrep:5", "GST_DEBUG_NO_COLOR": "1"])
        #expect(outcome.status == 0)
        for told in [
            "pipeline0 made: ", "went from paused to playing", "has frames of 640x360",
            "of frame 0 at 0.0 s: firstPicture",
            "read frame 0 within ",
        ] { #expect(outcome.stderr.contains(told), "\(told)") }
        // The results are the same as without the debug log.
        #expect(outcome.stdout == (try await Framegrep.run(["find", "GATE", clip] + search)).stdout)
    }

    @Test func nothingIsToldUnlessAsked() async throws {
        let outcome = try await Framegrep.run(["find", "GATE", try await cutsClip()] + search)
        #expect(outcome.stderr == "")
    }

    @Test func noPasswordIsTold() async throws {
        let outcome = try await Framegrep.run(
            ["live", "GATE", "rtsp://guard:s3same@127.0.0.1:9/camera", "--headless"] + search,
            environment: ["GST_DEBUG": "framegrep:9"])
        #expect(outcome.stderr.contains("made: ") && !outcome.stderr.contains("s3same"), "\(outcome.stderr)")
    }

    @Test func pipelinesAreDrawnWhereAFolderIsNamed() async throws {
        let folder = try TemporaryFolder()
        _ = try await Framegrep.run(
            ["find", "GATE", try await cutsClip()] + search, environment: ["GST_DEBUG_DUMP_DOT_DIR": folder.path])
        #expect(folder.names.contains { $0.hasSuffix("framegrep-pipeline0-paused-playing.dot") }, "\(folder.names)")
    }
}
