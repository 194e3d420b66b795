import GStreamerMedia
import TextSpotting

/// How the searched part of a frame lies in the picture that people see, and how small its pictures for comparison are.
struct FrameGeometry: Sendable, Hashable {
    /// Size of the frame as stored, in pixels.
    let frameWidth: Int
    let frameHeight: Int
    /// The searched part, in pixels of the frame; nil for the whole.
    let region: Rect?
    /// Width of a displayed pixel divided by its height.
    let pixelAspectRatio: Double
    /// The comparison pictures are smaller than the searched part by this whole factor.
    let reduction: Int

    init(_ info: VideoInfo, region: RegionOfInterest?, size: ThumbnailSize = .compared) throws {
        frameWidth = info.width
        frameHeight = info.height
        self.region = try region?.rect(width: info.width, height: info.height)
        pixelAspectRatio = info.pixelAspect
        reduction = size.reduction(
            ofWidth: self.region?.width ?? Double(info.width), height: self.region?.height ?? Double(info.height))
    }

    /// Size of the comparison pictures.
    var smallSize: (width: Int, height: Int) {
        let width = Int(region?.width ?? Double(frameWidth))
        let height = Int(region?.height ?? Double(frameHeight))
        return (max(1, width / reduction), max(1, height / reduction))
    }

    /// Size of the comparison pictures divided by that of the searched part.
    var scale: Double { 1 / Double(reduction) }

    /// Where the searched part begins, in pixels of the frame as stored.
    var origin: Point { Point(region?.x ?? 0, region?.y ?? 0) }

    /// From pixels of the searched part to those of the picture as displayed.
    func displayed(_ quad: Quad) -> Quad { quad.moved(by: origin).scaled(x: pixelAspectRatio, y: 1) }

    /// From pixels of the picture as displayed to those of the frame as stored: where a box is drawn.
    func stored(_ quad: Quad) -> Quad { quad.scaled(x: 1 / pixelAspectRatio, y: 1) }

    func displayed(_ sighting: Sighting) -> Sighting {
        var result = sighting
        result.peak.quad = displayed(sighting.peak.quad)
        result.boxes = sighting.boxes.map { Sighting.Box(time: $0.time, quad: displayed($0.quad)) }
        return result
    }
}
