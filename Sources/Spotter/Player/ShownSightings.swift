import TextSpotting

/// Which sightings of a recording the user has seen begin and end, each once, however often it is played. A value.
struct ShownSightings: Sendable {
    private var begun: Set<Int> = []
    private var ended: Set<Int> = []
    /// The parts that were shown, in order; no two of them touch.
    private var passed: [ClosedRange<Double>] = []

    /// Frames further apart than this, in seconds, were not played one after the other.
    private static let stride = 0.5

    /// Those of `shown` that had not been shown before, and those of `known` that were and are over now.
    ///
    /// - Parameter time: of the frame that is shown.
    mutating func show(
        _ shown: [KnownSightings.Known], at time: StreamTime, among known: [KnownSightings.Known]
    ) -> (new: [Sighting], over: [Sighting]) {
        pass(time.seconds)
        // What is found later in a part that was shown was seen by the user all the same.
        let late = known.filter { known in
            let span = known.sighting
            return known.isOver && !begun.contains(span.id)
                && passed.contains { $0.lowerBound <= span.start.seconds && $0.upperBound >= span.end.seconds }
        }
        let new = (shown + late).map(\.sighting).filter { begun.insert($0.id).inserted }
        guard begun.count > ended.count else { return (new, []) }
        let over = known.filter { known in
            let sighting = known.sighting
            return known.isOver && begun.contains(sighting.id) && !ended.contains(sighting.id)
                && (time >= sighting.end || time < sighting.start)
        }.map(\.sighting)
        for sighting in over { ended.insert(sighting.id) }
        return (new, over)
    }

    private mutating func pass(_ time: Double) {
        if let place = passed.firstIndex(where: { $0.lowerBound <= time && time <= $0.upperBound + Self.stride }) {
            passed[place] = passed[place].lowerBound...max(passed[place].upperBound, time)
            if place + 1 < passed.count, passed[place + 1].lowerBound <= passed[place].upperBound {
                passed[place] = passed[place].lowerBound...max(passed[place].upperBound, passed[place + 1].upperBound)
                passed.remove(at: place + 1)
            }
        } else {
            passed.insert(time...time, at: passed.firstIndex { $0.lowerBound > time } ?? passed.count)
        }
    }

    /// Two sightings turned out to be one.
    ///
    /// - Returns: the number it has from now on, under which it was or will be reported, and another number under which it was reported as
    ///   well and has not ended yet: that one is over now.
    mutating func join(_ earlier: Int, _ later: Int) -> (number: Int, over: Int?) {
        guard begun.contains(earlier) else { return (begun.contains(later) ? later : earlier, nil) }
        let isOpen = begun.contains(later) && ended.insert(later).inserted
        return (earlier, isOpen ? later : nil)
    }

    /// Nothing more is shown: those that had begun and not ended.
    mutating func finish(among known: [KnownSightings.Known]) -> [Sighting] {
        let open = known.map(\.sighting).filter { begun.contains($0.id) && !ended.contains($0.id) }
        for sighting in open { ended.insert(sighting.id) }
        return open
    }
}
