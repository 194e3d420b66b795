import TextMatching
import TextSpotting

/// An event of a search, in the order of the pictures that were read. Places are in pixels of the picture as displayed,
/// unless stated otherwise.
enum SessionEvent: Sendable {
    /// A sighting began; only with ``SightingJoiner/Settings/tellsBeginnings``. `arrival`: when the frame that first
    /// shows it arrived.
    case began(Sighting, arrival: ContinuousClock.Instant)
    /// A sighting is over and final. `isNew`: its start was not reported.
    case over(Sighting, isNew: Bool)
    /// The matches of a reading, for drawing them; in pixels of the searched part.
    case boxes(LatestBoxes.Reading)
    /// A line of text came into view, matched or not, as it was first read.
    case textBegan(Sighting)
    /// A line of text is over; this is its best reading.
    case text(Sighting, at: StreamTime)
    /// Everything that a reading found, matched or not.
    case result(FrameResult, arrival: ContinuousClock.Instant)
    /// The source was lost: later results are unrelated to earlier ones.
    case lost
}

/// Turns readings, in order, into sightings, for every kind of search (docs/decisions/one-timeline.md).
///
/// A new picture size or a lost source ends all open sightings, and removing a word ends those of that word; numbering
/// continues. The latest reading of a running picture is searched again when the words change, so that the answer never
/// waits for the next one.
actor SightingJoiner {
    private let words: SearchedWords
    private let settings: Settings
    /// The thumbnails of a running picture; nil if each reading brings its own.
    private let frameHistory: LiveFrameHistory?
    private let tell: @Sendable (SessionEvent) -> Void
    private var geometry: FrameGeometry?
    private var timeline: SightingTimeline
    private var seam = PartSeam()
    /// Used if matches count only while all patterns are in view, and earlier pictures are not kept.
    private var presence: PatternPresence?
    private var texts: TextResults?
    private var pictures: ReadPictures?
    /// Used if only times common to all patterns count: the sightings so far, which are cut at the end.
    private var common: CommonTimes?
    /// The sightings whose start was reported.
    private var begun = Set<Int>()
    /// The patterns when the latest reading came.
    private var matcher: Matcher
    private var revision = 0
    private var latest: Reading?
    /// The last frame whose thumbnail went into the timeline.
    private var lastRead = -1
    private var isFinished = false
    private var summary = FindSummary()

    /// - Parameters:
    ///   - frameHistory: the thumbnails of a running picture; nil if each reading brings its own.
    ///   - pictures: receives the frames in which sightings were read; nil if not wanted.
    ///   - tell: called with each event, one after the other; must not block.
    init(
        _ words: SearchedWords, _ settings: Settings, frameHistory: LiveFrameHistory? = nil,
        pictures: ReadPictures? = nil,
        tell: @escaping @Sendable (SessionEvent) -> Void
    ) {
        self.words = words
        self.settings = settings
        self.frameHistory = frameHistory
        self.pictures = pictures
        self.tell = tell
        texts = settings.allText.map { TextResults($0, tell: tell) }
        let (matcher, revision) = words.versioned
        (self.matcher, self.revision) = (matcher, revision)
        var timeline = settings.timeline
        let isCut = settings.cutsLater && matcher.manner.requiresAll
        // Sightings that may be cut need places, from which those at the cuts are calculated.
        (timeline.keepsBoxes, timeline.thinsBoxes) = (settings.keepsBoxes || isCut, !settings.keepsBoxes)
        self.timeline = SightingTimeline(settings: timeline)
        presence = settings.cutsLater ? nil : PatternPresence()
        if isCut { common = CommonTimes(patternCount: matcher.patterns.count) }
    }

    // MARK: Readings

    /// Takes the next reading; returns true when enough sightings are found.
    func join(_ reading: Reading) -> Bool {
        for reading in seam.pass(reading) where add(reading) { return true }
        return false
    }

    private func add(_ reading: Reading) -> Bool {
        let (frames, scale) = thumbnails(of: reading, after: lastRead)
        let isNewSearch = begin(reading, scale)
        guard let time = reading.time else { return false }
        // For a recording it would only hold pictures: its words never change.
        if frameHistory != nil { latest = reading }
        pictures?.see(reading)
        summary.add(reading)
        texts?.take(reading, at: time, frames)
        tellResult(of: reading, at: time, frames)
        find(in: reading, at: time, frames, isNewSearch: isNewSearch)
        lastRead = max(lastRead, time.index)
        tellOfStep(reading, until: time)
        return isEnough(at: time)
    }

    /// Searches the latest lines with the current patterns. Each call handles one or more changes.
    func searchAgain() {
        guard !isFinished, let latest, let time = latest.time, words.versioned.revision != revision else { return }
        let (frames, scale) = thumbnails(of: latest, after: time.index - 1)
        find(in: latest, at: time, frames, isNewSearch: begin(latest, scale))
    }

    /// Ends all sightings because the source was lost and the next frames are unrelated to them.
    func forget() {
        latest = nil
        pictures?.forgetFrame()
        tell(.lost)
        texts?.finish()
        if let geometry { restart(geometry, timeline.scale) }
    }

    /// Closes all open sightings because no more readings follow.
    @discardableResult
    func finish() -> FindSummary {
        if let rest = seam.finish() { _ = add(rest) }
        isFinished = true
        texts?.finish()
        deliver(timeline.finish())
        guard let common else { return summary }
        self.common = nil
        for var sighting in common.cut() {
            if !settings.keepsBoxes { sighting.boxes = [] }
            if !report(sighting) { break }
        }
        return summary
    }

    // MARK: Sightings

    /// Ends sightings that are unrelated to a reading: all if the picture has another size, or those of words that are
    /// no longer searched.
    ///
    /// - Returns: whether there was such a change.
    private func begin(_ reading: Reading, _ scale: Double) -> Bool {
        texts?.begin(reading.geometry, scale)
        let (matcher, revision) = words.versioned
        let isSamePicture = reading.geometry == geometry && scale == timeline.scale
        guard revision != self.revision || !isSamePicture else { return false }
        if isSamePicture {
            deliver(change(to: matcher))
        } else {
            restart(reading.geometry, scale)
        }
        (self.matcher, self.revision) = (matcher, revision)
        return true
    }

    private func restart(_ geometry: FrameGeometry, _ scale: Double) {
        deliver(timeline.restart(scale: scale))
        presence = presence.map { _ in PatternPresence() }
        self.geometry = geometry
    }

    /// Continues the sightings of remaining patterns, unless only common times count; returns the others, which are
    /// over.
    private func change(to new: Matcher) -> [Sighting] {
        presence = presence.map { _ in PatternPresence() }
        var places: [Int: Int] = [:]
        if !matcher.manner.requiresAll, !new.manner.requiresAll {
            for (index, pattern) in new.patterns.enumerated() {
                let before = matcher.patterns.indices.first {
                    places[$0] == nil && matcher.patterns[$0] == pattern
                }
                if let before { places[before] = index }
            }
        }
        return timeline.search(places, of: new.patterns.count)
    }

    private func find(in reading: Reading, at time: FrameTime, _ frames: [FrameHistory.Frame], isNewSearch: Bool) {
        let over = timeline.add(
            FrameReading(
                time: time, matches: matches(in: reading), lines: reading.lines, isComplete: reading.isComplete,
                frames: frames))
        if !settings.drawsFirst { deliver(over) }
        tellBeginnings(reading, at: time)
        // Do this afterward, so that its first box is known to be the first.
        if settings.tellsBeginnings, reading.isNews {
            tell(
                .boxes(
                    LatestBoxes.Reading(
                        found: timeline.confirmed, time: time, picture: reading.picture, isNewSearch: isNewSearch)))
        }
        if settings.drawsFirst { deliver(over) }
    }

    private func matches(in reading: Reading) -> [Match] {
        // After a picture that stands still no other reading follows soon.
        let allowance = reading.tracks == nil ? nil : settings.meaningAllowance
        var matches = matcher.matches(in: reading.lines, meaningAllowance: allowance).filter {
            $0.score >= settings.minimumScore
        }
        for index in matches.indices {
            matches[index].isOneOfMany = !matcher.patterns[matches[index].patternIndex].isText
        }
        guard matcher.manner.requiresAll else { return matches }
        return presence?.together(matches, of: matcher.patterns.count) ?? matches
    }

    private func tellBeginnings(_ reading: Reading, at time: FrameTime) {
        guard settings.tellsBeginnings else { return }
        for sighting in timeline.open where begun.insert(sighting.id).inserted {
            // It had been visible before the frame that was read.
            let waited = Duration.nanoseconds(max(0, (time.start - sighting.start).nanoseconds))
            tell(.began(displayed(sighting), arrival: reading.arrival - waited))
            pictures?.keep(sighting, timeline)
        }
        pictures?.keepBetter(timeline, of: reading)
    }

    /// Reports finished sightings, up to the maximum count, or keeps them if they may have to be cut.
    private func deliver(_ sightings: [Sighting]) {
        for sighting in sightings.map(displayed) {
            guard common == nil else {
                common?.add(sighting)
                continue
            }
            guard report(sighting) else { return }
        }
    }

    /// Reports a sighting; returns false if that would be one too many.
    private func report(_ sighting: Sighting) -> Bool {
        if let maximum = settings.maximumCount, summary.sightings >= maximum { return false }
        summary.sightings += 1
        pictures?.forget(sighting.id)
        var sighting = sighting
        sighting.slack = settings.slack
        tell(.over(sighting, isNew: begun.insert(sighting.id).inserted))
        // Cut sightings are renumbered.
        if !settings.cutsLater { begun.remove(sighting.id) }
        return true
    }

    /// Returns whether as many sightings as requested are certain. That depends only on the frames joined so far.
    ///
    /// A sighting that has begun is never dropped or joined with another, whatever is read later, and its score can
    /// only improve. Times common to all patterns are certain once they are over, or when a single frame was read that
    /// shows all of them.
    private func isEnough(at time: FrameTime) -> Bool {
        guard let maximum = settings.maximumCount else { return false }
        guard let common else { return timeline.nextID > maximum }
        let open = timeline.open.map(displayed)
        let settled = open.map(\.end).min()
        let parts = common.cut(with: open)
        return parts.count { part in
            settled.map { part.end < $0 } ?? true || (part.start..<part.end).contains(time.start)
        } >= maximum
    }

    // MARK: What else is told

    /// Returns the thumbnails from an index up to a reading's own, and their size divided by that of the searched part.
    private func thumbnails(
        of reading: Reading, after index: Int
    ) -> (frames: [FrameHistory.Frame], scale: Double) {
        guard let frameHistory, let time = reading.time else { return (reading.frames, reading.geometry.scale) }
        return frameHistory.frames(after: index, through: time.index)
    }

    private func tellResult(of reading: Reading, at time: FrameTime, _ frames: [FrameHistory.Frame]) {
        guard settings.tellsResults, let tracks = reading.inView else { return }
        tell(
            .result(
                FrameResult(
                    time: time, geometry: reading.geometry.finding, tracks: tracks, isComplete: reading.isComplete,
                    frames: frames), arrival: reading.arrival))
    }

    /// Reports sightings in progress, if requested.
    private func tellOfStep(_ reading: Reading, until time: FrameTime) {
        let lines = reading.isNews && reading.isComplete ? reading.lines : nil
        let geometry = reading.geometry
        if let lines { settings.textPlaces?.add(lines.lazy.map { geometry.displayed($0.quad) }, from: time.start) }
        guard let see = settings.see else { return }
        // Sightings that will be cut later keep their boxes.
        let open = timeline.takeOpen(keepingBoxes: common != nil)
        // Users do not need the look of each letter.
        see(SightingStep(time: time, lines: lines?.map { $0.plain(geometry.displayed) }, open: open.map(displayed)))
    }

    private func displayed(_ sighting: Sighting) -> Sighting { geometry?.displayed(sighting) ?? sighting }
}

extension SightingJoiner {
    /// The settings of a search that concern its findings.
    struct Settings: Sendable {
        /// Matches below this score are ignored.
        var minimumScore = Matcher.usualMinimumScore
        /// See ``FindSettings/maximumCount``.
        var maximumCount: Int?
        var timeline = SightingTimeline.Settings()
        /// Whether to keep the box of every frame of each sighting.
        var keepsBoxes = false
        /// How matches count if all patterns must be in view together: true keeps sightings to the end and cuts them
        /// then; false counts a match only if all patterns were just read.
        var cutsLater = false
        /// The number of characters of new lines that are searched by meaning; nil for all.
        var meaningAllowance: Int?
        /// How to report every line that is read, in addition to the matches; nil if not wanted.
        var allText: TextResults.Settings?
        /// Whether to report everything that a reading found.
        var tellsResults = false
        /// Whether to report starts, and the boxes of each reading.
        var tellsBeginnings = true
        /// Whether boxes are reported before the sightings that end with them, so that a drawn box is replaced rather
        /// than removed first.
        var drawsFirst = true
        /// The inexactness of sighting times; nil if they are exact.
        var slack: StreamTime?
        /// See ``FindSettings/textPlaces``.
        var textPlaces: TextRegions?
        /// See ``FindSettings/see``.
        var see: (@Sendable (SightingStep) -> Void)?
    }

    /// The text in view according to one reading.
    struct Reading: Sendable {
        /// The lines, in pixels of the part of the frame that was read.
        var lines: [TextLine]
        /// The time; nil if there is no frame because a picture of this geometry is over.
        var time: FrameTime?
        var arrival: ContinuousClock.Instant
        var geometry: FrameGeometry
        /// The thumbnail of that part; nil if there is none.
        var picture: Picture?
        /// The lines with their history; nil if a better reader read them, which has none.
        var tracks: [TextTrack]? = nil
        /// All lines known to be in view, including those that this reading says nothing about.
        var inView: [TextTrack]? = nil
        /// Whether the whole picture was searched.
        var isComplete = true
        /// Whether something was read, or found unchanged.
        var isNews = true
        /// The thumbnails since the previous reading, up to that of this one, if the reading brings them itself.
        var frames: [FrameHistory.Frame] = []
        /// The whole frame as stored, if it was read and pictures of it are wanted.
        var shown: Picture? = nil
        /// The number of lines recognized for it, and the number already known.
        var counts = (read: 0, known: 0)
        /// See ``ReadRequest``.
        var part = 0
        var endsPart = false
        /// The places of lines that changed but were not read because there were too many; in pixels of the picture as
        /// displayed.
        var leftOut: [Quad] = []

        /// The lines in pixels of the frame as stored.
        var linesInFrame: [TextLine] {
            geometry.region == nil ? lines : lines.map { $0.mapped(geometry.frame) }
        }
    }
}

extension SightingJoiner.Reading {
    /// Creates the reading that resulted from a request.
    ///
    /// - Parameter tracker: everything known by then; nil if there was nothing to read.
    init(_ request: ReadRequest, _ tracker: TextTracker?) {
        let inView = tracker?.visible ?? []
        // If only some lines were reread, only those provide information; the others are followed.
        let tracks = request.isComplete ? inView : inView.filter { $0.read == request.time }
        self.init(
            lines: request.closeLines ?? tracks.map(\.line), time: request.time, arrival: request.arrival,
            geometry: request.geometry, picture: request.thumbnail)
        if request.closeLines == nil { (self.tracks, self.inView) = (tracks, inView) }
        isComplete = request.isComplete
        isNews = tracker != nil || request.closeLines != nil
        frames = request.frames
        (part, endsPart) = (request.part, request.endsPart)
        shown = request.shown
        counts = isComplete ? (tracker?.linesRead ?? 0, tracker?.linesKnown ?? 0) : (tracks.count, 0)
        if let leftOut = tracker?.leftOut, leftOut.time == request.time, !isComplete {
            self.leftOut = leftOut.places.map(request.geometry.displayed)
        }
    }
}

extension TextLine {
    /// Returns the line with converted places, without evidence and without the places of its letters.
    fileprivate func plain(_ transform: (Quad) -> Quad) -> TextLine {
        TextLine(
            quad: transform(quad),
            words: words.map { TextWord(text: $0.text, quad: transform($0.quad), confidence: $0.confidence) },
            confidence: confidence)
    }
}
