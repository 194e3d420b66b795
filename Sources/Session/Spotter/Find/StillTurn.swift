public import GStreamerMedia
public import TextSpotting

/// Other orientations of a still picture whose text makes no sense: the text may be upside down or mirrored.
public enum StillTurn: String, Sendable, CaseIterable {
    case upsideDown = "180"
    case mirrored = "horiz"

    /// The confidence below which a line makes no sense: no clean text that is rotated reaches it, and hardly any
    /// upright text is below it.
    static let sense = 0.88

    /// Returns whether so much of the text makes no sense that the picture is worth reading again.
    ///
    /// - Parameter lines: all lines that were read.
    public static func isWorthTrying(_ lines: [Sighting]) -> Bool {
        let letters = lines.reduce(0) { $0 + $1.line.count }
        let doubtful = lines.filter { $0.score < sense }.reduce(0) { $0 + $1.line.count }
        return letters > 0 && 3 * doubtful >= letters
    }

    /// Returns the sightings in lines that make sense.
    public static func sensible(_ sightings: [Sighting], among lines: [Sighting]) -> [Sighting] {
        let known = sensibleLines(lines)
        return sightings.filter { known.contains($0.line) }
    }

    /// Returns the texts of lines that make sense.
    static func sensibleLines(_ lines: [Sighting]) -> Set<String> {
        Set(lines.filter { $0.score >= sense }.map(\.line))
    }

    /// Returns the pipeline of a search of the picture in this orientation.
    public func search(_ source: OpenedSource) -> String {
        SourceDescription.search(source).replacing(
            "! appsink name=frames", with: "! videoflip video-direction=\(rawValue) ! appsink name=frames")
    }

    /// Returns a sighting at its place in the picture as displayed, whose size is given in pixels.
    public func displayed(_ sighting: Sighting, width: Double, height: Double) -> Sighting {
        var sighting = sighting
        sighting.peak.quad = displayed(sighting.peak.quad, width, height)
        for index in sighting.boxes.indices {
            sighting.boxes[index].quad = displayed(sighting.boxes[index].quad, width, height)
        }
        return sighting
    }

    /// Returns a place in the picture as displayed.
    func displayed(_ quad: Quad, _ width: Double, _ height: Double) -> Quad {
        func place(_ point: Point) -> Point { Point(width - point.x, self == .upsideDown ? height - point.y : point.y) }
        return Quad(
            topLeft: place(quad.topLeft), topRight: place(quad.topRight), bottomRight: place(quad.bottomRight),
            bottomLeft: place(quad.bottomLeft))
    }
}
