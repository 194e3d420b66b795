import TextSpotting

/// Clips about when text is there.
extension ClipCatalog {
    /// Large, clear, still words that come and go between one frame and the next.
    public static let staticCuts = ClipScene(
        "static-cuts", summary: "large still words that come and go by hard cut", width: 1280, height: 720,
        frameRate: 30, seconds: 8, background: .gradient(night, OverlayColor(hex: 0x2C4A5E)),
        texts: [
            ClipText("FRAMEGREP", at: Point(640, 120), size: 84, color: .white),
            ClipText("OPEN", at: Point(300, 320), size: 96, color: .white, frames: 30..<90),
            ClipText("WARNING", at: Point(860, 320), size: 96, color: OverlayColor(hex: 0xFFD24A), frames: 60..<150),
            ClipText("CLOSED", at: Point(300, 320), size: 96, color: .white, frames: 90..<180),
            ClipText("Platform 9", at: Point(640, 540), size: 88, color: .white, frames: 120..<210),
        ],
        absent: ["EXIT", "BATTERY", "Platform 7", "ENTRANCE", "DISCLOSED"])

    /// A line that is typed, with a second one after it.
    public static let typed = ClipScene(
        "typed", summary: "text typed one character after the other", width: 1280, height: 720, frameRate: 30,
        seconds: 6,
        background: .flat(OverlayColor(hex: 0x10141A)),
        texts: [
            ClipText(
                "swift build --configuration release", at: Point(560, 220), font: .monoBold, size: 40,
                color: OverlayColor(hex: 0xC8E6C9), appearance: .typed(charactersPerSecond: 15), frames: 15..<180),
            ClipText(
                "Compiling framegrep", at: Point(400, 320), font: .monoBold, size: 40,
                color: OverlayColor(hex: 0xFFE082), appearance: .typed(charactersPerSecond: 30), frames: 105..<180),
        ],
        absent: ["swift test", "debug", "error"])

    /// Words that are there only every other moment.
    public static let flicker = ClipScene(
        "flicker", summary: "words that go on and off", width: 1280, height: 720, frameRate: 30, seconds: 6,
        background: .flat(night),
        texts: [
            ClipText(
                "ON AIR", at: Point(640, 220), size: 110, color: OverlayColor(hex: 0xFF6B5E),
                appearance: .flicker(on: 3, off: 3), frames: 30..<150),
            ClipText(
                "NO SIGNAL", at: Point(640, 480), size: 90, color: .white, appearance: .flicker(on: 15, off: 15)),
        ],
        absent: ["OFF AIR", "SIGNAL LOST"])

    /// Words that come and go slowly.
    public static let fade = ClipScene(
        "fade", summary: "words that fade in and out", width: 1280, height: 720, frameRate: 30, seconds: 6,
        background: .gradient(OverlayColor(hex: 0x33261D), OverlayColor(hex: 0x0E0B09)),
        texts: [
            ClipText(
                "CHAPTER TWO", at: Point(640, 260), size: 80, color: .white, appearance: .fade(in: 30, out: 30),
                frames: 15..<120),
            ClipText(
                "The Long Way Home", at: Point(640, 420), font: .serifBold, size: 64, color: paper,
                appearance: .fade(in: 45, out: 20), frames: 40..<165),
        ],
        absent: ["CHAPTER ONE", "The Short Way"])
}
