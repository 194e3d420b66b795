/// Finds long keys, such as `sk_live_51HqIlO0oIl1B8S5Z2vU`, even if several of their letters were misread. Only hiding uses it.
///
/// A reader has learned words. In a key it takes small letters for capitals and loses one of two that touch, without any
/// doubt, so that neither its evidence nor its confidence shows the mistake. But a text that agrees with seven in eight
/// letters of a long key is hardly ever another one by chance.
struct KeySearch: Sendable {
    private struct Key: Sendable {
        let number: Int
        let skeleton: [UInt32]

        var allowedEdits: Int { skeleton.count / charactersPerEdit }

        /// As many pieces as a misread key has at least one of unchanged.
        var pieces: [[UInt32]] {
            let count = allowedEdits + 1
            return (0..<count).map { Array(skeleton[skeleton.count * $0 / count..<skeleton.count * ($0 + 1) / count]) }
        }
    }

    private let keys: [Key]
    /// Finds the pieces of the keys, by the indices of the keys.
    private let pieces: SkeletonAutomaton

    /// The least length of a key, in characters.
    private static let least = 12
    /// One character may be misread for each of these in a key.
    private static let charactersPerEdit = 8
    /// The number of characters of a longer line that are compared.
    private static let longestLine = 4_000

    /// - Parameter patterns: of these, the keys are searched for: patterns without a gap that have letters and digits.
    init(_ patterns: [(number: Int, pattern: PlainPattern)]) {
        keys = patterns.compactMap { number, pattern in
            let units = pattern.folded.units
            let digits = units.count { CodeMark.isDigit($0.glyph) }
            guard units.count >= Self.least, !pattern.hasGap, digits > 0,
                units.contains(where: { CodeMark.isPart($0.glyph) && !CodeMark.isDigit($0.glyph) })
            else { return nil }
            return Key(number: number, skeleton: TolerantSearch.skeleton(units).scalars)
        }
        pieces = SkeletonAutomaton(
            keys.enumerated().flatMap { index, key in key.pieces.map { (number: index, skeleton: $0) } })
    }

    var isEmpty: Bool { keys.isEmpty }

    /// - Parameter known: what was found already; no key is found where it was.
    func spans(in line: FoldedLine, besides known: [FoundSpan]) -> [FoundSpan] {
        let (scalars, unitAt) = TolerantSearch.skeleton(Array(line.units.prefix(Self.longestLine)))
        var seen = Set<Int>()
        pieces.places(in: scalars) { index, _ in seen.insert(index) }
        return seen.sorted().flatMap { index -> [FoundSpan] in
            let key = keys[index]
            var near: [(part: Range<Int>, edits: Int)] = []
            EditDistance.parts(like: key.skeleton, in: scalars, allowing: key.allowedEdits) {
                near.append(($0, $1))
                return false
            }
            var taken = known.filter { $0.number == key.number }.map(\.letters)
            // Of equal ones the longest: a first or last letter that was misread belongs to the key.
            return near.sorted { ($0.edits, -$0.part.count) < ($1.edits, -$1.part.count) }.compactMap { part, edits in
                // The second half of a wide letter has no unit of its own.
                let units = unitAt[part].filter { $0 >= 0 }
                guard let first = units.first, let last = units.last else { return nil }
                let letters = line.letters(ofUnits: Int(first)..<Int(last) + 1)
                guard !taken.contains(where: letters.overlaps) else { return nil }
                taken.append(letters)
                let share = 1 - Double(edits) / Double(key.skeleton.count)
                return FoundSpan(
                    number: key.number, letters: letters,
                    score: share * MatchFeatures.confidence(of: line.letters[letters]))
            }
        }
    }
}
