public import TextSpotting

/// Turns the readings of a recording, in order, into the contents of an index: the lines, and the times and the place
/// at which each of their words was visible.
///
/// Each word is followed as `find` follows the words of a match (``SightingTimeline``), so that anything searched for
/// later has the times that a search of the recording would have found. A value: a copy's part contains what is known
/// so far.
public struct LineRecorder: Sendable {
    /// A line in view, as it was last read.
    struct OpenLine {
        /// The line, in pixels of the part that is read.
        var line: TextLine
        var steps: Range<Int>
        /// The number of each word's appearance.
        var ids: [Int]
    }

    /// If a picture has more words than this, they are followed line by line rather than one by one: a limit for
    /// hostile input.
    private static let mostWords = 1_500
    /// The limits on the length and the number of lines of a part, so that repeated writing stays cheap.
    private static let longest = StreamTime(seconds: 600)
    private static let mostLines = 50_000

    /// The beginning of the part.
    public let from: StreamTime
    private(set) var frames = FrameTimes()
    /// The number of the part's first frame in the recording.
    private var firstFrame: Int?
    private(set) var steps: [Int] = []
    private var geometry: FrameResult.Geometry?
    private var timeline: SightingTimeline
    private var numbers: [String: Int] = [:]
    private var open: [Int: OpenLine] = [:]
    /// Lines that changed or disappeared, waiting for the ends of their words.
    private(set) var closed: [(line: OpenLine, geometry: FrameResult.Geometry)] = []
    private(set) var appearances: [Int: Sighting] = [:]

    /// - Parameter from: the beginning of the part.
    public init(from: StreamTime) {
        self.from = from
        var settings = SightingTimeline.Settings()
        settings.keepsBoxes = true
        settings.thinsBoxes = true
        timeline = SightingTimeline(settings: settings)
    }

    /// The end of the last frame.
    public var end: StreamTime { frames.count > 0 ? max(from, frames.end) : from }
    /// The number of lines in the part.
    public var lineCount: Int { closed.count + open.count }
    /// Whether the part is long enough, so that ``takePart()`` is due.
    public var isFull: Bool { end - from >= Self.longest || lineCount >= Self.mostLines }

    /// Adds the reading of the next frame that was read.
    public mutating func add(_ reading: FrameResult) {
        if reading.geometry != geometry { restart(with: reading.geometry) }
        for frame in reading.frames { note(frame.time) }
        if reading.frames.isEmpty { note(reading.time) }
        let first = firstFrame ?? reading.time.index
        let step = steps.count
        steps.append(reading.time.index - first)
        func isRead(_ track: TextTrack) -> Bool { reading.isComplete || track.read == reading.time }
        let lines = reading.tracks.filter { isRead($0) && LineCodec.canBeKept($0.line) }
        let ids = follow(lines.map(\.line), reading)
        var gone = Set(open.keys)
        for (number, track) in lines.enumerated() {
            gone.remove(track.id)
            keep(track, ids: ids[number], step: step, geometry: reading.geometry)
        }
        // Lines that were not read are assumed to be there as before.
        for track in reading.tracks where !isRead(track) {
            gone.remove(track.id)
            if let known = open[track.id], known.steps.upperBound == step {
                open[track.id]?.steps = known.steps.lowerBound..<step + 1
            }
        }
        for track in gone.sorted() { close(track, reading.geometry) }
    }

    /// Returns the part so far; anything added later belongs to the next part, which begins where this one ends.
    public mutating func takePart() -> RecordedPart {
        defer { self = LineRecorder(from: end) }
        restart(with: nil)
        let clock = self.clock()
        var lines = clock.labels
        for (number, entry) in closed.enumerated() where !clock.lines.contains(number) {
            if let line = recorded(entry.line, entry.geometry) { lines.append(line) }
        }
        return RecordedPart(from: from, to: end, frames: frames, steps: steps, lines: lines, clock: clock.track)
    }

    // MARK: Words

    /// Follows the words of all lines; returns the number of each word's appearance, line by line.
    private mutating func follow(_ lines: [TextLine], _ reading: FrameResult) -> [[Int]] {
        let isCrowded = lines.reduce(0) { $0 + $1.words.count } > Self.mostWords
        var matches: [Match] = []
        for line in lines.prefix(Self.mostWords) {
            let parts = isCrowded ? [(line.text, line.quad)] : line.words.map { ($0.text, $0.quad) }
            for (text, quad) in parts {
                let count = matches.count
                matches.append(
                    Match(
                        patternIndex: number(of: text), pattern: text, text: text, line: "", quad: quad,
                        score: line.confidence, characterRange: count..<count + 1))
            }
        }
        let over = timeline.add(
            FrameReading(
                time: reading.time, matches: matches, lines: lines, isComplete: reading.isComplete,
                frames: reading.frames))
        for appearance in over { appearances[appearance.id] = appearance }
        var ids = [Int](repeating: 0, count: matches.count)
        for (id, match) in timeline.confirmed { ids[match.characterRange.lowerBound] = id }
        var next = 0
        return lines.enumerated().map { number, line in
            guard number < Self.mostWords else { return [Int](repeating: 0, count: line.words.count) }
            let count = isCrowded ? 1 : line.words.count
            defer { next += count }
            return isCrowded ? [Int](repeating: ids[next], count: line.words.count) : Array(ids[next..<next + count])
        }
    }

    /// Returns the number of a text: words that are spelled alike are followed as one, like the matches of one pattern.
    private mutating func number(of text: String) -> Int {
        if let known = numbers[text] { return known }
        numbers[text] = numbers.count
        return numbers.count - 1
    }

    private mutating func restart(with geometry: FrameResult.Geometry?) {
        if let old = self.geometry { for track in open.keys.sorted() { close(track, old) } }
        for appearance in timeline.restart(scale: geometry?.scale ?? 1) { appearances[appearance.id] = appearance }
        self.geometry = geometry
    }

    private mutating func note(_ time: FrameTime) {
        if firstFrame == nil { firstFrame = time.index }
        frames.append(time)
    }

    // MARK: Lines

    /// Records that the line continues unchanged, or has another text from here on.
    private mutating func keep(_ track: TextTrack, ids: [Int], step: Int, geometry: FrameResult.Geometry) {
        if var known = open[track.id], known.ids == ids, known.steps.upperBound == step,
            known.takes(track.line)
        {
            known.steps = known.steps.lowerBound..<step + 1
            open[track.id] = known
            return
        }
        close(track.id, geometry)
        open[track.id] = OpenLine(line: track.line, steps: step..<step + 1, ids: ids)
    }

    private mutating func close(_ track: Int, _ geometry: FrameResult.Geometry) {
        if let line = open.removeValue(forKey: track) { closed.append((line, geometry)) }
    }

    func recorded(_ open: OpenLine, _ geometry: FrameResult.Geometry) -> RecordedLine? {
        guard let frame = frames.time(of: steps[open.steps.lowerBound]) else { return nil }
        let words = open.ids.map { id in
            let own = appearances[id]
            return RecordedLine.Presence(id: id, start: own?.start ?? frame.start, end: own?.end ?? frame.end)
        }
        let line = open.line.mapped(geometry.displayed)
        return RecordedLine(line: line, steps: open.steps, words: words, path: path(of: open, geometry))
    }

    /// Returns the path of the word that was there longest, because the words of a line move together.
    private func path(of open: OpenLine, _ geometry: FrameResult.Geometry) -> LinePath {
        let lengths = open.ids.map { id in
            appearances[id].map { $0.end.nanoseconds - $0.start.nanoseconds } ?? 0
        }
        guard let leading = lengths.indices.max(by: { (lengths[$0], $1) < (lengths[$1], $0) }),
            let boxes = appearances[open.ids[leading]]?.boxes, let first = firstFrame
        else { return LinePath() }
        let frame = steps[open.steps.lowerBound]
        let base = LinePath.Knot(
            frame: frame, bounds: geometry.displayed(open.line.words[leading].quad).bounds)
        let knots = boxes.map {
            LinePath.Knot(frame: $0.time.index - first, bounds: geometry.displayed($0.quad).bounds)
        }
        return LinePath(base: base, following: knots)
    }
}

extension LineRecorder.OpenLine {
    /// The confidence from which letters are certain: readings that differ only in more confidence tell nothing new.
    private static let sureFrom = 0.98

    /// Merges another reading of the line; returns false if its text is another one.
    fileprivate mutating func takes(_ other: TextLine) -> Bool {
        guard line.words.count == other.words.count, line.source == other.source else { return false }
        var isSame = line.evidence == other.evidence
        var isSure = true
        for (mine, theirs) in zip(line.words, other.words) {
            guard mine.characters.count == theirs.characters.count else { return false }
            for (a, b) in zip(mine.characters, theirs.characters) {
                guard a.character == b.character else { return false }
                isSame = isSame && a.confidence == b.confidence
                isSure = isSure && a.confidence >= Self.sureFrom && b.confidence >= Self.sureFrom
            }
        }
        guard isSame || isSure else { return false }
        guard !isSame else { return true }
        // Keep the best reading, which determines the score.
        for word in line.words.indices {
            for index in line.words[word].characters.indices {
                let theirs = other.words[word].characters[index].confidence
                if theirs > line.words[word].characters[index].confidence {
                    line.words[word].characters[index].confidence = theirs
                }
            }
        }
        return true
    }
}

extension LineRecorder {
    /// Finds the closed lines that are texts of a clock, thousands per hour, and the data that replaces them.
    ///
    /// - Returns: the indices of the lines in ``closed``; the text that is beside the clock all the time, as lines that
    ///   last as long as the clock; and the clock.
    func clock() -> (lines: Set<Int>, labels: [RecordedLine], track: ClockTrack?) {
        let shown = closed.map { entry in
            let first = entry.line.steps.lowerBound
            let last = max(first, entry.line.steps.upperBound - 1)
            return ClockFinder.Shown(
                words: entry.line.line.words.map(\.text), quad: entry.geometry.displayed(entry.line.line.quad),
                confidence: entry.line.line.confidence, first: beginning(of: entry.line) ?? seconds(ofStep: first),
                last: seconds(ofStep: last))
        }
        guard let found = ClockFinder.find(in: shown) else { return ([], [], nil) }
        let own = found.lines.sorted().compactMap { recorded(closed[$0].line, closed[$0].geometry) }
        let labels = found.labels.compactMap { label -> RecordedLine? in
            let entry = closed[label.line]
            return recorded(entry.line, entry.geometry)?.keeping(label.words, throughout: own)
        }
        return (found.lines, labels, found.track)
    }

    /// Returns the frame since which the line has its text: the last change of the time.
    private func beginning(of line: OpenLine) -> Double? {
        let starts = line.ids.compactMap { appearances[$0]?.start.seconds }
        guard let last = starts.max(), last <= seconds(ofStep: line.steps.lowerBound) else { return nil }
        return last
    }

    private func seconds(ofStep step: Int) -> Double {
        steps.indices.contains(step) ? frames.time(of: steps[step])?.start.seconds ?? 0 : 0
    }
}

extension RecordedLine {
    /// Returns some of its words, for as long as any of these lines is there.
    fileprivate func keeping(_ numbers: [Int], throughout lines: [RecordedLine]) -> RecordedLine? {
        guard let first = numbers.first, let last = numbers.last,
            let start = lines.flatMap(\.words).map(\.start).min(), let end = lines.flatMap(\.words).map(\.end).max()
        else { return nil }
        var result = self
        result.line.words = numbers.map { line.words[$0] }
        let (a, b) = (line.words[first].quad, line.words[last].quad)
        result.line.quad = Quad(
            topLeft: a.topLeft, topRight: b.topRight, bottomRight: b.bottomRight, bottomLeft: a.bottomLeft)
        // The evidence was that of the whole line, letter by letter.
        result.line.evidence = []
        result.words = numbers.map { Presence(id: words[$0].id, start: start, end: end) }
        let steps = lines.map(\.steps)
        result.steps = (steps.map(\.lowerBound).min() ?? 0)..<(steps.map(\.upperBound).max() ?? 1)
        result.path = LinePath()
        return result
    }
}
