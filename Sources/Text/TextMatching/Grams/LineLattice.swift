import Glibc

/// All possible readings of a line, unit by unit: its best reading, and the alternatives in its evidence.
///
/// Between two positions of the line are arcs, each a piece of a skeleton: the one that was read, others that the
/// reader thought probable, and an empty one if the letter may not be there at all. Every gram on a path through them
/// is a gram of the line.
struct LineLattice {
    /// One possible text at one place.
    private struct Arc {
        var scalars: [UInt32]
        /// Whether it is an alternative.
        var isOther: Bool
    }

    /// The arcs of each unit, from before it to after it.
    private var arcs: [[Arc]] = []
    /// The letters that may have been lost at each place: before each unit, and after the last.
    private var lost: [[UInt32]] = []

    /// The least probability of an alternative. It is a guess, with which the searches of docs/INDEX.md are correct.
    static let leastProbability: Float = 0.01
    /// The most alternatives of one letter that are kept.
    static let mostAlternatives = 3
    /// The largest number of alternatives in a gram.
    static let mostOthers = 2
    /// The largest number of grams of a line, a limit for malicious input.
    static let mostGrams = 20_000

    /// - Parameter withAlternatives: whether to use the evidence, too.
    init(_ line: FoldedLine, withAlternatives: Bool = true) {
        arcs = line.units.map { [Arc(scalars: Self.skeleton($0.code), isOther: false)] }
        lost = [[UInt32]](repeating: [], count: line.units.count + 1)
        guard withAlternatives else { return }
        for evidence in line.evidence where evidence.peaks.count == line.letters.count { add(evidence, of: line) }
    }

    /// Returns all grams of all paths.
    func grams() -> Set<Gram> {
        var found = Set<Gram>()
        for place in arcs.indices {
            for arc in arcs[place] where !arc.scalars.isEmpty {
                for offset in arc.scalars.indices {
                    follow(Array(arc.scalars[offset...]), place + 1, others: arc.isOther ? 1 : 0, &found)
                }
            }
        }
        for place in lost.indices {
            for code in lost[place] { follow(Self.skeleton(code), place, others: 1, &found, mayBeLost: false) }
        }
        return found
    }

    private func follow(
        _ scalars: [UInt32], _ place: Int, others: Int, _ found: inout Set<Gram>, mayBeLost: Bool = true
    ) {
        guard found.count < Self.mostGrams else { return }
        if let gram = Gram(scalars[...]) { found.insert(gram) }
        guard scalars.count < 3, place < arcs.count else { return }
        for arc in arcs[place] where !arc.isOther || others < Self.mostOthers {
            follow(scalars + arc.scalars, place + 1, others: others + (arc.isOther ? 1 : 0), &found)
        }
        guard mayBeLost, others < Self.mostOthers else { return }
        for code in lost[place] {
            follow(scalars + Self.skeleton(code), place, others: others + 1, &found, mayBeLost: false)
        }
    }

    // MARK: Alternatives

    private mutating func add(_ evidence: ReadingEvidence, of line: FoldedLine) {
        var unitOf: [Int: Int] = [:]
        for (index, unit) in line.units.enumerated() where unitOf[Int(unit.character)] == nil {
            unitOf[Int(unit.character)] = index
        }
        for letter in line.letters.indices {
            guard let unit = unitOf[letter] else { continue }
            let cell = evidence.cell(ofCharacter: letter)
            // A letter made of several units is taken as a whole or not at all.
            let isSingle = unit + 1 == line.units.count || Int(line.units[unit + 1].character) != letter
            guard isSingle else { continue }
            var strongest: Float = 0
            for step in cell {
                for candidate in evidence.candidates(at: step) {
                    guard let code = line.folding.code(of: candidate.scalar) else { continue }
                    let probability = exp(candidate.logarithm)
                    if code == line.units[unit].code {
                        strongest = max(strongest, probability)
                    } else if probability >= Self.leastProbability {
                        place(code, at: step, in: cell, peak: evidence.peaks[letter], unit)
                    }
                }
            }
            if strongest < 1 - Self.leastProbability { add(Arc(scalars: [], isOther: true), at: unit) }
        }
    }

    /// Adds a candidate, which either replaces the letter itself or was lost beside it.
    private mutating func place(_ code: UInt32, at step: Int, in cell: Range<Int>, peak: Float, _ unit: Int) {
        add(Arc(scalars: Self.skeleton(code), isOther: true), at: unit)
        let distance = Float(step) - peak
        guard abs(distance) >= 1 else { return }
        let place = distance < 0 ? unit : unit + 1
        guard lost[place].count < Self.mostAlternatives, !lost[place].contains(code) else { return }
        lost[place].append(code)
    }

    private mutating func add(_ arc: Arc, at unit: Int) {
        guard arcs[unit].count <= Self.mostAlternatives, !arcs[unit].contains(where: { $0.scalars == arc.scalars })
        else { return }
        arcs[unit].append(arc)
    }

    static func skeleton(_ code: UInt32) -> [UInt32] {
        let (first, second) = Confusable.skeleton(code)
        return second.map { [first, $0] } ?? [first]
    }
}

/// A few consecutive letters of a text; an index looks up lines by them.
///
/// Three scalars of a skeleton (``Confusable/skeleton(_:)``), so that confusable letters are equal; two if one of them
/// belongs to a script whose words may have two letters (Han, kana, Hangul). White space is ignored.
public struct Gram: Hashable, Comparable, Sendable {
    /// The scalars, 21 bits each; the upper bits contain their number.
    public let bits: UInt64

    /// Scalars from here on make grams of two.
    private static let firstOfShortWords: UInt32 = 0x1100

    private init(bits: UInt64) { self.bits = bits }

    /// Creates the gram at the beginning of `scalars`; nil if there are too few of them.
    init?(_ scalars: ArraySlice<UInt32>) {
        guard let first = scalars.first, scalars.count > 1 else { return nil }
        let second = scalars[scalars.startIndex + 1]
        if first >= Self.firstOfShortWords || second >= Self.firstOfShortWords {
            self.init(bits: UInt64(second) << 21 | UInt64(first))
            return
        }
        guard scalars.count > 2 else { return nil }
        let third = scalars[scalars.startIndex + 2]
        // The second and third form a gram of two.
        guard third < Self.firstOfShortWords else { return nil }
        self.init(bits: UInt64(third) << 42 | UInt64(second) << 21 | UInt64(first))
    }

    /// A number of 47 bits that differs for nearly all grams (a step of SplitMix64, G. Steele et al. 2014).
    public var hash47: UInt64 {
        var value = bits &+ 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return (value ^ (value >> 31)) >> 17
    }

    public static func < (a: Gram, b: Gram) -> Bool { a.bits < b.bits }

    static func all(of skeleton: [UInt32]) -> Set<Gram> { Set(skeleton.indices.compactMap { Gram(skeleton[$0...]) }) }
}

/// Selects the lines of an index that may contain a pattern: more lines than match, and hardly any match is missing.
public enum CandidateQuery: Hashable, Sendable {
    /// Lines that have at least `least` of these grams or, if they were read without evidence
    /// (``LineGrams/hasNoEvidence``), at least `withoutEvidence`, which is not more than `least`.
    ///
    /// A letter that no reading considers probable lowers a short match's score below the default threshold
    /// (`--min-score`), so a match above it has all grams, given that a line's grams cover everything that its evidence
    /// allows. In a long word one letter counts less.
    case grams([Gram], least: Int, withoutEvidence: Int)
    /// Lines that contain any of these kinds of content, as in ``LineGrams/kinds(of:)``.
    case kinds(UInt32)
    /// All lines: the pattern has too few letters to be looked up.
    case all
}

extension ContentKind {
    fileprivate var bit: UInt32 { 1 << UInt32(Self.allCases.firstIndex(of: self) ?? 0) }

    /// The bits of lines that may contain it: older versions recognized fewer orders of plates, and neither cards nor
    /// accounts.
    fileprivate var bits: UInt32 {
        switch self {
        case .plate, .card, .iban: bit | Self.code.bit | Self.number.bit
        default: bit
        }
    }
}

extension Pattern {
    /// Selects the lines that may contain the pattern.
    public var candidates: CandidateQuery {
        switch form {
        case .plain(let pattern):
            Self.candidates(looseSkeleton(of: pattern), isTolerant: true, isCode: pattern.isCode)
        case .exact(let pattern): Self.candidates(looseSkeleton(of: pattern), isTolerant: false)
        case .expression(let expression):
            Self.candidates(expression.literal.flatMap(LineLattice.skeleton), isTolerant: false)
        case .content(let kind):
            .kinds(kind.bits)
        case .meaning: .all
        }
    }

    /// Selects the lines that may contain a part of the pattern if it continues on the next line: one query for each of
    /// its words, and one for each half of a word that may be hyphenated. Empty if the pattern cannot continue on the
    /// next line.
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

    /// Returns whether a line that ends with this text and a hyphen may contain the beginning of the pattern.
    ///
    /// - Parameter text: the text of a line for which ``LineGrams/goesOn`` is set.
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

    /// Returns the pattern's letters in the form in which lines are looked up, ignoring case even if the pattern does
    /// not.
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

    /// Returns the number of a word's grams that a line with evidence must have: all; of words of some nine letters or
    /// more all but two; of twelve or more all but three. Measured (docs/decisions/index.md): requiring all grams loses
    /// long words with one letter that is not among the alternatives, and codes, for which the same number is required
    /// as for lines without evidence, because few lines have any of their grams.
    static func leastWithEvidence(of count: Int) -> Int {
        switch count {
        case ..<7: count
        case ..<10: count - 2
        default: count - 3
        }
    }

    /// Returns the number of a word's grams that a line must have if only its best reading is known: half of them, and
    /// never so many that one misread letter without alternatives could hide a word of six letters or more.
    static func least(of count: Int) -> Int { max(1, min((count + 1) / 2, count - 3)) }
}

extension UInt32 {
    fileprivate var skeletonScalars: [UInt32] { LineLattice.skeleton(self) }
}

/// The grams that an index stores to look up a line.
public enum LineGrams {
    /// Returns the grams of all possible readings of the line.
    ///
    /// - Parameter withAlternatives: whether to include those of its evidence.
    public static func grams(of line: RecognizedText, withAlternatives: Bool = true) -> Set<Gram> {
        let folded = FoldedLine(line, folding: TextFolding(caseSensitive: false))
        let grams = LineLattice(folded, withAlternatives: withAlternatives).grams()
        // Codes are looked up without their marks.
        let bare = folded.withoutCodeMarks()
        guard bare.units.count < folded.units.count else { return grams }
        return grams.union(LineLattice(bare, withAlternatives: withAlternatives).grams())
    }

    /// Returns the kinds of content in the line, one bit each in the order of ``ContentKind/allCases``, and ``goesOn``.
    public static func kinds(of line: RecognizedText) -> UInt32 {
        let text = ContentText(FoldedLine(line, folding: TextFolding(caseSensitive: true)))
        let kinds: UInt32 = ContentKind.allCases.enumerated().reduce(0) { bits, kind in
            kind.element.findings(in: text).found.isEmpty ? bits : bits | 1 << UInt32(kind.offset)
        }
        return kinds | (JoinedLine.mayGoOn(line) ? goesOn : 0) | (line.evidence.isEmpty ? hasNoEvidence : 0)
    }

    /// The line is one of the two of a plate (``PlateOfTwoLines``) in some picture, judging by the text read beside it;
    /// the line's own text is not enough.
    public static let isInPlate: UInt32 = 1 << 29

    /// The line was read by a reader that reports only its best reading.
    public static let hasNoEvidence: UInt32 = 1 << 30

    /// The line ends in a hyphen, so that its last word may continue in the next line.
    public static let goesOn: UInt32 = 1 << 31
}
