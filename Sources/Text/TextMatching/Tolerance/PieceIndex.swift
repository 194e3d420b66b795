/// Finds the places that may contain patterns with a few misread letters, for all patterns in one pass.
///
/// If a pattern with at most `k` wrong letters is cut into `k + 1` pieces, at least one piece is without a mistake (the
/// pigeonhole filter; see G. Navarro, "A guided tour to approximate string matching", 2001, section 8). Pieces of
/// skeletons (``Confusable/skeleton(_:)``) are looked up by their first two or three letters.
struct PieceIndex: Sendable {
    private struct Piece: Sendable {
        var pattern: Int32
        /// The pattern's unit at which the piece begins.
        var unit: Int32
        /// Its range in the skeleton; see ``skeletons``.
        var start: Int32
        var end: Int32
    }

    /// A possible place of a pattern: its unit 0 would be approximately at the line's unit `diagonal`.
    struct Candidate: Hashable, Sendable {
        var pattern: Int32
        var diagonal: Int32
    }

    private var pairs: [UInt64: [Piece]] = [:]
    private var triples: [UInt64: [Piece]] = [:]
    /// The letters of each pattern's skeleton, one bit each; several letters share a bit.
    private var letters: [UInt64] = []
    /// The number of letters that may be wrong, for each pattern.
    private(set) var edits: [Int] = []
    private var lengths: [Int] = []
    private var skeletons: [[UInt32]] = []
    /// The first and the second letters of all pieces, as bits: most places of a line then need no lookup.
    private var firstLetters: UInt64 = 0
    private var secondLetters: UInt64 = 0

    /// The number of patterns above which only one letter of each may be wrong, and pieces have at least three letters,
    /// so that few are found by chance.
    static let fewPatterns = 100
    /// The largest number of candidates of one line, a limit for malicious input.
    static let mostCandidates = 20_000

    var isEmpty: Bool { pairs.isEmpty && triples.isEmpty }

    init(_ patterns: [PlainPattern]) {
        for (number, pattern) in patterns.enumerated() {
            let (scalars, unitAt) = TolerantSearch.skeleton(pattern.folded.units)
            let isMany = patterns.count > Self.fewPatterns
            let edits = min(
                isMany ? 1 : pattern.allowedEdits, pattern.allowedEdits, scalars.count / (isMany ? 3 : 2) - 1)
            skeletons.append(scalars)
            self.edits.append(max(0, edits))
            lengths.append(pattern.folded.units.count)
            letters.append(scalars.reduce(0) { $0 | Self.bit($1) })
            guard edits > 0 else { continue }
            for piece in 0...edits {
                let start = piece * scalars.count / (edits + 1)
                let end = (piece + 1) * scalars.count / (edits + 1)
                let found = Piece(
                    pattern: Int32(number), unit: Self.unit(at: start, unitAt), start: Int32(start), end: Int32(end))
                firstLetters |= Self.bit(scalars[start])
                secondLetters |= Self.bit(scalars[start + 1])
                if end - start > 2 {
                    triples[Self.key(scalars[start...].prefix(3)), default: []].append(found)
                } else {
                    pairs[Self.key(scalars[start...].prefix(2)), default: []].append(found)
                }
            }
        }
    }

    /// Returns the possible places of patterns, by pattern and place, each place once.
    func candidates(in line: FoldedLine, _ scalars: [UInt32], _ unitAt: [Int32]) -> [Candidate] {
        var found: [Candidate] = []
        var bits: [UInt64] = []
        for start in scalars.indices.dropLast()
        where firstLetters & Self.bit(scalars[start]) != 0 && secondLetters & Self.bit(scalars[start + 1]) != 0 {
            let unit = Self.unit(at: start, unitAt)
            if bits.isEmpty { bits = line.units.map { Self.skeletonBits($0.code) } }
            for length in 2...3 where start + length <= scalars.count {
                for piece in pieces(at: start, length, in: scalars) {
                    let diagonal = unit - piece.unit
                    guard isWhole(piece, at: start, in: scalars),
                        has(piece.pattern, from: Int(diagonal), in: bits)
                    else { continue }
                    found.append(Candidate(pattern: piece.pattern, diagonal: diagonal))
                    guard found.count < Self.mostCandidates else { return found }
                }
            }
        }
        found.sort { ($0.pattern, $0.diagonal) < ($1.pattern, $1.diagonal) }
        var last: Candidate?
        return found.filter { candidate in
            defer { last = candidate }
            return candidate != last
        }
    }

    /// Returns the pieces that begin with the two or three scalars from `start` on.
    private func pieces(at start: Int, _ length: Int, in scalars: [UInt32]) -> [Piece] {
        if length == 2 { return pairs.isEmpty ? [] : pairs[Self.key(scalars[start..<start + 2])] ?? [] }
        return triples.isEmpty ? [] : triples[Self.key(scalars[start..<start + 3])] ?? []
    }

    /// Returns whether the whole piece is there, not only its beginning.
    private func isWhole(_ piece: Piece, at start: Int, in scalars: [UInt32]) -> Bool {
        let length = Int(piece.end - piece.start)
        guard length > 3 else { return true }
        guard start + length <= scalars.count else { return false }
        let skeleton = skeletons[Int(piece.pattern)]
        for offset in 3..<length where skeleton[Int(piece.start) + offset] != scalars[start + offset] { return false }
        return true
    }

    /// Returns whether no more letters of the pattern are missing around that place than may be wrong.
    private func has(_ pattern: Int32, from diagonal: Int, in bits: [UInt64]) -> Bool {
        let slack = edits[Int(pattern)]
        let start = max(0, diagonal - slack)
        let end = min(bits.count, diagonal + lengths[Int(pattern)] + slack)
        guard start < end else { return false }
        var there: UInt64 = 0
        for index in start..<end { there |= bits[index] }
        return (letters[Int(pattern)] & ~there).nonzeroBitCount <= 2 * slack
    }

    private static func unit(at start: Int, _ unitAt: [Int32]) -> Int32 {
        unitAt[start] >= 0 || start == 0 ? unitAt[start] : unitAt[start - 1]
    }

    private static func skeletonBits(_ code: UInt32) -> UInt64 {
        let (first, second) = Confusable.skeleton(code)
        return bit(first) | (second.map(bit) ?? 0)
    }

    private static func bit(_ scalar: UInt32) -> UInt64 { 1 << UInt64(scalar & 63) }

    private static func key(_ scalars: ArraySlice<UInt32>) -> UInt64 {
        scalars.reduce(0) { $0 << 21 | UInt64($1) }
    }
}

/// Finds plain patterns in folded lines despite wrongly split words and confusable letters, but never a word that
/// merely resembles the pattern.
///
/// It tolerates only known misreadings (``Confusable``); there are no free edits. White space does not matter inside a
/// match, with one exception: a gap that was not searched for is crossed only by matches that begin and end with whole
/// words.
///
/// A value; safe to use from several threads at once. Time grows with the length of the lines and the number of
/// candidates, not with the number of patterns.
struct TolerantSearch: Sendable {
    private let patterns: [Int: PlainPattern]
    private let automaton: SkeletonAutomaton
    private let uncertain: UncertainSearch

    /// - Parameter patterns: the patterns, with the number under which ``spans(in:)`` reports each. All are folded as
    ///   the lines will be.
    init(_ patterns: [(number: Int, pattern: PlainPattern)]) {
        self.patterns = Dictionary(patterns.map { ($0.number, $0.pattern) }) { first, _ in first }
        automaton = SkeletonAutomaton(
            patterns.map { (number: $0.number, skeleton: Self.skeleton($0.pattern.folded.units).scalars) })
        uncertain = UncertainSearch(patterns)
    }

    /// Returns every place of the line where a pattern occurs; places of one pattern do not overlap (the first in
    /// reading order counts, as in grep), but places of different patterns may. They are in no particular order.
    ///
    /// - Parameter least: doubtful matches with a lower score are dropped.
    func spans(in folded: FoldedLine, least: Double = MatchScore.least) -> [FoundSpan] {
        var found: [FoundSpan] = []
        let (scalars, unitAt) = Self.skeleton(folded.units)
        var free: [Int: Int] = [:]
        var taken: [Int: [Range<Int>]] = [:]
        automaton.places(in: scalars) { number, start in
            // -1 stands for the middle of a wide letter.
            let unit = Int(unitAt[start])
            guard unit >= 0, unit >= free[number] ?? 0, let pattern = patterns[number],
                let alignment = Alignment(pattern, over: folded, from: unit)
            else { return }
            free[number] = alignment.units.upperBound
            taken[number, default: []].append(alignment.units)
            let letters = folded.letters(ofUnits: alignment.units)
            let features = MatchFeatures(
                way: alignment.cost > 0 ? .alike : .same,
                confidence: MatchFeatures.confidence(of: folded.letters[letters]), cost: alignment.cost, ratio: nil,
                length: pattern.folded.units.count, edits: 0)
            found.append(
                FoundSpan(
                    number: number, letters: letters, score: MatchScore.score(features, folded.source),
                    features: features))
        }
        let more = uncertain.spans(in: folded, skeleton: scalars, unitAt, taken: taken, least: least)
        return more.isEmpty ? found : found + more
    }

    /// Returns the skeleton of `units`, and the unit at which each of its scalars begins (-1 inside a unit).
    static func skeleton(_ units: [FoldedText.Unit]) -> (scalars: [UInt32], unitAt: [Int32]) {
        var scalars: [UInt32] = []
        var unitAt: [Int32] = []
        scalars.reserveCapacity(units.count)
        unitAt.reserveCapacity(units.count)
        for (index, unit) in units.enumerated() {
            let (first, second) = Confusable.skeleton(unit.code)
            scalars.append(first)
            unitAt.append(Int32(index))
            if let second {
                scalars.append(second)
                unitAt.append(-1)
            }
        }
        return (scalars, unitAt)
    }
}
