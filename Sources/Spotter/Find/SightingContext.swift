public import TextSpotting

/// How much of a recording around each sighting is wanted.
public struct SightingContext: Sendable, Hashable {
    public var before: StreamTime
    public var after: StreamTime

    public init(before: StreamTime = .zero, after: StreamTime = .zero) {
        self.before = before
        self.after = after
    }

    /// The stretches of a recording that hold the sightings, in order; those that touch are one.
    ///
    /// - Parameter end: of the recording, or of what was searched of it.
    public func stretches(of sightings: [Sighting], until end: StreamTime) -> [Range<StreamTime>] {
        var stretches: [Range<StreamTime>] = []
        for sighting in sightings.sorted(by: { $0.start < $1.start }) {
            let (from, to) = (max(.zero, sighting.start - before), min(end, sighting.end + after))
            guard from < to else { continue }
            if let last = stretches.last, from <= last.upperBound {
                stretches[stretches.count - 1] = last.lowerBound..<max(last.upperBound, to)
            } else {
                stretches.append(from..<to)
            }
        }
        return stretches
    }
}

/// A stretch of a recording in which nothing that was searched for is in view.
public struct Absence: Sendable, Hashable {
    /// Counts those of one input from 1.
    public var id: Int
    /// As the person wrote them.
    public var patterns: [String]
    public var start: StreamTime
    public var end: StreamTime

    public init(id: Int, patterns: [String], start: StreamTime, end: StreamTime) {
        self.id = id
        self.patterns = patterns
        self.start = start
        self.end = end
    }

    /// The same for whatever prints lines: `no EXIT`.
    public var asLine: Sighting {
        let words = patterns.map { "no \($0)" }.joined(separator: ", ")
        let place = Sighting.Box(
            time: FrameTime(index: 0, start: start, duration: end - start),
            quad: Quad(Rect(x: 0, y: 0, width: 0, height: 0)))
        return Sighting(
            id: id, patternIndex: 0, pattern: patterns.joined(separator: ", "), text: "", line: words, start: start,
            end: end, score: 1, peak: place)
    }
}

extension Sighting {
    /// From when to when none of the sightings is in view.
    public static func gaps(
        between sightings: [Sighting], from start: StreamTime, to end: StreamTime
    ) -> [Range<StreamTime>] {
        var gaps: [Range<StreamTime>] = []
        var place = start
        for seen in SightingContext().stretches(of: sightings, until: end) {
            if place < seen.lowerBound { gaps.append(place..<seen.lowerBound) }
            place = max(place, seen.upperBound)
        }
        if place < end { gaps.append(place..<end) }
        return gaps
    }
}
