public import TextSpotting

extension TextIndex {
    /// A line of text that stood in a recording for a while.
    public struct Text: Sendable, Hashable {
        /// As it stood at its longest: a line that is typed, or comes into the picture, has several states.
        public var text: String
        public var start: StreamTime
        /// Exclusive.
        public var end: StreamTime
        /// How sure its reading is, 0 to 1.
        public var confidence: Double
        /// Where it was read so first, in pixels of the picture as displayed.
        public var quad: Quad
    }

    /// All that was read in a recording, each line once for as long as it stood there, in the order in which they came, those that
    /// came together from top to bottom.
    ///
    /// - Parameter isCancelled: asked now and then; where it says so, what is known then is returned.
    /// - Throws: ``FramegrepError`` (`indexDamaged`).
    public func texts(of source: SourceID, isCancelled: () -> Bool = { false }) throws -> [Text] {
        var found: [Text] = []
        for entry in try catalog.parts().filter({ $0.source == source }).sorted(by: { $0.from < $1.from }) {
            guard !isCancelled() else { break }
            let file = try segment(entry.segment)
            let numbers = try file.sourcesOfParts().filter { $0.value == source }.map(\.key)
            let parts = try file.parts(Set(numbers))
            guard let (number, part) = parts.first(where: { $0.value.from == entry.from && $0.value.to == entry.to })
            else { continue }
            join(try texts(ofPart: number, part, of: file), to: &found, at: entry.from)
        }
        return found.sorted { ($0.start, $0.quad.center.y, $0.text) < ($1.start, $1.quad.center.y, $1.text) }
    }

    /// The lines of one part; readings of one line share words.
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

    /// Adds the lines of the next part; what stands at its beginning may go on from the part before.
    private func join(_ lines: [Text], to found: inout [Text], at border: StreamTime) {
        var ending = found.indices.filter { found[$0].end + Self.gap >= border }
        for line in lines {
            let before =
                line.start <= border + Self.gap
                ? ending.firstIndex {
                    found[$0].text == line.text && found[$0].quad.bounds.overlap(line.quad.bounds) > 0.3
                }
                : nil
            if let before {
                found[ending.remove(at: before)].take(line)
            } else {
                found.append(line)
            }
        }
    }

    /// So much may lie between the last frame of a part and the first of the next.
    private static let gap = StreamTime(nanoseconds: 200_000_000)
}

extension TextIndex.Text {
    /// Another reading of the same line.
    fileprivate mutating func take(_ other: Self) {
        (start, end) = (min(start, other.start), max(end, other.end))
        if (other.text.count, other.confidence) > (text.count, confidence) {
            (text, confidence, quad) = (other.text, other.confidence, other.quad)
        }
    }
}
