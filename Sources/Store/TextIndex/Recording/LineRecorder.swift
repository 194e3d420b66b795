public import TextSpotting

/// Turns the readings of a recording, in order, into what an index keeps: which lines stood there, since when and until when
/// each of their words was to be seen, and where.
///
/// Each word is followed as `find` follows the words of a match (``SightingTimeline``), so that whatever is searched for later
/// has the times that a search would have found. A value: a copy that is finished is what is known until now.
public struct LineRecorder: Sendable {
    /// A line that stands there as it was read last.
    struct OpenLine {
        /// In pixels of the part that is read.
        var line: TextLine
        var steps: Range<Int>
        /// The number of the word's appearance, word by word.
        var ids: [Int]
    }

    /// More words than this of one picture are not followed one by one, but line by line: a bound for hostile input.
    private static let mostWords = 1_500

    private var from: StreamTime
    private(set) var frames = FrameTimes()
    /// The number, in the recording, of the part's first frame.
    private var firstFrame: Int?
    private(set) var steps: [Int] = []
    private var geometry: LineReading.Geometry?
    private var timeline: SightingTimeline?
    private var numbers: [String: Int] = [:]
    private var open: [Int: OpenLine] = [:]
    /// Lines that changed or went, waiting for the ends of their words.
    private(set) var closed: [(line: OpenLine, geometry: LineReading.Geometry)] = []
    private(set) var appearances: [Int: Sighting] = [:]
    private var nextID = 1

    /// - Parameter from: where the part begins.
    public init(from: StreamTime) { self.from = from }

    /// The end of the last frame.
    public var end: StreamTime { frames.count > 0 ? max(from, frames.end) : from }
    /// How many lines it holds.
    public var lineCount: Int { closed.count + open.count }

    /// Adds the reading of the next frame that was read.
    public mutating func add(_ reading: LineReading) {
        if reading.geometry != geometry { restart(with: reading.geometry) }
        for frame in reading.frames { note(frame.time) }
        if reading.frames.isEmpty { note(reading.time) }
        let first = firstFrame ?? reading.time.index
        let step = steps.count
        steps.append(reading.time.index - first)
        let lines = reading.lines.filter { $0.isRead && LineCodec.canBeKept($0.line) }
        let ids = follow(lines.map(\.line), reading)
        var gone = Set(open.keys)
        for (number, entry) in lines.enumerated() {
            gone.remove(entry.track)
            keep(entry, ids: ids[number], step: step, geometry: reading.geometry)
        }
        for entry in reading.lines where !entry.isRead {
            gone.remove(entry.track)
            if let known = open[entry.track], known.steps.upperBound == step {
                open[entry.track]?.steps = known.steps.lowerBound..<step + 1
            }
        }
        for track in gone.sorted() { close(track, reading.geometry) }
    }

    /// The end of the part: nothing more is added.
    public mutating func finish() -> RecordedPart {
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
    private mutating func follow(_ lines: [TextLine], _ reading: LineReading) -> [[Int]] {
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
        let time = FrameTime(
            index: reading.time.index, start: reading.time.start, duration: reading.time.duration)
        let over =
            timeline?.add(
                FrameReading(
                    time: time, matches: matches, lines: lines, isComplete: reading.isComplete, frames: reading.frames))
            ?? []
        for appearance in over { appearances[appearance.id] = appearance }
        var ids = [Int](repeating: 0, count: matches.count)
        for (id, match) in timeline?.confirmed ?? [] { ids[match.characterRange.lowerBound] = id }
        var next = 0
        return lines.enumerated().map { number, line in
            guard number < Self.mostWords else { return [Int](repeating: 0, count: line.words.count) }
            let count = isCrowded ? 1 : line.words.count
            defer { next += count }
            return isCrowded ? [Int](repeating: ids[next], count: line.words.count) : Array(ids[next..<next + count])
        }
    }

    /// Words that are written alike are the same to be looked for, as one pattern's matches are.
    private mutating func number(of text: String) -> Int {
        if let known = numbers[text] { return known }
        numbers[text] = numbers.count
        return numbers.count - 1
    }

    private mutating func restart(with geometry: LineReading.Geometry?) {
        if let old = self.geometry { for track in open.keys.sorted() { close(track, old) } }
        for appearance in timeline?.finish() ?? [] { appearances[appearance.id] = appearance }
        nextID = timeline?.nextID ?? nextID
        self.geometry = geometry
        timeline = geometry.map { geometry in
            var settings = SightingTimeline.Settings()
            settings.keepsBoxes = true
            settings.thinsBoxes = true
            return SightingTimeline(settings: settings, scale: geometry.scale, firstID: nextID)
        }
    }

    private mutating func note(_ time: FrameTime) {
        if firstFrame == nil { firstFrame = time.index }
        frames.append(time)
    }

    // MARK: Lines

    /// The line goes on as it was, or says something else from here on.
    private mutating func keep(_ entry: LineReading.Line, ids: [Int], step: Int, geometry: LineReading.Geometry) {
        if var known = open[entry.track], known.ids == ids, known.steps.upperBound == step,
            known.takes(entry.line)
        {
            known.steps = known.steps.lowerBound..<step + 1
            open[entry.track] = known
            return
        }
        close(entry.track, geometry)
        open[entry.track] = OpenLine(line: entry.line, steps: step..<step + 1, ids: ids)
    }

    private mutating func close(_ track: Int, _ geometry: LineReading.Geometry) {
        if let line = open.removeValue(forKey: track) { closed.append((line, geometry)) }
    }

    func recorded(_ open: OpenLine, _ geometry: LineReading.Geometry) -> RecordedLine? {
        guard let frame = frames.time(of: steps[open.steps.lowerBound]) else { return nil }
        let words = open.ids.map { id in
            let own = appearances[id]
            return RecordedLine.Presence(id: id, start: own?.start ?? frame.start, end: own?.end ?? frame.end)
        }
        var line = open.line
        line.quad = geometry.displayed(line.quad)
        for index in line.words.indices { line.words[index].quad = geometry.displayed(line.words[index].quad) }
        return RecordedLine(line: line, steps: open.steps, words: words, path: path(of: open, geometry))
    }

    /// The way of the word that was there longest: those of a line move together.
    private func path(of open: OpenLine, _ geometry: LineReading.Geometry) -> LinePath {
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
    /// Letters from here on are sure, and readings that differ in how sure they are say nothing new.
    private static let sureFrom = 0.98

    /// Takes another reading of the line in; false if it says something that this one does not.
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
        // The best reading is what counts for the score.
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

/// The complete result of reading one frame, as ``LineRecorder`` takes it.
public struct LineReading: Sendable {
    /// How the pictures that were read lie in the picture that people see.
    public struct Geometry: Sendable, Hashable {
        /// Where the part that is read begins, in pixels of the frame as stored.
        public var origin: Point
        /// Width of a displayed pixel divided by its height.
        public var pixelAspect: Double
        /// Size of the thumbnails divided by that of the part.
        public var scale: Double
        /// Of the frame, in pixels.
        public var width: Int
        public var height: Int

        public init(origin: Point, pixelAspect: Double, scale: Double, width: Int, height: Int) {
            self.origin = origin
            self.pixelAspect = pixelAspect
            self.scale = scale
            self.width = width
            self.height = height
        }

        func displayed(_ quad: Quad) -> Quad { quad.moved(by: origin).scaled(x: pixelAspect, y: 1) }
    }

    /// A line in view, and the number of its track.
    public struct Line: Sendable {
        public var track: Int
        public var line: TextLine
        /// It was read; otherwise it is assumed to be there as before.
        public var isRead: Bool

        public init(track: Int, line: TextLine, isRead: Bool = true) {
            self.track = track
            self.line = line
            self.isRead = isRead
        }
    }

    /// Of the frame that was read, or of the last one where none was.
    public var time: FrameTime
    public var geometry: Geometry
    /// In pixels of the part that was read.
    public var lines: [Line]
    /// All of the picture was looked at.
    public var isComplete: Bool
    /// The frames since the reading before, up to and including this one.
    public var frames: [FrameHistory.Frame]

    public init(
        time: FrameTime, geometry: Geometry, lines: [Line], isComplete: Bool = true, frames: [FrameHistory.Frame]
    ) {
        self.time = time
        self.geometry = geometry
        self.lines = lines
        self.isComplete = isComplete
        self.frames = frames
    }
}

extension LineRecorder {
    /// Finds the closed lines that are texts of a clock, thousands an hour, and the data that replaces them.
    ///
    /// - Returns: the lines, by their places in ``closed``; what stands beside the clock all the time, as lines that are there as long
    ///   as it is; and the clock.
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

    /// Since when the line has its text, to the frame: its last change, that of the time, was then.
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
    /// Some of its words, there as long as any of these lines.
    fileprivate func keeping(_ numbers: [Int], throughout lines: [RecordedLine]) -> RecordedLine? {
        guard let first = numbers.first, let last = numbers.last,
            let start = lines.flatMap(\.words).map(\.start).min(), let end = lines.flatMap(\.words).map(\.end).max()
        else { return nil }
        var result = self
        result.line.words = numbers.map { line.words[$0] }
        let (a, b) = (line.words[first].quad, line.words[last].quad)
        result.line.quad = Quad(
            topLeft: a.topLeft, topRight: b.topRight, bottomRight: b.bottomRight, bottomLeft: a.bottomLeft)
        // It was that of the whole line, letter by letter.
        result.line.evidence = []
        result.words = numbers.map { Presence(id: words[$0].id, start: start, end: end) }
        let steps = lines.map(\.steps)
        result.steps = (steps.map(\.lowerBound).min() ?? 0)..<(steps.map(\.upperBound).max() ?? 1)
        result.path = LinePath()
        return result
    }
}
