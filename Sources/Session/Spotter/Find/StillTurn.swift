public import GStreamerMedia
public import TextSpotting

/// Other ways to hold a still picture in which what is read makes no sense: text in it may stand on its head, or be seen in a mirror.
public enum StillTurn: String, Sendable, CaseIterable {
    case upsideDown = "180"
    case mirrored = "horiz"

    /// A line that was read less surely than this makes no sense: of clean text that is turned nothing comes near it, of text that
    /// stands as it should hardly anything is below.
    static let sense = 0.88

    /// Whether so much of what was read makes no sense that it is worth reading again.
    ///
    /// - Parameter lines: all that were read.
    public static func isWorthTrying(_ lines: [Sighting]) -> Bool {
        let letters = lines.reduce(0) { $0 + $1.line.count }
        let doubtful = lines.filter { $0.score < sense }.reduce(0) { $0 + $1.line.count }
        return letters > 0 && 3 * doubtful >= letters
    }

    /// The sightings in lines that make sense.
    public static func sensible(_ sightings: [Sighting], among lines: [Sighting]) -> [Sighting] {
        let known = sensibleLines(lines)
        return sightings.filter { known.contains($0.line) }
    }

    /// The texts of lines that make sense.
    static func sensibleLines(_ lines: [Sighting]) -> Set<String> {
        Set(lines.filter { $0.score >= sense }.map(\.line))
    }

    /// The pipeline of a search of the picture held so.
    public func search(_ source: OpenedSource) -> String {
        SourceDescription.search(source).replacing(
            "! appsink name=frames", with: "! videoflip video-direction=\(rawValue) ! appsink name=frames")
    }

    /// A sighting where it is in the picture as everybody sees it, whose size is given in pixels.
    public func displayed(_ sighting: Sighting, width: Double, height: Double) -> Sighting {
        var sighting = sighting
        sighting.peak.quad = displayed(sighting.peak.quad, width, height)
        for index in sighting.boxes.indices {
            sighting.boxes[index].quad = displayed(sighting.boxes[index].quad, width, height)
        }
        return sighting
    }

    /// The same for a place.
    func displayed(_ quad: Quad, _ width: Double, _ height: Double) -> Quad {
        func place(_ point: Point) -> Point { Point(width - point.x, self == .upsideDown ? height - point.y : point.y) }
        return Quad(
            topLeft: place(quad.topLeft), topRight: place(quad.topRight), bottomRight: place(quad.bottomRight),
            bottomLeft: place(quad.bottomLeft))
    }
}
