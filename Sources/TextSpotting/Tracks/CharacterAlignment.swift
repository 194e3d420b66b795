import TextMatching

/// Which character of one reading stands for which of another one of the same line.
enum CharacterAlignment {
    /// For each of `wanted`, which of `had` it stands for along the cheapest alignment; nil if it has none.
    static func sources(of wanted: [Character], in had: [Character]) -> [Int?] {
        let columns = had.count + 1
        var costs = [Double](repeating: 0, count: (wanted.count + 1) * columns)
        // A gap is never another letter.
        func replacing(_ a: Character, _ b: Character) -> Double { a == b ? 0 : a == " " || b == " " ? 2.5 : 1.1 }
        for j in 0..<columns { costs[j] = Double(j) }
        for i in wanted.indices {
            costs[(i + 1) * columns] = Double(i + 1)
            for j in had.indices {
                costs[(i + 1) * columns + j + 1] = min(
                    costs[i * columns + j] + replacing(wanted[i], had[j]), costs[i * columns + j + 1] + 1,
                    costs[(i + 1) * columns + j] + 1)
            }
        }
        var sources = [Int?](repeating: nil, count: wanted.count)
        var (i, j) = (wanted.count, had.count)
        while i > 0, j > 0 {
            let here = costs[i * columns + j]
            if here == costs[(i - 1) * columns + j - 1] + replacing(wanted[i - 1], had[j - 1]) {
                (i, j) = (i - 1, j - 1)
                sources[i] = j
            } else if here == costs[(i - 1) * columns + j] + 1 {
                i -= 1
            } else {
                j -= 1
            }
        }
        return sources
    }
}

extension ReadingEvidence {
    /// The same evidence for another reading of the line: with a peak for each of its characters, that of the character it stands
    /// for, or between its neighbors' where it stands for none.
    ///
    /// - Parameters:
    ///   - had: what this evidence is of, a space for each gap.
    ///   - wanted: the characters to lay it along, likewise.
    /// - Returns: nil if the evidence is not of `had`.
    func laid(from had: [Character], along wanted: [Character]) -> ReadingEvidence? {
        if had == wanted { return had.count { $0 != " " } == peaks.count ? self : nil }
        var number = 0
        let peakOf = had.map { character -> Float? in
            guard character != " " else { return nil }
            defer { number += 1 }
            return number < peaks.count ? peaks[number] : nil
        }
        guard number == peaks.count else { return nil }
        var found = zip(wanted, CharacterAlignment.sources(of: wanted, in: had)).filter { $0.0 != " " }.map { pair in
            pair.1.flatMap { peakOf[$0] }
        }
        var index = 0
        while index < found.count {
            let end = found[index...].firstIndex { $0 != nil } ?? found.count
            let before = index > 0 ? found[index - 1] ?? 0 : 0
            let after = end < found.count ? found[end] ?? 0 : Float(count)
            for (place, missing) in (index..<end).enumerated() {
                found[missing] = before + (after - before) * Float(place + 1) / Float(end - index + 1)
            }
            index = end + 1
        }
        var result = self
        result.peaks = found.compactMap { $0 }
        return result
    }
}
