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

    /// Returns the patterns that a line is hidden for, because it is the rest of one.
    ///
    /// - Parameter before: where the line was a moment before; nil if it was not there. What moves past a hidden place is not
    ///   the rest of what is hidden there.
    func patterns(
        in track: TextTrack, _ geometry: FrameResult.Geometry, before: (time: FrameTime, quad: Quad)?
    ) -> [Int] {
        let line = track.reading
        guard !known.isEmpty, line.confidence >= Self.readable,
            line.text.count(where: { $0.isLetter || $0.isNumber }) >= Self.least
        else { return [] }
        let shown = geometry.displayed(line.quad)
        let width = Double(geometry.width) * geometry.pixelAspect
        func upright(_ quad: Quad) -> Quad { turn?.displayed(quad, width, Double(geometry.height)) ?? quad }
        let quad = upright(shown)
        // Both ends move; a line that is typed has one that stands still.
        let step = before.map { before in
            let earlier = upright(before.quad)
            return min((quad.topLeft - earlier.topLeft).length, (quad.topRight - earlier.topRight).length)
        }
        return reasons.filter { _, reason in
            known.things.contains { thing in
                thing.reason == reason
                    && thing.quads(in: track.read).contains { hidden in
                        let words = Self.withoutMargins(hidden)
                        guard quad.continues(words) || words.continues(quad) else { return false }
                        // If the hidden place moves too, it is not easily told which of two is the same.
                        guard let before, let step, step > Self.standing * quad.height else { return true }
                        return !thing.quads(in: before.time).contains {
                            ($0.center - hidden.center).length < Self.standing * hidden.height
                        }
                    }
            }
        }.map(\.pattern)
    }

    /// Returns approximately the words in a hidden place.
    private static func withoutMargins(_ quad: Quad) -> Quad {
        let height = quad.height / (1 + 2 * acrossMargin)
        return quad.grown(along: -min(alongMargin * height, 0.4 * quad.width), across: -acrossMargin * height)
    }
}
