/// Matches the lines of a picture with the tracks that were there before.
///
/// Pictures are compared first: at each line of the same size, the picture is compared with the look of the track.
/// Places are tried in order of likelihood: where the track was heading, where it was, where most lines seem to have
/// gone, and then the nearest others. The remaining lines are joined by text and place. The matching is greedy by
/// closeness and assigns no line to two tracks; among equals the older track and the upper line come first. The result
/// depends only on the arguments.
struct LineAssociation {
    struct Sameness: Sendable {
        var track: Int
        var region: Int
        var likeness: LinePicture.Likeness
        /// Whether the line was found where it was expected, or where most lines went.
        var isExpected: Bool

        /// The closeness of the pair; of two equal words the one at the expected place wins.
        var closeness: Double { likeness.correlation - (isExpected ? 0 : 0.03) }
    }

    let tracks: [TextTrack]
    let time: FrameTime

    /// The largest number of places tried for a track that is not where it is expected.
    private static let nearest = 6

    /// Returns the pairs for which the picture shows exactly the same letters.
    func byPicture(_ candidates: [Int], _ regions: [Quad], in picture: Picture) -> [Sameness] {
        let drifts = drifts(candidates, regions)
        var tracksLeft = candidates.filter { tracks[$0].look != nil }
        var regionsLeft = Set(regions.indices)
        var pairs: [Sameness] = []
        // A track whose place went to another one tries the remaining places.
        for _ in 0..<3 where !tracksLeft.isEmpty && !regionsLeft.isEmpty {
            let found = tracksLeft.compactMap {
                best(for: $0, regions, free: regionsLeft, drifts: drifts, picture: picture)
            }
            .sorted { (-$0.closeness, $0.track, $0.region) < (-$1.closeness, $1.track, $1.region) }
            guard !found.isEmpty else { break }
            var taken = Set<Int>()
            for pair in found where regionsLeft.remove(pair.region) != nil {
                pairs.append(pair)
                taken.insert(pair.track)
            }
            let undecided = Set(found.map(\.track)).subtracting(taken)
            tracksLeft = tracksLeft.filter(undecided.contains)
        }
        return pairs.sorted { $0.track < $1.track }
    }

    private func best(
        for index: Int, _ regions: [Quad], free: Set<Int>, drifts: [Point], picture: Picture
    ) -> Sameness? {
        let track = tracks[index]
        let tall = track.region.height
        let alike = free.filter { Self.isAlike(regions[$0], track.region) }.sorted()
        guard !alike.isEmpty else { return nil }
        var tried = Set<Int>()
        func nearest(to place: Point) -> (region: Int, distance: Double)? {
            alike.map { (region: $0, distance: (regions[$0].center - place).length) }
                .min { ($0.distance, $0.region) < ($1.distance, $1.region) }
        }
        for guess in [track.expected(at: time), Point(0, 0)] + drifts {
            guard let there = nearest(to: track.region.center + guess), there.distance < 0.6 * tall else { continue }
            if let found = same(track, regions[there.region], near: guess, picture) {
                return Sameness(track: index, region: there.region, likeness: found, isExpected: true)
            }
            tried.insert(there.region)
        }
        // A line that has been lost for a while comes back where it was, or where the others went.
        guard track.isInView else { return nil }
        let expected = track.region.center + track.expected(at: time)
        let others = alike.filter { !tried.contains($0) }
            .map { (region: $0, distance: (regions[$0].center - expected).length) }
            .sorted { ($0.distance, $0.region) < ($1.distance, $1.region) }
        var best: Sameness?
        for (region, _) in others.prefix(Self.nearest) {
            let guess = regions[region].center - track.region.center
            guard let found = same(track, regions[region], near: guess, picture) else { continue }
            if found.correlation > best?.likeness.correlation ?? -1 {
                best = Sameness(track: index, region: region, likeness: found, isExpected: false)
            }
        }
        return best
    }

    private func same(_ track: TextTrack, _ region: Quad, near guess: Point, _ picture: Picture)
        -> LinePicture.Likeness?
    {
        let reach = max(3, min(8, Int(track.region.height * 0.2)))
        let found = track.look?.likeness(in: picture, near: track.moved + guess, reach: reach)
        if let found, found.isAlike { return found }
        let offset = region.center - track.region.center
        guard (offset - guess).length > 2 else { return nil }
        let again = track.look?.likeness(in: picture, near: track.moved + offset, reach: reach)
        return again.flatMap { $0.isAlike ? $0 : nil }
    }

    /// Returns whether two places have the same size, within the accuracy of a detector.
    static func isAlike(_ a: Quad, _ b: Quad) -> Bool {
        let tall = max(a.height, b.height)
        return abs(a.width - b.width) <= 2 + max(0.35 * tall, 0.03 * max(a.width, b.width))
            && abs(a.height - b.height) <= 2 + 0.25 * tall
    }

    /// Returns where most lines seem to have gone: up to three displacements that bring most tracks to a line of their
    /// size, the smaller first among equals.
    func drifts(_ candidates: [Int], _ regions: [Quad]) -> [Point] {
        var moves: [Point] = []
        for index in candidates {
            for region in regions where Self.isAlike(region, tracks[index].region) {
                moves.append(region.center - tracks[index].region.center)
            }
        }
        return Self.modes(of: moves, limit: 3)
    }

    /// Returns the places where most points are, each within a few pixels.
    static func modes(of points: [Point], limit: Int) -> [Point] {
        struct Cell: Hashable {
            var x: Int
            var y: Int
        }
        let side = 8.0
        var cells: [Cell: (count: Int, sum: Point)] = [:]
        for point in points where point.length < 100_000 {
            let cell = Cell(x: Int((point.x / side).rounded()), y: Int((point.y / side).rounded()))
            let (count, sum) = cells[cell] ?? (0, Point(0, 0))
            cells[cell] = (count + 1, sum + point)
        }
        let ranked = cells.map { (place: $1.sum * (1 / Double($1.count)), count: $1.count, cell: $0) }
            .filter { $0.count > 1 }
            .sorted {
                (-$0.count, abs($0.cell.x) + abs($0.cell.y), $0.cell.y, $0.cell.x)
                    < (-$1.count, abs($1.cell.x) + abs($1.cell.y), $1.cell.y, $1.cell.x)
            }
        return ranked.prefix(limit).map(\.place)
    }

    /// Returns pairs of tracks and lines with similar texts, near where the track is expected.
    ///
    /// - Parameter drift: the movement of the lines, as far as it is known.
    func byText(
        _ candidates: [Int], _ lines: [(region: Quad, line: TextLine)], drift: Point?
    ) -> [(track: Int, line: Int)] {
        var pairs: [(track: Int, line: Int, score: Double)] = []
        for index in candidates {
            let track = tracks[index]
            let places = [drift, track.expected(at: time), Point(0, 0)].compactMap { $0 }.map {
                track.region.moved(by: $0)
            }
            for (number, (region, line)) in lines.enumerated() {
                let place = places.map { Self.closeness($0, region) }.max() ?? 0
                guard place > 0.15 else { continue }
                let text = Self.similarity(track.line.text, line.text)
                guard text >= 0.5 else { continue }
                pairs.append((index, number, text + 0.5 * place))
            }
        }
        pairs.sort { (-$0.score, $0.track, $0.line) < (-$1.score, $1.track, $1.line) }
        var tracksLeft = Set(candidates)
        var linesLeft = Set(lines.indices)
        return pairs.compactMap { pair in
            guard tracksLeft.contains(pair.track), linesLeft.contains(pair.line) else { return nil }
            tracksLeft.remove(pair.track)
            linesLeft.remove(pair.line)
            return (pair.track, pair.line)
        }
    }

    /// Returns how well two places fit one line, 0 to 1: their overlap, even if one is a part of the other.
    private static func closeness(_ a: Quad, _ b: Quad) -> Double {
        let shared = a.bounds.intersection(b.bounds).area
        let smaller = min(a.bounds.area, b.bounds.area)
        guard smaller > 0, min(a.height, b.height) > 0.6 * max(a.height, b.height) else { return 0 }
        let whole = a.bounds.overlap(b.bounds)
        if shared > 0.6 * smaller { return max(0.5, whole) }
        let isNear = (a.center - b.center).length < 1.5 * max(a.height, b.height)
        return max(whole, isNear && isAlike(a, b) ? 0.2 : 0)
    }

    /// Returns 1 for equal texts, or if one begins or ends with the other; otherwise the share of characters that are
    /// the same.
    static func similarity(_ a: String, _ b: String) -> Double {
        if a == b { return 1 }
        let longest = max(a.count, b.count)
        let shortest = min(a.count, b.count)
        guard shortest > 0, longest <= 500 else { return 0 }
        if a.hasPrefix(b) || b.hasPrefix(a) || a.hasSuffix(b) || b.hasSuffix(a) { return 0.9 }
        return 1 - Double(EditDistance.between(a, b)) / Double(longest)
    }
}

/// Counts the characters that must be inserted, deleted or replaced to turn one text into another (V. Levenshtein,
/// 1966).
package enum EditDistance {
    package static func between(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a), Array(b))
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let replaced = diagonal + (x == y ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, diagonal + 1, row[j] + 1)
            }
        }
        return row[b.count]
    }
}
