/// Which lines of an index may hold a pattern: more than match, and next to none that matches is missing.
public enum CandidateQuery: Hashable, Sendable {
    /// Lines that have at least so many of these grams (`least`), or of those that were read without evidence
    /// (``LineGrams/hasNoEvidence``) this many (`withoutEvidence`, not more than `least`).
    ///
    /// A letter that no reading thought probable makes a short match's score less than what is printed unless `--min-score`
    /// asks for it; so such a match has all grams, if the grams of a line are those of everything that its evidence allows. In a
    /// long word one letter counts for less.
    case grams([Gram], least: Int, withoutEvidence: Int)
    /// Lines that hold any of these kinds of content, as ``LineGrams/kinds(of:)`` tells them.
    case kinds(UInt32)
    /// All lines: the pattern has too few letters to be looked up.
    case all
}

extension Pattern {
    /// Which lines may hold the pattern.
    public var candidates: CandidateQuery {
        switch form {
        case .plain(let pattern):
            Self.candidates(looseSkeleton(of: pattern), isTolerant: true, isCode: pattern.isCode)
        case .exact(let pattern): Self.candidates(looseSkeleton(of: pattern), isTolerant: false)
        case .expression(let expression):
            Self.candidates(expression.literal.flatMap(LineLattice.skeleton), isTolerant: false)
        case .content(let kind):
            .kinds(1 << UInt32(ContentKind.allCases.firstIndex(of: kind) ?? 0))
        case .meaning: .all
        }
    }

    /// Which lines may hold a part of the pattern, where it runs on from one line to the next: one query for each of its
    /// words, and for words that a hyphen may part one for each half. Empty if the pattern cannot run on.
    public var candidatesOfParts: [CandidateQuery] {
        guard let plain else { return [] }
        var words: [[UInt32]] = []
        for unit in plain.folded.units {
            if unit.afterGap || words.isEmpty { words.append([]) }
            words[words.count - 1] += LineLattice.skeleton(unit.code)
        }
        guard words.count > 1 else { return [] }
        return words.map { Self.candidates($0, isTolerant: true) }
    }

    /// A line that ends with this text and a hyphen may hold the beginning of the pattern.
    ///
    /// - Parameter text: of a line for which ``LineGrams/goesOn`` is set.
    public func mayBegin(atEndOf text: String) -> Bool {
        guard let plain, plain.folded.units.count >= 4 else { return false }
        let word = text.split(separator: " ").last.map { String($0.dropLast()) } ?? ""
        let end = TextFolding(caseSensitive: false).fold(word).units.flatMap { LineLattice.skeleton($0.code) }
        let wanted = looseSkeleton(of: plain)
        let longest = min(end.count, wanted.count - 1)
        guard longest >= 2 else { return false }
        return (2...longest).contains { length in
            wanted.indices.contains { start in wanted[start...].starts(with: end.suffix(length)) }
        }
    }

    /// The pattern's letters as lines are looked up, whatever it minds of case.
    private func looseSkeleton(of pattern: PlainPattern) -> [UInt32] {
        let folding = TextFolding(caseSensitive: false)
        return pattern.folded.units.flatMap { unit in
            (options.caseSensitive ? folding.code(of: unit.code) ?? unit.code : unit.code).skeletonScalars
        }
    }

    private static func candidates(_ skeleton: [UInt32], isTolerant: Bool, isCode: Bool = false) -> CandidateQuery {
        let grams = Gram.all(of: skeleton).sorted()
        guard !grams.isEmpty else { return .all }
        guard isTolerant else { return .grams(grams, least: grams.count, withoutEvidence: grams.count) }
        let without = least(of: grams.count)
        return .grams(
            grams, least: isCode ? without : leastWithEvidence(of: grams.count), withoutEvidence: without)
    }

    /// How many of a word's grams a line with evidence must have: all; of words of some nine letters or more all but two; of twelve or more
    /// all but three. Measured (docs/decisions/index.md): asking for all grams loses long words with one letter that was not among any
    /// alternatives, and codes, of which as many grams are asked for as of lines without evidence: few lines have any of them.
    static func leastWithEvidence(of count: Int) -> Int {
        switch count {
        case ..<7: count
        case ..<10: count - 2
        default: count - 3
        }
    }

    /// How many of a word's grams a line must have if only its best reading is known: half of them, and never so many that one misread
    /// letter without alternatives could hide a word of six letters or more.
    static func least(of count: Int) -> Int { max(1, min((count + 1) / 2, count - 3)) }
}

extension UInt32 {
    fileprivate var skeletonScalars: [UInt32] { LineLattice.skeleton(self) }
}
