/// A plain pattern as ``TolerantSearch`` takes it: folded, with the bounds of its tolerance.
struct PlainPattern: Sendable {
    let folded: FoldedText
    let options: MatchOptions

    /// How many characters may be look-alikes of what was searched for: one in three. One or two characters must be
    /// read as they are.
    var allowedMisreadings: Int { folded.units.count / 3 }

    /// How many letters of a doubtful reading may be misread, lost or added, look-alikes not counted, for a pattern to be
    /// looked for there: none of three, one of five, two of eight.
    var allowedEdits: Int {
        switch folded.units.count {
        case ..<4: 0
        case ..<6: 1
        case ..<9: 2
        default: 3
        }
    }

    /// How many may where the reader tells no more than its best reading: none of five, one of six, two of ten.
    var editsWithoutEvidence: Int {
        switch folded.units.count {
        case ..<6: 0
        case ..<10: 1
        default: 2
        }
    }

    /// How many letters may be misread, lost or added in all.
    var mostEdits: Int { folded.units.count / 2 }

    /// It has a gap at which a line may break.
    var hasGap: Bool { folded.units.dropFirst().contains { $0.afterGap } }
}
