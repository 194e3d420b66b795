import TextSpotting

/// All lines of the pictures that are read, matched or not: reports each once when it is over, with its best reading.
struct TextResults {
    struct Settings: Sendable {
        /// Whether each state of a line that gets longer or shorter is reported.
        var eachChange = false
        /// Whether lines are reported in the order of their starts; see ``FindSettings/ordersText``.
        var isOrdered = false
        /// Whether lines that come into view are reported.
        var tellsBeginnings = false
        /// The memory for thumbnails, in bytes.
        var pictureMemory = SightingTimeline.Settings().pictureMemory
    }

    private let settings: Settings
    private let tell: @Sendable (SessionEvent) -> Void
    private var timeline: SightingTimeline
    private var geometry: FrameGeometry?
    private var begun = Set<Int>()
    private var time = FrameTime(index: 0, start: .zero, duration: .zero)
    /// Orders the lines; nil if lines are reported as soon as they are over.
    private var whole: WholeLines?

    init(_ settings: Settings, tell: @escaping @Sendable (SessionEvent) -> Void) {
        self.settings = settings
        self.tell = tell
        var timeline = SightingTimeline.Settings()
        timeline.pictureMemory = settings.pictureMemory
        self.timeline = SightingTimeline(settings: timeline)
        if settings.isOrdered { whole = WholeLines(keepsStates: settings.eachChange) }
    }

    /// Ends lines that are unrelated to pictures with this geometry.
    mutating func begin(_ geometry: FrameGeometry, _ scale: Double) {
        guard geometry != self.geometry || scale != timeline.scale else { return }
        finish()
        _ = timeline.restart(scale: scale)
        self.geometry = geometry
    }

    /// Takes the reading of the next frame, unless its reader knows nothing of the previous lines.
    ///
    /// - Parameter frames: the thumbnails since the previous reading.
    mutating func take(_ reading: SightingJoiner.Reading, at time: FrameTime, _ frames: [FrameHistory.Frame]) {
        guard let tracks = reading.tracks else { return }
        self.time = time
        let over = timeline.add(
            FrameReading(
                time: time, matches: tracks.map { Match(wholeLineOf: $0, eachState: settings.eachChange) },
                lines: reading.lines, isComplete: reading.isComplete, frames: frames))
        if settings.tellsBeginnings {
            for line in timeline.open + over where begun.insert(line.id).inserted { tell(.textBegan(displayed(line))) }
        }
        tellOver(over)
    }

    /// Reports all lines in view, because none continues.
    mutating func finish() {
        tellOver(timeline.finish())
        for line in whole?.finish(isStill: time.index == 0) ?? [] { tell(.text(line, at: time.start)) }
    }

    private mutating func tellOver(_ over: [Sighting]) {
        for line in over { begun.remove(line.id) }
        let lines = over.map(displayed)
        let open = whole == nil ? [] : timeline.open.map(displayed)
        for line in whole?.take(lines, open: open, at: time.end) ?? lines { tell(.text(line, at: time.start)) }
    }

    private func displayed(_ line: Sighting) -> Sighting { geometry?.displayed(line) ?? line }
}

/// The state of a search as soon as a part of the recording has been joined, before its sightings are over.
struct SightingStep: Sendable {
    /// The last frame of that part.
    let time: FrameTime
    /// The lines in view then, in pixels of the picture as displayed; nil if nothing was read.
    let lines: [TextLine]?
    /// The sightings that continue, each with its boxes since the previous step, in pixels of the picture as displayed.
    let open: [Sighting]
}

/// The frames in which sightings of a running picture were read, for pictures of them. Used only by the
/// ``SightingJoiner``.
struct ReadPictures: Sendable {
    /// Receives a picture of each sighting; nil if not wanted.
    let writer: SightingPictureWriter?
    /// Receives a picture when a sighting appears, and each better one; nil if not wanted.
    let best: (@Sendable (Sighting, Picture) -> Void)?
    /// The last frame that has a picture.
    private var shown: (picture: Picture, time: FrameTime, geometry: FrameGeometry)?
    /// The scores of the readings whose pictures were the best of their sightings.
    private var bestScores: [Int: Double] = [:]

    /// Returns nil if no pictures are wanted.
    init?(_ writer: SightingPictureWriter?, best: (@Sendable (Sighting, Picture) -> Void)?) {
        guard writer != nil || best != nil else { return nil }
        (self.writer, self.best) = (writer, best)
    }

    mutating func see(_ reading: SightingJoiner.Reading) {
        guard let picture = reading.shown, let time = reading.time else { return }
        shown = (picture, time, reading.geometry)
    }

    /// Discards the last frame, which is unrelated to the next ones.
    mutating func forgetFrame() { shown = nil }

    mutating func forget(_ id: Int) { bestScores[id] = nil }

    /// Saves the last frame read, with the box at its place in it.
    func keep(_ sighting: Sighting, _ timeline: SightingTimeline) {
        guard let writer, let shown,
            let place = timeline.confirmed.first(where: { $0.id == sighting.id })?.match.quad
        else { return }
        var pictured = sighting
        pictured.peak = Sighting.Box(time: shown.time, quad: shown.geometry.frame(place))
        writer.save(pictured, in: shown.picture)
    }

    /// Passes on the last frame read if no earlier reading of a sighting was better.
    mutating func keepBetter(_ timeline: SightingTimeline, of reading: SightingJoiner.Reading) {
        guard let best, let shown else { return }
        for (id, match) in timeline.confirmed {
            // A reading that is hardly better does not justify another picture.
            if let score = bestScores[id], reading.shown == nil || match.score < score + 0.02 { continue }
            guard var sighting = timeline.open.first(where: { $0.id == id }) else { continue }
            bestScores[id] = match.score
            sighting.peak = Sighting.Box(time: shown.time, quad: shown.geometry.frame(match.quad))
            best(sighting, shown.picture)
        }
    }
}
