public import TextMatching

/// Follows the value at a place of a running picture: reports each as soon as it stands there, and once more, with its times, when it is over.
///
/// A value fed with readings in their order; what it returns depends on what it was fed alone. The rows are those of ``ValueTable``,
/// of the last seconds: a row is told when no later reading can change it any more.
public struct ValueWatch: Sendable {
    /// Which place is meant, and what counts as a value.
    public struct Settings: Sendable {
        /// Finds the word beside the value; nil where all that is read is the place.
        public var label: Matcher?
        /// Nil for what the texts look most like.
        public var kind: ValueKind?
        /// Texts less sure than this are left out.
        public var minimumScore: Double

        public init(label: Matcher? = nil, kind: ValueKind? = nil, minimumScore: Double = 0) {
            (self.label, self.kind, self.minimumScore) = (label, kind, minimumScore)
        }
    }

    /// A change to report.
    public enum Change: Sendable, Hashable {
        /// This stands there now; its `end` is the last frame that was read.
        case now(ValueRow)
        /// Nothing has been read there for ``ValueWatch/absence``.
        case gone
        /// This stood there; nothing of it changes any more.
        case over(ValueRow)
    }

    /// A value that stands for less is reported only when it is over, so that a single misreading is never said to be the value.
    static let settling = StreamTime(seconds: 0.17)
    /// A place that changes all the time is told of this often.
    static let pace = StreamTime(seconds: 1)
    /// After this time without a value there is none.
    static let absence = StreamTime(seconds: 2)
    /// Beyond this a later reading changes no row: a sighting that is gone for half a second is over.
    private static let certainty = StreamTime(seconds: 1)
    /// How far back texts are kept, to tell places, kinds and decimal marks.
    private static let memory = StreamTime(seconds: 20)
    /// No more of them are kept, however busy the picture is.
    private static let mostTexts = 200

    private let settings: Settings
    private var timeline: SightingTimeline
    /// Recent texts, of the place and of all others.
    private var texts: [Sighting] = []
    /// How many that are.
    var keptTexts: Int { texts.count }
    /// Where the word was read last; empty until it was.
    private var label: [Sighting] = []
    private var told: ValueRow?
    private var toldAt = StreamTime.zero
    private var lastSeen: StreamTime?
    private var isGone = false
    /// Rows up to here were told.
    private var toldUntil = StreamTime.zero
    private var time = StreamTime.zero

    /// - Parameter scale: the size of the thumbnails divided by that of what is read.
    public init(_ settings: Settings, scale: Double) {
        self.settings = settings
        var manner = SightingTimeline.Settings()
        manner.pictureMemory = 12 << 20
        timeline = SightingTimeline(settings: manner, scale: scale)
    }

    /// Takes the lines in view in the next frame that was read.
    ///
    /// - Parameters:
    ///   - tracks: in pixels of what is read.
    ///   - frames: the thumbnails since the reading before, up to and including this frame.
    public mutating func take(_ tracks: [TextTrack], at time: FrameTime, frames: [FrameHistory.Frame]) -> [Change] {
        self.time = time.end
        let lines = tracks.map(\.line)
        note(labelsIn: lines, at: time)
        let matches = tracks.map { Match(wholeLineOf: $0, eachState: true) }
        texts += timeline.add(FrameReading(time: time, matches: matches, lines: lines, frames: frames))
        let oldest = time.start - Self.memory
        texts.removeAll { $0.end < oldest }
        if texts.count > Self.mostTexts { texts.removeFirst(texts.count - Self.mostTexts) }
        let rows = rows(timeline.open)
        return over(rows, before: time.start - Self.certainty) + current(rows, at: time)
    }

    /// Nothing of what is in view goes on: tells of all that was not told.
    public mutating func finish() -> [Change] {
        texts += timeline.finish()
        defer {
            texts = []
            (told, isGone) = (nil, true)
        }
        let wasThere = told != nil && !isGone
        return over(rows([]), before: nil) + (wasThere ? [.gone] : [])
    }

    // MARK: The place

    /// Remembers where the word is: where it was before, if it is there too.
    private mutating func note(labelsIn lines: [TextLine], at time: FrameTime) {
        guard let matcher = settings.label else { return }
        let matches = matcher.matches(in: lines).filter { $0.score >= settings.minimumScore }
        let known = label.first?.peak.quad.bounds
        let there = known.flatMap { known in matches.first { $0.quad.bounds.overlap(known) > 0.3 } }
        guard let match = there ?? matches.max(by: { $0.score < $1.score }) else { return }
        label = [
            Sighting(
                id: 1, patternIndex: match.patternIndex, pattern: match.pattern, text: match.text, line: match.line,
                start: time.start, end: time.end, score: match.score,
                peak: Sighting.Box(time: time, quad: match.quad))
        ]
    }

    private func rows(_ open: [Sighting]) -> [ValueRow] {
        let all = texts + open
        guard !all.isEmpty else { return [] }
        let kind = settings.kind
        let place =
            settings.label == nil
            ? ValueRegion(all: all)
            : label.isEmpty
                ? nil
                : ValueRegion.near(label, in: all) { text in
                    kind.map { !ReadValue.all($0, in: text).isEmpty } ?? (ReadValue.likelyKind(of: text) != nil)
                }
        return place.map { ValueTable(of: $0, kind: kind, minimumScore: settings.minimumScore).rows } ?? []
    }

    // MARK: What is told

    /// The rows that are over and not told yet.
    ///
    /// - Parameter limit: those that end later may still change; nil for all.
    private mutating func over(_ rows: [ValueRow], before limit: StreamTime?) -> [Change] {
        var changes: [Change] = []
        for var row in rows where row.end > toldUntil {
            if let limit, row.end >= limit { break }
            row.start = max(row.start, toldUntil)
            toldUntil = row.end
            changes.append(.over(row))
        }
        return changes
    }

    /// The current value, if it is news.
    private mutating func current(_ rows: [ValueRow], at time: FrameTime) -> [Change] {
        guard let row = rows.last, row.end >= time.start else {
            guard let lastSeen, !isGone, time.start - lastSeen >= Self.absence else { return [] }
            (isGone, told) = (true, nil)
            return [.gone]
        }
        lastSeen = time.end
        let isNews = told.map { $0.text != row.text || $0.value != row.value } ?? true
        let isSettled = row.end - row.start >= Self.settling
        guard isNews, isSettled || (told != nil && time.start - toldAt >= Self.pace) else { return [] }
        (told, toldAt, isGone) = (row, time.start, false)
        return [.now(row)]
    }
}
