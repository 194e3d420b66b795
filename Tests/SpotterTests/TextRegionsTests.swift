import Testing
import TextSpotting

@testable import Spotter

/// Places at which labels must not be drawn in a copy of a recording.
@Suite struct TextRegionsTests {
    private func time(_ seconds: Double) -> StreamTime { StreamTime(seconds: seconds) }
    private let upper = Rect(x: 10, y: 20, width: 200, height: 16)
    private let lower = Rect(x: 10, y: 60, width: 120, height: 16)

    @Test func eachFrameHasTheTextThatWasReadLastBeforeIt() {
        let text = TextRegions()
        #expect(text.places(at: .zero).isEmpty)
        text.add([Quad(upper)], from: time(1))
        text.add([Quad(upper), Quad(lower)], from: time(2))
        text.add([], from: time(3))
        #expect(text.places(at: .zero) == [upper], "what is read first was there before")
        #expect(text.places(at: time(1.9)) == [upper])
        #expect(text.places(at: time(2)) == [upper, lower] && text.places(at: time(2.9)) == [upper, lower])
        #expect(text.places(at: time(60)).isEmpty)
    }

    @Test func aLabelInACopyCoversNoText() {
        let composer = OverlayComposer(pictureWidth: 640, pictureHeight: 360)
        let box = OverlayBox(quad: Quad(Rect(x: 200, y: 100, width: 80, height: 20)), text: "EXIT", score: 0.9)
        // Text above, below and on both sides, as on a page.
        let text = TextRegions()
        text.add(
            stride(from: 40, to: 320, by: 30).map { Quad(Rect(x: 20, y: Double($0), width: 600, height: 20)) },
            from: .zero)
        var content = OverlayContent(boxes: [box])
        func labels() -> Int {
            composer.compose(content).count {
                if case .label = $0 { true } else { false }
            }
        }
        #expect(labels() == 1)
        content.textPlaces = text.places(at: .zero).map { Quad($0) }
        #expect(labels() == 0)
    }
}
