import TextSpotting

/// All lines of the pictures that are read, matched or not: tells each when it is over, once, as it stood at its best.
struct TextResults {
    struct Settings: Sendable {
        /// Of a line that gets longer or shorter each state is told.
        var eachChange = false
        /// Lines are told in the order in which they began: see ``FindSettings/ordersText``.
        var isOrdered = false
        /// Tell of lines that come into view.
        var tellsBeginnings = false
        /// For thumbnails, in bytes.
        var pictureMemory = SightingTimeline.Settings().pictureMemory
    }

    private let settings: Settings
    private let tell: @Sendable (SessionEvent) -> Void
    private var timeline: SightingTimeline
    private var geometry: FrameGeometry?
    private var begun = Set<Int>()
    private var time = FrameTime(index: 0, start: .zero, duration: .zero)
    /// Nil where lines are told as soon as they are over.
    private var whole: WholeLines?

    init(_ settings: Settings, tell: @escaping @Sendable (SessionEvent) -> Void) {
        self.settings = settings
        self.tell = tell
        var timeline = SightingTimeline.Settings()
        timeline.pictureMemory = settings.pictureMemory
        self.timeline = SightingTimeline(settings: timeline)
        if settings.isOrdered { whole = WholeLines(keepsStates: settings.eachChange) }
    }

    /// Ends what has nothing in common with pictures that lie so in their frames.
    mutating func begin(_ geometry: FrameGeometry, _ scale: Double) {
        guard geometry != self.geometry || scale != timeline.scale else { return }
        finish()
        _ = timeline.restart(scale: scale)
        self.geometry = geometry
    }

    /// Takes what was read of the next frame, unless it was read by a reader that knows nothing of the lines before.
    ///
    /// - Parameter frames: the thumbnails since the reading before.
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

    /// Nothing of what is in view goes on: tells all of it.
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
    /// The last frame of it.
    let time: FrameTime
    /// The lines in view then, in pixels of the picture as displayed; nil where nothing was read.
    let lines: [TextLine]?
    /// The sightings that go on, each with its boxes since the step before, in pixels of the picture as displayed.
    let open: [Sighting]
}

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

    /// The next frames have nothing to do with the last one.
    mutating func forgetFrame() { shown = nil }

    /// A sighting is over.
    mutating func forget(_ id: Int) { bestScores[id] = nil }

    /// Saves the frame that was read last with the box where it was read there.
    func keep(_ sighting: Sighting, _ timeline: SightingTimeline) {
        guard let writer, let shown,
            let place = timeline.confirmed.first(where: { $0.id == sighting.id })?.match.quad
        else { return }
        var pictured = sighting
        pictured.peak = Sighting.Box(time: shown.time, quad: shown.geometry.frame(place))
        writer.save(pictured, in: shown.picture)
    }

    /// Hands on the frame that was read last where a sighting was never read better.
    mutating func keepBetter(_ timeline: SightingTimeline, of reading: SightingJoiner.Reading) {
        guard let best, let shown else { return }
        for (id, match) in timeline.confirmed {
            // A reading that is hardly better is worth no other picture.
            if let score = bestScores[id], reading.shown == nil || match.score < score + 0.02 { continue }
            guard var sighting = timeline.open.first(where: { $0.id == id }) else { continue }
            bestScores[id] = match.score
            sighting.peak = Sighting.Box(time: shown.time, quad: shown.geometry.frame(match.quad))
            best(sighting, shown.picture)
        }
    }
}
