import TextSpotting

/// All lines of a running picture, matched or not: tells each when it is over, once, as it stood at its best.
struct TextResults {
    private let report: LiveReport
    private let eachChange: Bool
    private var timeline = SightingTimeline()
    private var geometry: FrameGeometry?
    private var known = Set<Int>()
    private var time = StreamTime.zero

    /// - Parameter eachChange: of a line that gets longer or shorter each state is told.
    init(_ report: LiveReport, eachChange: Bool) {
        self.report = report
        self.eachChange = eachChange
    }

    /// Takes what was read of the next frame, unless it was read by a reader that knows nothing of the lines before.
    ///
    /// - Parameter frames: the thumbnails since the reading before, and their size divided by that of the searched part.
    mutating func take(_ reading: LiveResults.Reading, frames: (frames: [FrameHistory.Frame], scale: Double)) {
        if reading.geometry != geometry || frames.scale != timeline.scale {
            finish()
            var settings = SightingTimeline.Settings()
            settings.pictureMemory = 12 << 20
            timeline = SightingTimeline(settings: settings, scale: frames.scale, firstID: timeline.nextID)
            geometry = reading.geometry
        }
        guard let tracks = reading.tracks else { return }
        time = reading.time.start
        let matches = tracks.map { Match(wholeLineOf: $0, eachState: eachChange) }
        let over = timeline.add(
            FrameReading(time: reading.time, matches: matches, lines: reading.lines, frames: frames.frames))
        for line in timeline.open + over where known.insert(line.id).inserted {
            report.tell(.textAppeared(id: line.id))
        }
        for line in over { tell(line) }
    }

    /// Nothing of what is in view goes on: tells all of it.
    mutating func finish() { for line in timeline.finish() { tell(line) } }

    private mutating func tell(_ line: Sighting) {
        known.remove(line.id)
        report.tell(.text(geometry?.displayed(line) ?? line, at: time))
    }
}
