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
    private var timeline = SightingTimeline()
    private var geometry: FrameGeometry?
    private var begun = Set<Int>()
    private var time = FrameTime(index: 0, start: .zero, duration: .zero)
    /// Nil where lines are told as soon as they are over.
    private var whole: WholeLines?

    init(_ settings: Settings, tell: @escaping @Sendable (SessionEvent) -> Void) {
        self.settings = settings
        self.tell = tell
        if settings.isOrdered { whole = WholeLines(keepsStates: settings.eachChange) }
    }

    /// Ends what has nothing in common with pictures that lie so in their frames.
    mutating func begin(_ geometry: FrameGeometry, _ scale: Double) {
        guard geometry != self.geometry || scale != timeline.scale else { return }
        finish()
        var settings = SightingTimeline.Settings()
        settings.pictureMemory = self.settings.pictureMemory
        timeline = SightingTimeline(settings: settings, scale: scale, firstID: timeline.nextID)
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
            for line in timeline.open + over where begun.insert(line.id).inserted { tell(.textBegan(id: line.id)) }
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
