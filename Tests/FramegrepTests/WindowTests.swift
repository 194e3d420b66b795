import Errors
import Foundation
import OverlayDrawing
import Painting
import TestSupport
import Testing
import TextSpotting

/// A separate display for a test, which is gone when it is closed or released.
final class VirtualDisplay: Sendable {
    let name: String
    private let server: Running

    /// Starts an X server on a free display.
    init(width: Int = 900, height: Int = 600) async throws {
        guard let tool = Tool("Xvfb") else { throw FramegrepError(.noDisplay, "There is no Xvfb.") }
        // It writes the display's number when it is ready. Without -noreset it restarts when its last client has gone, and rejects clients
        // meanwhile.
        server = try Running(
            tool.path,
            ["-displayfd", "1", "-screen", "0", "\(width)x\(height)x24", "-nolisten", "tcp", "-noreset"])
        guard await server.wait(within: 60, until: { [server] in server.stdout.hasSuffix("\n") }), server.isRunning
        else {
            throw FramegrepError(.noDisplay, "Xvfb does not start: \(server.stderr)")
        }
        name = ":" + server.stdout.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Ends the server, which removes its files.
    func close() async {
        server.send(SIGTERM)
        _ = await server.end(within: 30)
    }

    /// Ends the server without notice, like a connection that breaks.
    func vanish() { server.send(SIGKILL) }

    /// Destroys the only window.
    func destroyWindow() async throws {
        guard let tool = Tool("xdotool") else { throw FramegrepError(.noDisplay, "There is no xdotool.") }
        let found = try await tool.run(["search", "--onlyvisible", "--name", ".*"], environment: ["DISPLAY": name])
        guard let window = found.stdout.split(separator: "\n").last.map(String.init) else {
            throw FramegrepError(.noDisplay, "There is no window on the screen.")
        }
        _ = try await tool.run(["windowclose", window], environment: ["DISPLAY": name])
    }

    /// Does the same if a test failed before that.
    deinit {
        server.send(SIGTERM)
        for _ in 0..<200 where server.isRunning { usleep(10_000) }
    }

    func screenshot() async throws -> Picture {
        let folder = try TemporaryFolder()
        guard let tool = Tool("import") else { throw FramegrepError(.noDisplay, "There is no import.") }
        _ = try await tool.run(
            ["-window", "root", "-depth", "8", "PNG24:" + folder.file("shot.png")], environment: ["DISPLAY": name])
        return try PNGReader.read(folder.file("shot.png")).picture(.rgb)
    }

    func press(_ keys: String...) async throws {
        guard let tool = Tool("xdotool") else { throw FramegrepError(.noDisplay, "There is no xdotool.") }
        _ = try await tool.run(["mousemove", "300", "200"], environment: ["DISPLAY": name])
        for key in keys { _ = try await tool.run(["key", key], environment: ["DISPLAY": name]) }
    }

    func click(_ place: Point, button: Int = 1) async throws {
        guard let tool = Tool("xdotool") else { throw FramegrepError(.noDisplay, "There is no xdotool.") }
        _ = try await tool.run(
            ["mousemove", "\(Int(place.x))", "\(Int(place.y))", "click", "\(button)"], environment: ["DISPLAY": name])
    }

    /// Resizes the only window.
    func resize(to width: Int, _ height: Int) async throws {
        guard let tool = Tool("xdotool") else { throw FramegrepError(.noDisplay, "There is no xdotool.") }
        // The screen itself counts as a window; the program's is the last one found.
        let found = try await tool.run(["search", "--onlyvisible", "--name", ".*"], environment: ["DISPLAY": name])
        guard let window = found.stdout.split(separator: "\n").last.map(String.init) else {
            throw FramegrepError(.noDisplay, "There is no window on the screen.")
        }
        _ = try await tool.run(["windowsize", window, "\(width)", "\(height)"], environment: ["DISPLAY": name])
    }
}

extension Picture {
    /// Whether a box of the first pattern's color is drawn around a word: all four sides of a frame a little larger must have it.
    func hasBox(around place: Rect) -> Bool {
        let color = OverlayColor.pattern(0)
        let near = place.grown(by: 16)
        func colored(_ rect: Rect) -> Int {
            var count = 0
            for y in max(0, Int(rect.minY))..<min(height, Int(rect.maxY)) {
                for x in max(0, Int(rect.minX))..<min(width, Int(rect.maxX)) {
                    let index = (y * width + x) * 3
                    if Self.hasHue(of: color, bytes[index..<index + 3].map { Double($0) / 255 }) { count += 1 }
                }
            }
            return count
        }
        let sides = [
            Rect(x: near.minX, y: near.minY, width: near.width, height: 20),
            Rect(x: near.minX, y: place.maxY - 4, width: near.width, height: 20),
            Rect(x: near.minX, y: near.minY, width: 20, height: near.height),
            Rect(x: place.maxX - 4, y: near.minY, width: 20, height: near.height),
        ]
        return sides.allSatisfy { colored($0) >= 20 }
    }

    /// Returns whether the pixel is at least a third of the way from gray to the color: a thin line between two pixels
    /// has half of it in each.
    private static func hasHue(of color: OverlayColor, _ pixel: [Double]) -> Bool {
        func fromGray(_ values: [Double]) -> [Double] {
            let mean = values.reduce(0, +) / 3
            return values.map { $0 - mean }
        }
        let (wanted, found) = (fromGray([color.red, color.green, color.blue]), fromGray(pixel))
        func product(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).map { $0 * $1 }.reduce(0, +) }
        let share = product(wanted, found) / product(wanted, wanted)
        return share >= 0.33 && zip(wanted, found).allSatisfy { abs($0 * share - $1) < 0.1 }
    }
}

/// The window as seen by a person: boxes around the word, and keys.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: Tool.exists("Xvfb", "xdotool", "import"), "needs xvfb, xdotool and imagemagick")
) struct WindowTests {
    private let clip = KnownClip(words: [
        KnownWord(text: "GATE", x: 60, y: 70, size: 60, frames: 0..<75),
        KnownWord(text: "BUBBLES", x: 250, y: 200, size: 60, frames: 0..<75),
    ])

    private func hasBox(_ shot: Picture, around word: String) throws -> Bool {
        try clip.place(of: word, inFrame: 0).map(shot.hasBox) ?? false
    }

    @Test func aBoxIsDrawnAroundTheWordAndKeysWork() async throws {
        let display = try await VirtualDisplay()
        let folder = try TemporaryFolder()
        try clip.picture(0).writePNG(to: folder.file("words.png"))
        // A clock at the bottom moves in every frame.
        let pipeline = try folder.write(
            """
            filesrc location=\(folder.file("words.png")) ! pngdec ! imagefreeze is-live=true ! videoconvert \
            ! video/x-raw,format=I420,framerate=15/1 ! timeoverlay valignment=bottom halignment=right font-desc="Sans 12" ! appsink name=frames
            appsrc name=overlay ! videoconvert ! ximagesink
            """, to: "window.launch")
        let running = try Running(
            Framegrep.path, ["run", pipeline, "--find", "GATE", "--engine", "tesseract", "--events", "jsonl"],
            environment: ["DISPLAY": display.name])
        #expect(await running.wait { running.stdout.contains("\"appeared\"") }, "\(running.stderr)")
        func shows(_ word: String) async throws -> Bool {
            try await holds { try hasBox(try await display.screenshot(), around: word) }
        }
        #expect(try await shows("GATE"))
        #expect(try !hasBox(try await display.screenshot(), around: "BUBBLES"))

        try await display.press("slash", "b", "u", "b", "b", "l", "e", "s", "Return")
        #expect(await running.wait { running.stdout.contains("\"BUBBLES\"") })
        #expect(try await shows("BUBBLES"))
        #expect(try !hasBox(try await display.screenshot(), around: "GATE"))

        // The line with the statistics may change at any time; the clock in the corner moves with the picture.
        let clock = Rect(x: 420, y: 320, width: 220, height: 40)
        func becomes(_ relation: (Picture, Picture) -> Bool) async throws -> Bool {
            try await holds {
                let before = try await display.screenshot()
                try await Task.sleep(for: .milliseconds(400))
                return relation(before, try await display.screenshot())
            }
        }
        let moves = try await becomes { before, after in
            difference(before.cropped(to: clock), after.cropped(to: clock)) != nil
        }
        #expect(moves, "the clock moves")
        try await display.press("space")
        #expect(await running.wait { running.stdout.contains("\"paused\"") })
        let isFrozen = try await becomes { before, after in
            difference(before.cropped(to: clock), after.cropped(to: clock)) == nil
        }
        #expect(isFrozen, "the clock stands still")
        try await display.press("space")
        let movesAgain = try await becomes { before, after in
            difference(before.cropped(to: clock), after.cropped(to: clock)) != nil
        }
        #expect(movesAgain, "the clock moves again")

        try await display.press("q")
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.objects.last?["reason"] as? String == "quit")
        await display.close()
    }

    /// A gray picture has no colors to draw with, so boxes are drawn on the window's pixels.
    @Test(.enabled(if: Tool.exists("convert"))) func boxesOnAGrayPictureHaveTheirColor() async throws {
        let display = try await VirtualDisplay()
        let folder = try TemporaryFolder()
        try clip.picture(0).writePNG(to: folder.file("words.png"))
        let gray = ["-colorspace", "Gray", "-define", "png:color-type=0", folder.file("gray.png")]
        _ = try await #require(Tool("convert")).run([folder.file("words.png")] + gray)
        let running = try Running(
            Framegrep.path, ["live", "GATE", folder.file("gray.png"), "--engine", "tesseract", "--format", "jsonl"],
            environment: ["DISPLAY": display.name])
        #expect(await running.wait { running.stdout.contains("\"appeared\"") }, "\(running.stderr)")
        #expect(try await holds { try hasBox(try await display.screenshot(), around: "GATE") })
        running.send(SIGTERM)
        _ = await running.end()
        await display.close()
    }

    /// With a recording, which must be complete; without one the window stays open (``PlayerTests``).
    @Test func aFileIsPlayedInAWindowToItsEnd() async throws {
        let display = try await VirtualDisplay()
        let folder = try TemporaryFolder()
        let outcome = try await Framegrep.run(
            [
                "live", "GATE", try await standingClip(), "--engine", "tesseract", "--events", "jsonl", "--record",
                folder.file("seen.mp4"),
            ], environment: ["DISPLAY": display.name])
        #expect(outcome.status == 0 && outcome.objects.last?["reason"] as? String == "eos", "\(outcome)")
        await display.close()
    }

    /// A sink for the bare console, which `autovideosink` ranks like a window, looks for a graphics card for seconds.
    @Test func whatOpensNoWindowIsNotTried() async throws {
        let display = try await VirtualDisplay()
        let folder = try TemporaryFolder()
        let log = folder.file("log")
        let running = try Running(
            Framegrep.path, ["live", "GATE", try await standingClip(), "--engine", "tesseract", "--format", "jsonl"],
            environment: ["DISPLAY": display.name, "GST_DEBUG": "autodetect:6", "GST_DEBUG_FILE": log])
        #expect(await running.wait { running.stdout.contains("\"running\"") }, "\(running.stderr)")
        let tried = try String(contentsOfFile: log, encoding: .utf8)
        #expect(tried.contains("Testing") && !tried.contains("kmssink"))
        running.send(SIGTERM)
        _ = await running.end()
        await display.close()
    }

    @Test func aDisplayThatGoesAwayIsAnErrorNotAHang() async throws {
        let display = try await VirtualDisplay()
        let running = try Running(
            Framegrep.path,
            [
                "run",
                "videotestsrc is-live=true ! appsink name=frames appsrc name=overlay ! videoconvert ! ximagesink",
                "--find", "NOWHERE 4711", "--engine", "tesseract", "--events", "jsonl",
            ],
            environment: ["DISPLAY": display.name])
        #expect(await running.wait { running.stdout.contains("\"running\"") })
        await display.close()
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 2, "\(outcome)")
        #expect(outcome.stderr.contains("is lost") && !outcome.stderr.contains("XIO"), "\(outcome)")
        #expect(outcome.objects.last?["reason"] as? String == "error")
    }

    /// Shows the picture of a camera in a window and records it as long as the window exists.
    @Test func aRecordingIsCompletedWhenTheDisplayOfItsWindowGoesAway() async throws {
        let display = try await VirtualDisplay()
        let folder = try TemporaryFolder()
        let running = try Running(
            Framegrep.path,
            [
                "live", "GATE", try await standingClip(), "--record", folder.file("seen.mp4"), "--engine", "tesseract",
                "--events", "jsonl",
            ],
            environment: ["DISPLAY": display.name])
        #expect(await running.wait { running.stdout.contains("\"appeared\"") })
        display.vanish()
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 2, "\(outcome)")
        #expect(outcome.stderr.contains("The display '\(display.name)' is lost"), "\(outcome)")
        #expect(try boxes(of: folder.file("seen.mp4")).last == "moov")
        #expect(try await pictures(of: folder.file("seen.mp4")).count > 10)
    }

    /// A person may do this with xkill, or another program by mistake.
    @Test func aWindowThatSomebodyElseDestroysIsClosed() async throws {
        let display = try await VirtualDisplay()
        let running = try Running(
            Framegrep.path,
            [
                "run",
                "videotestsrc is-live=true ! appsink name=frames appsrc name=overlay ! videoconvert ! ximagesink",
                "--find", "NOWHERE 4711", "--engine", "tesseract", "--format", "jsonl", "--stats",
            ],
            environment: ["DISPLAY": display.name])
        #expect(await running.wait { running.stdout.contains("\"stats\"") })
        try await display.destroyWindow()
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 1, "\(outcome)")
        #expect(outcome.objects.last?["reason"] as? String == "quit" && !outcome.stderr.contains("BadWindow"))
        await display.close()
    }

    /// The remains of `ssh -X`, a server that does not exist, and one that accepts connections and does not answer.
    @Test func aDisplayThatDoesNotAnswerIsASentence() async throws {
        let clip = try await standingClip()
        let silent = try SilentServer(port: 6063)
        let live = ["live", "GATE", clip, "--engine", "tesseract"]
        let run = [
            "run", "videotestsrc ! appsink name=frames appsrc name=overlay ! videoconvert ! ximagesink", "--find",
            "NOWHERE 4711",
            "--engine", "tesseract",
        ]
        for (display, reason) in [
            ("localhost:10.0", "cannot be reached"), (":4242", "cannot be reached"),
            ("localhost:63", "does not answer"),
        ] {
            for job in [live, run] {
                let outcome = try await Framegrep.run(job, environment: ["DISPLAY": display], timeout: 60)
                #expect(!outcome.timedOut && outcome.status == 2, "\(outcome)")
                #expect(outcome.stderr.contains("The X server '\(display)' \(reason)"), "\(outcome)")
                #expect(outcome.stderr.contains("--headless"))
            }
        }
        withExtendedLifetime(silent) {}
    }
}
