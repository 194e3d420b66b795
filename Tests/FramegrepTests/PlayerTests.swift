import Foundation
import TestSupport
import Testing
import TextSpotting

/// A person plays a recording in a window, going back and forth.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: Tool.exists("Xvfb", "xdotool", "import"), "needs xvfb, xdotool and imagemagick")
) struct PlayerTests {
    /// GATE from 2 to 3 seconds, BUBBLES from 4 on; 25 pictures a second.
    private static let clip = KnownClip(
        frameCount: 150,
        words: [
            KnownWord(text: "GATE", x: 60, y: 70, size: 60, frames: 50..<75),
            KnownWord(text: "BUBBLES", x: 250, y: 120, size: 60, frames: 100..<150),
        ])

    private func player(
        _ words: [String], _ clip: KnownClip = Self.clip, on display: VirtualDisplay, in folder: TemporaryFolder
    ) async throws -> Running {
        let path = folder.file("gate.mp4")
        try await clip.render(to: path)
        return try Running(
            Framegrep.path,
            ["live"] + words.flatMap { ["-e", $0] } + [
                path, "--engine", "tesseract", "--format", "jsonl", "--no-history",
            ],
            environment: ["DISPLAY": display.name])
    }

    /// Returns the pixels of the bar at the bottom that have a pattern's color.
    private func marks(_ shot: Picture, _ pattern: Int) -> [Int] {
        let color = OverlayColor.pattern(pattern)
        let wanted = [color.red, color.green, color.blue].map { Int($0 * 255) }
        return (0..<640).filter { x in
            (340..<358).contains { y in
                let at = (y * shot.width + x) * 3
                return (0..<3).allSatisfy { abs(Int(shot.bytes[at + $0]) - wanted[$0]) < 40 }
            }
        }
    }

    @Test func itStaysOpenAndGoesToItsSightings() async throws {
        let display = try await VirtualDisplay()
        let folder = try TemporaryFolder()
        let running = try await player(["GATE", "BUBBLES"], on: display, in: folder)
        func seen(_ type: String, _ word: String) -> Bool {
            running.stdout.split(separator: "\n").contains {
                $0.contains("\"type\":\"\(type)\"") && $0.contains("\"pattern\":\"\(word)\"")
            }
        }
        // The bar has both sightings as soon as they are read, each at its place.
        let isMarked = try await holds(within: 60) {
            let shot = try await display.screenshot()
            return !marks(shot, 0).isEmpty && !marks(shot, 1).isEmpty
        }
        #expect(isMarked, "\(running.stderr)")
        let shot = try await display.screenshot()
        let gate = try #require(marks(shot, 0).first)
        #expect(abs(gate - 213) < 25, "a third of the bar: \(gate)")
        // It has reached its end, and the window stays open.
        #expect(await running.wait(within: 60) { seen("appeared", "BUBBLES") })
        try await Task.sleep(for: .seconds(7))
        #expect(running.isRunning, "\(running.stdout)")
        // Go back to the beginning of GATE and pause: its event was reported once, and its box is on the picture.
        try await display.press("space", "space", "N", "N")
        #expect(await running.wait(within: 60) { seen("disappeared", "GATE") })
        #expect(running.stdout.split(separator: "\n").count { $0.contains("appeared\"") && $0.contains("GATE") } == 2)
        try await display.press("Escape", "Escape")
        #expect(running.isRunning, "Escape never quits")
        try await display.press("q")
        let outcome = await running.end(within: 60)
        #expect(
            !outcome.timedOut && outcome.status == 0 && outcome.objects.last?["reason"] as? String == "quit",
            "\(outcome)")
        await display.close()
    }

    /// When zoomed, the picture and its boxes agree, both paused and playing.
    @Test func zoomingEnlargesThePictureAndItsBoxes() async throws {
        let display = try await VirtualDisplay()
        let folder = try TemporaryFolder()
        let clip = KnownClip(
            frameCount: 150, words: [KnownWord(text: "GATE", x: 230, y: 150, size: 40, frames: 0..<150)])
        let running = try await player(["GATE"], clip, on: display, in: folder)
        let place = try #require(try clip.place(of: "GATE", inFrame: 0))
        // Returns the part cut off at each side, in whole pairs of pixels: one press is 1.25, two are 1.5625.
        func enlarged(_ x: Double, _ y: Double) -> Rect {
            let (wide, high) = (640 / (640 - 2 * x), 360 / (360 - 2 * y))
            return Rect(
                x: (place.x - x) * wide, y: (place.y - y) * high, width: place.width * wide, height: place.height * high
            )
        }
        func isBoxed(_ place: Rect) async throws -> Bool {
            try await holds(within: 40) { try await display.screenshot().hasBox(around: place) }
        }
        #expect(try await isBoxed(place), "\(running.stderr)")
        try await display.press("space", "plus")
        #expect(try await isBoxed(enlarged(64, 36)), "standing still")
        try await display.press("space", "plus")
        #expect(try await isBoxed(enlarged(114, 64)), "going on")
        try await display.press("minus", "minus")
        #expect(try await isBoxed(place), "as it was")
        try await display.press("q")
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 0, "\(outcome)")
        await display.close()
    }

    @Test func aWindowFitsTheScreenAndCoversItWhenAsked() async throws {
        let display = try await VirtualDisplay(width: 400, height: 300)
        let folder = try TemporaryFolder()
        let running = try await player(["GATE"], on: display, in: folder)
        #expect(await running.wait(within: 60) { running.stdout.contains("\"running\"") })
        func isLit(_ shot: Picture, _ x: Int, _ y: Int) -> Bool { shot.bytes[(y * shot.width + x) * 3] > 100 }
        // 640×360 becomes 360×203.
        let fits = try await holds(within: 60) {
            let shot = try await display.screenshot()
            return isLit(shot, 350, 20) && !isLit(shot, 390, 20) && !isLit(shot, 200, 230)
        }
        #expect(fits)
        try await display.press("f")
        let isFull = try await holds(within: 30) { isLit(try await display.screenshot(), 390, 150) }
        #expect(isFull)
        try await display.press("Escape")
        let isBack = try await holds(within: 30) { !isLit(try await display.screenshot(), 390, 150) }
        #expect(isBack && running.isRunning)
        try await display.press("q")
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status <= 1, "\(outcome)")
        await display.close()
    }
}
