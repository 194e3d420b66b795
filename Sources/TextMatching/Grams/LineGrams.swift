/// The grams that an index stores to find a line by.
public enum LineGrams {
    /// The grams of everything that the line may say.
    ///
    /// - Parameter withAlternatives: also those of its evidence.
    public static func grams(of line: RecognizedText, withAlternatives: Bool = true) -> Set<Gram> {
        let folded = FoldedLine(line, folding: TextFolding(caseSensitive: false))
        let grams = LineLattice(folded, withAlternatives: withAlternatives).grams()
        // Codes are searched for without their marks.
        let bare = folded.withoutCodeMarks()
        guard bare.units.count < folded.units.count else { return grams }
        return grams.union(LineLattice(bare, withAlternatives: withAlternatives).grams())
    }

    /// The kinds of content that stand in the line, one bit each in the order of ``ContentKind/allCases``, and ``goesOn``.
    public static func kinds(of line: RecognizedText) -> UInt32 {
        let text = ContentText(FoldedLine(line, folding: TextFolding(caseSensitive: true)))
        let kinds: UInt32 = ContentKind.allCases.enumerated().reduce(0) { bits, kind in
            kind.element.findings(in: text).found.isEmpty ? bits : bits | 1 << UInt32(kind.offset)
        }
        return kinds | (JoinedLine.mayGoOn(line) ? goesOn : 0) | (line.evidence.isEmpty ? hasNoEvidence : 0)
    }

    /// The line was read by a reader that tells no more than its best reading.
    public static let hasNoEvidence: UInt32 = 1 << 30

    /// The line ends in a hyphen, so that its last word may go on in the next line.
    public static let goesOn: UInt32 = 1 << 31
}
