import TextMatching
import TextSpotting

/// Searches each reading of a running picture, and the latest one again when the words change, so that an answer never
/// waits for the next reading.
actor LiveResults {
    /// The lines of one frame.
    struct Reading: Sendable {
        /// In pixels of the part of the frame that was read.
        var lines: [TextLine]
        var time: FrameTime
        var arrival: ContinuousClock.Instant
        var geometry: FrameGeometry
        /// The thumbnail of that part; nil where there is none.
        var picture: Picture?
        /// The lines with their past; nil where a better reader read them, which knows of none.
        var tracks: [TextTrack]? = nil
        /// The whole frame as stored, where pictures of it are wanted and it was read.
        var shown: Picture? = nil

        /// The lines in pixels of the frame as stored.
        var linesInFrame: [TextLine] {
            geometry.origin == Point(0, 0) ? lines : lines.map { $0.moved(by: geometry.origin) }
        }
    }

    /// Characters, some 2 ms of one core, with each reading: what is left is looked into with the next.
    private static let meaningAllowance = 60

    private let words: SearchedWords
    private let frameHistory: LiveFrameHistory
    private let latestBoxes: LatestBoxes
    private let sightings: SightingReport
    private let minimumScore: Double
    private var joined: SightingSearch
    private var texts: TextResults?
    private let pictures: SightingPictureWriter?
    private let keepReading: (@Sendable (LiveResult) -> Void)?
    private let bestPicture: (@Sendable (Sighting, Picture) -> Void)?
    private var known = Set<Int>()
    /// The scores of the readings whose pictures were the best of their sightings.
    private var bestScores: [Int: Double] = [:]
    private var revision = 0
    private var latest: Reading?
    /// The last frame of which there is a picture.
    private var shown: (picture: Picture, time: FrameTime, origin: Point)?
    /// The last frame whose thumbnail went into the timeline.
    private var lastRead = -1
    /// Of the picture in which the sightings are.
    private var geometry: FrameGeometry?
    private var isFinished = false

    /// - Parameters:
    ///   - frameHistory: where the thumbnails of the frames are.
    ///   - latestBoxes: where boxes are left for the display.
    ///   - sightings: is told what appears and what is over.
    ///   - texts: follows all lines, matched or not; nil if not wanted.
    ///   - pictures: is given a picture of each sighting; nil if not wanted.
    ///   - keepReading: see ``LiveSettings/keepReading``.
    ///   - bestPicture: is given one when a sighting appears, and each that is better.
    ///   - minimumScore: matches below it are ignored.
    init(
        _ words: SearchedWords, _ frameHistory: LiveFrameHistory, _ latestBoxes: LatestBoxes,
        _ sightings: SightingReport,
        texts: TextResults? = nil, pictures: SightingPictureWriter? = nil,
        keepReading: (@Sendable (LiveResult) -> Void)? = nil,
        bestPicture: (@Sendable (Sighting, Picture) -> Void)? = nil, minimumScore: Double
    ) {
        self.keepReading = keepReading
        self.texts = texts
        self.pictures = pictures
        self.bestPicture = bestPicture
        self.words = words
        self.frameHistory = frameHistory
        self.latestBoxes = latestBoxes
        self.sightings = sightings
        self.minimumScore = minimumScore
        joined = SightingSearch(minimumScore: minimumScore, timeline: SightingTimeline(), cutsLater: false)
    }

    /// Takes what was read of the next frame.
    func take(_ reading: Reading) {
        latest = reading
        if let picture = reading.shown { shown = (picture, reading.time, reading.geometry.origin) }
        texts?.take(reading, frames: frameHistory.frames(after: lastRead, through: reading.time.index))
        keep(reading)
        search(reading, after: lastRead)
        lastRead = max(lastRead, reading.time.index)
    }

    /// Searches the latest lines for what is searched for now. Each call answers one or more changes.
    func searchAgain() {
        guard !isFinished, let latest, words.versioned.revision != revision else { return }
        search(latest, after: latest.time.index - 1)
    }

    /// Ends all sightings: the source was lost, and the next frames have nothing to do with them.
    func forget() {
        latest = nil
        shown = nil
        keepReading?(.lost)
        texts?.finish()
        if let geometry { restart(revision, geometry, joined.scale) }
    }

    /// Closes the sightings that are still open.
    func finish() {
        isFinished = true
        texts?.finish()
        for sighting in joined.finish() { report(over: sighting) }
    }

    /// - Parameter index: the frame read before.
    private func search(_ reading: Reading, after index: Int) {
        let (frames, scale) = frameHistory.frames(after: index, through: reading.time.index)
        let (matcher, revision) = words.versioned
        let isNewSearch = revision != self.revision || reading.geometry != geometry || scale != joined.scale
        if isNewSearch { restart(revision, reading.geometry, scale) }
        let over = joined.add(
            reading.lines, at: reading.time, frames: frames, with: matcher,
            // After a picture that stands still no other reading comes soon.
            meaningAllowance: reading.tracks == nil ? nil : Self.meaningAllowance)
        for sighting in joined.open where known.insert(sighting.id).inserted {
            // It was there since before the frame that was read.
            let waited = Duration.nanoseconds(max(0, (reading.time.start - sighting.start).nanoseconds))
            sightings.appeared(reading.geometry.displayed(sighting), arrival: reading.arrival - waited)
            keepPicture(of: sighting)
        }
        keepBetterPictures(of: reading)
        // After that, so that its first box is known to be the first.
        latestBoxes.post(
            LatestBoxes.Reading(
                found: joined.confirmed, time: reading.time, picture: reading.picture, isNewSearch: isNewSearch))
        for sighting in over { report(over: sighting) }
    }

    /// Hands on all that was read, where somebody keeps it.
    private func keep(_ reading: Reading) {
        guard let keepReading, let tracks = reading.tracks else { return }
        let frames = frameHistory.frames(after: lastRead, through: reading.time.index).frames
        keepReading(
            .read(
                FrameResult(time: reading.time, geometry: reading.geometry.finding, tracks: tracks, frames: frames),
                arrival: reading.arrival))
    }

    /// Saves the frame that was read last with the box where it was read there.
    private func keepPicture(of sighting: Sighting) {
        guard let pictures, let shown,
            let place = joined.confirmed.first(where: { $0.id == sighting.id })?.match.quad
        else { return }
        var pictured = sighting
        pictured.peak = Sighting.Box(time: shown.time, quad: place.moved(by: shown.origin))
        pictures.save(pictured, in: shown.picture)
    }

    /// Hands on the frame that was read last where a sighting was never read better.
    private func keepBetterPictures(of reading: Reading) {
        guard let bestPicture, let shown else { return }
        for (id, match) in joined.confirmed {
            // A reading that is hardly better is worth no other picture.
            if let best = bestScores[id], reading.shown == nil || match.score < best + 0.02 { continue }
            guard var sighting = joined.open.first(where: { $0.id == id }) else { continue }
            bestScores[id] = match.score
            sighting.peak = Sighting.Box(time: shown.time, quad: match.quad.moved(by: shown.origin))
            bestPicture(sighting, shown.picture)
        }
    }

    /// The words or the picture changed: old sightings are over.
    private func restart(_ revision: Int, _ geometry: FrameGeometry, _ scale: Double) {
        for sighting in joined.finish() { report(over: sighting) }
        var settings = SightingTimeline.Settings()
        settings.pictureMemory = 12 << 20
        joined = SightingSearch(
            minimumScore: minimumScore,
            timeline: SightingTimeline(settings: settings, scale: scale, firstID: joined.nextID), cutsLater: false)
        self.revision = revision
        self.geometry = geometry
    }

    private func report(over sighting: Sighting) {
        known.remove(sighting.id)
        bestScores[sighting.id] = nil
        sightings.disappeared(geometry?.displayed(sighting) ?? sighting)
    }
}
