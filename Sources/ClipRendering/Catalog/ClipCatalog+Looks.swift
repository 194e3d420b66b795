import OverlayDrawing
import TextSpotting

/// Clips about the appearance of text and its background.
extension ClipCatalog {
    /// Words on a moving texture, small ones too (x-height 16 pixels and more), some of them nearly alike.
    public static let textured = ClipScene(
        "textured", summary: "words on a moving, photo-like background", width: 1280, height: 720, frameRate: 30,
        seconds: 6,
        background: .texture(
            ClipTexture(
                from: OverlayColor(hex: 0x2B2A20), to: OverlayColor(hex: 0x7A7358), roughness: 0.6, side: 512,
                velocity: Point(90, 35))),
        texts: [
            ClipText("harbor", at: Point(260, 140), size: 34, color: .white),
            ClipText("RESISTOR", at: Point(900, 160), size: 44, color: .white, frames: 30..<150),
            ClipText("lighthouse", size: 36, color: paper, motion: ClipMotion(Point(300, 360), velocity: Point(60, 0))),
            ClipText("FUSE 5A", at: Point(960, 400), size: 40, color: OverlayColor(hex: 0xFFF0A0), frames: 45..<180),
            ClipText("Morning ferry 08:45", at: Point(560, 580), size: 34, color: .white),
        ],
        absent: ["harvest", "TRANSISTOR", "light horse", "FUSE 8A", "evening ferry", "RESISTANCE", "ferret"])

    /// Dark print on light paper.
    public static let darkOnLight = ClipScene(
        "dark-on-light", summary: "dark print on light paper", width: 1280, height: 720, frameRate: 30, seconds: 5,
        background: .texture(
            ClipTexture(from: OverlayColor(hex: 0xE2DCCB), to: OverlayColor(hex: 0xF7F3E9), side: 512)),
        texts: [
            ClipText("INVOICE", at: Point(300, 130), size: 64, color: ink),
            ClipText("Number 20417", at: Point(320, 250), font: .sans, size: 36, color: ink),
            ClipText("Two ladders, aluminum", at: Point(420, 360), font: .serif, size: 38, color: ink),
            ClipText("Total 318.50", at: Point(940, 500), size: 44, color: ink, frames: 40..<150),
            ClipText("PAID", at: Point(940, 610), size: 60, color: OverlayColor(hex: 0x9C1F1F), frames: 75..<150),
        ],
        absent: ["UNPAID", "Number 20477", "steel", "REMINDER"])

    /// A camera out of focus.
    public static let blur = ClipScene(
        "blur", summary: "words out of focus", width: 1280, height: 720, frameRate: 30, seconds: 4,
        background: .flat(OverlayColor(hex: 0x2A2F36)),
        texts: [
            ClipText("EMERGENCY", at: Point(440, 220), size: 72, color: .white, frames: 15..<105),
            ClipText("Fire hose", at: Point(800, 460), size: 60, color: OverlayColor(hex: 0xFFD24A)),
        ],
        absent: ["EMERGENT", "Garden hose"], blur: 2.4)

    /// A camera in a dark room.
    public static let noise = ClipScene(
        "noise", summary: "words under a sensor's noise", width: 1280, height: 720, frameRate: 30, seconds: 4,
        background: .gradient(OverlayColor(hex: 0x3B4148), OverlayColor(hex: 0x1C2126)),
        texts: [
            ClipText("LOADING DOCK", at: Point(460, 220), size: 60, color: .white),
            ClipText("Door 3", at: Point(860, 470), size: 64, color: OverlayColor(hex: 0xE8F4C8), frames: 30..<120),
        ],
        absent: ["Door 8", "PADLOCK", "LOADING RAMP"], noise: 0.3)

    /// A recorded terminal: many lines of small print that come one after the other.
    public static let terminal = ClipScene(
        "terminal", summary: "small text of a recorded terminal, 1080p", width: 1920, height: 1080, frameRate: 30,
        seconds: 6, background: .flat(OverlayColor(hex: 0x0F1419)),
        texts: [
            "$ git status", "On branch main", "Your branch is up to date with 'origin/main'.",
            "nothing to commit, working tree clean", "$ swift test --parallel", "Building for debugging...",
            "Test run started.", "Test \"words are found\" passed after 0.018 seconds.",
            "Test \"quads enclose ink\" passed after 0.004 seconds.",
            "Test \"times are exact\" failed after 0.031 seconds with 1 issue.",
            "Expectation failed: (end == 4.966666666) was 4.933333333", "Test run with 3 tests failed.",
            "$ vim Sources/Clock/FrameClock.swift", "$ swift test --filter exact", "Test run with 1 test passed.",
            "$ git commit -m 'clock: round to the nearest frame'", "1 file changed, 2 insertions, 2 deletions",
        ].enumerated().map { index, line in terminalLine(line, row: index) },
        absent: ["segmentation fault", "Test run with 5 tests", "git push", "FrameLock"])

    private static func terminalLine(_ line: String, row: Int) -> ClipText {
        let size = 19.0
        // DejaVu Sans Mono advances 0.602 em a character; the ink's center stands in for the column.
        let center = Point(60 + Double(line.count) * size * 0.602 / 2, 60 + Double(row) * 30)
        return ClipText(
            line, at: center, font: .mono, size: size,
            color: OverlayColor(hex: line.hasPrefix("$") ? 0x9BE38C : 0xD5DCE3),
            appearance: line.hasPrefix("$") ? .typed(charactersPerSecond: 60) : .steady, frames: row * 9..<180)
    }

    /// Frames that are stored in another order than they are shown, with an edit list in MP4.
    public static let bFrames = ClipScene(
        "bframes", summary: "H.264 with B-frames", width: 640, height: 360, frameRate: 25, seconds: 4,
        background: .texture(
            ClipTexture(
                from: OverlayColor(hex: 0x1D2B3A), to: OverlayColor(hex: 0x3F566B), velocity: Point(40, 0))),
        texts: [
            ClipText("REORDER", at: Point(200, 120), size: 48, color: .white, frames: 25..<75),
            ClipText("STEADY", at: Point(440, 260), size: 44, color: .white),
        ],
        absent: ["BORDER", "STUDY"], bFrames: 2)
}
