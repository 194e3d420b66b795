import Foundation
public import TextMatching

/// A place in the picture, and the texts that were there one after the other.
public struct ValueRegion: Sendable {
    /// The bounds, in pixels of the picture as displayed.
    public private(set) var bounds: Rect
    /// The lines, each for the time that it was there; `peak` gives its place.
    public private(set) var texts: [Sighting]
    /// The word before the value in the same line, in the forms in which it was read.
    private var labels: [String] = []
    /// The place of that word.
    private var label: Rect?

    /// Treats all texts as one place: the texts in a part of the picture that a user selected.
    public init(all texts: [Sighting]) {
        self.texts = texts
        bounds = texts.dropFirst().reduce(texts.first?.peak.quad.bounds ?? Rect(x: 0, y: 0, width: 0, height: 0)) {
            $0.union($1.peak.quad.bounds)
        }
    }

    /// Returns the places of all texts, the one that showed text the longest first.
    public static func all(of texts: [Sighting]) -> [ValueRegion] {
        // Group equal boxes first, so that a line that was once read together with its neighbors does not affect the
        // places.
        var boxes: [ValueRegion] = []
        for text in texts {
            let quad = text.peak.quad.bounds
            if let index = boxes.firstIndex(where: { $0.bounds.overlap(quad) > 0.5 }) {
                boxes[index].texts.append(text)
                boxes[index].bounds = boxes[index].bounds.union(quad)
            } else {
                boxes.append(ValueRegion(all: [text]))
            }
        }
        var places: [ValueRegion] = []
        for box in boxes.sorted(by: { $0.seconds > $1.seconds }) {
            let shared = places.indices.filter { places[$0].holds(box.bounds) }
            // A long line may cover several places: each takes its own words of the line.
            for index in shared {
                if shared.count == 1, places[index].isOutgrown(by: box) {
                    places[index].bounds = places[index].bounds.union(box.bounds)
                }
                places[index].texts += box.texts
            }
            if shared.isEmpty { places.append(box) }
        }
        return places
    }

    /// The time for which text was there, in seconds.
    private var seconds: Double { texts.reduce(0) { $0 + $1.end.seconds - $1.start.seconds } }

    /// Returns whether the texts of another box, for example those with more digits, are whole values of this place: they
    /// have no more words.
    private func isOutgrown(by box: ValueRegion) -> Bool {
        func words(_ text: String) -> Int { text.split(separator: " ").count }
        let most = texts.map { words(text(of: $0)) }.max() ?? 0
        return box.texts.allSatisfy { words($0.line) <= most }
    }

    private func holds(_ other: Rect) -> Bool {
        bounds.intersection(other).area >= 0.6 * min(bounds.area, other.area)
            && max(bounds.height, other.height) < 2.5 * min(bounds.height, other.height)
    }

    // MARK: Near a word

    /// Returns the place after a word, in its line or as the next piece on its row, otherwise below it; nil if there is
    /// none.
    ///
    /// - Parameters:
    ///   - labels: the sightings of the word.
    ///   - texts: all text.
    ///   - isValue: returns whether a text may be a value.
    public static func near(
        _ labels: [Sighting], in texts: [Sighting], where isValue: (String) -> Bool
    ) -> ValueRegion? {
        guard let label = labels.max(by: { $0.end - $0.start < $1.end - $1.start })?.peak.quad.bounds else {
            return nil
        }
        let words = Array(Set(labels.map(\.text)))
        let places = all(of: texts)
        let valued = places.map { place in
            var place = place
            // The word may be part of the line or not: a value that is sometimes read separately is the same value.
            place.labels = words
            place.label = label
            return (place: place, values: Set(place.texts.filter { isValue(place.text(of: $0)) }))
        }.filter { !$0.values.isEmpty }
        // If word and value were sometimes read as one line, that line also belongs to the word's place, which has no
        // value of its own.
        let own = valued.filter { one in !valued.contains { $0.values.isStrictSuperset(of: one.values) } }
        for relation in [isSameLine, isNext, isBelow] {
            let candidates = own.map(\.place).filter { relation(label, $0.bounds) }
            let nearest = candidates.min { distance(label, $0.bounds) < distance(label, $1.bounds) }
            if let nearest { return nearest.withUnit(from: places) }
        }
        return nil
    }

    private static func isSameLine(_ label: Rect, _ place: Rect) -> Bool {
        place.intersection(label).area > 0.7 * label.area
    }

    /// Returns whether a place is to the right on the same row: the middle of one is level with the other.
    private static func isNext(_ label: Rect, _ place: Rect) -> Bool {
        let isBeside =
            (label.minY..<label.maxY).contains(place.center.y) || (place.minY..<place.maxY).contains(label.center.y)
        return isBeside && place.minX > label.center.x && place.minX - label.maxX < 12 * label.height
    }

    private static func isBelow(_ label: Rect, _ place: Rect) -> Bool {
        let tall = max(label.height, place.height)
        return place.minX < label.maxX + label.height && place.maxX > label.minX - label.height
            && place.minY > label.center.y && place.minY - label.maxY < 2 * tall
    }

    private static func distance(_ label: Rect, _ place: Rect) -> Double {
        max(0, place.minX - label.maxX) + max(0, place.minY - label.maxY)
            + (place.minY > label.center.y ? abs(place.center.x - label.center.x) * 0.1 : 0)
    }

    /// Returns the place extended by a unit that was read as a separate piece directly after it.
    private func withUnit(from places: [ValueRegion]) -> ValueRegion {
        let unit = places.first { other in
            let gap = other.bounds.minX - bounds.maxX
            return gap > -0.3 * bounds.height && gap < 0.8 * bounds.height
                && (bounds.minY..<bounds.maxY).contains(other.bounds.center.y)
                && other.texts.allSatisfy { $0.line.count <= 6 && !$0.line.contains(where: \.isNumber) }
        }
        guard let unit else { return self }
        var result = self
        result.texts += unit.texts
        result.bounds = bounds.union(unit.bounds)
        return result
    }

    // MARK: What is read

    /// Returns the part of a line at the place: a line that extends beyond it may contain other values, and the word
    /// before this one.
    func text(of sighting: Sighting) -> String {
        var line = sighting.line
        for label in labels {
            guard let range = line.range(of: label, options: [.caseInsensitive, .diacriticInsensitive]) else {
                continue
            }
            line = String(line[range.upperBound...].drop { $0.isWhitespace || ":=|.".contains($0) })
            return line
        }
        let quad = sighting.peak.quad.bounds
        // If the word is misread in a line, the text after it is still meant.
        if let label, Self.isSameLine(label, quad) { return Self.words(of: line, in: quad) { $0 > label.maxX } }
        guard quad.width > 1.4 * bounds.width else { return line }
        let margin = 0.3 * bounds.height
        return Self.words(of: line, in: quad) { $0 > bounds.minX - margin && $0 < bounds.maxX + margin }
    }

    /// Returns the words of a line whose middles are at certain places, assuming letters of equal width.
    private static func words(of line: String, in quad: Rect, where isThere: (Double) -> Bool) -> String {
        let length = Double(max(1, line.count))
        return line.split(separator: " ").filter { word in
            let start = Double(line.distance(from: line.startIndex, to: word.startIndex))
            return isThere(quad.minX + quad.width * (start + Double(word.count) / 2) / length)
        }.joined(separator: " ")
    }

    /// The number of times its text changed.
    private func changes(_ kind: ValueKind?) -> Int {
        let rows = ValueTable(of: self, kind: kind, minimumScore: 0).rows
        return max(0, rows.count - 1)
    }

    /// The share of the time for which its text has a value of this kind; for nil, a digit.
    private func share(of kind: ValueKind?) -> Double {
        let valued = texts.filter { sighting in
            // A line that was read together with its neighbors has their values too.
            let own = text(of: sighting)
            return kind.map { !ReadValue.all($0, in: own).isEmpty } ?? own.contains(where: \.isNumber)
        }
        return seconds > 0 ? valued.reduce(0) { $0 + $1.end.seconds - $1.start.seconds } / seconds : 0
    }

    // MARK: Choosing

    /// The place that is meant if the user names none.
    public enum Choice: Sendable {
        /// No text was read, or none with a value of the kind.
        case nothing
        /// The place that changes most, and others that change too.
        case one(ValueRegion, others: [ValueRegion])
        /// No place changes more than all others.
        case several([ValueRegion])
    }

    /// Returns the place whose value changes most, or, if there are no values, whose text does.
    ///
    /// - Parameter kind: the kind of value that is wanted; nil for any, or for any text.
    public static func choose(from texts: [Sighting], kind: ValueKind? = nil) -> Choice {
        let places = all(of: texts).map { (place: $0, share: $0.share(of: kind)) }
            .filter { kind == nil || $0.share > 0 }
        guard !places.isEmpty else { return .nothing }
        let valued = places.filter { $0.share > 0.5 }
        let candidates = (valued.isEmpty ? places : valued).map { (place: $0.place, changes: $0.place.changes(kind)) }
            .sorted { $0.changes > $1.changes }
        let best = candidates[0]
        let rivals = candidates.dropFirst().filter { $0.changes == best.changes }
        guard rivals.isEmpty else { return .several([best.place] + rivals.map(\.place)) }
        return .one(best.place, others: candidates.dropFirst().filter { $0.changes > 0 }.map(\.place))
    }
}

/// Follows the value at a place of a running picture: reports each value when it appears, and again, with its times,
/// when it is over.
///
/// A value type that takes readings in order; its results depend on nothing else. The rows are those of ``ValueTable``,
/// for the last seconds: a row is reported once no later reading can change it.
public struct ValueWatch: Sendable {
    /// The place to follow, and what counts as a value.
    public struct Settings: Sendable {
        /// Finds the word beside the value; nil if everything that is read is the place.
        public var label: Matcher?
        /// The kind of value; nil for the one that the texts most resemble.
        public var kind: ValueKind?
        /// Texts with less confidence than this are left out.
        public var minimumScore: Double

        public init(label: Matcher? = nil, kind: ValueKind? = nil, minimumScore: Double = 0) {
            (self.label, self.kind, self.minimumScore) = (label, kind, minimumScore)
        }
    }

    /// A change to report.
    public enum Change: Sendable, Hashable {
        /// This value is there now; its `end` is the last frame that was read.
        case now(ValueRow)
        /// No value has been read there for ``ValueWatch/absence``.
        case gone
        /// This value was there, and its row is final.
        case over(ValueRow)
    }

    /// A value shown for less time than this is reported only when it is over, so that a single misreading is never
    /// reported as the value.
    static let settling = StreamTime(seconds: 0.17)
    /// The interval at which a constantly changing place is reported.
    static let pace = StreamTime(seconds: 1)
    /// The time without a reading after which there is no value.
    static let absence = StreamTime(seconds: 2)
    /// The time after which a later reading changes no row: a sighting that is gone for half a second is over.
    private static let certainty = StreamTime(seconds: 1)
    /// The time for which texts are kept, to determine places, kinds and decimal marks.
    private static let memory = StreamTime(seconds: 20)
    /// The largest number of texts that are kept, however busy the picture is.
    private static let mostTexts = 200

    private let settings: Settings
    private var timeline: SightingTimeline
    /// The recent texts, of the place and of all others.
    private var texts: [Sighting] = []
    var keptTexts: Int { texts.count }
    /// The last sighting of the word; empty until it is read.
    private var label: [Sighting] = []
    private var told: ValueRow?
    private var toldAt = StreamTime.zero
    private var lastSeen: StreamTime?
    private var isGone = false
    /// The time up to which rows have been reported.
    private var toldUntil = StreamTime.zero

    /// - Parameter scale: the size of the thumbnails divided by that of the part that is read.
    public init(_ settings: Settings, scale: Double) {
        self.settings = settings
        var manner = SightingTimeline.Settings()
        manner.pictureMemory = 12 << 20
        timeline = SightingTimeline(settings: manner, scale: scale)
    }

    /// Takes the lines in view in the next frame that was read.
    ///
    /// - Parameters:
    ///   - tracks: the lines, in pixels of the part that is read.
    ///   - frames: the thumbnails since the previous reading, up to and including this frame.
    public mutating func take(_ tracks: [TextTrack], at time: FrameTime, frames: [FrameHistory.Frame]) -> [Change] {
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

    /// Ends the watch: nothing in view continues. Returns everything that has not been reported.
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

    /// Records the place of the word: its previous place, if it is still there.
    private mutating func note(labelsIn lines: [TextLine], at time: FrameTime) {
        guard let matcher = settings.label else { return }
        let matches = matcher.matches(in: lines).filter { $0.score >= settings.minimumScore }
        let there = label.first.flatMap { known in matches.first { $0.quad.isSamePlace(as: known.peak.quad) } }
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

    /// Returns the rows that are over and not reported yet.
    ///
    /// - Parameter limit: rows that end later may still change; nil for all.
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

    /// Returns the current value, if it is new.
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
