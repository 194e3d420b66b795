import OverlayDrawing
import TestSupport
import Testing
import TextSpotting

/// Captions over a picture that stands still and hides them from the networks: strokes all over it.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RoughGroundTests {
    /// Dark strokes in all directions on gray, in the same places every time.
    private static func strokes(_ width: Int, _ height: Int) -> Picture {
        var picture = Picture(
            format: .luma, width: width, height: height, bytes: [UInt8](repeating: 150, count: width * height))
        var state: UInt64 = 7
        func next(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        for _ in 0..<260 {
            let (x, y, across, down) = (next(width), next(height), next(101) - 50, next(101) - 50)
            let (thick, level) = (2 + next(3), UInt8(20 + next(50)))
            for step in 0...100 {
                for at in 0..<thick * thick {
                    let (column, row) = (x + across * step / 100 + at % thick, y + down * step / 100 + at / thick)
                    guard (0..<width).contains(column), (0..<height).contains(row) else { continue }
                    picture.bytes[row * width + column] = level
                }
            }
        }
        return picture
    }

    private static let clip = KnownClip(
        frameCount: 150,
        words: [
            KnownWord(text: "Run!", x: 280, y: 280, size: 30, frames: 20..<50),
            KnownWord(text: "Where?", x: 260, y: 280, size: 30, frames: 50..<80),
            KnownWord(text: "Over there", x: 240, y: 280, size: 30, frames: 92..<130),
        ], ink: OverlayColor(hex: 0xFFFFFF), ground: strokes(640, 360))

    @Test(.enabled(if: Scripts.areRead, "the networks are not installed"))
    func captionsOverStrokesAreReadAndKeepTheirTimes() async throws {
        let path = try await ClipCache.shared.path("strokes.mp4", Self.clip)
        let outcome = try await Framegrep.run("find", "--no-index", "--all-text", "--format", "jsonl", path)
        for word in Self.clip.words {
            let found = outcome.objects.contains {
                $0["text"] as? String == word.text
                    && abs(($0["start"] as? Double ?? -1) * 25 - Double(word.frames.lowerBound)) <= 2
                    && abs(($0["end"] as? Double ?? -1) * 25 - Double(word.frames.upperBound)) <= 2
            }
            #expect(found, "\(word.text): \(outcome.stdout)")
        }
        #expect(outcome.objects.count == Self.clip.words.count, "\(outcome.stdout)")
    }
}
