import TextMatching
import TextSpotting

/// Finds a time of day in the clocks that stand in the picture, whose texts are not kept: `14:05`, `14:05:33`,
/// `2026-11-20 14:05`.
struct ClockSearch {
    /// A pattern that a clock can show.
    private struct Query {
        var number: Int
        var pattern: String
        var clock: ClockText
        /// How long a clock shows it, in seconds.
        var length: Double
    }

    private let queries: [Query]

    init(_ patterns: [Pattern]) {
        queries = patterns.enumerated().compactMap { number, pattern in
            guard pattern.isText else { return nil }
            if let clock = ClockText(pattern.text) {
                return Query(number: number, pattern: pattern.text, clock: clock, length: 1)
            }
            // Without seconds it stands there for a minute.
            return ClockText(pattern.text + ":00").map {
                Query(number: number, pattern: pattern.text, clock: $0, length: 60)
            }
        }
    }

    var isEmpty: Bool { queries.isEmpty }

    func places(in part: SegmentFile.Part, number partNumber: Int) -> [FoundStretch] {
        guard let clock = part.clock else { return [] }
        return queries.flatMap { query in
            clock.pieces.flatMap { piece in
                times(of: query, piece, hasDate: clock.hasDate).compactMap { start, end in
                    place(query, from: start, to: end, clock: clock, part: part, partNumber: partNumber)
                }
            }
        }
    }

    /// When a clock shows it, in seconds of the recording.
    private func times(
        of query: Query, _ piece: ClockTrack.Piece, hasDate: Bool
    ) -> [(start: StreamTime, end: StreamTime)] {
        // The query asks for a date, and this clock has none.
        guard hasDate || query.clock.day == nil else { return [] }
        let offset = Double(piece.offset) / 1000
        let shown = piece.start.seconds + offset...piece.end.seconds + offset + 1
        let days: ClosedRange<Double> =
            query.clock.day.map { Double($0)...Double($0) }
            ?? (shown.lowerBound / 86_400).rounded(.down)...(shown.upperBound / 86_400).rounded(.down)
        guard days.upperBound - days.lowerBound < 400 else { return [] }
        return stride(from: days.lowerBound, through: days.upperBound, by: 1).compactMap { day in
            let first = day * 86_400 + Double(query.clock.second)
            let (start, end) = (max(first, shown.lowerBound), min(first + query.length, shown.upperBound))
            guard start < end else { return nil }
            return (StreamTime(seconds: max(0, start - offset)), StreamTime(seconds: max(0, end - offset)))
        }
    }

    private func place(
        _ query: Query, from start: StreamTime, to end: StreamTime, clock: ClockTrack, part: SegmentFile.Part,
        partNumber: Int
    ) -> FoundStretch? {
        let first = part.frames.frames(in: start..<max(start, end)).lowerBound
        let step = part.steps.firstIndex { $0 >= first } ?? max(0, part.steps.count - 1)
        let match = Match(
            patternIndex: query.number, pattern: query.pattern, text: query.pattern, line: query.pattern,
            quad: clock.quad, score: 0.9, characterRange: 0..<query.pattern.count)
        // The clock may show its last value when the part ends.
        let presence = RecordedLine.Presence(id: 0, start: start, end: max(start, min(end, part.to)))
        return FoundStretch(
            partNumber: partNumber, part: part, match: match,
            words: [.init(steps: step..<step + 1, presence: presence)], path: LinePath(), step: step)
    }
}
