import Foundation
import GStreamerMedia
import Testing
import TextSpotting

/// An X server without a screen, of the test's own.
private final class VirtualDisplay {
    static let isInstalled = ["/usr/bin/Xvfb", "/usr/bin/xdotool"].allSatisfy(FileManager.default.isExecutableFile)

    let name: String
    private let server = Process()

    init() throws {
        let output = Pipe()
        server.executableURL = URL(fileURLWithPath: "/usr/bin/Xvfb")
        server.arguments = ["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"]
        server.standardOutput = output
        server.standardError = FileHandle.nullDevice
        try server.run()
        // The server writes its number when it is ready.
        let number = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        name = ":" + number.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Acts as a person at the window.
    func act(_ arguments: String...) throws {
        let tool = Process()
        tool.executableURL = URL(fileURLWithPath: "/usr/bin/xdotool")
        tool.arguments = arguments
        tool.environment = ["DISPLAY": name]
        tool.standardOutput = FileHandle.nullDevice
        tool.standardError = FileHandle.nullDevice
        try tool.run()
        tool.waitUntilExit()
    }

    deinit {
        // Signals are masked on the threads that start processes here, and the server inherits that: only this one arrives.
        // It also leaves its files behind.
        kill(server.processIdentifier, SIGKILL)
        server.waitUntilExit()
        let number = name.dropFirst()
        for file in ["/tmp/.X11-unix/X\(number)", "/tmp/.X\(number)-lock"] where !number.isEmpty {
            try? FileManager.default.removeItem(atPath: file)
        }
    }
}

@Suite(.enabled(if: VirtualDisplay.isInstalled), .timeLimit(.minutes(1))) struct WindowTests {
    @Test func keysAndMouseArrive() async throws {
        let display = try VirtualDisplay()
        let pipeline = try Pipeline(
            parsing:
                "videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=20/1 ! appsink name=frames "
                + "appsrc name=overlay ! videoconvert ! ximagesink name=window sync=false display=\(display.name)")
        let frames = try pipeline.appSink(named: "frames")
        let overlay = try #require(pipeline.appSource(named: "overlay"))
        try frames.configure(maxBuffers: 2, drop: true, sync: false)
        overlay.configure(maxBuffers: 2, block: false, isLive: true)
        #expect(try await pipeline.prepare() == .live)
        try await pipeline.play()
        async let shown: Void = onThread {
            while case .sample(let sample) = frames.pull(timeout: .seconds(5)) { _ = overlay.push(sample) }
        }
        while pipeline.sinkStatistics().rendered < 3 { try await Task.sleep(for: .milliseconds(10)) }
        try display.act("mousemove", "50", "40", "key", "q", "mousemove", "60", "45", "click", "1")
        var keys: [String] = []
        var clicks: [[Double]] = []
        for await message in pipeline.bus.messages {
            switch message {
            case .navigation(.keyPress(let key)): keys.append(key)
            case .navigation(.mouseButtonPress(let button, let x, let y)): clicks.append([Double(button), x, y])
            default: break
            }
            if !keys.isEmpty && !clicks.isEmpty { break }
        }
        #expect(keys == ["q"])
        #expect(clicks.first?.first == 1)
        await pipeline.stop()
        await shown
    }

    @Test func displayIsKnownFromTheEnvironment() throws {
        let display = try VirtualDisplay()
        #expect(DisplayAvailability.in(environment: ["DISPLAY": display.name]) == .x11)
        #expect(DisplayAvailability.in(environment: ["DISPLAY": "elsewhere:10.0"]) == .x11)
        #expect(DisplayAvailability.in(environment: ["DISPLAY": ":4242"]) == .none)
        #expect(DisplayAvailability.in(environment: ["WAYLAND_DISPLAY": "/nosuch/socket"]) == .none)
        #expect(DisplayAvailability.in(environment: [:]) == .none)
    }
}
