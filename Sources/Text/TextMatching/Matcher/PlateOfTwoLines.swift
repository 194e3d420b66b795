/// A license plate in two lines, one just below or beside the other, that contain nothing else: `WX 69` over `JK 3092`.
///
/// Whether two lines are a plate depends on their texts and places, not on the patterns. So an index marks such lines
/// (``LineGrams/isInPlate``), and a search for plates examines no others.
package enum PlateOfTwoLines {
    /// The greatest length of each of its lines, in characters.
    package static let longestHalf = 8

    private static let plates = ContentSearch([(0, .plate)])

    /// Returns whether it may be one of the two lines: a few capital letters and digits, and nothing else.
    package static func mayBeHalf(_ line: RecognizedText) -> Bool {
        (2...longestHalf).contains(line.letters.count)
            && line.letters.allSatisfy { letter in
                letter.character.isNumber || letter.character.isUppercase
                    || letter.character.unicodeScalars.allSatisfy(PlateOrder.isLocal)
                    || letter.character.unicodeScalars.allSatisfy { CodeMark.isMark($0.value) }
            }
    }

    /// Returns whether the two together are a plate.
    package static func isOne(_ upper: RecognizedText, _ lower: RecognizedText) -> Bool {
        guard let joined = joined([upper, lower]) else { return false }
        return isPlate(FoldedLine(joined.text, folding: TextFolding(caseSensitive: true)))
    }

    fileprivate static func joined(_ lines: [RecognizedText]) -> JoinedLine? {
        JoinedLine(lines, reach: 2 * longestHalf)
    }

    /// Returns whether the whole line is a plate.
    fileprivate static func isPlate(_ folded: FoldedLine) -> Bool {
        plates.spans(in: folded).contains { $0.letters == folded.letters.indices }
    }
}

extension Matcher {
    /// Returns the searched plates of two lines in a picture: all of them for `:plate`, and those that are typed
    /// without a gap.
    func platesOfTwoLines(_ lines: [RecognizedText], _ blocks: () -> TextBlocks) -> [TextMatch] {
        guard lines.count > 1, patterns.contains(where: \.mayBePlate) else { return [] }
        let halves = Set(lines.indices.filter { PlateOfTwoLines.mayBeHalf(lines[$0]) })
        guard halves.count > 1 else { return [] }
        let pairs = blocks().chains(lengths: lines.map(\.letters.count), longest: 0)
            .filter { $0.count == 2 && halves.isSuperset(of: $0) }
        return pairs.flatMap { pair -> [TextMatch] in
            // A column of such pairs is a list.
            guard pairs.allSatisfy({ $0 == pair || Set($0).isDisjoint(with: pair) }),
                let joined = PlateOfTwoLines.joined(pair.map { lines[$0] })
            else { return [] }
            let folded = FoldedLine(joined.text, folding: TextFolding(caseSensitive: true))
            guard PlateOfTwoLines.isPlate(folded) else { return [] }
            let asRead = contents.isEmpty ? [] : contents.spans(in: folded).map { ($0, folded) }
            guard patterns.contains(where: \.mayBeTypedPlate) else { return wholePlates(asRead, joined, pair) }
            let typed = searches.flatMap { search in
                let folded = FoldedLine(joined.text, folding: search.folding)
                return search.spans(in: folded).map { ($0, folded) }
            }
            return wholePlates(asRead + typed, joined, pair)
        }
    }

    /// Returns the plates that take up both lines completely.
    private func wholePlates(
        _ spans: [(span: FoundSpan, folded: FoldedLine)], _ joined: JoinedLine, _ pair: [Int]
    ) -> [TextMatch] {
        spans.compactMap { span, folded in
            guard patterns[span.number].mayBePlate, span.letters == folded.letters.indices else { return nil }
            return match(span, folded).placed(in: joined, of: pair)
        }
    }
}

extension Pattern {
    /// Whether it can be found as a plate of two lines.
    package var mayBePlate: Bool { if case .content(.plate) = form { true } else { mayBeTypedPlate } }

    /// Whether it is a code without a gap; a pattern with a gap can continue on the next line anyway.
    var mayBeTypedPlate: Bool {
        guard case .plain(let pattern) = form else { return false }
        return pattern.isCode && !pattern.isNumber && !pattern.hasGap
    }
}
