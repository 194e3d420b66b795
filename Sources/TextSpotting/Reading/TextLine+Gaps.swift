import TextMatching

extension TextLine {
    /// The text with the gaps between words that its readings half saw.
    ///
    /// Where letters stand on a restless ground, quick readers often pass over a gap, though they saw one with some probability; between the
    /// letters of a word they see none.
    var textWithGaps: String {
        let count = words.reduce(0) { $0 + $1.characters.count }
        let evidence = evidence.filter { $0.peaks.count == count }
        guard !evidence.isEmpty else { return text }
        var result = ""
        var index = 0
        for (number, word) in words.enumerated() {
            if number > 0 { result.append(" ") }
            for (place, span) in word.characters.enumerated() {
                let seen = place == 0 ? 0 : evidence.count { $0.hasGap(before: index) }
                if 2 * seen > evidence.count { result.append(" ") }
                result.append(span.character)
                index += 1
            }
        }
        return result
    }
}

extension ReadingEvidence {
    /// The logarithm of the probability from which on a gap counts, one in ten.
    private static let leastGap: Float = -2.302_585

    /// A gap was seen between a character and the one before it.
    fileprivate func hasGap(before index: Int) -> Bool {
        let (from, to) = (Int(peaks[index - 1]), Int(peaks[index]))
        guard from >= 0, from < to, to < count else { return false }
        return (from...to).contains { step in
            candidates(at: step).contains { $0.scalar == 0x20 && $0.logarithm >= Self.leastGap }
        }
    }
}
