/// Lines of text over time as paragraphs to be read: each once, whole, in the order of time and of reading.
///
/// What stands in one place through most of a recording (logos, clocks, menus) is left out unless asked for, and so are lines without two
/// letters. Pure: the same lines give the same paragraphs.
public struct Transcript: Sendable {
    /// Lines that go on in one another.
    public struct Paragraph: Sendable, Hashable {
        /// When its first line appeared.
        public var start: StreamTime
        /// When its last line was gone; no sooner than players can show it.
        public var end: StreamTime
        public var text: String
        /// Its first line.
        public var first: Sighting
    }

    public let paragraphs: [Paragraph]
    /// The lines that were left out because they stand there through most of the recording: one of each place.
    public let leftOut: [Sighting]

    /// Lines that appear within this time of each other may belong together.
    private static let together = StreamTime(seconds: 1)
    /// The same text at one place, gone for no longer than this, was there all the time: a reading missed it.
    private static let gap = StreamTime(seconds: 1)
    /// Among so many lines before it a line's earlier state is looked for.
    private static let lookback = 400
    /// Players do not show shorter subtitles.
    private static let shortest = StreamTime(seconds: 0.3)
    /// In recordings of this length and more, what stands for most of the time belongs to the picture.
    private static let longRecording = StreamTime(seconds: 20)

    /// - Parameters:
    ///   - lines: of one recording or still, in any order; ``Sighting/line`` and where it was at its best.
    ///   - keepsStanding: what stands there through most of the recording is said too, once, from its first frame to its last.
    public init(_ lines: [Sighting], keepsStanding: Bool = false) {
        let (passing, standing) = Self.withoutStanding(lines.filter { Self.isTelling($0.line) }, keepsIt: keepsStanding)
        leftOut = standing
        paragraphs = Self.oneByOne(Self.groups(Self.withoutDoubles(passing)).flatMap(Self.paragraphs))
    }

    private static func isTelling(_ line: String) -> Bool {
        line.count { $0.isLetter || $0.isNumber } >= 2
    }

    /// Leaves out what stands through most of the recording, unless nothing else would be left; or puts it together.
    private static func withoutStanding(
        _ lines: [Sighting], keepsIt: Bool
    ) -> (passing: [Sighting], leftOut: [Sighting]) {
        guard let start = lines.map(\.start).min(), let end = lines.map(\.end).max(), end - start >= longRecording
        else {
            return (lines, [])
        }
        let half = (end - start).seconds / 2
        let groups = places(lines)
        let standing = groups.filter { group in group.reduce(0) { $0 + ($1.end - $1.start).seconds } > half }
        guard keepsIt || standing.count < groups.count else { return (lines, []) }
        let passing = groups.filter { group in group.reduce(0) { $0 + ($1.end - $1.start).seconds } <= half }
        guard keepsIt else { return (passing.flatMap(\.self), standing.compactMap(\.first)) }
        return (passing.flatMap(\.self) + standing.flatMap(asOne), [])
    }

    /// The lines that say the same in one place, as far as their digits may differ: those of a clock do.
    private static func places(_ lines: [Sighting]) -> [[Sighting]] {
        var places: [String: [[Sighting]]] = [:]
        var order: [String] = []
        for line in lines.sorted(by: isBefore) {
            let text = String(line.line.lowercased().compactMap { $0.isNumber ? "0" : $0.isLetter ? $0 : nil })
            if places[text] == nil { order.append(text) }
            let known = places[text]?.firstIndex { areAtOnePlace($0[0], line) }
            if let known {
                places[text]?[known].append(line)
            } else {
                places[text, default: []].append([line])
            }
        }
        return order.flatMap { places[$0] ?? [] }
    }

    /// What was covered from time to time is said once; the values of a clock are other texts.
    private static func asOne(_ group: [Sighting]) -> [Sighting] {
        guard var whole = group.max(by: { $0.score < $1.score }),
            group.allSatisfy({ folded($0.line) == folded(whole.line) })
        else { return group }
        whole.start = group.map(\.start).min() ?? whole.start
        whole.end = group.map(\.end).max() ?? whole.end
        return [whole]
    }

    /// Joins sightings of one text at one place, and the states of a line that grows: the longer one stays.
    private static func withoutDoubles(_ lines: [Sighting]) -> [Sighting] {
        var kept: [(line: Sighting, text: String)] = []
        for line in lines.sorted(by: isBefore) {
            let text = folded(line.line)
            let same = kept.indices.suffix(lookback).last { index in
                let other = kept[index]
                guard line.start <= other.line.end + gap, areAtOnePlace(other.line, line) else { return false }
                return text.hasPrefix(other.text) || other.text.hasPrefix(text)
            }
            guard let same else {
                kept.append((line, text))
                continue
            }
            let other = kept[same].line
            if text.count > kept[same].text.count { kept[same] = (line, text) }
            kept[same].line.start = min(other.start, line.start)
            kept[same].line.end = max(other.end, line.end)
        }
        return kept.map(\.line)
    }

    private static func folded(_ text: String) -> String {
        String(text.lowercased().filter { $0.isLetter || $0.isNumber })
    }

    /// The left ends of the lines lie in one row.
    private static func areAtOnePlace(_ a: Sighting, _ b: Sighting) -> Bool {
        let (a, b) = (a.peak.quad.bounds, b.peak.quad.bounds)
        let shared = min(a.maxY, b.maxY) - max(a.minY, b.minY)
        return shared > 0.5 * min(a.height, b.height) && min(a.maxX, b.maxX) > max(a.minX, b.minX)
    }

    private static func isBefore(_ a: Sighting, _ b: Sighting) -> Bool {
        let (p, q) = (a.peak.quad.center, b.peak.quad.center)
        return (a.start, p.y, p.x, a.line) < (b.start, q.y, q.x, b.line)
    }

    /// Lines that appear together, in the order of time.
    private static func groups(_ lines: [Sighting]) -> [[Sighting]] {
        var groups: [[Sighting]] = []
        for line in lines.sorted(by: isBefore) {
            if let first = groups.last?.first, line.start - first.start <= together, line.start < first.end {
                groups[groups.count - 1].append(line)
            } else {
                groups.append([line])
            }
        }
        return groups
    }

    /// The blocks of lines that appeared together, as people read them.
    private static func paragraphs(_ group: [Sighting]) -> [(Paragraph, places: [Rect])] {
        let lines = ReadingOrder.sorted(group) { $0.peak.quad }
        let next = continuations(lines.map { LineLocation($0.peak.quad) })
        let follows = Set(next.compactMap(\.self))
        return lines.indices.filter { !follows.contains($0) }.map { begin in
            var block: [Sighting] = []
            var place: Int? = begin
            while let index = place {
                block.append(lines[index])
                place = next[index]
            }
            return paragraph(block)
        }
    }

    /// For each line the one that it goes on in: the nearest beside it, else the nearest below it that none goes on in yet.
    private static func continuations(_ places: [LineLocation]) -> [Int?] {
        var next = [Int?](repeating: nil, count: places.count)
        var taken: Set<Int> = []
        for index in places.indices {
            // Only forward, in reading order: no circle can come about.
            let later = places.indices.filter { $0 > index && !taken.contains($0) }
            func nearest(_ distance: (LineLocation, LineLocation) -> Double?) -> Int? {
                later.compactMap { other in distance(places[index], places[other]).map { (other, $0) } }
                    .min { $0.1 < $1.1 }?.0
            }
            next[index] = nearest { $0.distance(toBeside: $1) } ?? nearest { $0.distance(toBelow: $1) }
            if let found = next[index] { taken.insert(found) }
        }
        return next
    }

    private static func paragraph(_ lines: [Sighting]) -> (Paragraph, places: [Rect]) {
        let paragraph = Paragraph(
            start: lines.map(\.start).min() ?? .zero, end: lines.map(\.end).max() ?? .zero,
            text: lines.map(\.line).reduce("") { joined($0, $1) }, first: lines[0])
        return (paragraph, lines.map(\.peak.quad.bounds))
    }

    /// Lets each paragraph last as long as players can show it; what comes in its place meanwhile begins later, and is left out where
    /// nothing of it would be left.
    private static func oneByOne(_ paragraphs: [(Paragraph, places: [Rect])]) -> [Paragraph] {
        var told: [(paragraph: Paragraph, end: StreamTime, places: [Rect])] = []
        for (paragraph, places) in paragraphs {
            var next = paragraph
            for known in told.suffix(lookback)
            where known.end <= paragraph.start && known.paragraph.end > next.start
                && known.places.contains(where: { place in places.contains { place.covers($0) } })
            {
                next.start = known.paragraph.end
            }
            guard next.start < paragraph.end || paragraph.start == paragraph.end else { continue }
            next.end = max(paragraph.end, next.start + shortest)
            told.append((next, paragraph.end, places))
        }
        return told.map(\.paragraph)
    }

    /// Joins two lines as they would stand in one: a hyphen that divides a word goes, and between Chinese or Japanese letters no space comes.
    private static func joined(_ text: String, _ line: String) -> String {
        guard let last = text.last, let first = line.first else { return text + line }
        if last == "-", first.isLowercase, text.dropLast().last?.isLetter == true { return text.dropLast() + line }
        return isWrittenWithoutSpaces(last) && isWrittenWithoutSpaces(first) ? text + line : text + " " + line
    }

    /// Letters of Chinese and Japanese, and their punctuation (Unicode's blocks).
    private static func isWrittenWithoutSpaces(_ character: Character) -> Bool {
        character.unicodeScalars.first.map {
            (0x3000...0x30FF).contains($0.value) || (0x3400...0x9FFF).contains($0.value)
        }
            ?? false
    }
}
