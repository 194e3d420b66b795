extension Sighting.Box {
    /// A box may be off its way by this many pixels to be left out.
    private static let tolerance = 0.75

    /// Leaves out the last box but one where it lies on the way from the one before it to the last.
    static func thin(endOf boxes: inout [Sighting.Box]) {
        guard boxes.count > 2 else { return }
        let (a, b, c) = (boxes[boxes.count - 3], boxes[boxes.count - 2], boxes[boxes.count - 1])
        let whole = c.time.index - a.time.index
        let share = whole > 0 ? Double(b.time.index - a.time.index) / Double(whole) : 0
        let there = a.quad.interpolated(to: c.quad, at: share)
        let isOnWay = zip(there.corners, b.quad.corners).allSatisfy { ($0 - $1).length <= tolerance }
        if isOnWay { boxes.remove(at: boxes.count - 2) }
    }

    /// All that are needed to tell the others.
    static func thinned(_ boxes: [Sighting.Box]) -> [Sighting.Box] {
        var result: [Sighting.Box] = []
        for box in boxes {
            result.append(box)
            thin(endOf: &result)
        }
        return result
    }
}
