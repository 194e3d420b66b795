import TextSpotting

/// A pattern in a recorded line: its text, since when and until when, and where it is meanwhile.
struct FoundStretch: Sendable {
    /// The part of the recording, with the number it has among all that are searched.
    let partNumber: Int
    let part: SegmentFile.Part
    /// With its quad where it was when it was read first.
    let match: Match
    /// The frame in which it was.
    let readAt: FrameTime
    /// The readings that say so.
    let steps: Range<Int>
    let start: StreamTime
    let end: StreamTime
    let path: LinePath

    /// The match's place in a frame of the part.
    func quad(in frame: Int) -> Quad { path.place(of: match.quad, in: frame) }

    /// The match's place at a time, in the nearest frame.
    func quad(at time: StreamTime) -> Quad {
        let time = max(start, min(time, StreamTime(nanoseconds: max(start.nanoseconds, end.nanoseconds - 1))))
        let next = part.frames.frames(in: time..<max(time, end)).lowerBound
        let isExact = part.frames.time(of: next).map { $0.start <= time } ?? false
        return quad(in: isExact ? next : max(0, next - 1))
    }

    /// The match in every frame that shows it.
    var boxes: [Sighting.Box] {
        part.frames.frames(in: start..<max(start, end)).compactMap { frame in
            part.frames.time(of: frame).map { Sighting.Box(time: $0, quad: quad(in: frame)) }
        }
    }

    /// One of the match's words, as far as it is known when and where it stands there.
    struct Word: Sendable {
        /// The readings that show the line.
        var steps: Range<Int>
        var presence: RecordedLine.Presence
    }

    /// - Parameters:
    ///   - words: those of the match.
    ///   - path: how the line of the first of them moves.
    ///   - step: the reading that has the match where its quad is.
    init?(partNumber: Int, part: SegmentFile.Part, match: Match, words: [Word], path: LinePath, step: Int) {
        guard part.steps.indices.contains(step), let frame = part.frames.time(of: part.steps[step]), !words.isEmpty
        else { return nil }
        self.partNumber = partNumber
        self.part = part
        self.match = match
        self.path = path
        readAt = frame
        let first = max(step, words.map(\.steps.lowerBound).max() ?? step)
        steps = first..<max(first + 1, words.map(\.steps.upperBound).min() ?? first + 1)
        let start = words.map(\.presence.start).max() ?? frame.start
        let end = words.map(\.presence.end).min() ?? frame.end
        // What was read in one picture is there in that picture.
        (self.start, self.end) = start < end ? (start, end) : (frame.start, frame.end)
    }
}
