import Foundation
import OverlayDrawing
import Painting
import TestSupport
import Testing
import TextSpotting

/// The warnings about a running picture that cannot be read.
@Suite(.timeLimit(.minutes(3))) struct AdviceTests {
    @Test func adviceComesAndGoesWithTheFault() async throws {
        let folder = try TemporaryFolder()
        let words = KnownClip(words: [
            KnownWord(text: "GATE", x: 60, y: 70, size: 40, frames: 0..<1),
            KnownWord(text: "BUBBLES", x: 250, y: 200, size: 40, frames: 0..<1),
        ])
        let blurred = try words.picture(0)
        try blurred.blur(sigma: 9)
        let dark = try Canvas(darkRoom())
        let wall = try Canvas(width: 640, height: 360, color: OverlayColor(hex: 0xB0A898))
        let scenes: [(picture: Canvas, seconds: Int)] = [
            // Long enough for several readings on a busy machine: a problem is reported after a second.
            (wall, 2), (blurred, 6), (try words.picture(0), 5), (dark, 6), (wall, 5),
        ]
        var number = 0
        for (index, scene) in scenes.enumerated() {
            try scene.picture.writePNG(to: folder.file("scene\(index).png"))
            for _ in 0..<scene.seconds * 10 {
                try FileManager.default.createSymbolicLink(
                    atPath: folder.file("frame\(number).png"), withDestinationPath: folder.file("scene\(index).png"))
                number += 1
            }
        }
        let outcome = try await Framegrep.run([
            "run",
            "multifilesrc location=\(folder.path)/frame%d.png caps=image/png,framerate=10/1 ! pngdec ! clocksync ! appsink name=frames",
            "--find", "BUBBLES", "--engine", "tesseract", "--events", "jsonl",
        ])
        #expect(outcome.status == 0, "\(outcome.stderr)")
        let codes = outcome.objects.filter { $0["type"] as? String == "warning" }.compactMap { $0["code"] as? String }
        #expect(codes == ["picture-blurred", "picture-clear", "picture-dark", "picture-clear"])
        #expect(outcome.stderr.contains("hold still or clean the lens"))
        // The camera has no light that could be turned on.
        #expect(outcome.stderr.contains("Too dark") && !outcome.stderr.contains("t turns"))
    }

    /// The picture of a sensor with hardly any light: noise.
    private func darkRoom() -> Picture {
        var state: UInt32 = 7
        let bytes = (0..<640 * 360).flatMap { _ -> [UInt8] in
            // This takes the upper bits of Numerical Recipes' linear congruential generator.
            state = state &* 1_664_525 &+ 1_013_904_223
            return [UInt8](repeating: UInt8(20 + (state >> 24) % 12), count: 3)
        }
        return Picture(format: .rgb, width: 640, height: 360, bytes: bytes)
    }
}
