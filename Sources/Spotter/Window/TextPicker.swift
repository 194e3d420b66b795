import TextSpotting

/// Finds the word under the pointer.
struct TextPicker {
    let reading: LatestText.Reading
    let frameHistory: LiveFrameHistory

    /// So far beside a word, in its heights, a click still means it.
    private static let reach = 0.35

    /// The word at `point` of the frame of `time`; nil if none was read.
    ///
    /// - Parameter point: in pixels of the frame as stored.
    func word(at point: Point, in time: StreamTime) -> String? {
        let words = reading.lines.flatMap(\.words)
        // What is far away from the pointer cannot have come there in the time of a reading.
        let near = words.sorted { distance($0.quad, point) < distance($1.quad, point) }.prefix(CarriedText.limit / 3)
        let carried = CarriedText(near.map { ($0.text, $0.quad) }, readAt: reading.time, to: time, frameHistory).quads
        let hit = near.enumerated().compactMap { index, word in
            carried[index].map { (word: word, quad: $0) }
        }.filter { $0.quad.grown(by: $0.quad.height * Self.reach).contains(point) }
            .min { distance($0.quad, point) < distance($1.quad, point) }
        return hit.flatMap { Self.searchable($0.word.text) }
    }

    /// The line at `point`, as ``word(at:in:)`` finds words.
    func line(at point: Point, in time: StreamTime) -> String? {
        let lines = reading.lines.sorted { away($0.quad, point) < away($1.quad, point) }.prefix(CarriedText.limit / 3)
        let carried = CarriedText(lines.map { ($0.text, $0.quad) }, readAt: reading.time, to: time, frameHistory).quads
        let hit = lines.enumerated().compactMap { index, line in
            carried[index].map { (line: line, quad: $0) }
        }.filter { $0.quad.grown(by: $0.quad.height * Self.reach).contains(point) }
            .min { away($0.quad, point) < away($1.quad, point) }
        return hit.flatMap { Self.copied([$0.line]) }
    }

    /// From the middle of a long line it is far to its end, which a point may be at all the same.
    private func away(_ quad: Quad, _ point: Point) -> Double {
        let bounds = quad.bounds
        return max(0, bounds.minX - point.x, point.x - bounds.maxX) + abs(bounds.center.y - point.y)
    }

    /// Lines as they go to the clipboard, in the order in which people read; nil where nothing is in them. Whoever made the picture chose
    /// them: they have no invisible characters, no line breaks of their own, and an end.
    static func copied(_ lines: [TextLine]) -> String? {
        let texts = lines.prefix(mostLines).map { OverlayText.singleLine($0.text, limit: longestLine) }
            .filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }

    private static let mostLines = 500
    private static let longestLine = 500

    private func distance(_ quad: Quad, _ point: Point) -> Double { (quad.center - point).length }

    /// A read word without the punctuation around it; nil when nothing else is in it. The picture may come from an attacker, so the word is
    /// bounded and has no invisible characters.
    static func searchable(_ text: String) -> String? {
        let safe = OverlayText.singleLine(text, limit: 80)
        let trimmed = safe.drop { !$0.isLetter && !$0.isNumber }
        let end = trimmed.lastIndex { $0.isLetter || $0.isNumber }
        return end.map { String(trimmed[...$0]) }
    }
}

extension Quad {
    /// Whether a point lies inside, whichever way around the corners go.
    fileprivate func contains(_ point: Point) -> Bool {
        let signs = corners.indices.map { index in
            let (a, b) = (corners[index], corners[(index + 1) % 4])
            return (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)
        }
        return signs.allSatisfy { $0 >= 0 } || signs.allSatisfy { $0 <= 0 }
    }
}
