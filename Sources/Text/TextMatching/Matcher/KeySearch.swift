/// Finds long keys, such as `sk_live_51HqIlO0oIl1B8S5Z2vU`, of which several letters were misread, for hiding.
///
/// A reader has learned words. In a key it takes small letters for capitals and loses one of two that touch, without any
/// doubt, so that neither its evidence nor its confidence shows the mistake. But a text that agrees with seven in eight
/// letters of a long key is hardly ever another one by chance.
struct KeySearch: Sendable {
    private let keys: [(number: Int, skeleton: [UInt32])]

    /// The least length of a key, in characters.
    private static let least = 12
    /// The number of characters of a key of which one may be misread.
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
            return (number, TolerantSearch.skeleton(units).scalars)
        }
    }

    var isEmpty: Bool { keys.isEmpty }

    /// - Parameter known: what was found already; no key is found where it was.
    func spans(in line: FoldedLine, besides known: [FoundSpan]) -> [FoundSpan] {
        let (scalars, unitAt) = TolerantSearch.skeleton(Array(line.units.prefix(Self.longestLine)))
        return keys.flatMap { number, key -> [FoundSpan] in
            var near: [(part: Range<Int>, edits: Int)] = []
            EditDistance.parts(like: key, in: scalars, allowing: key.count / Self.charactersPerEdit) {
                near.append(($0, $1))
            }
            var taken = known.filter { $0.number == number }.map(\.letters)
            // Of equal ones the longest: a first or last letter that was misread belongs to the key.
            return near.sorted { ($0.edits, -$0.part.count) < ($1.edits, -$1.part.count) }.compactMap { part, edits in
                // The second half of a wide letter has no unit of its own.
                let units = unitAt[part].filter { $0 >= 0 }
                guard let first = units.first, let last = units.last else { return nil }
                let letters = line.letters(ofUnits: Int(first)..<Int(last) + 1)
                guard !taken.contains(where: letters.overlaps) else { return nil }
                taken.append(letters)
                let share = 1 - Double(edits) / Double(key.count)
                return FoundSpan(
                    number: number, letters: letters,
                    score: share * MatchFeatures.confidence(of: line.letters[letters]))
            }
        }
    }
}
