import TextSpotting

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
