/// How clearly a sighting's words were to be seen, so that a fade begins and ends where they are half there.
///
/// Readers and pictures find words of a tenth of their contrast, a third of a second before a user would say that they
/// are on screen; a cut has no such stretch and is left as it is. Words that move, come nearer or get smaller are left
/// alone too: their contrast changes for other reasons. Of long sightings only both ends are kept.
struct FadeHistory: Sendable {
    private struct Appearance: Sendable {
        var time: FrameTime
        var contrast: Float
        var quad: Quad
        var center: Point { quad.center }
    }

    /// Some ten seconds at each end: no fade is longer.
    private static let limit = 300
    /// Words below this share of their greatest contrast count as not there.
    private static let visibleShare: Float = 0.5

    private var beginning: [Appearance] = []
    private var ending: [Appearance] = []
    private var greatest: Float = 0

    /// The words were seen in a later frame than all before.
    mutating func append(_ box: Sighting.Box, contrast: Double) {
        let appearance = note(box, contrast)
        if beginning.count < Self.limit { beginning.append(appearance) }
        ending.append(appearance)
        if ending.count > 2 * Self.limit { ending.removeFirst(Self.limit) }
    }

    /// The words were seen in these frames before all others, nearest first.
    mutating func prepend(_ earlier: [(box: Sighting.Box, contrast: Double)]) {
        let appearances = Array(earlier.map { note($0.box, $0.contrast) }.reversed())
        beginning = Array((appearances + beginning).prefix(Self.limit))
        if ending.count < Self.limit { ending = Array((appearances + ending).suffix(Self.limit)) }
    }

    /// The words were not seen from the frame `turn` on after all; returns the last frame before it in which they were, as far as known.
    mutating func cut(before turn: FrameTime) -> Sighting.Box? {
        ending.removeAll { $0.time.index >= turn.index }
        beginning.removeAll { $0.time.index >= turn.index }
        return (ending.last ?? beginning.last).map { Sighting.Box(time: $0.time, quad: $0.quad) }
    }

    private mutating func note(_ box: Sighting.Box, _ contrast: Double) -> Appearance {
        greatest = max(greatest, Float(contrast))
        return Appearance(time: box.time, contrast: Float(contrast), quad: box.quad)
    }

    /// The first frame in which the words are at least half there; nil when that is the first of all.
    ///
    /// - Parameter reach: words that moved further than this, in pixels, did not just fade.
    func fadedIn(reach: Double) -> FrameTime? { end(of: beginning, reach) }

    /// The last frame in which the words are at least half there; nil when that is the last of all.
    func fadedOut(reach: Double) -> FrameTime? { end(of: ending.reversed(), reach) }

    private func end(of appearances: [Appearance], _ reach: Double) -> FrameTime? {
        guard let first = appearances.first, first.contrast < Self.visibleShare * greatest,
            let full = appearances.first(where: { $0.contrast >= Self.visibleShare * greatest }),
            (full.center - first.center).length <= reach
        else { return nil }
        return full.time
    }
}
