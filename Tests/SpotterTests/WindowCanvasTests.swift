import Testing
import TextSpotting

@testable import GStreamerMedia
@testable import Spotter

/// Drawing in a window's own pixels, and mapping its places to the picture.
@Suite struct WindowCanvasTests {
    private func layer(_ content: OverlayContent, hasBoxes: Bool = true) -> WindowCanvas.Layer {
        WindowCanvas.Layer(content: content, width: 640, height: 360, pixelAspect: 1, hasBoxes: hasBoxes)
    }

    private func frame(_ seconds: Double, _ width: Int, _ height: Int) -> WindowFrame {
        WindowFrame(time: StreamTime(seconds: seconds), width: width, height: height)
    }

    @Test func aPictureLiesInTheMiddleOfAWindowOfOtherProportions() {
        let fit = PictureFit(width: 640, height: 360, pixelAspect: 1, in: frame(0, 640, 480))
        #expect(fit.placed(Point(0, 0)) == Point(0, 60) && fit.placed(Point(640, 360)) == Point(640, 420))
        #expect(fit.original(Point(320, 240)) == Point(320, 180))
        let wide = PictureFit(width: 720, height: 576, pixelAspect: 16.0 / 15, in: frame(0, 1536, 1152))
        #expect(wide.placed(Point(720, 576)) == Point(1536, 1152))
    }

    @Test func eachFrameGetsWhatBelongsToIt() {
        let canvas = WindowCanvas()
        #expect(canvas.patches(on: frame(0, 640, 360)).isEmpty && canvas.place(ofClickAt: Point(1, 1)) == nil)
        let box = OverlayBox(quad: Quad(Rect(x: 100, y: 100, width: 80, height: 20)), text: "")
        canvas.put(layer(OverlayContent(boxes: [box])), at: StreamTime(seconds: 1))
        canvas.put(layer(OverlayContent()), at: StreamTime(seconds: 2))
        let patches = canvas.patches(on: frame(1, 1280, 720))
        #expect(!patches.isEmpty && patches.allSatisfy { $0.x > 180 && $0.y > 180 && $0.x < 380 && $0.y < 260 })
        #expect(canvas.place(ofClickAt: Point(200, 100)) == Point(100, 50))
        #expect(canvas.patches(on: frame(2, 1280, 720)).isEmpty)
    }

    @Test func boxesThatTheFramesHaveAreNotDrawnTwice() {
        let canvas = WindowCanvas()
        let box = OverlayBox(quad: Quad(Rect(x: 100, y: 100, width: 80, height: 20)), text: "EXIT")
        canvas.put(layer(OverlayContent(boxes: [box]), hasBoxes: false), at: .zero)
        #expect(canvas.patches(on: frame(0, 640, 360)).isEmpty)
    }

    @Test func lettersHaveTheirSizeInAnyWindow() throws {
        let canvas = WindowCanvas()
        let status = OverlayStatus(searched: ["EXIT"], matches: 2)
        canvas.put(layer(OverlayContent(status: status)), at: .zero)
        let small = try #require(canvas.patches(on: frame(0, 320, 240)).first)
        let large = try #require(canvas.patches(on: frame(0, 3840, 2160)).first)
        #expect(small.height >= 15 && small.height <= 24, "\(small.height)")
        #expect(large.height >= 30 && large.height <= 70, "\(large.height)")
        // A window that enlarges its frames by three.
        var scaled = frame(0, 640, 360)
        scaled.scale = 3
        let inside = try #require(canvas.patches(on: scaled).first)
        #expect(inside.height * 3 >= 20 && inside.height * 3 <= 60, "\(inside.height)")
    }

    @Test func aClickOnTheBarIsATimeAndElsewhereIsNone() throws {
        let canvas = WindowCanvas()
        var content = OverlayContent(status: OverlayStatus(searched: ["EXIT"], matches: 0))
        content.player = OverlayPlayer(duration: 100, position: 0)
        canvas.put(layer(content), at: .zero)
        _ = canvas.patches(on: frame(0, 1280, 720))
        let middle = try #require(canvas.time(ofClickAt: Point(640, 705)))
        #expect(abs(middle - 50) < 1)
        #expect(canvas.time(ofClickAt: Point(640, 300)) == nil)
    }
}
