/// A plain pattern as ``TolerantSearch`` takes it: folded, with the bounds of its tolerance.
struct PlainPattern: Sendable {
    let folded: FoldedText
    let options: MatchOptions

    /// How many characters may be look-alikes of what was searched for: one in three. One or two characters must be
    /// read as they are.
    var allowedMisreadings: Int { folded.units.count / 3 }

    /// How many letters of a doubtful reading may be misread, added or lost: none of three, one of six, two of ten.
    var allowedEdits: Int {
        switch folded.units.count {
        case ..<4: 0
        case ..<7: 1
        case ..<11: 2
        default: 3
        }
    }

    /// It has a gap at which a line may break.
    var hasGap: Bool { folded.units.dropFirst().contains { $0.afterGap } }
}
