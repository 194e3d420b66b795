/// Finds burned-in captions among the lines of a recording: text that comes and goes in one band of the picture, in
/// letters of one size.
///
/// Every line votes for its place with the time it was visible, up to some seconds; lines in the middle of the lower
/// half count most. Pure: the same lines give the same captions.
enum Captions {
    /// Text that is visible no longer than this is noise.
    private static let noise = StreamTime(seconds: 0.3)
    /// Text that is visible longer than any caption says nothing about where captions are.
    private static let longest = StreamTime(seconds: 15)
    /// The time, in seconds, beyond which a line's vote does not increase.
    private static let fullVote = 4.0
    /// If there are more lines than this, only some of them propose a band.
    private static let mostSeeds = 300
    /// The largest distance of a row from the middle of its band, in heights of a line.
    private static let reach = 1.9

    static func lines(among lines: [Sighting]) -> [Sighting] {
        let passing = lines.filter { line in
            let time = line.end - line.start
            return time > noise && time <= longest && line.line.contains { $0.isLetter || $0.isNumber }
        }
        let seeds = passing.enumerated().filter { $0.offset.isMultiple(of: max(1, passing.count / mostSeeds)) }
        let votes = seeds.map { seed in
            passing.reduce(0) { isOfBand($1, around: seed.element) ? $0 + vote(of: $1) : $0 }
        }
        // Of equal ones, use the first.
        guard let most = votes.max(), let best = votes.firstIndex(of: most) else { return [] }
        var (captions, others) = (
            passing.filter { isOfBand($0, around: seeds[best].element) },
            passing.filter { !isOfBand($0, around: seeds[best].element) }
        )
        // Add a third row of a caption, above or below the two that the band was found with.
        let more = others.filter { other in captions.contains { goesOn($0, other) } }
        others.removeAll(where: more.contains)
        captions += more
        return captions
    }

    private static func vote(of line: Sighting) -> Double {
        let time = min(fullVote, (line.end - line.start).seconds)
        guard let picture = line.picture, picture.x > 0, picture.y > 0 else { return time }
        let center = line.peak.quad.center
        let isCentered = abs(center.x / picture.x - 0.5) < 0.12
        return time * (center.y > 0.55 * picture.y ? 1 : 0.4) * (isCentered ? 1 : 0.3)
    }

    private static func isOfBand(_ line: Sighting, around seed: Sighting) -> Bool {
        let (place, middle) = (line.peak.quad, seed.peak.quad)
        return isOfSize(place, middle) && abs(place.center.y - middle.center.y) < reach * middle.height
    }

    /// Returns whether two lines have the same size; a line without tall letters is half as high.
    private static func isOfSize(_ a: Quad, _ b: Quad) -> Bool {
        min(a.height, b.height) > 0.55 * max(a.height, b.height)
    }

    private static func goesOn(_ a: Sighting, _ b: Sighting) -> Bool {
        let common = min(a.end, b.end) - max(a.start, b.start)
        guard common.seconds > 0.5 * (b.end - b.start).seconds else { return false }
        let (from, to) = (LineLocation(a.peak.quad), LineLocation(b.peak.quad))
        return from.distance(toBelow: to) != nil || to.distance(toBelow: from) != nil
    }
}
