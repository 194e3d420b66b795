import Errors
import Foundation
import Synchronization
import TestSupport
import Testing
import TextSpotting

@testable import Spotter

/// A source that is lost and comes back, in real pipelines.
@Suite(.timeLimit(.minutes(2))) struct LiveSourceTests {
    /// Collects events in order. Thread-safe.
    private final class Log: Sendable {
        private let all = Mutex<[LiveEvent]>([])
        func add(_ event: LiveEvent) { all.withLock { $0.append(event) } }

        var names: [String] {
            all.withLock { $0 }.compactMap {
                switch $0 {
                case .state(let state, _): state.rawValue
                case .appeared(let sighting, _, _): "+\(sighting.text)"
                case .disappeared(let sighting, _): "-\(sighting.text)"
                case .end(let end): "end \(end.reason.rawValue)"
                default: nil
                }
            }
        }
        var times: [StreamTime] {
            all.withLock { $0 }.compactMap {
                switch $0 {
                case .appeared(_, let time, _), .disappeared(_, let time), .statistics(_, let time): time
                default: nil
                }
            }
        }
        var messages: [String] {
            all.withLock { $0 }.compactMap { if case .state(_, let message) = $0 { message } else { nil } }
        }
    }

    private static func picture(right: Bool, _ ending: String) -> String {
        ReopenedSource.picture(left: !right, right: right, ending)
    }

    private func source(_ policy: LossPolicy, _ descriptions: String...) -> LiveSource {
        ReopenedSource.source(policy, descriptions)
    }

    private func spotter(
        _ source: LiveSource, output: String? = nil, _ words: String..., change: (inout LiveSettings) -> Void = { _ in }
    ) throws -> LiveSpotter {
        try ReopenedSource.spotter(source, output: output, words, change: change)
    }

    private let network = LossPolicy.network(.tries(3))

    /// By the stream's own times its first picture is at 0.8 s.
    @Test func timesOfAnMPEGRecordingBeginWithItsFirstPicture() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("clip.mpg")
        try await ShortClips.play(
            "videotestsrc pattern=black num-buffers=50 ! \(ShortClips.format) \(ShortClips.words(left: true, right: false))"
                + "! x264enc key-int-max=25 bframes=0 ! h264parse ! mpegpsmux ! filesink location=\(path)")
        let source = LiveSource(
            description: "filesrc location=\(path) ! mpegpsdemux ! h264parse ! avdec_h264 ! appsink name=frames",
            policy: .none)
        let starts = Mutex<[StreamTime]>([])
        let end = try await spotter(source, "LEFT").run { event in
            if case .disappeared(let sighting, _) = event { starts.withLock { $0.append(sighting.start) } }
        }
        #expect(end.reason == .eos)
        let start = try #require(starts.withLock { $0.first })
        #expect(start >= .zero && start < StreamTime(seconds: 0.5), "\(start)")
        #expect(end.time < StreamTime(seconds: 2.1), "\(end.time)")
    }

    @Test(
        arguments: ["identity eos-after=100", "identity error-after=100"],
        [OverlayTiming.tracked, .exact(delay: StreamTime(seconds: 0.3))])
    func aLostSourceComesBackAndNothingOldIsShown(ending: String, timing: OverlayTiming) async throws {
        let file = RawFrames()
        let log = Log()
        let spotter = try spotter(
            source(network, Self.picture(right: false, ending), Self.picture(right: true, "identity")),
            output: "appsrc name=overlay ! \(file.sink)", "LEFT", "RIGHT"
        ) {
            $0.showsStatus = false
            $0.overlay = timing
        }
        let end = try await spotter.run { event in
            log.add(event)
            if case .appeared(let sighting, _, _) = event, sighting.text == "RIGHT" { spotter.stop() }
        }
        #expect(end.reason == .signal && end.sightings == 2)
        // The reader notices that the words are gone; another part notices that the source is.
        #expect(
            log.names.filter { $0 != "-LEFT" } == [
                "opening", "running", "+LEFT", "reconnecting", "running", "+RIGHT", "-RIGHT", "ended", "end signal",
            ])
        let gone = log.names.firstIndex(of: "-LEFT") ?? 0
        #expect(gone > 2 && gone < log.names.firstIndex(of: "+RIGHT") ?? 0)
        #expect(log.messages.contains { $0.hasPrefix("try 1 of 3 in 0.5 s: ") })
        #expect(log.times == log.times.sorted())
        // The gap in the times is as long as the outage: a pause of at least half a second after the last of a hundred
        // frames.
        #expect(end.time > StreamTime(seconds: 99.0 / 50 + 0.5))
        // A box is brighter than the black around the word. There is none on the left half once the word is on the
        // right.
        let right = try file.luma().filter { RawFrames.isLit($0, columns: 90..<160) }
        #expect(!right.isEmpty)
        #expect(right.allSatisfy { !RawFrames.isLit($0, columns: 0..<70) })
    }

    @Test func aSilentSourceIsNoticedAndOpenedAnew() async throws {
        let log = Log()
        // The second input of the funnel never sends anything, so the stream does not end either.
        let silent =
            Self.picture(right: false, "identity eos-after=20 ! funnel name=both")
            + " appsrc name=silent caps=\(ShortClips.format) ! both."
        let spotter = try spotter(source(network, silent, Self.picture(right: true, "identity")), "RIGHT") {
            // This is longer than a busy machine delays a running source.
            $0.stallTime = .milliseconds(1500)
        }
        _ = try await spotter.run { event in
            log.add(event)
            if case .appeared = event { spotter.stop() }
        }
        #expect(
            log.names == [
                "opening", "running", "stalled", "reconnecting", "running", "+RIGHT", "-RIGHT", "ended", "end signal",
            ])
        #expect(log.messages.contains("no frame for 1.5 s"))
    }

    @Test func theLimitEndsItWithTheReason() async throws {
        let log = Log()
        let end = try await spotter(
            source(
                .network(.tries(1)), Self.picture(right: false, "identity eos-after=20"),
                "nosuchelement ! appsink name=frames"),
            "LEFT"
        ).run(log.add)
        #expect(end.reason == .error && end.failure?.code == .missingPlugin)
        #expect(end.failure?.message.hasSuffix("It was tried again once in vain; --reconnect sets how often.") == true)
        #expect(log.names.suffix(2) == ["failed", "end error"])
    }

    @Test func theSourceIsClosedWhenItsOutputCannotBeStarted() async throws {
        let file = RawFrames()
        // While the source is open, its frames also go into a file.
        let open =
            "videotestsrc is-live=true ! \(ShortClips.format) ! tee name=both both. ! queue ! appsink name=frames "
            + "both. ! queue ! \(file.sink)"
        let spotter = try spotter(
            LiveSource(description: open, policy: .none),
            output: "appsrc name=overlay ! fakesink state-error=paused-to-playing", "LEFT")
        await #expect(throws: FramegrepError.self) { try await spotter.run { _ in } }
        let count = file.count
        try await Task.sleep(for: .milliseconds(300))
        #expect(file.count == count)
    }

    @Test func aSourceThatCannotBeOpenedIsAnErrorAtOnce() async throws {
        let spotter = try spotter(source(network, "nosuchelement ! appsink name=frames"), "LEFT")
        await #expect(throws: FramegrepError.self) { try await spotter.run { _ in } }
    }

    @Test func aRecordingEndsWithoutBeingOpenedAgain() async throws {
        let log = Log()
        let recorded = Self.picture(right: false, "identity eos-after=30")
        let end = try await spotter(LiveSource(description: recorded, policy: .none), "LEFT").run(log.add)
        #expect(end.reason == .eos)
        #expect(log.names == ["opening", "running", "+LEFT", "-LEFT", "ended", "end eos"])
    }

    @Test func stoppingWhileItReconnectsEndsAtOnce() async throws {
        let log = Log()
        let spotter = try spotter(
            source(
                .network(.forever), Self.picture(right: false, "identity eos-after=10"),
                "nosuchelement ! appsink name=frames"),
            "LEFT")
        let end = try await spotter.run { event in
            log.add(event)
            if case .state(.reconnecting, let message) = event, message.hasPrefix("try 2") { spotter.stop() }
        }
        #expect(end.reason == .signal && log.names.last == "end signal")
    }

    @Test func manyLossesInARow() async throws {
        let log = Log()
        let losses = 5
        // A camera is looked for continuously, so its pauses stay short.
        let spotter = try spotter(
            LiveSource(description: Self.picture(right: false, "identity eos-after=50"), policy: .waitingCamera),
            output: "appsrc name=overlay ! fakesink", "LEFT")
        let count = ReopenedSource.Counter()
        _ = try await spotter.run { event in
            log.add(event)
            if case .state(.running, let message) = event, message.hasPrefix("the source is back"),
                count.next() == losses - 1
            {
                spotter.stop()
            }
        }
        #expect(log.names.count { $0 == "reconnecting" } == losses)
        #expect(log.names.count { $0 == "+LEFT" } >= losses)
    }

    @Test func digitalZoomIsInPixelsOfTheEnlargedPicture() async throws {
        /// Returns the size of the word in the picture that is read.
        func width(zoomedBy factor: Double?) async throws -> Double {
            let format = ShortClips.format
            var source = LiveSource(
                description:
                    "videotestsrc is-live=true pattern=black ! \(format) ! textoverlay text=I halignment=center "
                    + "valignment=center font-desc=\"Sans Bold 60\" deltax=-16 draw-shadow=false draw-outline=false ! "
                    + "\(DigitalZoom.elements) ! appsink name=frames", policy: .none)
            if let factor { source.turns = [(.zoom, .to(factor))] }
            let found = Mutex(0.0)
            let spotter = try spotter(source, "LEFT")
            #expect(spotter.camera?.knobs == [.zoom])
            let sizes = ReopenedSource.Counter()
            _ = try await spotter.run { event in
                if case .disappeared(let sighting, _) = event {
                    found.withLock { $0 = Double(sighting.peak.quad.bounds.height) }
                }
                if case .statistics = event, sizes.next() == 1 { spotter.stop() }
            }
            return found.withLock { $0 }
        }
        let plain = try await width(zoomedBy: nil)
        let zoomed = try await width(zoomedBy: 2)
        #expect(plain > 8)
        #expect(abs(zoomed / plain - 2) < 0.3, "\(plain) became \(zoomed)")
    }

    @Test func aSourceThatComesBackLargerKeepsTheSizeOfTheRecording() async throws {
        let file = RawFrames()
        let log = Log()
        let small = Self.picture(right: false, "identity eos-after=20 ! \(DigitalZoom.elements)")
        let large = Self.picture(right: true, "videoscale ! video/x-raw,width=640,height=360 ! \(DigitalZoom.elements)")
        let spotter = try spotter(
            source(network, small, large), output: "appsrc name=overlay ! \(file.sink)", "RIGHT")
        _ = try await spotter.run { event in
            log.add(event)
            if case .appeared = event { spotter.stop() }
        }
        #expect(log.names.suffix(4) == ["+RIGHT", "-RIGHT", "ended", "end signal"])
        #expect(try file.count > 0 && file.isWhole())
    }

    @Test func aControlThatTheSourceLacksIsAnErrorThatSaysWhatItHas() async throws {
        var source = LiveSource(description: Self.picture(right: false, "identity"), policy: .none)
        source.turns = [(.torch, .on)]
        let spotter = try spotter(source, "LEFT")
        let error = await #expect(throws: FramegrepError.self) { try await spotter.run { _ in } }
        #expect(error?.message == "This source has no control for torch; it has zoom.")
    }
}
