import Errors
import GStreamerMedia
import OverlayDrawing
import TextSpotting

/// A frame as it is displayed, of which pictures are made.
struct ShownFrame: ~Copyable {
    private let sample: Sample
    private let info: VideoInfo
    private let pictures: PictureConverter

    init(sample: consuming Sample, info: VideoInfo, pictures: PictureConverter) {
        self.sample = sample
        self.info = info
        self.pictures = pictures
    }

    /// How much wider than high its pixels are.
    private var aspect: Double { info.pixelAspectRatio.value > 0 ? info.pixelAspectRatio.value : 1 }

    /// In pixels as sightings' places are meant: the width is what pixels that are not square change.
    var width: Int { Int((Double(info.width) * aspect).rounded()) }
    var height: Int { info.height }

    /// How large a picture of all of it is, not wider than `width`, as it is displayed.
    func size(width: Int) -> (width: Int, height: Int) {
        Self.scaled(whole, toWidth: width).size
    }

    /// All of it, as displayed.
    private var whole: Rect { Rect(x: 0, y: 0, width: Double(width), height: Double(height)) }

    /// How large a part becomes that is to be no wider than `width`, in whole pixels and at least one, and the factor.
    private static func scaled(_ part: Rect, toWidth width: Int) -> (size: (width: Int, height: Int), scale: Double) {
        let scale = min(1, Double(width) / part.width)
        func pixels(_ length: Double) -> Int { max(1, Int((length * scale).rounded())) }
        return ((pixels(part.width), pixels(part.height)), scale)
    }

    /// All of it, or the surroundings of a place, not wider than `width`.
    ///
    /// - Parameters:
    ///   - quad: the place, as displayed; nil for none.
    ///   - line: the whole line that it is part of; only its surroundings are shown. Nil for all.
    func picture(width: Int, around quad: Quad?, in line: Quad?) throws -> (picture: Picture, quad: Quad?) {
        let part =
            quad.flatMap { quad in
                line.map { Self.surroundings(of: quad.bounds, in: whole, line: $0.bounds) }
            } ?? whole
        let (size, scale) = Self.scaled(part, toWidth: width)
        let stored = Rect(x: part.x / aspect, y: part.y, width: part.width / aspect, height: part.height)
        let picture = try pictures.picture(from: sample, format: .rgb, size: size, region: stored)
        return (picture, quad?.moved(by: Point(-part.x, -part.y)).scaled(x: scale, y: scale))
    }

    /// A part of the shape of a page's small pictures, so large that one sees where the words stand and can read them.
    ///
    /// - Parameter line: the line that the place is part of, which is shown whole unless the words became too small then.
    static func surroundings(of place: Rect, in whole: Rect, line: Rect? = nil) -> Rect {
        let shape = 16.0 / 9
        var (place, least) = (place, place.width * 2)
        if let line, line.width <= max(place.width * 3, whole.width * 0.5) { (place, least) = (line, line.width * 1.2) }
        let wanted = max(least, place.height * 3.2 * shape, whole.width * 0.3)
        let width = min(wanted, whole.width, max(whole.height * shape, place.width))
        let height = min(width / shape, whole.height)
        func begin(_ center: Double, _ length: Double, _ limit: Double) -> Double {
            min(max(0, center - length / 2), limit - length)
        }
        return Rect(
            x: begin(place.x + place.width / 2, width, whole.width),
            y: begin(place.y + place.height / 2, height, whole.height), width: width, height: height)
    }
}
