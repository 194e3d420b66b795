import GStreamerMedia
import TextSpotting

/// How the searched part of a frame lies in the frame as stored and in the picture that people see, and how small its thumbnail is: the only
/// place where places go from one of these into another.
///
/// | in pixels of | what has its places there |
/// | --- | --- |
/// | the thumbnail | the gate, patches, what is followed |
/// | the searched part | lines, tracks, matches, open sightings |
/// | the frame as stored | boxes that are drawn, text that is clicked on |
/// | the picture as displayed | sightings and boxes that are told |
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

    /// From the searched part to the thumbnail.
    func thumbnail(_ searched: Quad) -> Quad { searched.scaled(x: scale, y: scale) }

    /// From the searched part to the frame as stored.
    func frame(_ searched: Quad) -> Quad { region == nil ? searched : searched.moved(by: origin) }

    /// From the frame as stored to the searched part.
    func part(_ stored: Quad) -> Quad { region == nil ? stored : stored.moved(by: Point(-origin.x, -origin.y)) }

    /// From the searched part to the picture as displayed.
    func displayed(_ searched: Quad) -> Quad { frame(searched).scaled(x: pixelAspectRatio, y: 1) }

    /// From the picture as displayed to the frame as stored: where a box is drawn.
    func stored(_ displayed: Quad) -> Quad { displayed.scaled(x: 1 / pixelAspectRatio, y: 1) }

    /// From the searched part to the picture as displayed.
    func displayed(_ sighting: Sighting) -> Sighting {
        var result = sighting
        result.peak.quad = displayed(sighting.peak.quad)
        result.course = sighting.course.map {
            Sighting.Course(readTimes: $0.readTimes, first: displayed($0.first), last: displayed($0.last))
        }
        result.boxes = sighting.boxes.map { Sighting.Box(time: $0.time, quad: displayed($0.quad)) }
        return result
    }
}

extension VideoInfo {
    /// Width of a displayed pixel divided by its height; 1 where the caps say nothing that makes sense.
    var pixelAspect: Double {
        let (n, d) = (pixelAspectRatio.numerator, pixelAspectRatio.denominator)
        return n > 0 && d > 0 ? Double(n) / Double(d) : 1
    }

    /// From the frame as stored to the picture as displayed.
    func displayed(_ stored: Quad) -> Quad { stored.scaled(x: pixelAspect, y: 1) }

    /// From the picture as displayed to the frame as stored.
    func stored(_ displayed: Quad) -> Quad { displayed.scaled(x: 1 / pixelAspect, y: 1) }
}

extension TextLine {
    /// The line in a picture in which places are others.
    func mapped(_ transform: (Quad) -> Quad) -> TextLine {
        var line = self
        line.quad = transform(quad)
        for index in words.indices { line.words[index].quad = transform(words[index].quad) }
        return line
    }
}
