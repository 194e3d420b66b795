public import TextSpotting

extension TextIndex {
    /// The text in one frame of a recording.
    public struct Moment: Sendable, Hashable {
        public var frame: FrameTime
        /// Where they are in that frame, in pixels of the picture as displayed; from top to bottom.
        public var lines: [TextLine]
    }

    /// Returns the text in a recording's picture at a time; nil if nothing was read then.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`).
    public func moment(of source: SourceID, at time: StreamTime) throws -> Moment? {
        for entry in try catalog.parts() where entry.source == source && entry.from <= time && time < entry.to {
            let file = try segment(entry.segment)
            let numbers = try file.sourcesOfParts().filter { $0.value == source }.map(\.key)
            let parts = try file.parts(Set(numbers))
            guard let (number, part) = parts.first(where: { $0.value.from == entry.from && $0.value.to == entry.to })
            else { continue }
            return try moment(in: part, number, of: file, at: time)
        }
        return nil
    }

    private func moment(
        in part: SegmentFile.Part, _ number: Int, of file: SegmentFile, at time: StreamTime
    ) throws -> Moment? {
        let index = max(0, part.frames.frames(in: part.from..<max(part.from, time + Self.rounding)).upperBound - 1)
        guard let frame = part.frames.time(of: index) else { return nil }
        let step = max(0, (part.steps.firstIndex { $0 > index } ?? part.steps.count) - 1)
        var lines: [TextLine] = []
        // What the next reading shows first may have been there already, as the words' times tell.
        for next in [step, step + 1] where part.steps.indices.contains(next) {
            for candidate in try file.lines(ofPart: number, at: next) {
                let recorded = try LineCodec.decode(candidate.data, text: candidate.text)
                let isThere = recorded.words.contains { $0.start <= frame.start && frame.start < $0.end }
                let line = recorded.placed(in: index).line
                guard isThere, !lines.contains(where: { Self.areOne($0, line) }) else { continue }
                lines.append(line)
            }
        }
        return Moment(frame: frame, lines: lines.sorted { Self.place($0) < Self.place($1) })
    }

    /// Times are printed in milliseconds.
    private static let rounding = StreamTime(nanoseconds: 500_000)

    private static func areOne(_ a: TextLine, _ b: TextLine) -> Bool {
        a.quad.bounds.overlap(b.quad.bounds) > 0.3
    }

    private static func place(_ line: TextLine) -> (Double, Double) { (line.quad.center.y, line.quad.center.x) }
}
