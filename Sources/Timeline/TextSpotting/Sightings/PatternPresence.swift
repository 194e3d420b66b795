/// Tracks which patterns are in view over time, for searches that need all of them at once.
///
/// If a single reading misses a word, the word still counts as present.
public struct PatternPresence: Sendable {
    /// For each pattern the number of the last reading that found it.
    private var lastFound: [Int: Int] = [:]
    private var readings = 0

    public init() {}

    /// Returns the matches of the next reading if all patterns are in view, otherwise none.
    ///
    /// - Parameter count: the number of patterns searched for.
    public mutating func together(_ matches: [Match], of count: Int) -> [Match] {
        readings += 1
        for match in matches { lastFound[match.patternIndex] = readings }
        let isWhole = (0..<count).allSatisfy { (lastFound[$0] ?? .min) >= readings - 1 }
        return isWhole ? matches : []
    }
}

/// Computes the times at which all patterns of a search are in view, and cuts the sightings to them.
///
/// A value that takes finished sightings in any order.
public struct CommonTimes: Sendable {
    private let patternCount: Int
    private var sightings: [Sighting] = []

    /// - Parameter patternCount: the number of patterns searched for, at least 1.
    public init(patternCount: Int) {
        self.patternCount = patternCount
    }

    /// Adds a sighting. Its boxes must have been kept, because it may be cut; those on a straight path may be left out.
    public mutating func add(_ sighting: Sighting) { sightings.append(sighting) }

    /// Returns the stretches of time in which every pattern is in view, in order; ends are exclusive.
    ///
    /// - Parameter open: sightings that are not over yet.
    public func stretches(with open: [Sighting] = []) -> [Range<StreamTime>] {
        let all = sightings + open
        var common: [Range<StreamTime>]?
        for pattern in 0..<patternCount {
            let own = StreamTime.united(
                all.filter { $0.patternIndex == pattern && $0.start < $0.end }.map { $0.start..<$0.end })
            common = common.map { Self.intersection($0, own) } ?? own
            if common?.isEmpty == true { break }
        }
        return common ?? []
    }

    /// Cuts sightings to the common stretches that they overlap, and renumbers them in the order of their starts. The
    /// peak of each is the box nearest to the best reading.
    public func cut(with open: [Sighting] = [], firstID: Int = 1) -> [Sighting] {
        let stretches = stretches(with: open)
        let parts = (sightings + open).sorted { ($0.start, $0.id) < ($1.start, $1.id) }.flatMap { sighting in
            stretches.compactMap { Self.part(of: sighting, in: $0) }
        }
        return parts.sorted { ($0.start, $0.id) < ($1.start, $1.id) }.enumerated().map { index, part in
            var part = part
            part.id = firstID + index
            return part
        }
    }

    private static func part(of sighting: Sighting, in stretch: Range<StreamTime>) -> Sighting? {
        var part = sighting
        part.start = max(sighting.start, stretch.lowerBound)
        part.end = min(sighting.end, stretch.upperBound)
        guard part.start < part.end else { return nil }
        let times = part.start..<part.end
        part.boxes = Sighting.Box.part(of: sighting.boxes, in: times)
        if !times.contains(sighting.peak.time.start) {
            let nearest = part.boxes.min {
                distance($0.time.start, sighting.peak.time.start) < distance($1.time.start, sighting.peak.time.start)
            }
            if let nearest { part.peak = nearest }
        }
        return part
    }

    private static func distance(_ a: StreamTime, _ b: StreamTime) -> StreamTime { a < b ? b - a : a - b }

    /// Returns the intersection of two lists of ranges, each sorted and without overlaps.
    private static func intersection(
        _ a: [Range<StreamTime>], _ b: [Range<StreamTime>]
    ) -> [Range<StreamTime>] {
        var result: [Range<StreamTime>] = []
        var (i, j) = (0, 0)
        while i < a.count, j < b.count {
            let low = max(a[i].lowerBound, b[j].lowerBound)
            let high = min(a[i].upperBound, b[j].upperBound)
            if low < high { result.append(low..<high) }
            if a[i].upperBound < b[j].upperBound { i += 1 } else { j += 1 }
        }
        return result
    }
}
