/// The letters that two readings of a place have in common, with the signs and points of numbers. Other marks count only
/// between texts of the same letters, because readers often miss them.
struct LetterDifference {
    /// The places of common letters in the earlier line, in pixels of the frame.
    private(set) var kept: [Quad] = []
    private(set) var removed: [Quad] = []
    /// The places of common letters in the later line.
    private(set) var stayed: [Quad] = []
    private(set) var added: [Quad] = []
    /// Whether no common letter follows the letters that differ.
    private(set) var isAtEnd = true
    /// Whether only marks differ, so that nothing but their pictures can tell the texts apart.
    private(set) var isOfMarks = false
    /// Whether the difference extends or shortens a number.
    private(set) var isOfNumber = false
    /// The number of words that begin in the letters that differ.
    private(set) var words = 0
    var count: Int { removed.count + added.count }

    private struct Letter {
        /// The letter, folded to one case.
        var character: Character
        var quad: Quad
        /// The character before it in its word; nil if it is the first.
        var before: Character?
    }

    /// Longer lines are left alone.
    private static let limit = 300

    /// - Returns: nil if all letters are the same.
    init?(from before: TextLine, to now: TextLine) {
        var (old, new) = (Self.letters(of: before), Self.letters(of: now))
        guard !old.isEmpty, !new.isEmpty, old.count <= Self.limit, new.count <= Self.limit else { return nil }
        if old.map(\.character) == new.map(\.character) {
            isOfMarks = true
            (old, new) = (Self.letters(of: before, andMarks: true), Self.letters(of: now, andMarks: true))
        }
        let (a, b) = (old.map(\.character), new.map(\.character))
        guard a != b else { return nil }
        let sources = Self.sources(of: b, in: a)
        let left = Set(sources.compactMap { $0 })
        kept = left.sorted().map { old[$0].quad }
        for (letter, source) in zip(new, sources) where source != nil { stayed.append(letter.quad) }
        let (more, less) = (
            zip(new, sources).filter { $1 == nil }.map(\.0), old.indices.filter { !left.contains($0) }.map { old[$0] }
        )
        (added, removed) = (more.map(\.quad), less.map(\.quad))
        words = (more + less).count { $0.before == nil }
        isOfNumber = (more + less).contains { $0.character.isNumber && $0.before?.isNumber == true }
        let lastNew = sources.lastIndex { $0 != nil } ?? -1
        isAtEnd = !sources.prefix(lastNew + 1).contains(nil) && left.count == (left.max() ?? -1) + 1
    }

    /// Returns for each of the letters which of the others it corresponds to. Common beginnings and ends are aligned
    /// first.
    private static func sources(of new: [Character], in old: [Character]) -> [Int?] {
        let prefix = zip(new, old).prefix { $0 == $1 }.count
        let rest = min(new.count, old.count) - prefix
        let suffix = zip(new.reversed(), old.reversed()).prefix(rest).prefix { $0 == $1 }.count
        let (newMiddle, oldMiddle) = (
            Array(new[prefix..<new.count - suffix]), Array(old[prefix..<old.count - suffix])
        )
        let middle = CharacterAlignment.sources(of: newMiddle, in: oldMiddle).enumerated().map { index, source in
            source.flatMap { oldMiddle[$0] == newMiddle[index] ? $0 + prefix : nil }
        }
        return (0..<prefix).map { $0 } + middle + (0..<suffix).map { old.count - suffix + $0 }
    }

    private static func letters(of line: TextLine, andMarks hasMarks: Bool = false) -> [Letter] {
        line.words.flatMap { word in
            let characters = word.characters.map(\.character)
            return word.characters.enumerated().compactMap { index, span -> Letter? in
                guard
                    hasMarks || span.character.isLetter || span.character.isNumber
                        || NumberMark.isMark(index, of: characters)
                else { return nil }
                return Letter(
                    character: Character(span.character.lowercased()),
                    quad: word.quad.slice(
                        from: min(span.start, span.end), to: max(span.start, span.end, span.start + 0.01)),
                    before: index > 0 ? characters[index - 1] : nil)
            }
        }
    }
}
