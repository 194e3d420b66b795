import Displays
import Foundation
import GStreamerMedia
import Synchronization
import TestSupport
import Testing
import TextSpotting

/// A separate X server for a test, without a screen.
// @unchecked: `server` is only used in the initializer and in deinit.
private final class VirtualDisplay: @unchecked Sendable {
    static let isInstalled = ["/usr/bin/Xvfb", "/usr/bin/xdotool"].allSatisfy(FileManager.default.isExecutableFile)

    let name: String
    private let server = Process()

    init() throws {
        let output = Pipe()
        // Without -noreset it restarts when its last client has gone, and rejects clients meanwhile.
        server.executableURL = URL(fileURLWithPath: "/usr/bin/Xvfb")
        server.arguments = ["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"]
        server.standardOutput = output
        server.standardError = FileHandle.nullDevice
        try server.runUnmasked()
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
        // It removes its files.
        server.terminate()
        server.waitUntilExit()
    }
}

@Suite(.enabled(if: VirtualDisplay.isInstalled), .timeLimit(.minutes(1))) struct WindowTests {
    /// The overlay is drawn in the window's pixels if nothing else gets the frames.
    @Test func aWindowThatIsChosenLaterIsNoOtherOutput() throws {
        let window = try Pipeline(parsing: "appsrc name=overlay ! videoconvertscale ! autovideosink")
        #expect(window.hasDrawableWindow && !window.hasOtherOutputs)
        let both = try Pipeline(
            parsing: "appsrc name=overlay ! tee name=t t. ! queue ! autovideosink t. ! queue ! fakesink")
        #expect(both.hasDrawableWindow && both.hasOtherOutputs)
    }

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
            while case .sample(let sample) = frames.pull(timeout: .seconds(30)) { _ = overlay.push(sample) }
        }
        while pipeline.sinkStatistics().rendered < 3 { try await Task.sleep(for: .milliseconds(10)) }
        // A window that has just been opened may miss the first of them.
        let acting = Task {
            while !Task.isCancelled {
                try display.act("mousemove", "50", "40", "key", "q", "mousemove", "60", "45", "click", "1")
                try await Task.sleep(for: .milliseconds(500))
            }
        }
        var keys = Set<String>()
        var buttons = Set<Int>()
        for await message in pipeline.bus.messages {
            switch message {
            case .navigation(.keyPress(let key)): keys.insert(key.text ?? "")
            case .navigation(.mouseButtonPress(let button, _, _)): buttons.insert(button)
            default: break
            }
            if !keys.isEmpty && !buttons.isEmpty { break }
        }
        acting.cancel()
        _ = await acting.result
        #expect(keys == ["q"])
        #expect(buttons == [1])
        await pipeline.stop()
        await shown
        withExtendedLifetime(display) {}
    }

    @Test func theFirstFrameThatItShowsIsTold() async throws {
        // Takes the name of another test's display: what is left of that may learn only now that its server has ended.
        let other = try VirtualDisplay()
        let display = try VirtualDisplay()
        let pipeline = try Pipeline(
            parsing: "appsrc name=overlay ! videoconvert ! tee ! queue ! ximagesink display=\(display.name)")
        let overlay = try #require(pipeline.appSource(named: "overlay"))
        overlay.configure(maxBuffers: 2, block: false, isLive: false)
        _ = try await pipeline.prepare()
        try await pipeline.play()
        let told = Mutex(0)
        pipeline.whenWindowHasShown { told.withLock { $0 += 1 } }
        #expect(told.withLock { $0 } == 0)
        for number in 0..<3 {
            let time = StreamTime(seconds: Double(number) / 25)
            let black = [UInt8](repeating: 0, count: 64 * 48 * 4)
            _ = overlay.push(bgra: black, width: 64, height: 48, at: time, duration: StreamTime(seconds: 0.04))
        }
        while told.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(2)) }
        let shown = pipeline.sinkStatistics()
        #expect(shown.rendered + shown.dropped > 0)
        overlay.endOfStream()
        for await message in pipeline.bus.messages where message == .endOfStream { break }
        #expect(told.withLock { $0 } == 1)
        await pipeline.stop()
        withExtendedLifetime((other, display)) {}
    }
}
