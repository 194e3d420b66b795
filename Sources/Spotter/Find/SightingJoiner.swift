import TextMatching
import TextSpotting

/// Turns readings, in order, into sightings: matches the lines, feeds the timelines, and maps what is finished to the
/// picture as displayed.
struct SightingJoiner {
    private let settings: FindSettings
    private let matcher: Matcher
    private var geometry: FrameGeometry?
    private var matches: SightingSearch?
    private var texts: SightingTimeline?
    /// Nil where lines are told as soon as they are over.
    private var lines: WholeLines?
    private var nextID = 1
    private var summary = FindSummary()
    /// Where only what all patterns have in common counts: the sightings until now, which are cut at the end.
    private var common: CommonTimes?

    init(settings: FindSettings, matcher: Matcher) {
        self.settings = settings
        self.matcher = matcher
        if settings.ordersText { lines = WholeLines(keepsStates: settings.reportsEachChange) }
        if matcher.manner.requiresAll { common = CommonTimes(patternCount: matcher.patterns.count) }
    }

    /// The sightings that go on, in pixels of the picture as displayed.
    var open: [Sighting] { matches?.open.map(displayed) ?? [] }

    /// The matches of the latest reading that are sure to be sightings, in pixels of the searched part.
    var confirmed: [(id: Int, match: Match)] { matches?.confirmed ?? [] }

    /// Takes the next step and the lines that are in view in its last frame; true when enough sightings are found.
    mutating func join(_ step: ReadRequest, _ tracker: TextTracker?, _ report: (FindEvent) -> Void) -> Bool {
        if step.geometry != geometry { restart(with: step.geometry, report) }
        guard let time = step.frames.last?.time else { return false }
        summary.end = max(summary.end, time.end)
        summary.frames += step.frames.count
        // Where only some lines were read again, those say something; the others are followed.
        let tracks = tracker?.visible.filter { step.isComplete || $0.read == time } ?? []
        summary.readings += tracker == nil || (tracks.isEmpty && !step.isComplete) ? 0 : 1
        summary.linesRead += step.isComplete ? tracker?.linesRead ?? 0 : tracks.count
        summary.linesKnown += step.isComplete ? tracker?.linesKnown ?? 0 : 0
        let lines = tracks.map(\.line)
        let finished =
            matches?.add(lines, at: time, isComplete: step.isComplete, frames: step.frames, with: matcher) ?? []
        if settings.reportsAllText {
            let everything = tracks.map { Match(wholeLineOf: $0, eachState: settings.reportsEachChange) }
            let reading = FrameReading(
                time: time, matches: everything, lines: lines, isComplete: step.isComplete, frames: step.frames)
            tell((texts?.add(reading) ?? []).map(displayed), at: time.end, report)
        }
        if settings.reportsFindings {
            report(
                .finding(
                    FrameResult(
                        time: time, geometry: step.geometry.finding, tracks: tracker?.visible ?? [],
                        isComplete: step.isComplete,
                        frames: step.frames)))
        }
        deliver(finished, report)
        tellOfStep(until: time, tracker == nil || !step.isComplete ? nil : lines)
        return isEnough(at: time)
    }

    /// Reports open sightings, if asked for.
    private mutating func tellOfStep(until time: FrameTime, _ lines: [TextLine]?) {
        guard let geometry else { return }
        if let lines { settings.textPlaces?.add(lines.lazy.map { geometry.displayed($0.quad) }, from: time.start) }
        guard let see = settings.see else { return }
        // What is to be cut later keeps its boxes.
        let open = matches?.takeOpen(keepingBoxes: common != nil) ?? []
        let shown = lines?.map { line in
            // What each letter looked like is of no use to a person.
            TextLine(
                quad: geometry.displayed(line.quad),
                words: line.words.map {
                    TextWord(text: $0.text, quad: geometry.displayed($0.quad), confidence: $0.confidence)
                }, confidence: line.confidence)
        }
        see(SightingStep(time: time, lines: shown, open: open.map(displayed)))
    }

    /// No more will be joined: reports what is still open.
    mutating func finish(_ report: (FindEvent) -> Void) -> FindSummary {
        restart(with: nil, report)
        if let common {
            self.common = nil
            for var sighting in common.cut() {
                if !settings.keepsBoxes { sighting.boxes = [] }
                if !self.report(sighting, to: report) { break }
            }
        }
        return summary
    }

    private mutating func restart(with geometry: FrameGeometry?, _ report: (FindEvent) -> Void) {
        tell(texts?.finish().map(displayed) ?? [], at: summary.end, report)
        for line in lines?.finish() ?? [] { report(.text(line)) }
        deliver(matches?.finish() ?? [], report)
        nextID = matches?.nextID ?? nextID
        self.geometry = geometry
        guard let geometry else {
            matches = nil
            texts = nil
            return
        }
        var timeline = SightingTimeline.Settings()
        // What may be cut must know where it was in each frame.
        timeline.keepsBoxes = settings.keepsBoxes || common != nil
        timeline.keepsFades = settings.keepsFades
        matches = SightingSearch(
            minimumScore: settings.minimumScore,
            timeline: SightingTimeline(settings: timeline, scale: geometry.scale, firstID: nextID),
            cutsLater: true)
        texts = settings.reportsAllText ? SightingTimeline(scale: geometry.scale) : nil
    }

    /// Reports lines that are over, in order where that is asked for.
    private mutating func tell(_ over: [Sighting], at time: StreamTime, _ report: (FindEvent) -> Void) {
        let open = lines == nil ? [] : texts?.open.map(displayed) ?? []
        for line in lines?.take(over, open: open, at: time) ?? over { report(.text(line)) }
    }

    /// Reports what is over, up to the greatest number; keeps it where it may have to be cut.
    private mutating func deliver(_ sightings: [Sighting], _ report: (FindEvent) -> Void) {
        for sighting in sightings.map(displayed) {
            guard common == nil else {
                common?.add(sighting)
                continue
            }
            guard self.report(sighting, to: report) else { return }
        }
    }

    /// As many sightings as are wanted are certain. That depends on the frames joined so far and on nothing else.
    ///
    /// A sighting that has begun is never dropped or joined with another, whatever is read later, and its score only gets
    /// better. What all patterns have in common is certain once it is over for all of them, or when one and the same frame was
    /// read that shows them all.
    private func isEnough(at time: FrameTime) -> Bool {
        guard let maximum = settings.maximumCount, let matches else { return false }
        guard let common else { return matches.nextID > maximum }
        let open = matches.open.map(displayed)
        let settled = open.map(\.end).min()
        let parts = common.cut(with: open)
        return parts.count { part in
            settled.map { part.end < $0 } ?? true || (part.start..<part.end).contains(time.start)
        } >= maximum
    }

    /// Reports a sighting; false where that would be one too many.
    private mutating func report(_ sighting: Sighting, to report: (FindEvent) -> Void) -> Bool {
        if let maximum = settings.maximumCount, summary.sightings >= maximum { return false }
        summary.sightings += 1
        var sighting = sighting
        sighting.slack = settings.skim?.interval
        report(.sighting(sighting))
        return true
    }

    private func displayed(_ sighting: Sighting) -> Sighting { geometry?.displayed(sighting) ?? sighting }
}
