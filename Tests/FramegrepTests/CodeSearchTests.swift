import Foundation
import OverlayDrawing
import Painting
import TestSupport
import Testing
import TextSpotting

/// Renders codes as people write them and searches for them without their marks; a small part of `measure-words codes`.
@Suite(.serialized, .timeLimit(.minutes(3))) struct CodeSearchTests {
    /// The code as written, the code searched for, and one that must not be found.
    private static let codes = [
        ("RK-115 AN", "RK115AN", "RK116AN"), ("WX·204·TB", "WX204TB", "WX2O4TD"),
        ("079 123 45 67", "0791234567", "0791234576"),
        ("B-MW 1234", "BMW1234", "BMW1334"), ("SN.4471.K", "SN4471K", "SN4417K"),
    ]

    @Test(arguments: Framegrep.hasNetworks ? ["neural", "tesseract"] : ["tesseract"])
    func codesAreFoundWhateverPartsThem(engine: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("codes.png")
        let canvas = try Canvas(width: 700, height: 500, color: OverlayColor(red: 1, green: 1, blue: 1))
        // Tesseract reads a dot in the middle as all kinds of marks.
        let codes = Self.codes.filter { engine == "neural" || !$0.0.contains("·") }
        for (row, code) in codes.enumerated() {
            canvas.draw(
                CanvasText(
                    code.0, font: FontFace("DejaVu Sans", weight: 700), size: 44,
                    color: OverlayColor(red: 0, green: 0, blue: 0), anchor: .topLeft),
                at: .place(Point(60, 30 + 90 * Double(row)), degrees: 0))
        }
        try canvas.writePNG(to: path)
        let patterns = codes.flatMap { ["-e", $0.1, "-e", $0.2] }
        let outcome = try await Framegrep.run(["find", "--engine", engine, "--format", "jsonl"] + patterns + [path])
        let found = outcome.objects.compactMap { $0["pattern"] as? String }.sorted()
        #expect(found == codes.map(\.1).sorted())
    }
}
