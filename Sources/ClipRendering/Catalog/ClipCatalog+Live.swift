import OverlayDrawing
import TextSpotting

/// Clips that test boxes on a running picture: they must come soon, and go when their word does.
extension ClipCatalog {
    /// Words that come one after the other, at moments that no clock of readings shares, each to a place of its own.
    public static let appearing = ClipScene(
        "appearing", summary: "words that come one after the other, some of them at another place", width: 1280,
        height: 720, frameRate: 30, seconds: 12,
        background: .texture(
            ClipTexture(from: OverlayColor(hex: 0x1E2A33), to: OverlayColor(hex: 0x3C5361), side: 512)),
        texts: arrivals.enumerated().map { index, arrival in
            ClipText(
                arrival.word, at: Point(220 + Double(index * 7 % 4) * 280, 110 + Double(index * 5 % 6) * 100),
                size: 44, color: .white, frames: arrival.frames)
        },
        absent: ["departed", "Gate 9", "umbrella"])

    private static let arrivals: [(word: String, frames: Range<Int>)] = [
        ("Harbor", 34..<101), ("Gate 4", 53..<115), ("lantern", 71..<142), ("SALT", 92..<160), ("Window", 118..<181),
        ("ticket", 135..<190), ("Garden", 149..<230), ("NORTH", 167..<221), ("bridge", 193..<260),
        ("COPPER", 206..<268),
        // This one jumps to another place and back.
        ("Kettle", 219..<250), ("Kettle", 250..<281), ("Kettle", 281..<315),
        ("violin", 237..<300), ("MARKET", 263..<330), ("pencil", 278..<333), ("Signal", 296..<360),
        ("feather", 307..<360),
    ]

    /// A word that something passes in front of, one that is covered at once, and one that leaves the picture.
    public static let covered = ClipScene(
        "covered", summary: "words that are covered, and one that leaves the picture", width: 1280, height: 720,
        frameRate: 30, seconds: 8,
        background: .texture(
            ClipTexture(from: OverlayColor(hex: 0x6B5B4B), to: OverlayColor(hex: 0x9C8A74), side: 512)),
        texts: [
            ClipText("MUSEUM", at: Point(640, 180), size: 56, color: .white),
            ClipText("Library", at: Point(1000, 520), size: 48, color: .white),
            ClipText(
                "TAXI", size: 60, color: OverlayColor(hex: 0x14202B),
                motion: ClipMotion(Point(200, 420), velocity: Point(260, 0)),
                plate: ClipPlate(OverlayColor(hex: 0xF2C230), padding: Point(36, 28), cornerRadius: 10)),
            ClipText(
                "BUS 42", size: 40, color: .white, motion: ClipMotion(Point(-1100, 180), velocity: Point(430, 0)),
                plate: ClipPlate(OverlayColor(hex: 0x1D4E89), padding: Point(300, 70), cornerRadius: 16)),
            ClipText(
                "sold out", at: Point(1000, 520), size: 30, color: .white, frames: 100..<150,
                plate: ClipPlate(OverlayColor(hex: 0x7A1F1F), padding: Point(140, 60), cornerRadius: 4)),
        ],
        absent: ["mausoleum", "BUS 47", "liberty"])
}
