extension TextTrack {
    enum Meaning { case same, grown, other }

    /// Whether a reading found where the track is expected is one more of it.
    ///
    /// - Parameters:
    ///   - showsSame: the picture there seems to show the same letters; false if that is not known.
    ///   - isCertain: it surely does.
    ///   - isOther: the letters in which the readings differ changed in the picture too.
    mutating func meaning(of new: TextLine, showsSame: Bool, isCertain: Bool, isOther: Bool) -> Meaning {
        // A value that changed and is read as the one before: one of the two readings is wrong, and must not speak for the other.
        if new.text == line.text, !(isOther && turns > 0) {
            isDisputed = false
            return .same
        }
        let tall = max(new.quad.height, reading.quad.height)
        let longer = (new.quad.width - reading.quad.width) / max(1, tall)
        if longer > 0.5, showsSame { return .grown }
        if isOther, !Self.isGrowth(new.text, line.text) { return .other }
        let contradicts = Self.contradicts(CharacterVote.tokens(of: new), vote.result())
        if isCertain {
            // One sure reading against the others may be wrong all the same; two in a row are not.
            defer { isDisputed = contradicts }
            return contradicts && isDisputed ? .other : .same
        }
        if showsSame { return contradicts ? .other : .same }
        if abs(longer) > 0.3, Self.contains(new.text, line.text) || Self.contains(line.text, new.text) { return .grown }
        return contradicts ? .other : .same
    }

    /// One is the other with more at an end, as when it is typed; a number with a digit more is another number.
    private static func isGrowth(_ a: String, _ b: String) -> Bool {
        (a.contains(where: \.isLetter) || b.contains(where: \.isLetter)) && (contains(a, b) || contains(b, a))
    }

    private static func contains(_ whole: String, _ part: String) -> Bool {
        part.count >= 1 && (whole.hasPrefix(part) || whole.hasSuffix(part) || (part.count >= 3 && whole.contains(part)))
    }

    /// Both are sure of a letter or digit, and it is not the same one.
    private static func contradicts(_ new: [CharacterVote.Token], _ voted: [CharacterVote.Token]) -> Bool {
        CharacterVote.differences(new, voted).contains { x, y in
            [x, y].compactMap { $0 }.allSatisfy {
                $0.confidence >= sure * $0.share && ($0.character.isLetter || $0.character.isNumber)
            }
        }
    }

    /// From this confidence on a character is not taken for another.
    private static let sure = 0.9
}
