import TextSpotting

/// Finds the remains of lines beside hidden places: text right after or before one, in the same row and of the same
/// height, was part of its line and may not match by itself.
struct LineRests: Sendable {
    private let known: HidingPlan
    /// The patterns for which whole lines are hidden, and the names of their places.
    private let reasons: [(pattern: Int, reason: String)]
    /// How the picture is held; what is known is in the upright one.
    private let turn: StillTurn?

    /// The margin beyond the words, in heights of the line.
    static let alongMargin = 0.4
    static let acrossMargin = 0.25
    /// Anything with less confidence is not text, and a single letter may be the edge of something.
    private static let readable = 0.5
    private static let least = 2
    /// The movement, in heights, below which a line or a hidden place counts as standing still.
    private static let standing = 0.5

    init(besides known: HidingPlan, reasons: [(pattern: Int, reason: String)], heldAs turn: StillTurn? = nil) {
        (self.known, self.reasons, self.turn) = (known, reasons, turn)
    }

    /// A line that was read right beside hidden places.
    struct Neighbor: Sendable {
        /// The frame in which it was read.
        fileprivate let index: Int
        fileprivate let text: String
        fileprivate let geometry: FrameResult.Geometry
        /// The hidden places there, in pixels of the upright picture, each with the pattern it is hidden for.
        fileprivate let places: [(pattern: Int, thing: Int, quad: Quad)]
    }

    /// Returns the line as a neighbor of what is hidden beside it; nil if there is nothing.
    func neighbor(_ track: TextTrack, _ geometry: FrameResult.Geometry) -> Neighbor? {
        let line = track.reading
        guard !known.isEmpty, line.confidence >= Self.readable,
            line.text.count(where: { $0.isLetter || $0.isNumber }) >= Self.least
        else { return nil }
        let quad = upright(geometry.displayed(line.quad), geometry)
        let places = reasons.flatMap { pattern, reason in
            known.things.indices.filter { known.things[$0].reason == reason }.flatMap { thing in
                known.things[thing].quads(in: track.read).filter(quad.isBeside).map { (pattern, thing, $0) }
            }
        }
        return places.isEmpty
            ? nil : Neighbor(index: track.read.index, text: line.text, geometry: geometry, places: places)
    }

    /// Returns the frames in which a line is hidden because it is the rest of one, keyed by pattern: those in which it is
    /// beside what is hidden. A line that moves past a hidden place is no rest of it.
    ///
    /// - Parameters:
    ///   - neighbors: the readings of the line right beside hidden places.
    ///   - lines: all lines, some of which may be the same text on its way.
    ///   - frames: the frames of interest.
    ///   - moment: the number of frames before and after a reading in which it can be told whether the line moves.
    ///   - time: returns the time of a frame.
    func frames(
        of neighbors: [Neighbor], _ line: LineHistory.Line, among lines: LineHistory, in frames: ClosedRange<Int>,
        moment: Int, time: (Int) -> FrameTime
    ) -> [Int: Set<Int>] {
        var things: [Int: [Int: FrameResult.Geometry]] = [:]
        for neighbor in neighbors {
            let others = placesElsewhere(of: neighbor, line, among: lines, moment: moment)
            for place in neighbor.places {
                // If the hidden place moves too, it is not easily told which of two is the same.
                let passes = others.contains { index in
                    known.things[place.thing].quads(in: time(index)).contains {
                        ($0.center - place.quad.center).length < Self.standing * place.quad.height
                    }
                }
                if !passes { things[place.pattern, default: [:]][place.thing] = neighbor.geometry }
            }
        }
        return things.mapValues { things in
            Set(
                frames.filter { index in
                    things.contains { thing, geometry in
                        let quad = upright(line.quad(at: index), geometry)
                        return known.things[thing].quads(in: time(index)).contains(where: quad.isBeside)
                    }
                })
        }
    }

    /// Returns the frames shortly before and after a reading of a line in which its text was at another place.
    private func placesElsewhere(
        of neighbor: Neighbor, _ line: LineHistory.Line, among lines: LineHistory, moment: Int
    ) -> [Int] {
        let quad = line.quad(at: neighbor.index)
        let own = [-moment, moment].map { line.index(moment: $0, from: neighbor.index) }.filter { index in
            let there = line.quad(at: index)
            // Both ends move; a line that is typed has one that stands still.
            let step = min((quad.topLeft - there.topLeft).length, (quad.topRight - there.topRight).length)
            return step > Self.standing * quad.height
        }
        guard own.isEmpty else { return own }
        let around = neighbor.index - moment...neighbor.index + moment
        let elsewhere = TextElsewhere(PlacedText(neighbor.text, at: quad), lines, in: around)
        return around.filter(elsewhere.isSeen)
    }

    private func upright(_ quad: Quad, _ geometry: FrameResult.Geometry) -> Quad {
        turn?.displayed(quad, Double(geometry.width) * geometry.pixelAspect, Double(geometry.height)) ?? quad
    }
}

extension Quad {
    /// Returns whether it is in the row of a hidden place, and right before or after it.
    fileprivate func isBeside(_ hidden: Quad) -> Bool {
        // Approximately the words, without margins.
        let height = hidden.height / (1 + 2 * LineRests.acrossMargin)
        let words = hidden.grown(
            along: -min(LineRests.alongMargin * height, 0.4 * hidden.width), across: -LineRests.acrossMargin * height)
        return continues(words) || words.continues(self)
    }
}
