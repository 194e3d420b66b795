/// Lines of text over time as paragraphs to be read: each once, whole, in the order of time and of reading.
///
/// What stands in one place through most of a recording (logos, clocks, menus) is left out, and so are lines without two letters. Pure:
/// the same lines give the same paragraphs.
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

    /// - Parameter lines: of one recording or still, in any order; ``Sighting/line`` and where it was at its best.
    public init(_ lines: [Sighting]) {
        let telling = Self.withoutDoubles(Self.withoutStanding(lines.filter { Self.isTelling($0.line) }))
        paragraphs = Self.groups(telling).flatMap(Self.paragraphs)
    }

    private static func isTelling(_ line: String) -> Bool {
        line.count { $0.isLetter || $0.isNumber } >= 2
    }

    /// Leaves out what stands through most of the recording, unless nothing else would be left.
    private static func withoutStanding(_ lines: [Sighting]) -> [Sighting] {
        guard let start = lines.map(\.start).min(), let end = lines.map(\.end).max(), end - start >= longRecording
        else {
            return lines
        }
        let half = (end - start).seconds / 2
        let passing = lines.filter { ($0.end - $0.start).seconds <= half }
        return passing.isEmpty ? lines : passing
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
    private static func paragraphs(_ group: [Sighting]) -> [Paragraph] {
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

    private static func paragraph(_ lines: [Sighting]) -> Paragraph {
        let start = lines.map(\.start).min() ?? .zero
        let end = lines.map(\.end).max() ?? .zero
        return Paragraph(
            start: start, end: max(end, start + shortest),
            text: lines.map(\.line).reduce("") { joined($0, $1) }, first: lines[0])
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
