import Synchronization
import Testing
import TextSpotting

@testable import Spotter

/// A source that comes back is shown without anything from before, but with the zoom that was set.
@Suite(.timeLimit(.minutes(2))) struct LiveReturnTests {
    private let network = LossPolicy.network(.tries(3))

    /// The picture is the same before and after the loss, so earlier boxes could be followed to it.
    @Test(arguments: [OverlayTiming.tracked, .exact(delay: StreamTime(seconds: 0.4))])
    func aReadingOfBeforeTheLossIsNotDrawnAfterIt(timing: OverlayTiming) async throws {
        let file = RawFrames()
        let boxes = Mutex(0)
        let isBack = Mutex(false)
        let shownBefore = Mutex(0)
        // The first reading ends some time after the source is back; no other reading ever ends.
        let reader = BlotReader { number in
            guard number == 0 else { return try await Task.sleep(for: .seconds(3600)) }
            while !isBack.withLock({ $0 }) || file.count < shownBefore.withLock({ $0 }) + 20 {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        let spotter = try ReopenedSource.spotter(
            ReopenedSource.source(
                network,
                [
                    ReopenedSource.picture(left: true, "identity eos-after=50"),
                    ReopenedSource.picture(left: true, "identity"),
                ]), output: "appsrc name=overlay ! \(file.sink)", ["LEFT"], reader: reader
        ) {
            $0.overlay = timing
            $0.reportsBoxes = true
            $0.showsStatus = false
            // Boxes must not be left out because of their age.
            $0.reading.maximumAge = StreamTime(seconds: 60)
        }
        // Ends it a second's worth of frames after the reading was passed on.
        let ending = Task {
            while reader.readings < 2 { try await Task.sleep(for: .milliseconds(5)) }
            let shown = file.count
            while file.count < shown + 50 { try await Task.sleep(for: .milliseconds(5)) }
            spotter.stop()
        }
        _ = try await spotter.run { event in
            switch event {
            case .box: boxes.withLock { $0 += 1 }
            case .state(.running, let message) where message.hasPrefix("the source is back"):
                shownBefore.withLock { $0 = file.count }
                isBack.withLock { $0 = true }
            default: break
            }
        }
        try await ending.value
        #expect(boxes.withLock { $0 } == 0)
        // Only the word itself is bright.
        let frames = try file.luma()
        let word = try #require(frames.first.map(RawFrames.litRows))
        #expect(word > 2 && frames.allSatisfy { RawFrames.litRows($0) == word })
    }

    @Test func aSourceThatComesBackLargerIsZoomedAsBeforeFromItsFirstFrame() async throws {
        let file = RawFrames()
        let word =
            "textoverlay text=I halignment=center valignment=center font-desc=\"Sans Bold 60\" draw-shadow=false "
            + "draw-outline=false"
        let once = RawFrames()
        try await ShortClips.play(
            "videotestsrc pattern=black num-buffers=1 ! \(ShortClips.format) ! \(word) ! \(once.sink)")
        let plain = try #require(try once.luma().first.map(RawFrames.litRows))
        #expect(plain > 8)
        let picture = "videotestsrc is-live=true pattern=black ! \(ShortClips.format) ! \(word)"
        let zoomed = "\(DigitalZoom.elements) ! appsink name=frames"
        var source = ReopenedSource.source(
            network,
            [
                "\(picture) ! identity eos-after=30 ! \(zoomed)",
                "\(picture) ! videoscale ! video/x-raw,width=640,height=360 ! \(zoomed)",
            ])
        source.turns = [(.zoom, .to(2))]
        let spotter = try ReopenedSource.spotter(
            source, output: "appsrc name=overlay ! \(file.sink)", ["NOWHERE"]
        ) { $0.showsStatus = false }
        let before = Mutex<Int?>(nil)
        let ending = Task {
            while true {
                try await Task.sleep(for: .milliseconds(5))
                guard let before = before.withLock({ $0 }) else { continue }
                if file.count >= before + 25 { return spotter.stop() }
            }
        }
        _ = try await spotter.run { event in
            if case .state(.running, let message) = event, message.hasPrefix("the source is back") {
                before.withLock { $0 = file.count }
            }
        }
        try await ending.value
        let heights = try file.luma().map(RawFrames.litRows)
        // The first frames of all may come before the zoom is set.
        let full = try #require(heights.last)
        let begin = try #require(heights.firstIndex { abs($0 - 2 * plain) <= 3 }, "\(heights)")
        #expect(begin < 25, "\(heights)")
        #expect(heights[begin...].allSatisfy { abs($0 - full) <= 2 }, "\(heights)")
        #expect(abs(full - 2 * plain) <= 3, "\(heights)")
    }
}
