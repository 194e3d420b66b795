import TestSupport
import Testing
import TextSpotting

/// Checks that `find` finds every text that `--all-text` prints correctly, at the same time.
@Suite(.serialized, .timeLimit(.minutes(5))) struct AllTextFoundTests {
    /// Makes the same choices in every run (the generator of D. Knuth's MMIX).
    private struct Choices: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private static let words = [
        "harbor", "Window", "GARDEN", "OK", "Run!", "12", "A17", "Chapter", "Two", "the", "of", "3.14", "100%", "No.",
        "09:41", "Speed", "km/h", "Wi-Fi", "don't",
    ]
    private static let looks: [(paper: UInt32, ink: UInt32)] = [
        (0x000000, 0xFFFFFF), (0x30404A, 0xFFFF00), (0xFFFFFF, 0x203060), (0x806020, 0xFFFFFF),
    ]

    /// Creates one to three lines of different sizes, each at a random place in its own band of the picture.
    private static func clip(_ seed: UInt64) -> KnownClip {
        var choices = Choices(state: seed)
        let look = looks[Int(seed) % looks.count]
        let bands = Int.random(in: 1...3, using: &choices)
        let lines = (0..<bands).map { band in
            let start = Bool.random(using: &choices) ? 0 : Int.random(in: 1...30, using: &choices)
            let text = (0..<Int.random(in: 1...3, using: &choices)).map { _ in
                words.randomElement(using: &choices) ?? "OK"
            }
            return KnownWord(
                text: text.joined(separator: " "), x: Double.random(in: 10...200, using: &choices),
                y: Double(band) * 110 + Double.random(in: 10...50, using: &choices),
                size: Double.random(in: 14...40, using: &choices),
                frames: start..<min(50, start + Int.random(in: 5...50, using: &choices)))
        }
        return KnownClip(
            frameCount: 50, words: lines, paper: OverlayColor(hex: look.paper), ink: OverlayColor(hex: look.ink))
    }

    /// A title of small letters, alone in a dark picture for a second.
    private static let title = KnownClip(
        width: 854, height: 480, frameCount: 60, rate: 24,
        words: [KnownWord(text: "COMING SOON", x: 340, y: 230, size: 24, frames: 24..<48)],
        paper: OverlayColor(hex: 0), ink: OverlayColor(hex: 0xFFFFFF))

    @Test(arguments: Array(0...3) as [UInt64]) func everyLineIsFound(seed: UInt64) async throws {
        try await expectAllIsFound(Self.clip(seed), "all-text-\(seed).mp4")
    }

    @Test func aLineAloneIsFound() async throws { try await expectAllIsFound(Self.title, "all-text-title.mp4") }

    private func expectAllIsFound(_ clip: KnownClip, _ name: String) async throws {
        let path = try await ClipCache.shared.path(name, clip)
        let written = Set(clip.words.map(\.text))
        let printed = try await texts(["--all-text", path]).filter { written.contains($0.text) }
        #expect(!printed.isEmpty, "none of \(written)")
        guard !printed.isEmpty else { return }
        let found = try await texts(printed.flatMap { ["-e", $0.text] } + [path])
        for line in printed {
            #expect(
                found.contains { $0.pattern == line.text && $0.start < line.end && line.start < $0.end },
                "\(line) is printed and not found: \(found)")
        }
    }

    private struct Seen {
        var pattern: String?
        var text: String
        var start: Double
        var end: Double
    }

    private func texts(_ arguments: [String]) async throws -> [Seen] {
        let outcome = try await Framegrep.run(["find", "--no-index", "--format", "jsonl"] + arguments)
        return outcome.objects.compactMap { object in
            guard let text = object["text"] as? String, let start = object["start"] as? Double,
                let end = object["end"] as? Double
            else { return nil }
            return Seen(pattern: object["pattern"] as? String, text: text, start: start, end: end)
        }
    }
}
