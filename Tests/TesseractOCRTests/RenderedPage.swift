import OverlayDrawing
import Painting
import TextSpotting

/// A picture with known words at known places.
struct RenderedPage {
    var picture: Picture
    /// The ink of each word, in reading order.
    var words: [(text: String, ink: Quad)]

    /// Lines of text from the top, each 1.8 times its size below the one before.
    static func lines(
        _ lines: [String], size: Double = 32, width: Int = 640, height: Int = 360, font: FontFace = .sans,
        ink: OverlayColor = .black, paper: OverlayColor = .white, degrees: Double = 0, format: Picture.Format = .luma
    ) throws -> RenderedPage {
        let canvas = try Canvas(width: width, height: height, color: paper)
        var words: [(text: String, ink: Quad)] = []
        for (index, line) in lines.enumerated() {
            let place = Point(40, 40 + Double(index) * 1.8 * size)
            let text = CanvasText(line, font: font, size: size, color: ink)
            words += canvas.draw(text, at: .place(place, degrees: degrees)).words
        }
        return RenderedPage(picture: canvas.picture(format), words: words)
    }
}

extension [TextLine] {
    var words: [TextWord] { flatMap(\.words) }
    var text: [String] { map(\.text) }
}
