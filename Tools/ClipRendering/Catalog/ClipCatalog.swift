public import Errors
import OverlayDrawing
import Painting
import TextSpotting

/// The project's own clips: together they cover how text appears, moves and looks.
public enum ClipCatalog {
    /// Every clip, each under a name of its own.
    public static let all: [ClipScene] = [
        staticCuts, pan300, pan600, zoom, rotate, scroll, typed, flicker, fade, textured, darkOnLight, blur, noise,
        terminal, bFrames, demo, appearing, covered,
    ]

    /// Clips of values that change in one place, which are measured by their own rules.
    public static let values: [ClipScene] = clocks + heldOutClocks + fastValues + meters + heldOutMeters

    /// The clip of this name.
    /// - Throws: `FramegrepError` (`badArgument`) naming the clips there are.
    public static func scene(named name: String) throws(FramegrepError) -> ClipScene {
        guard let scene = (all + values + secrets).first(where: { $0.name == name }) else {
            let names = (all + values + secrets).map(\.name).joined(separator: ", ")
            throw FramegrepError(.badArgument, "There is no clip named “\(name)”. The clips are: \(names).")
        }
        return scene
    }

    static let night = OverlayColor(hex: 0x14202B)
    static let ink = OverlayColor(hex: 0x1B1F24)
    static let paper = OverlayColor(hex: 0xF4F1E8)
}

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
