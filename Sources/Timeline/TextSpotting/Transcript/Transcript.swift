/// Turns lines of text over time into paragraphs for reading: each once, whole, ordered by time and reading order.
///
/// Text that stays at an edge of the picture throughout a recording (logos, clocks, menus) is left out unless
/// requested, and so are lines without two letters. Pure: the same lines give the same paragraphs.
public struct Transcript: Sendable {
    /// Lines that continue in one another.
    public struct Paragraph: Sendable, Hashable {
        /// The time at which its first line appeared.
        public var start: StreamTime
        /// The time at which its last line was gone, but long enough after ``start`` for players to show it.
        public var end: StreamTime
        public var text: String
        /// The text with the line breaks of the picture.
        public var rows: String
        /// The first line.
        public var first: Sighting
    }

    /// The choice of lines to include.
    public enum Content: Sendable {
        /// All lines except those at an edge of the picture throughout.
        case passing
        /// All lines; those at an edge throughout appear once, from their first frame to their last.
        case all
        /// Burned-in captions (``Captions``).
        case captions
    }

    public let paragraphs: [Paragraph]
    /// The lines left out because they are visible for most of the recording; one for each place.
    public let leftOut: [Sighting]

    /// Lines that appear within this time of each other may belong together.
    private static let together = StreamTime(seconds: 1)
    /// Text that disappears from one place for less than this was there all the time: a reading missed it.
    private static let gap = SightingTimeline.Settings().hold
    /// The number of preceding lines among which an earlier state of a line is searched.
    private static let lookback = 400
    /// The shortest subtitle that players show.
    private static let shortest = StreamTime(seconds: 0.3)
    /// In recordings of at least this length, text that stays at an edge belongs to the picture.
    private static let longRecording = StreamTime(seconds: 20)
    /// The distance from the beginning and end, as a share of the whole time, within which text counts as there
    /// throughout.
    private static let nearEnd = 0.05

    /// - Parameters:
    ///   - lines: the lines of one recording or still, in any order; ``Sighting/line`` and the place of the best
    ///     reading are used.
    public init(_ lines: [Sighting], of content: Content = .passing) {
        let (passing, standing) =
            content == .captions
            ? (Captions.lines(among: lines), [])
            : Self.withoutStanding(lines.filter { Self.isTelling($0.line) }, keepsIt: content == .all)
        leftOut = standing
        paragraphs = Self.oneByOne(Self.groups(Self.withoutDoubles(passing)).flatMap(Self.paragraphs))
    }

    private static func isTelling(_ line: String) -> Bool {
        line.count { $0.isLetter || $0.isNumber } >= 2
    }

    /// Leaves out text that stays at an edge throughout the recording, unless nothing else would be left; or joins it.
    private static func withoutStanding(
        _ lines: [Sighting], keepsIt: Bool
    ) -> (passing: [Sighting], leftOut: [Sighting]) {
        guard let start = lines.map(\.start).min(), let end = lines.map(\.end).max(), end - start >= longRecording
        else {
            return (lines, [])
        }
        let groups = places(lines)
        let lasting = groups.map { stands($0, from: start, to: end) }
        let passing = zip(groups, lasting).filter { !$1 }.map { LineLocation($0.0[0].peak.quad) }
        let standing = zip(groups, lasting).map { group, stands in
            // The first line of a text that grows line by line is there all the time, too.
            let place = LineLocation(group[0].peak.quad)
            return stands
                && !passing.contains { place.distance(toBelow: $0) != nil || $0.distance(toBelow: place) != nil }
        }
        guard keepsIt || standing.contains(false) else { return (lines, []) }
        let rest = zip(groups, standing).filter { !$1 }.flatMap(\.0)
        let kept = zip(groups, standing).filter(\.1).map(\.0)
        return keepsIt ? (rest + kept.flatMap(asOne), []) : (rest, kept.compactMap(\.first))
    }

    /// Returns whether a line was there from beginning to end, most of the time, small and at an edge.
    private static func stands(_ group: [Sighting], from start: StreamTime, to end: StreamTime) -> Bool {
        let all = (end - start).seconds
        let shown = group.reduce(0) { $0 + ($1.end - $1.start).seconds }
        guard let first = group.map(\.start).min(), let last = group.map(\.end).max(), shown > all / 2,
            (first - start).seconds <= nearEnd * all, (end - last).seconds <= nearEnd * all
        else { return false }
        return group.allSatisfy(\.isAtEdge)
    }

    /// Groups the lines with the same text at one place, ignoring digits, which differ in clocks.
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

    /// Joins text that was covered from time to time, so that it is printed once; the values of a clock remain separate
    /// texts.
    private static func asOne(_ group: [Sighting]) -> [Sighting] {
        guard var whole = group.max(by: { $0.score < $1.score }),
            group.allSatisfy({ folded($0.line) == folded(whole.line) })
        else { return group }
        whole.start = group.map(\.start).min() ?? whole.start
        whole.end = group.map(\.end).max() ?? whole.end
        return [whole]
    }

    /// Joins sightings of one text at one place. A text that extends the one before it is another text: typed text has
    /// been joined already.
    private static func withoutDoubles(_ lines: [Sighting]) -> [Sighting] {
        var kept: [(line: Sighting, text: String)] = []
        for line in lines.sorted(by: isBefore) {
            let text = folded(line.line)
            let same = kept.indices.suffix(lookback).last { index in
                let other = kept[index]
                return line.start < other.line.end + gap && areAtOnePlace(other.line, line) && text == other.text
            }
            guard let same else {
                kept.append((line, text))
                continue
            }
            let other = kept[same].line
            kept[same].line.start = min(other.start, line.start)
            kept[same].line.end = max(other.end, line.end)
        }
        return kept.map(\.line)
    }

    private static func folded(_ text: String) -> String {
        String(text.lowercased().filter { $0.isLetter || $0.isNumber })
    }

    /// Returns whether the left ends of the lines are in one row.
    private static func areAtOnePlace(_ a: Sighting, _ b: Sighting) -> Bool {
        let (a, b) = (a.peak.quad.bounds, b.peak.quad.bounds)
        let shared = min(a.maxY, b.maxY) - max(a.minY, b.minY)
        return shared > 0.5 * min(a.height, b.height) && min(a.maxX, b.maxX) > max(a.minX, b.minX)
    }

    private static func isBefore(_ a: Sighting, _ b: Sighting) -> Bool {
        let (p, q) = (a.peak.quad.center, b.peak.quad.center)
        return (a.start, p.y, p.x, a.line) < (b.start, q.y, q.x, b.line)
    }

    /// Returns lines that appear together, in the order of time.
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

    /// Returns the blocks of lines that appeared together, in reading order, as they stood when the last one appeared:
    /// lines that roll up are read best at any height.
    private static func paragraphs(_ group: [Sighting]) -> [(Paragraph, places: [Rect])] {
        let time = group.map(\.start).max() ?? .zero
        let lines = ReadingOrder.sorted(group) { $0.place(at: time) }
        let next = continuations(lines.map { LineLocation($0.place(at: time)) })
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

    /// Returns for each line the one that it continues in: the nearest beside it, otherwise the nearest below it that
    /// continues no other line yet.
    private static func continuations(_ places: [LineLocation]) -> [Int?] {
        var next = [Int?](repeating: nil, count: places.count)
        var taken: Set<Int> = []
        for index in places.indices {
            // Only continue forward in reading order, so that no cycle can arise.
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
            text: lines.map(\.line).reduce("") { joined($0, $1) }, rows: rows(lines), first: lines[0])
        return (paragraph, lines.map(\.peak.quad.bounds))
    }

    /// Returns the lines as they are arranged: pieces of one row next to each other, rows below each other.
    private static func rows(_ lines: [Sighting]) -> String {
        zip(lines, lines.dropFirst()).reduce(lines[0].line) { text, pair in
            let (above, below) = (pair.0.peak.quad.bounds, pair.1.peak.quad.bounds)
            let shared = min(above.maxY, below.maxY) - max(above.minY, below.minY)
            return text + (shared > 0.5 * min(above.height, below.height) ? " " : "\n") + pair.1.line
        }
    }

    /// Extends each paragraph to the time that players need to show it; a paragraph that replaces it meanwhile begins
    /// later, and is left out if nothing of it would be left.
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
        return told.map(\.paragraph).enumerated().sorted { ($0.1.start, $0.0) < ($1.1.start, $1.0) }.map(\.1)
    }

    /// Joins two lines as if they were one: a hyphen that divides a word is removed, and no space is inserted between
    /// Chinese or Japanese letters.
    private static func joined(_ text: String, _ line: String) -> String {
        guard let last = text.last, let first = line.first else { return text + line }
        if last == "-", first.isLowercase, text.dropLast().last?.isLetter == true { return text.dropLast() + line }
        return isWrittenWithoutSpaces(last) && isWrittenWithoutSpaces(first) ? text + line : text + " " + line
    }

    /// Returns whether a character is a Chinese or Japanese letter or punctuation (by Unicode block).
    private static func isWrittenWithoutSpaces(_ character: Character) -> Bool {
        character.unicodeScalars.first.map {
            (0x3000...0x30FF).contains($0.value) || (0x3400...0x9FFF).contains($0.value)
        }
            ?? false
    }
}

extension Sighting {
    /// Returns the place at a time, on straight paths from the start through the best reading to the end. Typed text
    /// does not move.
    public func place(at time: StreamTime) -> Quad {
        let best = peak.quad
        guard let course else { return best }
        let isMoving = [course.first, course.last].contains {
            ($0.topLeft - best.topLeft).length > 0.5 * best.height
        }
        guard isMoving else { return best }
        let (from, to, begin, end) =
            time < peak.time.start
            ? (course.first, best, start, peak.time.start) : (best, course.last, peak.time.start, self.end)
        let share = end > begin ? min(1, max(0, (time - begin).seconds / (end - begin).seconds)) : 0
        let (a, b) = (from.bounds, to.bounds)
        return best.moved(
            by: Point(
                a.minX + (b.minX - a.minX) * share - best.bounds.minX,
                a.minY + (b.minY - a.minY) * share - best.bounds.minY))
    }

    /// Whether the line is small, and in a corner or along the upper or lower edge of the picture, if the size of the
    /// picture is known.
    fileprivate var isAtEdge: Bool {
        guard let picture, picture.x > 0, picture.y > 0 else { return true }
        let box = peak.quad.bounds
        let (left, right) = (box.minX / picture.x, 1 - box.maxX / picture.x)
        let (top, bottom) = (box.minY / picture.y, 1 - box.maxY / picture.y)
        let height = box.height / picture.y
        let toSide = min(left, right) + box.width / picture.x
        let toEdge = min(top, bottom) + height
        return height <= 0.1 && (toEdge <= 0.1 || toEdge <= 0.2 && toSide <= 0.4)
    }
}
