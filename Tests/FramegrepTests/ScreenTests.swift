import Foundation
import OverlayDrawing
import Painting
import TestSupport
import Testing
import TextSpotting

/// The user's own screen: a display with a picture on it, and frames over it.
@Suite(
    .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Tool.exists("Xvfb", "xdotool", "import", "gst-launch-1.0"), "needs xvfb, xdotool and imagemagick")
) struct ScreenTests {
    private static let engine = ["--engine", "tesseract", "--language", "eng"]
    private let clip = KnownClip(words: [
        KnownWord(text: "GATE", x: 60, y: 70, size: 60, frames: 0..<75),
        KnownWord(text: "BUBBLES", x: 250, y: 200, size: 60, frames: 0..<75),
    ])

    /// Shows the words in a window at the screen's corner, as long as the returned object exists.
    private func show(on display: VirtualDisplay, in folder: TemporaryFolder) async throws -> Running {
        try clip.picture(0).writePNG(to: folder.file("words.png"))
        let place = try #require(try clip.place(of: "GATE", inFrame: 0))
        return try await show(folder.file("words.png"), with: place, on: display)
    }

    /// - Parameter place: a place with dark text on a bright background.
    private func show(_ picture: String, with place: Rect, on display: VirtualDisplay) async throws -> Running {
        let tool = try #require(Tool("gst-launch-1.0"))
        let shown = try Running(
            tool.path,
            [
                "-q", "filesrc", "location=\(picture)", "!", "pngdec", "!", "imagefreeze", "!",
                "videoconvert", "!", "ximagesink",
            ], environment: ["DISPLAY": display.name])
        let isThere = try await holds {
            let shot = try await display.screenshot()
            let part = shot.cropped(to: place)
            return part.bytes.contains { $0 < 60 } && part.bytes.contains { $0 > 180 }
        }
        #expect(isThere, "\(shown.stderr)")
        return shown
    }

    private func run(_ arguments: String..., on display: VirtualDisplay) async throws -> Framegrep.Outcome {
        try await Framegrep.run(["screen"] + arguments + Self.engine, environment: ["DISPLAY": display.name])
    }

    @Test func itIsReadOnce() async throws {
        let (display, folder) = (try await VirtualDisplay(), try TemporaryFolder())
        let shown = try await show(on: display, in: folder)
        let found = try await run("gate", "--once", on: display)
        #expect(found.status == 0 && found.lines.count == 1, "\(found)")
        let numbers = found.stdout.split { !$0.isNumber }.prefix(4).compactMap { Double($0) }
        let place = try #require(try clip.place(of: "GATE", inFrame: 0))
        let box = Rect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
        #expect(box.overlap(place) > 0.6, "\(box) \(place)")
        #expect(found.stdout.hasSuffix(": GATE\n"))

        let all = try await run("--all-text", on: display)
        #expect(all.status == 0 && all.lines == ["GATE", "BUBBLES"], "\(all)")
        #expect(try await run("--all-text", "-m", "1", on: display).lines == ["GATE"])
        for (options, mentioned) in [
            (["GATE", "-m", "1"], "-m"), (["GATE", "-q"], "-q"), (["GATE", "--once", "--timeout", "5s"], "--timeout"),
        ] {
            let outcome = try await Framegrep.run(
                ["screen"] + options + Self.engine, environment: ["DISPLAY": display.name], timeout: 20)
            #expect(outcome.status == 2 && outcome.stderr.contains(mentioned), "\(outcome)")
        }
        #expect(try await run("EXIT", "--once", on: display).status == 1)
        #expect(try await run("GATE", "--once", "--region", "0,50%,100%,50%", on: display).status == 1)
        let window = try await run("GATE", "--once", "--window", "nowhere to be seen", on: display)
        #expect(window.status == 2 && window.stderr.contains("No window has"), "\(window)")
        let monitor = try await run("GATE", "--once", "--monitor", "7", on: display)
        #expect(monitor.status == 2 && monitor.stderr.contains("no monitor 7"), "\(monitor)")
        shown.send(SIGKILL)
        _ = await shown.end()
        await display.close()
    }

    /// Lines in a script that the networks do not know are noticed, as `find` and `live` notice them.
    @Test(.enabled(if: Scripts.areRead && Scripts.has("eng"), "the networks or tesseract-ocr-eng are not installed"))
    func unknownScriptsAreLeftOut() async throws {
        let (display, folder) = (try await VirtualDisplay(width: 1000, height: 600), try TemporaryFolder())
        let picture = try Scripts.picture(Scripts.russian, in: folder)
        let shown = try await show(picture, with: Rect(x: 60, y: 40, width: 300, height: 60), on: display)
        let environment = ["DISPLAY": display.name].merging(try Scripts.english(in: folder)) { $1 }
        let outcome = try await Framegrep.run(["screen", "--all-text"], environment: environment)
        #expect(outcome.status == 0 && outcome.lines == ["Platform closed", "Gate 12"], "\(outcome)")
        #expect(
            outcome.stderr.contains("3 lines look Cyrillic")
                && outcome.stderr.contains("apt install tesseract-ocr-rus"), "\(outcome)")
        #expect(outcome.stderr.split(separator: "\n").count == 1, "once: \(outcome)")
        let quiet = try await Framegrep.run(["screen", "--all-text", "-q"], environment: environment)
        #expect(quiet.status == 0 && quiet.stdout == "" && quiet.stderr == "", "\(quiet)")
        // With a named language, lines are read as before.
        let named = try await Framegrep.run(["screen", "--all-text", "--language", "eng"], environment: environment)
        #expect(named.lines.count == 5 && named.stderr == "", "\(named)")
        shown.send(SIGKILL)
        _ = await shown.end()
        await display.close()
    }

    @Test func framesAreLaidOverItAndClicksGoThrough() async throws {
        let (display, folder) = (try await VirtualDisplay(), try TemporaryFolder())
        let shown = try await show(on: display, in: folder)
        let running = try Running(
            Framegrep.path, ["screen", "GATE", "--no-history", "-v"] + Self.engine,
            environment: ["DISPLAY": display.name])
        func frames(_ word: String) async throws -> Bool {
            let place = try #require(try clip.place(of: word, inFrame: 0))
            return try await holds { try await display.screenshot().hasBox(around: place) }
        }
        #expect(try await frames("GATE"), "\(running.stderr)")
        // The window below a frame is the one under the pointer.
        let place = try #require(try clip.place(of: "GATE", inFrame: 0))
        let tool = try #require(Tool("xdotool"))
        let below = try await tool.run(
            ["mousemove", "\(Int(place.minX) - 3)", "\(Int(place.center.y))", "getmouselocation", "--shell"],
            environment: ["DISPLAY": display.name])
        let title = try await tool.run(
            ["getwindowname", String(below.stdout.split(separator: "=").last ?? "").trimmingCharacters(in: .newlines)],
            environment: ["DISPLAY": display.name])
        #expect(!title.stdout.contains("framegrep"), "\(below) \(title)")

        // Another word, part of which is on the bar itself and is not found there.
        try await display.press("slash", "b", "u", "b", "b", "l", "e", "s", "Return")
        #expect(try await frames("BUBBLES"))
        #expect(!running.stderr.contains("; "), "each word once: \(running.stderr)")
        try await display.press("n", "Return")
        let pointer = try await tool.run(["getmouselocation", "--shell"], environment: ["DISPLAY": display.name])
        let other = try #require(try clip.place(of: "BUBBLES", inFrame: 0))
        let numbers = pointer.stdout.split { !$0.isNumber }.prefix(2).compactMap { Double($0) }
        #expect(!other.intersection(Rect(x: numbers[0], y: numbers[1], width: 1, height: 1)).isEmpty, "\(pointer)")

        // Text that disappears is no longer framed.
        shown.send(SIGKILL)
        _ = await shown.end()
        let isGone = try await holds { try await !display.screenshot().hasBox(around: other) }
        #expect(isGone)
        try await display.press("Escape")
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 0, "\(outcome)")
        await display.close()
    }

    @Test func itEndsWithTheScreen() async throws {
        let (display, folder) = (try await VirtualDisplay(), try TemporaryFolder())
        let shown = try await show(on: display, in: folder)
        let running = try Running(
            Framegrep.path, ["screen", "GATE", "--no-history", "-v"] + Self.engine,
            environment: ["DISPLAY": display.name])
        _ = await running.wait { running.stderr.contains("GATE") }
        await display.close()
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 2 && outcome.stderr.contains("screen is gone"), "\(outcome)")
        shown.send(SIGKILL)
        _ = await shown.end()
    }

    /// A file that the user's pipeline writes during the search is complete, too.
    @Test func aFileOfOnesOwnPipelineIsCompletedWhenTheScreenIsGone() async throws {
        let (display, folder) = (try await VirtualDisplay(), try TemporaryFolder())
        let shown = try await show(on: display, in: folder)
        let pipeline =
            "ximagesrc use-damage=false ! video/x-raw,framerate=10/1 ! videoconvert ! tee name=t t. ! queue ! appsink name=frames "
            + "t. ! queue ! x264enc tune=zerolatency ! mp4mux ! filesink location=\(folder.file("own.mp4"))"
        let running = try Running(
            Framegrep.path, ["run", pipeline, "-e", "GATE", "--format", "jsonl"] + Self.engine,
            environment: ["DISPLAY": display.name])
        #expect(await running.wait { running.stdout.contains("appeared") }, "\(running.stderr)")
        await display.close()
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 2 && outcome.stderr.contains("screen is gone"), "\(outcome)")
        let found = try await Framegrep.run(["find", "GATE", folder.file("own.mp4")] + Self.engine)
        #expect(found.status == 0, "\(found)")
        shown.send(SIGKILL)
        _ = await shown.end()
    }

    @Test func liveEndsWithTheScreen() async throws {
        let (display, folder) = (try await VirtualDisplay(), try TemporaryFolder())
        let shown = try await show(on: display, in: folder)
        let running = try Running(
            Framegrep.path,
            ["live", "GATE", "screen:", "--headless", "--record", folder.file("seen.mkv")] + Self.engine,
            environment: ["DISPLAY": display.name])
        _ = await running.wait { running.stdout.contains("GATE") || running.stderr.contains("GATE") }
        await display.close()
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 2 && outcome.stderr.contains("screen is gone"), "\(outcome)")
        #expect(outcome.stdout.contains("GATE"), "\(outcome)")
        #expect(folder.names.contains("seen.mkv"), "what was recorded until then stays: \(folder.names)")
        shown.send(SIGKILL)
        _ = await shown.end()
    }

    @Test(arguments: [["screen", "EXIT"], ["screen", "EXIT", "--once"], ["live", "EXIT", "screen:", "--headless"]])
    func withoutAScreenASentenceSaysSo(_ arguments: [String]) async throws {
        let outcome = try await Framegrep.run(arguments + Self.engine, environment: ["XDG_RUNTIME_DIR": "/nonexistent"])
        #expect(outcome.status == 2 && outcome.stderr.split(separator: "\n").count == 1, "\(outcome)")
        #expect(outcome.stderr.contains("no screen"), "\(outcome)")
    }

    @Test func aScreenIsASourceOfLive() async throws {
        let (display, folder) = (try await VirtualDisplay(), try TemporaryFolder())
        let shown = try await show(on: display, in: folder)
        let index = folder.file("kept")
        let outcome = try await Framegrep.run(
            ["live", "BUBBLES", "screen:", "--headless", "-m", "1", "--timeout", "60", "--remember", "--index", index]
                + Self.engine,
            environment: ["DISPLAY": display.name])
        #expect(outcome.status == 0 && outcome.lines.count == 1, "\(outcome)")
        let found = try await Framegrep.run(["find", "BUBBLES", "--index", index])
        #expect(found.status == 0 && found.lines.count == 1, "\(outcome) \(found)")
        shown.send(SIGKILL)
        _ = await shown.end()
        await display.close()
    }
}
