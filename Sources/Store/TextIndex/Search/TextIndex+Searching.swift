public import Errors
import GRDB
public import TextMatching
public import TextSpotting

extension TextIndex {
    /// The result of searching the index.
    public struct Answer: Sendable {
        /// The sightings by recording; recordings without any have no entry.
        public var sightings: [SourceID: [Sighting]] = [:]
        /// Segments that could not be read.
        public var problems: [FramegrepError] = []
        /// Recordings that have parts in these segments.
        public var incomplete: Set<SourceID> = []
        /// In a search by meaning: recordings some of whose texts have no vectors
        /// (``TextIndex/makeVectors(with:isCancelled:progress:)``).
        public var withoutVectors: Set<SourceID> = []

        /// Creates the answer of a search that has found nothing yet.
        public init() {}

        /// Returns the recordings that it may not wholly cover, in the same order, and the reasons. Blocks like
        /// ``IndexedSource/lacks(of:)``.
        public func lacks(
            of sources: [IndexedSource]
        ) -> [(source: IndexedSource, reason: IndexedSource.Lack)] {
            let lacks = IndexedSource.lacks(of: sources)
            return sources.compactMap { source in
                let own = withoutVectors.contains(source.id) ? IndexedSource.Lack.withoutVectors : nil
                return (incomplete.contains(source.id) ? .damaged : lacks[source.id] ?? own).map { (source, $0) }
            }
        }
    }

    /// Finds patterns in everything that was read.
    ///
    /// Searches by meaning find only the nearest texts, a thousand at most (docs/INDEX.md).
    ///
    /// - Parameters:
    ///   - sources: the recordings to search; nil for all.
    ///   - extent: how many sightings are requested; as far as possible, the rest costs nothing.
    ///   - keepsBoxes: whether to return the place in every frame.
    ///   - listener: receives results during the search; the search as a whole is no faster with it.
    ///   - isCancelled: called often; if it returns true, the search ends early with its results so far.
    /// - Throws: ``FramegrepError`` (`indexDamaged`) if the catalog cannot be read. The answer lists segments that
    ///   cannot be read.
    public func search(
        for matcher: Matcher, in sources: Set<SourceID>? = nil, minimumScore: Double, extent: SearchExtent = .all,
        keepsBoxes: Bool = false, listener: SearchListener? = nil,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> Answer {
        try search(
            SegmentQuery(matcher, minimumScore: minimumScore, isCancelled: isCancelled), in: sources, extent: extent,
            keepsBoxes: keepsBoxes, listener: listener)
    }

    func search(
        _ query: SegmentQuery, in sources: Set<SourceID>? = nil, extent: SearchExtent = .all, keepsBoxes: Bool = false,
        listener: SearchListener? = nil
    ) throws -> Answer {
        let known = try catalog.sourcesOfParts()
        var run = SearchRun(
            index: self, wanted: sources.map { known.intersection($0) } ?? known, query: query, extent: extent,
            keepsBoxes: keepsBoxes, listener: listener)
        return try run.run()
    }
}

extension TextIndex {
    /// The text in one frame of a recording.
    public struct Moment: Sendable, Hashable {
        public var frame: FrameTime
        /// The lines at their places in that frame, in pixels of the picture as displayed; from top to bottom.
        public var lines: [TextLine]
    }

    /// Returns the text in a recording's picture at a time; nil if nothing was read then.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`).
    public func moment(of source: SourceID, at time: StreamTime) throws -> Moment? {
        try withPresentSegments { () -> Moment? in
            for entry in try catalog.parts(of: source) where entry.from <= time && time < entry.to {
                guard let (file, number, part) = try open(entry) else { continue }
                return try moment(in: part, number, of: file, at: time)
            }
            return nil
        }
    }

    /// Returns the segment and number of a part of a recording; nil if its segment does not have it.
    private func open(_ entry: Catalog.Part) throws -> (file: SegmentFile, number: Int, part: SegmentFile.Part)? {
        let file = try segment(entry.segment)
        let numbers = try file.sourcesOfParts().filter { $0.value == entry.source }.map(\.key)
        let found = try file.parts(Set(numbers)).first { $0.value.from == entry.from && $0.value.to == entry.to }
        return found.map { (file, $0.key, $0.value) }
    }

    private func moment(
        in part: SegmentFile.Part, _ number: Int, of file: SegmentFile, at time: StreamTime
    ) throws -> Moment? {
        let index = max(0, part.frames.frames(in: part.from..<max(part.from, time + Self.rounding)).upperBound - 1)
        guard let frame = part.frames.time(of: index) else { return nil }
        let step = max(0, (part.steps.firstIndex { $0 > index } ?? part.steps.count) - 1)
        var lines: [TextLine] = []
        // Lines of the next reading may already have been there, as the times of their words show.
        for next in [step, step + 1] where part.steps.indices.contains(next) {
            for candidate in try file.lines(ofPart: number, at: next) {
                let recorded = try LineCodec.decode(candidate.data, text: candidate.text)
                let isThere = recorded.words.contains { $0.start <= frame.start && frame.start < $0.end }
                let line = recorded.placed(in: index).line
                guard isThere, !lines.contains(where: { $0.quad.isSamePlace(as: line.quad) }) else { continue }
                lines.append(line)
            }
        }
        return Moment(frame: frame, lines: lines.sorted { Self.place($0) < Self.place($1) })
    }

    /// Times are printed in milliseconds.
    private static let rounding = StreamTime(nanoseconds: 500_000)

    private static func place(_ line: TextLine) -> (Double, Double) { (line.quad.center.y, line.quad.center.x) }
}

extension TextIndex {
    /// A line of text that was in a recording for a while.
    public struct Text: Sendable, Hashable {
        /// The text at its longest: a line that is typed, or enters the picture, has several states.
        public var text: String
        public var start: StreamTime
        /// The end, exclusive.
        public var end: StreamTime
        /// The confidence of its reading, 0 to 1.
        public var confidence: Double
        /// The place of the first reading with this text, in pixels of the picture as displayed.
        public var quad: Quad
    }

    /// Returns all text that was read in a recording: each line once for as long as it was there, in the order of
    /// appearance; lines that appeared together from top to bottom.
    ///
    /// - Parameter isCancelled: called now and then; if it returns true, the results so far are returned.
    /// - Throws: ``FramegrepError`` (`indexDamaged`).
    public func texts(of source: SourceID, isCancelled: () -> Bool = { false }) throws -> [Text] {
        try withPresentSegments { () -> [Text] in
            var found: [Text] = []
            for entry in try catalog.parts(of: source).sorted(by: { $0.from < $1.from }) {
                guard !isCancelled() else { break }
                guard let (file, number, part) = try open(entry) else { continue }
                join(try texts(ofPart: number, part, of: file), to: &found, at: entry.from)
            }
            return found.sorted { ($0.start, $0.quad.center.y, $0.text) < ($1.start, $1.quad.center.y, $1.text) }
        }
    }

    /// Returns the lines of one part; readings of one line share words.
    private func texts(ofPart number: Int, _ part: SegmentFile.Part, of file: SegmentFile) throws -> [Text] {
        var lines: [Text] = []
        var lineOfWord: [Int: Int] = [:]
        for candidate in try file.lines(ofPart: number, at: nil) {
            let recorded = try LineCodec.decode(candidate.data, text: candidate.text)
            guard let start = recorded.words.map(\.start).min(), let end = recorded.words.map(\.end).max(), start < end
            else { continue }
            let new = Text(
                text: candidate.text, start: start, end: end, confidence: recorded.line.confidence,
                quad: recorded.line.quad)
            let known = recorded.words.lazy.compactMap { lineOfWord[$0.id] }.first
            let index = known ?? lines.count
            if known == nil { lines.append(new) } else { lines[index].take(new) }
            for word in recorded.words { lineOfWord[word.id] = index }
        }
        return lines
    }

    /// Adds the lines of the next part; lines at its beginning may continue from the previous part.
    private func join(_ lines: [Text], to found: inout [Text], at border: StreamTime) {
        var ending = found.indices.filter { found[$0].end + Self.gap >= border }
        for line in lines {
            let before =
                line.start <= border + Self.gap
                ? ending.firstIndex { found[$0].text == line.text && found[$0].quad.isSamePlace(as: line.quad) } : nil
            if let before {
                found[ending.remove(at: before)].take(line)
            } else {
                found.append(line)
            }
        }
    }

    /// The largest time between the last frame of a part and the first of the next.
    private static let gap = StreamTime(nanoseconds: 200_000_000)
}

extension TextIndex.Text {
    /// Merges another reading of the same line.
    fileprivate mutating func take(_ other: Self) {
        (start, end) = (min(start, other.start), max(end, other.end))
        if (other.text.count, other.confidence) > (text.count, confidence) {
            (text, confidence, quad) = (other.text, other.confidence, other.quad)
        }
    }
}

extension TextIndex {
    /// Returns different lines that were read, those of the newest segments first, as the vocabulary for voice search.
    ///
    /// - Returns: at most `count` lines; lines that cannot be read now are left out.
    public func someLines(atMost count: Int = 20_000) -> [String] {
        guard let parts = try? catalog.parts() else { return [] }
        var names: [String] = []
        for part in parts.reversed() where !names.contains(part.segment) { names.append(part.segment) }
        var lines: [String] = []
        var seen = Set<String>()
        for name in names where lines.count < count {
            let texts = try? segment(name).read { database in
                try String.fetchAll(database, sql: "SELECT text FROM line LIMIT ?", arguments: [count - lines.count])
            }
            for text in texts ?? [] where seen.insert(text).inserted { lines.append(text) }
        }
        return lines
    }
}
