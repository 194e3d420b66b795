import TextSpotting

/// The pictures of a running picture's sightings: the frames in which they were read. Used by the ``SightingJoiner`` only.
struct ReadPictures: Sendable {
    /// Is given a picture of each sighting; nil if not wanted.
    let writer: SightingPictureWriter?
    /// Is given one when a sighting appears, and each that is better; nil if not wanted.
    let best: (@Sendable (Sighting, Picture) -> Void)?
    /// The last frame of which there is a picture.
    private var shown: (picture: Picture, time: FrameTime, geometry: FrameGeometry)?
    /// The scores of the readings whose pictures were the best of their sightings.
    private var bestScores: [Int: Double] = [:]

    /// Nil if no pictures are wanted.
    init?(_ writer: SightingPictureWriter?, best: (@Sendable (Sighting, Picture) -> Void)?) {
        guard writer != nil || best != nil else { return nil }
        (self.writer, self.best) = (writer, best)
    }

    mutating func see(_ reading: SightingJoiner.Reading) {
        guard let picture = reading.shown, let time = reading.time else { return }
        shown = (picture, time, reading.geometry)
    }

    /// What comes has nothing to do with the last frame.
    mutating func forgetFrame() { shown = nil }

    /// A sighting is over.
    mutating func forget(_ id: Int) { bestScores[id] = nil }

    /// Saves the frame that was read last with the box where it was read there.
    func keep(_ sighting: Sighting, _ search: SightingSearch) {
        guard let writer, let shown,
            let place = search.confirmed.first(where: { $0.id == sighting.id })?.match.quad
        else { return }
        var pictured = sighting
        pictured.peak = Sighting.Box(time: shown.time, quad: shown.geometry.frame(place))
        writer.save(pictured, in: shown.picture)
    }

    /// Hands on the frame that was read last where a sighting was never read better.
    mutating func keepBetter(_ search: SightingSearch, of reading: SightingJoiner.Reading) {
        guard let best, let shown else { return }
        for (id, match) in search.confirmed {
            // A reading that is hardly better is worth no other picture.
            if let score = bestScores[id], reading.shown == nil || match.score < score + 0.02 { continue }
            guard var sighting = search.open.first(where: { $0.id == id }) else { continue }
            bestScores[id] = match.score
            sighting.peak = Sighting.Box(time: shown.time, quad: shown.geometry.frame(match.quad))
            best(sighting, shown.picture)
        }
    }
}
