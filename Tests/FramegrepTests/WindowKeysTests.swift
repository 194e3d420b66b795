import Foundation
import OverlayDrawing
import Painting
import TestSupport
import Testing
import TextSpotting

/// Each key and a click, checked by the picture in the window.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: Tool.exists("Xvfb", "xdotool", "import"), "needs xvfb, xdotool and imagemagick")
) struct WindowKeysTests {
    private static let clip = KnownClip(words: [
        KnownWord(text: "GATE", x: 60, y: 70, size: 60, frames: 0..<75),
        KnownWord(text: "BUBBLES", x: 250, y: 200, size: 60, frames: 0..<75),
    ])

    /// A window that shows the clip's words, and the program behind it.
    private final class Person {
        let display: VirtualDisplay
        let running: Running
        let folder: TemporaryFolder
        /// The factor by which the window enlarges the picture.
        var zoom = 1.0

        init() async throws {
            display = try await VirtualDisplay(width: 1000, height: 600)
            folder = try TemporaryFolder()
            try WindowKeysTests.clip.picture(0).writePNG(to: folder.file("words.png"))
            let pipeline = try folder.write(
                """
                multifilesrc location=\(folder.file("words.png")) loop=true caps=image/png,framerate=10/1 ! pngdec ! clocksync \
                ! videoconvert ! video/x-raw,format=I420 ! appsink name=frames
                appsrc name=overlay ! videoconvertscale ! ximagesink
                """, to: "window.launch")
            running = try Running(
                Framegrep.path,
                [
                    "run", pipeline, "--find", "GATE", "--engine", "tesseract", "--events", "jsonl", "--snapshots",
                    folder.file("kept"),
                ], environment: ["DISPLAY": display.name, "XDG_STATE_HOME": folder.file("state")])
        }

        /// Returns whether the window's picture, scaled to its original size, becomes as expected.
        func sees(_ isExpected: (Picture) throws -> Bool) async throws -> Bool {
            try await holds { try isExpected(try await display.screenshot()) }
        }

        /// Returns whether a box of the first pattern's color is around the word, and around nothing else.
        func seesBox(around word: String) async throws -> Bool {
            let place = try #require(try WindowKeysTests.clip.place(of: word, inFrame: 0))
            let shown = Rect(
                x: place.x * zoom, y: place.y * zoom, width: place.width * zoom, height: place.height * zoom)
            return try await sees { shot in
                let bounds = Self.pixels(of: shot, within: shot.bounds) { $0.isGreen }
                // The label above it and the status line have the color too: the box must at least reach around the word.
                let sides = [
                    Rect(x: shown.minX - 16, y: shown.minY, width: 18, height: shown.height),
                    Rect(x: shown.maxX - 2, y: shown.minY, width: 18, height: shown.height),
                    Rect(x: shown.minX, y: shown.maxY - 2, width: shown.width, height: 18),
                ]
                return bounds > 0 && sides.allSatisfy { Self.pixels(of: shot, within: $0) { $0.isGreen } > 15 }
            }
        }

        struct Pixel {
            let red: Int, green: Int, blue: Int
            /// The first pattern's color, also where the window blends it with what is beside it.
            var isGreen: Bool { green > red + 40 && green > blue + 25 }
            var isDark: Bool { max(red, green, blue) < 70 }
        }

        /// Returns the number of matching pixels in a part of the screen.
        static func pixels(of shot: Picture, within rect: Rect, where isWanted: (Pixel) -> Bool) -> Int {
            var count = 0
            for y in max(0, Int(rect.minY))..<max(0, min(shot.height, Int(rect.maxY))) {
                for x in max(0, Int(rect.minX))..<max(0, min(shot.width, Int(rect.maxX))) {
                    let at = (y * shot.width + x) * 3
                    let bytes = shot.bytes
                    if isWanted(Pixel(red: Int(bytes[at]), green: Int(bytes[at + 1]), blue: Int(bytes[at + 2]))) {
                        count += 1
                    }
                }
            }
            return count
        }
    }

    @Test func everyKeyAndAClickDoWhatTheListSays() async throws {
        let person = try await Person()
        #expect(
            await person.running.wait { person.running.stdout.contains("\"appeared\"") }, "\(person.running.stderr)")
        #expect(try await person.seesBox(around: "GATE"))

        // a: a thin dark line appears between BUBBLES and its surroundings, and disappears again.
        let bubbles = try #require(try Self.clip.place(of: "BUBBLES", inFrame: 0))
        let above = Rect(x: bubbles.minX, y: bubbles.minY - 10, width: bubbles.width, height: 9)
        func isOutlined(_ shot: Picture) -> Bool {
            Person.pixels(of: shot, within: above) { $0.red < 0xD8 } > Int(bubbles.width * 0.7)
        }
        #expect(!isOutlined(try await person.display.screenshot()))
        try await person.display.press("a")
        #expect(try await person.sees(isOutlined), "a outlines other text")
        try await person.display.press("a")
        #expect(try await person.sees { !isOutlined($0) }, "a again takes the outlines away")

        // h: a dark panel with light letters lies over the middle; Escape closes it instead of quitting.
        let middle = Rect(x: 240, y: 110, width: 160, height: 80)
        func hasPanel(_ shot: Picture) -> Bool { Person.pixels(of: shot, within: middle) { $0.isDark } > 8000 }
        try await person.display.press("h")
        #expect(try await person.sees(hasPanel), "h shows the keys")
        try await person.display.press("Escape")
        #expect(try await person.sees { !hasPanel($0) }, "Escape hides them")
        #expect(person.running.isRunning)

        // A click on a word searches for it, even if the window enlarges the picture.
        try await person.display.click(bubbles.center)
        #expect(try await person.seesBox(around: "BUBBLES"), "a click searches")
        try await person.display.resize(to: 960, 540)
        person.zoom = 1.5
        #expect(try await person.seesBox(around: "BUBBLES"), "the picture fills the larger window")
        let gate = try #require(try Self.clip.place(of: "GATE", inFrame: 0))
        try await person.display.click(gate.center * 1.5)
        #expect(try await person.seesBox(around: "GATE"), "a click searches in a larger window")

        // A right click copies: the pasted text is then searched for. Ctrl+C copies all lines, of which the first one
        // is pasted.
        try await person.display.click(bubbles.center * 1.5, button: 3)
        try await person.display.press("ctrl+v")
        try await person.display.press("Return")
        #expect(try await person.seesBox(around: "BUBBLES"), "a right click copies")
        try await person.display.press("ctrl+c")
        try await person.display.press("ctrl+v")
        try await person.display.press("Return")
        #expect(try await person.seesBox(around: "GATE"), "Ctrl+C copies from the top")

        // s: the frame with its box, without the status line, in the folder named; a second one overwrites nothing.
        for count in 1...2 {
            try await person.display.press("s")
            #expect(
                await person.running.wait {
                    person.running.stderr.split(separator: "\n").count { $0.contains("saved ") } >= count
                })
        }
        let kept = try FileManager.default.contentsOfDirectory(atPath: person.folder.file("kept")).sorted()
        #expect(kept.count == 2 && kept.allSatisfy { $0.hasPrefix("framegrep-") && $0.hasSuffix(".png") }, "\(kept)")
        let picture = try PNGReader.read(person.folder.file("kept/" + (kept.first ?? ""))).picture(.rgb)
        #expect(picture.width == 640 && picture.height == 360)
        #expect(Person.pixels(of: picture, within: gate.grown(by: 16)) { $0.isGreen } > 200)
        #expect(Person.pixels(of: picture, within: Rect(x: 0, y: 330, width: 200, height: 30)) { $0.isDark } == 0)

        // The arrow brings BUBBLES back.
        try await person.display.press("slash", "Up", "Up", "Return")
        #expect(try await person.seesBox(around: "BUBBLES"), "the arrow up brings an earlier search back")

        // A frozen picture is also searched for a new word.
        try await person.display.press("space")
        #expect(await person.running.wait { person.running.stdout.contains("\"paused\"") })
        try await person.display.press("slash", "g", "a", "t", "e", "Return")
        #expect(try await person.seesBox(around: "GATE"), "the frozen picture is read again")

        try await person.display.press("q")
        let outcome = await person.running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.objects.last?["reason"] as? String == "quit")
        #expect(outcome.objects.count { $0["type"] as? String == "snapshot" } == 2)
        let searches = try String(contentsOfFile: person.folder.file("state/framegrep/searches"), encoding: .utf8)
        #expect(searches == "gate\nBUBBLES\nGATE\n")
        await person.display.close()
    }
}
