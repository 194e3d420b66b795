import Foundation
import GStreamerMedia
import TestSupport
import Testing

/// The window's prompt gets the text that the user typed, on several keyboard layouts.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(
        if: Tool.exists("Xvfb", "xdotool", "import", "setxkbmap"), "needs xvfb, xdotool, imagemagick and x11-xkb-utils")
) struct TypedTextTests {
    /// A window, and the searches that were typed in it.
    private final class Typist {
        let display: VirtualDisplay
        let running: Running
        private let folder: TemporaryFolder

        init(sink: String, locale: String = "C.UTF-8") async throws {
            display = try await VirtualDisplay()
            folder = try TemporaryFolder()
            running = try Running(
                Framegrep.path,
                [
                    "run", "--find", "zebra", "--engine", "tesseract", "--format", "jsonl", "--stats",
                    "videotestsrc is-live=true pattern=white ! video/x-raw,width=640,height=360,framerate=15/1 "
                        + "! appsink name=frames appsrc name=overlay ! videoconvertscale ! \(sink)",
                ],
                environment: [
                    "DISPLAY": display.name, "XDG_STATE_HOME": folder.file("state"), "LC_ALL": locale,
                    "HOME": folder.path,
                ])
            #expect(await running.wait { running.stdout.contains("\"stats\"") }, "\(running.stderr)")
        }

        func layout(_ arguments: String...) async throws {
            let tool = try #require(Tool("setxkbmap"))
            let outcome = try await tool.run(arguments, environment: ["DISPLAY": display.name])
            #expect(outcome.status == 0, "\(outcome)")
        }

        func act(_ arguments: String...) async throws {
            let tool = try #require(Tool("xdotool"))
            _ = try await tool.run(
                ["mousemove", "300", "200"] + arguments, environment: ["DISPLAY": display.name])
        }

        /// Begins a search, runs `act`, and ends it; returns the text that was searched for.
        func types(_ act: () async throws -> Void) async throws -> String? {
            let before = searches.count
            try await display.press("slash")
            try await act()
            try await display.press("Return")
            _ = try await holds(within: 20) { searches.count > before }
            return searches.count > before ? searches.first : nil
        }

        /// Newest first. Each of them is new, so that the list grows by one.
        private var searches: [String] {
            ((try? String(contentsOfFile: folder.file("state/framegrep/searches"), encoding: .utf8)) ?? "")
                .split(separator: "\n").map(String.init)
        }

        func close() async {
            running.send(SIGINT)
            _ = await running.end(within: 30)
            await display.close()
        }
    }

    @Test(arguments: ["ximagesink", "autovideosink"]) func typedTextIsWhatWasTyped(sink: String) async throws {
        let typist = try await Typist(sink: sink)
        #expect(try await typist.types { try await typist.act("type", ":url EXIT+Foo?") } == ":url EXIT+Foo?")
        // Caps Lock, and Shift with it.
        #expect(
            try await typist.types {
                try await typist.act("key", "Caps_Lock", "g", "a", "Shift+t", "Shift+1", "Caps_Lock", "e")
            } == "GAt!e")
        // No Latin letters at all.
        try await typist.layout("-layout", "ru")
        #expect(try await typist.types { try await typist.act("key", "43", "24", "Shift+38", "61") } == "рйФ.")
        // A keyboard with AltGr and dead accents.
        try await typist.layout("-layout", "de")
        #expect(
            try await typist.types {
                try await typist.act("key", "29", "ISO_Level3_Shift+24", "21", "26", "20", "Shift+47")
            }
                == "z@éßÖ")
        // With Control it is not a command.
        try await typist.act("key", "Control+24")
        try await typist.act("key", "space")
        #expect(await typist.running.wait { typist.running.stdout.contains("\"paused\"") })
        #expect(typist.running.isRunning)
        await typist.close()
    }

    @Test(.enabled(if: MediaRuntime.hasElement("glimagesink"), "needs gstreamer1.0-gl"))
    func aWindowOfOpenGLTypesTheSame() async throws {
        let typist = try await Typist(sink: "glimagesink")
        #expect(try await typist.types { try await typist.act("type", ":url EXIT+Foo?") } == ":url EXIT+Foo?")
        await typist.close()
    }
}
