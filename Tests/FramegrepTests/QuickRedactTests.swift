import TestSupport
import Testing

/// `framegrep redact` if words move farther in a frame than their height: no frame of the copy shows them.
@Suite(.serialized, .timeLimit(.minutes(4))) struct QuickRedactTests {
    private let engine = ["--engine", "tesseract", "--language", "eng"]

    /// A word that is dragged to another place within five frames.
    private static let dragged = KnownClip(
        words: [word(20, 40, 0..<30)]
            + (0..<5).map { word(20 + Double($0) * 60, 40 + Double($0) * 40, 30 + $0..<31 + $0) }
            + [word(320, 240, 35..<75)])

    /// A word that jumps back and forth, to another place in each frame.
    private static let shaken = KnownClip(
        words: (0..<75).map { word(150 + Double($0 * 37 % 61), 130 + Double($0 * 23 % 61), $0..<$0 + 1) })

    /// The speed is too small to be visible; it is needed because frames with the same words at speed 0 are drawn only
    /// once.
    private static func word(_ x: Double, _ y: Double, _ frames: Range<Int>) -> KnownWord {
        KnownWord(text: "SECRETWORD", x: x, y: y, size: 40, frames: frames, speed: 0.001)
    }

    @Test(arguments: ["dragged", "shaken"]) func noFrameShowsAWordThatMovesQuickly(name: String) async throws {
        let folder = try TemporaryFolder()
        let clip = try await ClipCache.shared.path("\(name).mp4", name == "dragged" ? Self.dragged : Self.shaken)
        let outcome = try await Framegrep.run(
            ["redact", "SECRETWORD", clip, "-o", "clean.mp4"] + engine, in: folder.path, timeout: 120)
        #expect(outcome.status == 0, "\(outcome)")
        let again = try await Framegrep.run(
            ["find", "--every-frame", "SECRETWORD", folder.file("clean.mp4")] + engine, timeout: 120)
        #expect(again.status == 1, "\(again)")
    }
}
