import Foundation
import GStreamerMedia
import Synchronization
import Testing
import TextSpotting

@testable import Spotter

/// The boxes drawn on each frame: a word appears after a second and disappears after two.
@Suite(.timeLimit(.minutes(2))) struct OverlayTimingTests {
    private static let parts = [
        ShortClips.Part(frames: 25), ShortClips.Part(frames: 25, left: true), ShortClips.Part(frames: 25),
    ]

    /// Returns the numbers of the frames on which a box was drawn, and the final statistics.
    private func drawn(
        _ timing: OverlayTiming, reader: BlotReader = BlotReader(), sink: String = "fakesink sync=true"
    ) async throws -> (frames: [Int], end: LiveEnd) {
        let times = Mutex<[StreamTime]>([])
        let end = try await ShortClips.with(Self.parts) { description in
            var settings = LiveSettings()
            settings.reportsBoxes = true
            settings.overlay = timing
            let spotter = LiveSpotter(
                description: "\(description) appsrc name=overlay ! \(sink)", settings: settings, reader: reader,
                matcher: try matcher("LEFT"))
            return try await spotter.run { event in
                if case .box(_, _, let time) = event { times.withLock { $0.append(time) } }
            }
        }
        return (times.withLock { $0 }.map { Int(($0.seconds * 25).rounded()) }, end)
    }

    @Test func trackedBoxesComeWithTheirWordAndGoWithinATenthOfASecond() async throws {
        let (frames, _) = try await drawn(.tracked)
        #expect(!frames.isEmpty)
        // 0.1 s are two and a half frames.
        #expect(frames.allSatisfy { (25..<53).contains($0) })
    }

    @Test func aReadingThatArrivesWhenTheWordIsGoneDrawsNothing() async throws {
        // The reading of the word's first frame ends a second and a half later.
        let reader = BlotReader { number in if number > 0 { try await Task.sleep(for: .seconds(1.5)) } }
        let (frames, _) = try await drawn(.tracked, reader: reader)
        #expect(frames.allSatisfy { (25..<53).contains($0) })
    }

    @Test func exactBoxesAreOnEveryFrameOfTheirWordAndOnNoOther() async throws {
        // The delay is so long that even a busy machine has read in time.
        let (frames, end) = try await drawn(.exact(delay: StreamTime(seconds: 1.2)))
        #expect(frames == Array(25..<50))
        #expect(end.reason == .eos && end.sightings == 1)
    }

    @Test func exactShowsEveryFrameOfAFile() async throws {
        let path = NSTemporaryDirectory() + "framegrep-\(UUID().uuidString).raw"
        defer { try? FileManager.default.removeItem(atPath: path) }
        _ = try await drawn(.exact(delay: StreamTime(seconds: 0.3)), sink: "filesink location=\(path)")
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        #expect(size == 75 * 160 * 90 * 3 / 2)
    }

    @Test func aLiveSourceIsShownLaterToo() async throws {
        // Its frames are copied: two buffers would not last for a third of a second.
        let shown = Mutex(0)
        var settings = LiveSettings()
        settings.overlay = .exact(delay: StreamTime(seconds: 0.4))
        settings.reportsBoxes = true
        let source =
            "videotestsrc is-live=true pattern=black num-buffers=100 ! \(ShortClips.format) "
            + "\(ShortClips.words(left: true, right: false))! appsink name=frames appsrc name=overlay ! fakesink sync=true"
        let spotter = LiveSpotter(
            description: source, settings: settings, reader: BlotReader(), matcher: try matcher("LEFT"))
        let end = try await spotter.run { event in if case .box = event { shown.withLock { $0 += 1 } } }
        #expect(end.reason == .eos && end.sightings == 1)
        #expect(shown.withLock { $0 } > 20)
    }
}
