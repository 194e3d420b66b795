import OverlayDrawing
import TextSpotting

/// Clips about how text moves.
extension ClipCatalog {
    /// Signs that pass at 300 pixels a second.
    public static let pan300 = pan("pan-300", speed: 300, seconds: 6)

    /// Signs that pass at 600 pixels a second.
    public static let pan600 = pan("pan-600", speed: 600, seconds: 4)

    private static func pan(_ name: String, speed: Double, seconds: Double) -> ClipScene {
        let signs = ["ARRIVALS", "TICKETS", "PLATFORM 4", "RESTROOMS", "BAGGAGE", "DEPARTURES"]
        let texts = signs.enumerated().map { index, sign in
            ClipText(
                sign, font: .sansBold, size: 60, color: .white,
                motion: ClipMotion(
                    Point(320 + Double(index) * 480, index % 2 == 0 ? 260 : 460), velocity: Point(-speed, 0)),
                plate: ClipPlate(OverlayColor(hex: 0x14406B), padding: Point(28, 22), cornerRadius: 8))
        }
        return ClipScene(
            name, summary: "signs passing at \(Int(speed)) pixels a second", width: 1280, height: 720, frameRate: 30,
            seconds: seconds,
            background: .texture(
                ClipTexture(
                    from: OverlayColor(hex: 0x5D6268), to: OverlayColor(hex: 0xA9AFB3), side: 512,
                    velocity: Point(-speed, 0))),
            texts: texts, absent: ["ELEVATOR", "PLATFORM 5", "CUSTOMS"])
    }

    /// Words that grow and shrink.
    public static let zoom = ClipScene(
        "zoom", summary: "words that grow and shrink", width: 1280, height: 720, frameRate: 30, seconds: 6,
        background: .gradient(OverlayColor(hex: 0x0B3D2E), OverlayColor(hex: 0x06201A)),
        texts: [
            ClipText(
                "APPROACH", size: 40, color: .white,
                motion: ClipMotion(Point(640, 240), scale: 0.6, growth: 1.4)),
            ClipText(
                "RECEDE", size: 40, color: OverlayColor(hex: 0xFFE9A8),
                motion: ClipMotion(Point(640, 540), scale: 3.4, growth: 0.72)),
        ],
        absent: ["REPROACH", "DEPART"])

    /// Words that turn about their center, and some that stand at an angle.
    public static let rotate = ClipScene(
        "rotate", summary: "words that turn and words at an angle", width: 1280, height: 720, frameRate: 30, seconds: 6,
        background: .flat(OverlayColor(hex: 0x22304A)),
        texts: [
            ClipText(
                "ROTATE", size: 72, color: .white,
                motion: ClipMotion(Point(360, 360), degrees: -45, degreesPerSecond: 15)),
            ClipText(
                "TILTED", size: 64, color: OverlayColor(hex: 0xA8E6FF),
                motion: ClipMotion(Point(900, 190), degrees: 12)),
            ClipText(
                "UPWARDS", size: 56, color: OverlayColor(hex: 0xFFD9A0),
                motion: ClipMotion(Point(1150, 400), degrees: -90)),
            ClipText(
                "SLOPE", size: 64, color: .white, motion: ClipMotion(Point(840, 520), degrees: -8)),
        ],
        absent: ["STRAIGHT", "STILTED"])

    /// The end credits of a film.
    public static let scroll = ClipScene(
        "scroll", summary: "lines that scroll upwards", width: 1280, height: 720, frameRate: 30, seconds: 8,
        background: .flat(.black),
        texts: [
            "Directed by", "Marianne Holt", "Written by", "Oskar Lindqvist", "Camera", "Yuki Tanabe", "Editing",
            "Peter Abernathy", "Sound", "Lucia Fernandez", "Thanks to", "The City of Bergen",
        ].enumerated().map { index, line in
            ClipText(
                line, font: index % 2 == 0 ? .sans : .sansBold, size: index % 2 == 0 ? 30 : 44, color: .white,
                motion: ClipMotion(
                    Point(640, 500 + Double(index / 2) * 150 + Double(index % 2) * 50), velocity: Point(0, -120)))
        },
        absent: ["Produced by", "Costumes", "Marianne Bolton"])
}

extension FontFace {
    static let monoBold = FontFace("DejaVu Sans Mono,monospace", weight: 700)
    static let serifBold = FontFace("DejaVu Serif,serif", weight: 700)
}
