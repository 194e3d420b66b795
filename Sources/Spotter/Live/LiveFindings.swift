import TextMatching
import TextSpotting

/// What was found in a running picture: searches each reading's lines, and the latest ones again when something else is
/// searched for, so that an answer never waits for the next reading.
actor LiveFindings {
    /// The lines of one frame.
    struct Reading: Sendable {
        var lines: [TextLine]
        var time: FrameTime
        var arrival: ContinuousClock.Instant
        var geometry: FrameGeometry
        /// Of the part of the frame that was read, in pixels of the frame.
        var origin: Point
        /// The frame's small picture; nil where there is none.
        var picture: Picture?
    }

    private let session: LiveSession
    /// Boxes are drawn on a picture, so a sighting has appeared only once its box is drawn.
    private let isShown: Bool
    private var timeline = SightingTimeline()
    private var presence = PatternPresence()
    private var known = Set<Int>()
    private var revision = 0
    private var latest: Reading?
    /// The last frame whose small picture went into the timeline.
    private var lastRead = -1
    /// Of the picture in which the sightings are.
    private var geometry: FrameGeometry?
    private var isFinished = false

    init(session: LiveSession, isShown: Bool) {
        self.session = session
        self.isShown = isShown
    }

    /// Takes what was read of the next frame.
    func take(_ reading: Reading) {
        latest = reading
        search(reading, after: lastRead)
        lastRead = max(lastRead, reading.time.index)
    }

    /// Searches the latest lines for what is searched for now. Each call answers one or more changes.
    func searchAgain() {
        guard !isFinished, let latest, session.words.versioned.revision != revision else { return }
        search(latest, after: latest.time.index - 1)
    }

    /// What was seen is over: the source was lost, and what comes has nothing to do with it.
    func forget() {
        latest = nil
        if let geometry { restart(revision, geometry, timeline.scale) }
    }

    /// Closes the sightings that are still open.
    func finish() {
        isFinished = true
        for sighting in timeline.finish() { report(over: sighting) }
    }

    /// - Parameter index: the frame read before.
    private func search(_ reading: Reading, after index: Int) {
        let (frames, scale) = session.trail.frames(after: index, through: reading.time.index)
        let (matcher, revision) = session.words.versioned
        let isNewSearch = revision != self.revision || reading.geometry != geometry || scale != timeline.scale
        if isNewSearch { restart(revision, reading.geometry, scale) }
        var matches = matcher.matches(in: reading.lines).filter { $0.score >= session.settings.minimumScore }
            .map { $0.moved(by: reading.origin) }
        if matcher.manner.requiresAll {
            matches = presence.together(matches, of: matcher.patterns.count)
        }
        let over = timeline.add(FrameReading(time: reading.time, matches: matches, frames: frames))
        for sighting in timeline.open where known.insert(sighting.id).inserted {
            // It was there since before the frame that was read.
            let waited = Duration.nanoseconds(max(0, (reading.time.start - sighting.start).nanoseconds))
            session.appeared(
                reading.geometry.displayed(sighting), arrival: reading.arrival - waited, isShown: isShown)
        }
        // After that, so that its first box is known to be the first; in pixels of the frame as stored.
        session.board.post(
            BoxBoard.Reading(
                found: timeline.confirmed, time: reading.time, picture: reading.picture, isNewSearch: isNewSearch))
        for sighting in over { report(over: sighting) }
    }

    /// What was searched for, or the picture, is another now: old sightings are over.
    private func restart(_ revision: Int, _ geometry: FrameGeometry, _ scale: Double) {
        for sighting in timeline.finish() { report(over: sighting) }
        var settings = SightingTimeline.Settings()
        settings.pictureMemory = 12 << 20
        timeline = SightingTimeline(settings: settings, scale: scale, firstID: timeline.nextID)
        presence = PatternPresence()
        self.revision = revision
        self.geometry = geometry
    }

    private func report(over sighting: Sighting) {
        known.remove(sighting.id)
        session.disappeared(geometry?.displayed(sighting) ?? sighting)
    }
}
