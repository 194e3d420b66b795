public import Foundation
public import TextSpotting

/// Finds the clock among all lines of a part, and determines which of them it replaces.
struct ClockFinder {
    /// A line that was there through one or more readings.
    struct Shown {
        var words: [String]
        var quad: Quad
        var confidence: Double
        /// The times of its first and last reading, in seconds.
        var first: Double
        var last: Double

        var text: String { words.joined(separator: " ") }
    }

    struct Found {
        var track: ClockTrack
        /// The indices of the lines that the clock replaces.
        var lines: Set<Int>
        /// Text that is beside the clock all the time: the line, and the words in it.
        var labels: [(line: Int, words: [Int])]
    }

    /// A line that may show a clock.
    private struct Candidate {
        var line: Int
        var clock: ClockText
        /// The text of the words that are neither a date nor a time.
        var rest: String
        /// The indices of the words that are not a time.
        var kept: [Int]
    }

    /// Lines that overlap by at least this much are at one place.
    private static let samePlace = 0.4
    /// A line of which at least this share is inside another is a part of it.
    private static let inside = 0.7
    /// The share of readings that must agree on the text beside the time: a log shows another text each time.
    private static let steady = 0.6

    private let lines: [Shown]

    /// - Parameter lines: the lines in any order.
    static func find(in lines: [Shown]) -> Found? { ClockFinder(lines: lines).found() }

    private init(lines: [Shown]) { self.lines = lines }

    private func found() -> Found? {
        let candidates = lines.indices.compactMap(candidate).sorted { lines[$0.line].first < lines[$1.line].first }
        var groups: [(place: Rect, candidates: [Candidate])] = []
        for candidate in candidates {
            let bounds = lines[candidate.line].quad.bounds
            if let known = groups.firstIndex(where: { $0.place.overlap(bounds) >= Self.samePlace }) {
                groups[known].candidates.append(candidate)
            } else {
                groups.append((bounds, [candidate]))
            }
        }
        let all = groups.compactMap { clock(of: $0.candidates, at: $0.place) }
        // Prefer one with a date, then the one that was read most often.
        func rank(_ found: Found) -> (Int, Int) { (found.track.hasDate ? 1 : 0, found.lines.count) }
        guard let best = all.max(by: { rank($0) < rank($1) }) else { return nil }
        // If two clocks disagree, it is unknown which is right.
        let isSure = all.allSatisfy { $0.track.hasDate != best.track.hasDate || $0.agrees(with: best) }
        guard isSure else { return nil }
        var found = best
        found.lines = all.reduce(into: []) { $0.formUnion($1.lines) }
        found.labels = all.flatMap(\.labels)
        return found
    }

    private func candidate(_ line: Int) -> Candidate? {
        guard let clock = ClockText(lines[line].text) else { return nil }
        var (kept, rest): ([Int], [String]) = ([], [])
        var offset = 0
        for (number, word) in lines[line].words.enumerated() {
            let range = offset..<offset + word.unicodeScalars.count
            offset = range.upperBound + 1
            guard !range.overlaps(clock.time) else { continue }
            kept.append(number)
            if !(clock.date.map(range.overlaps) ?? false) { rest.append(word) }
        }
        return Candidate(line: line, clock: clock, rest: rest.joined(separator: " "), kept: kept)
    }

    /// Returns the clock at one place; nil if the text there is not one.
    private func clock(of candidates: [Candidate], at place: Rect) -> Found? {
        let hasDate = 2 * candidates.count { $0.clock.day != nil } > candidates.count
        let told = candidates.filter { !hasDate || $0.clock.day != nil }
        func value(_ clock: ClockText) -> Double { hasDate ? clock.value : Double(clock.second) }
        var readings = ClockReadings()
        for candidate in told {
            let line = lines[candidate.line]
            readings.add(.init(time: line.first, value: value(candidate.clock)))
            if line.last - line.first > 0.5 { readings.add(.init(time: line.last, value: value(candidate.clock))) }
        }
        guard let pieces = readings.found, let first = pieces.first, let last = pieces.last else { return nil }
        let own = told.filter { readings.holds(.init(time: lines[$0.line].first, value: value($0.clock))) }
        let counts = Dictionary(own.map { ($0.rest, 1) }, uniquingKeysWith: +)
        guard let usual = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
            Double(usual.value) >= Self.steady * Double(own.count),
            // Use the most confident of those with the most words.
            let label = own.filter({ $0.rest == usual.key }).max(by: {
                ($0.kept.count, lines[$0.line].confidence) < ($1.kept.count, lines[$1.line].confidence)
            })
        else { return nil }
        var taken = Set(own.map(\.line))
        let stretch = first.start.seconds - 1...last.end.seconds + 1
        let beside = Set(label.kept.map { lines[label.line].words[$0] })
        for index in lines.indices where stretch.contains(lines[index].first) {
            if isPart(lines[index], of: beside, at: place) { taken.insert(index) }
        }
        let track = ClockTrack(hasDate: hasDate, pieces: pieces, quad: lines[label.line].quad)
        return Found(track: track, lines: taken, labels: label.kept.isEmpty ? [] : [(label.line, label.kept)])
    }

    /// Returns whether a line at the clock's place is a part of its text, or shows almost nothing but digits.
    private func isPart(_ line: Shown, of beside: Set<String>, at place: Rect) -> Bool {
        let bounds = line.quad.bounds
        guard
            bounds.overlap(place) >= Self.samePlace
                || bounds.intersection(place).area >= Self.inside * bounds.area
        else { return false }
        if line.words.allSatisfy(beside.contains) { return true }
        let scalars = line.words.flatMap(\.unicodeScalars)
        let digits = scalars.count(where: \.isDecimal)
        return digits >= 4 && 3 * scalars.count(where: \.isLatin) <= digits
    }
}

extension ClockFinder.Found {
    fileprivate func agrees(with other: Self) -> Bool {
        guard let own = track.pieces.first, let theirs = other.track.pieces.first else { return false }
        return abs(own.offset - theirs.offset) <= ClockTrack.tolerance
    }
}

/// The course of a clock in the picture over a stretch of a recording: one value for all the texts that it showed.
public struct ClockTrack: Sendable, Hashable {
    /// A stretch of time in which the clock ran as the recording did.
    public struct Piece: Sendable, Hashable {
        public var start: StreamTime
        public var end: StreamTime
        /// The clock's time minus the recording's, at the beginning and at the end of the piece, in milliseconds. The
        /// clock's time counts from 1970 in its own time zone, or from midnight if it has no date.
        public var offset: Int64
        public var lastOffset: Int64
    }

    public var hasDate: Bool
    /// The pieces in order; more than one if the clock was set, or the recording paused.
    public var pieces: [Piece]
    /// The place of the clock, in pixels of the picture as displayed.
    public var quad: Quad

    /// The deviation that does not count as setting the clock: readings are exact to a second, and clocks drift.
    static let tolerance: Int64 = 1_600
    private static let mostPieces = 1_000

    /// Appends the course of the clock in the following stretch.
    mutating func append(_ next: ClockTrack) {
        guard next.hasDate == hasDate else { return }
        for piece in next.pieces where pieces.count < Self.mostPieces {
            if let last = pieces.last, abs(piece.offset - last.lastOffset) <= Self.tolerance {
                pieces[pieces.count - 1].end = piece.end
                pieces[pieces.count - 1].lastOffset = piece.lastOffset
            } else {
                pieces.append(piece)
            }
        }
    }

    /// The wall clock time of the recording's beginning, in the local time zone; nil if the clock has no date, was set
    /// meanwhile, or runs at another speed than the recording.
    public var wallStart: Date? {
        guard hasDate, pieces.count == 1, abs(drift ?? 0) <= Self.mostDrift else { return nil }
        return Self.date(ofLocal: Double(pieces[0].offset) / 1000)
    }

    /// A clock that drifts by more than this, in seconds per hour, is rejected: either it is not a clock, or the
    /// recording is not played at its own speed.
    private static let mostDrift = 20.0

    /// The number of seconds per hour by which it is fast, or slow if negative; nil if too little of it was read to
    /// tell.
    public var drift: Double? {
        guard let longest = pieces.max(by: { $0.end - $0.start < $1.end - $1.start }) else { return nil }
        let hours = (longest.end - longest.start).seconds / 3600
        let off = Double(longest.lastOffset - longest.offset) / 1000
        // Each end is accurate to a second at most.
        return abs(off) >= 2 && hours > 0 ? off / hours : nil
    }

    /// The times at which it was set, or the recording paused, and by how many seconds.
    public var jumps: [(at: StreamTime, seconds: Double)] {
        zip(pieces, pieces.dropFirst()).map { ($1.start, Double($1.offset - $0.lastOffset) / 1000) }
    }

    /// Returns a local time as a date.
    static func date(ofLocal seconds: Double) -> Date? {
        let whole = seconds.rounded(.down)
        guard abs(whole) < 1e11 else { return nil }
        var time = time_t(whole)
        var parts = tm()
        guard gmtime_r(&time, &parts) != nil else { return nil }
        parts.tm_isdst = -1
        let local = mktime(&parts)
        return local == -1 ? nil : Date(timeIntervalSince1970: Double(local) + seconds - whole)
    }
}

/// Collects the texts read at one place that may be a clock, in order, and decides whether it is one. A value.
///
/// It is a clock if its times advance as those of the recording do. A text that stands still, a log that scrolls past
/// and a recording that is played at another speed are rejected.
struct ClockReadings {
    struct Reading {
        /// The time of the picture, in seconds.
        var time: Double
        /// The time that was read, in seconds.
        var value: Double
        /// The clock's time minus the recording's: up to a second less than the true offset.
        var offset: Double { value - time }
    }

    private struct Piece {
        var readings: [Reading]

        /// The offset according to the last few readings.
        var offset: Double {
            let last = readings.suffix(5).map(\.offset).sorted()
            return last[last.count / 2]
        }
    }

    /// The amount by which offsets of one clock may differ: it shows whole seconds, and is read a moment late.
    private static let tolerance = 1.6
    /// The least number of readings that make a clock, and the seconds that they must cover.
    private static let fewest = 4
    private static let shortest = 3.0
    /// The share of all readings that must agree with it.
    private static let share = 0.7

    private var pieces: [Piece] = []
    /// The readings since the last one that agreed with the piece.
    private var strays: [Reading] = []
    private var count = 0

    /// Takes the next reading; returns nothing, because its meaning is known only later.
    mutating func add(_ reading: Reading) {
        count += 1
        if let piece = pieces.last, abs(piece.offset - reading.offset) <= Self.tolerance {
            pieces[pieces.count - 1].readings.append(reading)
            strays = []
            return
        }
        strays.append(reading)
        let alike = strays.filter { abs($0.offset - reading.offset) <= Self.tolerance }
        guard alike.count >= Self.fewest, reading.time - alike[0].time >= Self.shortest,
            Set(alike.map(\.value)).count >= Self.fewest - 1
        else {
            if strays.count > 50 { strays.removeFirst() }
            return
        }
        pieces.append(Piece(readings: alike))
        strays = []
    }

    /// Returns whether a reading agrees with the clock at that time.
    func holds(_ reading: Reading) -> Bool {
        pieces.contains { piece in
            guard let first = piece.readings.first, let last = piece.readings.last else { return false }
            let offset = reading.time <= (first.time + last.time) / 2 ? Self.first(piece) : piece.offset
            return (first.time - 0.5...last.time + 0.5).contains(reading.time)
                && abs(offset - reading.offset) <= 2 * Self.tolerance
        }
    }

    private static func first(_ piece: Piece) -> Double {
        let some = piece.readings.prefix(5).map(\.offset).sorted()
        return some[some.count / 2]
    }

    /// The pieces, in milliseconds; nil if it is not a clock.
    var found: [ClockTrack.Piece]? {
        let own = pieces.reduce(0) { $0 + $1.readings.count }
        guard own > 0, Double(own) >= Self.share * Double(count) else { return nil }
        return pieces.map { piece in
            let readings = piece.readings
            return ClockTrack.Piece(
                start: StreamTime(seconds: readings[0].time),
                end: StreamTime(seconds: readings[readings.count - 1].time),
                offset: Self.offset(readings.prefix(30)), lastOffset: Self.offset(readings.suffix(30)))
        }
    }

    /// Returns the offset: each reading shows that it is at least as large as read, and less than a second larger.
    private static func offset(_ readings: ArraySlice<Reading>) -> Int64 {
        let sorted = readings.map(\.offset).sorted()
        // Ignore a misread second here and there.
        let (low, high) = (sorted[sorted.count * 9 / 10], sorted[sorted.count / 10] + 1)
        let span = (readings.last?.time ?? 0) - (readings.first?.time ?? 0)
        // If it is read whenever it changes, one of the readings is that of the frame in which it did.
        let isFollowed = Double(readings.count) >= 0.7 * span
        let best = high <= low ? low : isFollowed ? low : (low + high) / 2
        return Int64((best * 1000).rounded())
    }
}
