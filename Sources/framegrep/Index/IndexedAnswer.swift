import TextSpotting

/// The sightings of one input as a search of it would have reported them.
struct IndexedAnswer {
    /// All that are in the index.
    let sightings: [Sighting]
    /// The part of the time that is searched.
    let from: StreamTime?
    let to: StreamTime?
    /// No more are wanted.
    let maximum: Int?

    /// In the order in which they are over.
    var reported: [Sighting] {
        var found = sightings.compactMap(cut)
        if from != nil || to != nil {
            let order = found.sorted { ($0.start, $0.id) < ($1.start, $1.id) }.map(\.id)
            for index in found.indices { found[index].id = (order.firstIndex(of: found[index].id) ?? 0) + 1 }
        }
        return found.filter { sighting in maximum.map { sighting.id <= $0 } ?? true }
    }

    /// Cuts a sighting to the searched time.
    private func cut(_ sighting: Sighting) -> Sighting? {
        var part = sighting
        if let from { part.start = max(part.start, from) }
        if let to { part.end = min(part.end, to) }
        guard part.start < part.end else { return nil }
        part.boxes = sighting.boxes.filter { $0.time.end > part.start && $0.time.start < part.end }
        if part.peak.time.start < part.start || part.peak.time.start >= part.end {
            part.peak.time.start = part.start
        }
        return part
    }
}
