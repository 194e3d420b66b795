/// A text as it is compared: without white space, in one form of each letter, each unit knowing where it came from.
struct FoldedText: Sendable {
    struct Unit: Hashable, Sendable {
        /// The scalar that is compared: folded in case and stripped of diacritics unless case matters.
        var code: UInt32
        /// The same scalar before its case was folded: confusable letters are a matter of shape.
        var glyph: UInt32
        /// Index of the character it came from; white space counts as a character in a pattern, not in a line.
        var character: Int32
        /// White space, or the boundary of two words, stands before it.
        var afterGap: Bool
    }

    var units: [Unit] = []
}
