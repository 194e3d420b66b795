import OverlayDrawing
import Painting
import TextSpotting

/// Clips with things on them that must not be seen: addresses, numbers and names, beside words that may be.
///
/// Made by a rule from seeds: twelve ways in which text comes, goes and moves, five clips of each.
extension ClipCatalog {
    /// Each with texts that are secrets, as ``isSecret(_:)`` tells.
    public static let secrets: [ClipScene] = SecretKind.allCases.flatMap { kind in
        (1...5).map { seed in secretScene(kind, seed: seed) }
    }

    /// How text is shown in them.
    private enum SecretKind: String, CaseIterable {
        case slides, pan, zoom, rotate, scroll, typed, fade, blur, covered, small, terminal, blink
    }

    /// People who are to stay unknown.
    static let names = [
        "Jane Doe", "Marianne Holt", "Oskar Lindqvist", "Peter Abernathy", "Lucia Fernandez", "Henry Whitcombe",
        "Agnes Moreau", "Tobias Kessler",
    ]
    private static let harmless = [
        "Quarterly report", "Open tasks", "Release notes", "Meeting room", "Weekly summary", "Build finished",
        "Draft version", "Next milestone", "Welcome back", "Settings saved",
    ]
    private static let colors = [0x2F4A5E, 0x4A3B52, 0x3D5240, 0x5A4A36, 0x34495E]

    /// - Parameter number: which of a clip's secrets.
    private static func secret(_ number: Int, seed: Int) -> String {
        let key = seed * 7 + number * 3
        let name = names[key % names.count]
        let parts = name.lowercased().split(separator: " ")
        switch (number + seed) % 5 {
        case 0: return "\(parts[0]).\(parts[1])@example.\(["org", "com", "net"][key % 3])"
        case 1: return "+1 \(212 + key % 600) 555 \(1000 + key * 37 % 9000)"
        case 2: return "192.168.\(key % 250).\(2 + key * 13 % 250)"
        case 3: return name
        default: return "https://intra.example.com/\(parts[1])/\(100 + key % 900)"
        }
    }

    /// Whether a text, or a part of it, is to be hidden: of the kinds `:email :phone :ip :url`, or one of ``names``.
    public static func isSecret(_ text: String) -> Bool {
        text.contains("@") || text.contains("+1 ") || text.contains("192.168.") || text.contains("https://")
            || names.contains { text.contains($0) }
    }

    private static func secretScene(_ kind: SecretKind, seed: Int) -> ClipScene {
        let (width, height, rate) = (960.0, 540.0, 25)
        let seconds = kind == .scroll || kind == .pan ? 6.0 : 4.0
        let frames = Int(seconds * Double(rate))
        let background = ClipBackground.flat(OverlayColor(hex: UInt32(colors[seed % colors.count])))
        var texts: [ClipText] = []
        for number in 0..<7 {
            texts.append(secretText(kind, number, seed, frames: frames))
            if number < 3, kind != .rotate, kind != .covered {
                let word = harmless[(seed * 3 + number) % harmless.count]
                texts.append(
                    ClipText(
                        word, at: Point(150, 20 + Double(number) * 8), size: 14, color: .white,
                        frames: number * 8..<number * 8 + 8))
            }
        }
        if kind == .covered {
            for row in 0..<2 {
                texts.append(
                    ClipText(
                        "CARGO", size: 40, color: .white,
                        motion: ClipMotion(
                            Point(-260 - Double(row) * 200, 150 + Double(row) * 240), velocity: Point(330, 0)),
                        plate: ClipPlate(OverlayColor(hex: 0x1D6E89), padding: Point(60, 70), cornerRadius: 12)))
            }
        }
        return ClipScene(
            "secrets-\(kind.rawValue)-\(seed)", summary: "secrets, \(kind.rawValue)", width: Int(width),
            height: Int(height), frameRate: rate, seconds: seconds, background: background, texts: texts,
            blur: kind == .blur ? 1 + 0.25 * Double(seed) : 0, seed: UInt64(seed))
    }

    private static func secretText(_ kind: SecretKind, _ number: Int, _ seed: Int, frames: Int) -> ClipText {
        let text = secret(number, seed: seed)
        let row = Point(480, 80 + Double(number) * 66)
        let begin = (number * 5 + seed * 3) % 20
        switch kind {
        case .slides:
            let half = number % 2 == 0 ? 0..<frames / 2 : frames / 2..<frames
            return ClipText(text, at: row, size: 30, color: .white, frames: half)
        case .pan, .zoom, .rotate, .scroll:
            return movingSecret(text, kind: kind, number: number, seed: seed, row: row)
        case .typed:
            return ClipText(
                text, at: row, font: .mono, size: 26, color: .white,
                appearance: .typed(charactersPerSecond: 8 + 4 * Double(seed)), frames: begin..<frames)
        case .fade:
            return ClipText(
                text, at: row, size: 30, color: .white, appearance: .fade(in: 6 + 4 * seed, out: 8 + 3 * seed),
                frames: begin..<frames - begin / 2)
        case .blur, .covered:
            return ClipText(text, at: row, size: 34, color: .white, frames: kind == .blur ? begin..<frames : nil)
        case .small:
            return ClipText(
                text, at: row, font: .sans, size: 13 + Double(seed % 3), color: .white, frames: begin..<frames)
        case .terminal:
            let line = ["mail to \(text)", "host \(text) is up", "user: \(text)"][number % 3]
            // DejaVu Sans Mono advances 0.602 em a character.
            let center = Point(30 + Double(line.count) * 18 * 0.602 / 2, 60 + Double(number) * 28)
            return ClipText(
                line, at: center, font: .mono, size: 18, color: OverlayColor(hex: 0xD5DCE3), frames: begin * 2..<frames)
        case .blink:
            return ClipText(
                text, at: row, size: 30, color: .white,
                appearance: .flicker(on: 3 + (number + seed) % 9, off: 5 + number * 3), frames: begin..<frames)
        }
    }

    private static func movingSecret(
        _ text: String, kind: SecretKind, number: Int, seed: Int, row: Point
    ) -> ClipText {
        let speed = 40 + Double(seed) * 30
        switch kind {
        case .pan:
            let motion = ClipMotion(Point(300 + Double(number) * 330, row.y), velocity: Point(-speed * 1.6, 0))
            return ClipText(text, size: 30, color: .white, motion: motion)
        case .zoom:
            let growth = number % 2 == 0 ? 1.12 + 0.03 * Double(seed) : 0.9 - 0.02 * Double(seed)
            return ClipText(
                text, size: 24, color: .white,
                motion: ClipMotion(row, scale: number % 2 == 0 ? 0.8 : 1.4, growth: growth))
        case .rotate:
            let place = Point(number % 2 == 0 ? 250 : 710, 90 + Double(number / 2) * 120)
            let turn = (number % 2 == 0 ? 1.0 : -1) * (2 + Double(seed) * 1.5)
            return ClipText(
                text, size: 22, color: .white, motion: ClipMotion(place, degrees: -turn * 2, degreesPerSecond: turn))
        default:
            let motion = ClipMotion(Point(480, 380 + Double(number) * 110), velocity: Point(0, -speed))
            return ClipText(text, font: number % 2 == 0 ? .sans : .sansBold, size: 30, color: .white, motion: motion)
        }
    }
}
