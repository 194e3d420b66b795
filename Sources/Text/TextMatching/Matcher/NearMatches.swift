import Glibc

/// Decides whether a line might contain a searched word that was misread, so that it is worth reading again with a
/// better network.
///
/// This is much wider than a match: up to a third of a pattern's characters (a quarter of a short one's) may be wrong,
/// missing or too many (``EditDistance``). But if the reader saw nothing else in these characters, nor beside them,
/// another reading would return the same: a clear `wish` is not a misread `fish`. Such a place is not a match by itself.
public struct NearMatches: Sendable {
    private let matcher: Matcher
    private let wanted: [(index: Int, pattern: PlainPattern, codes: [UInt32])]
    /// The confidence below which a reading is doubtful whatever its text, if it is about as long as a pattern.
    private static let sureFrom = 0.8
    /// The number of characters of a longer line that are compared.
    private static let longest = 400
    /// The number of patterns above which nearly everything would be near one.
    private static let mostPatterns = 100

    public init(_ matcher: Matcher) {
        self.matcher = matcher
        wanted = matcher.patterns.prefix(Self.mostPatterns).enumerated().compactMap { index, pattern in
            pattern.plain.map { (index, $0, $0.folded.units.map(\.code)) }
        }
    }

    /// Returns whether the line contains something similar to a pattern without a sure match there, or a doubtful
    /// match.
    public func isDoubtful(_ line: RecognizedText) -> Bool {
        let folded = FoldedLine(line, folding: TextFolding(caseSensitive: false))
        let read = Array(folded.units.prefix(Self.longest))
        guard !read.isEmpty else { return false }
        let matches = matcher.matches(in: line)
        let found = Set(matches.filter { $0.score >= Self.sureFrom }.map(\.patternIndex))
        // The evidence may support a pattern of which most letters were misread.
        let weak = Set(matches.map(\.patternIndex)).subtracting(found)
        let hasCodes = wanted.contains { $0.pattern.isCode }
        let bare = hasCodes ? Array(folded.withoutCodeMarks().units.prefix(Self.longest)) : read
        let doubts = ReadingDoubts(folded)
        return wanted.contains { index, plain, pattern in
            guard !found.contains(index) else { return false }
            if weak.contains(index) { return true }
            let allowed = pattern.count / (pattern.count < 6 ? 4 : 3)
            return allowed > 0
                && Self.isNear(pattern, plain.isCode ? bare : read, allowing: allowed) { doubts.areIn($0) }
        }
    }

    /// Returns whether at most `allowed` edits turn `pattern` into some doubtful part of `text`.
    ///
    /// - Parameter isDoubtful: called with characters of the line: those of the part, and one on each side of it.
    private static func isNear(
        _ pattern: [UInt32], _ text: [FoldedText.Unit], allowing allowed: Int,
        _ isDoubtful: (ClosedRange<Int>) -> Bool
    ) -> Bool {
        var isNear = false
        EditDistance.parts(like: pattern, in: text.map(\.code), allowing: allowed) { part, _ in
            let (first, last) = (Int(text[part.lowerBound].character), Int(text[part.upperBound - 1].character))
            isNear = isDoubtful(first - 1...max(first, last) + 1)
            return isNear
        }
        return isNear
    }
}

/// The approximate matching of P. H. Sellers, 1980.
enum EditDistance {
    /// Calls `visit` for each place at which a part of `text` ends that at most `allowed` edits turn into `pattern`: with the
    /// part that needs the fewest, the longest of equal ones, which is not empty; and with their number. It returns whether
    /// no more places are wanted.
    static func parts(
        like pattern: [UInt32], in text: [UInt32], allowing allowed: Int, _ visit: (Range<Int>, Int) -> Bool
    ) {
        // For each prefix of the pattern: the edits, and the place in the text at which the part begins.
        var column = (0...pattern.count).map { (edits: $0, start: 0) }
        for (place, code) in text.enumerated() {
            var diagonal = column[0]
            column[0] = (0, place + 1)
            for (row, wanted) in pattern.enumerated() {
                var best = (edits: diagonal.edits + (wanted == code ? 0 : 1), start: diagonal.start)
                diagonal = column[row + 1]
                let (missing, extra) = (
                    (column[row].edits + 1, column[row].start), (diagonal.edits + 1, diagonal.start)
                )
                if missing < best { best = missing }
                if extra < best { best = extra }
                column[row + 1] = best
            }
            let last = column[pattern.count]
            if last.edits <= allowed, visit(min(last.start, place)..<place + 1, last.edits) { return }
        }
    }
}

/// The characters of a line in which its reader also saw others, so that another reading may differ.
struct ReadingDoubts {
    /// The number of doubtful characters before each character, and finally the total; nil if the reader gave no
    /// evidence.
    private let before: [Int]?

    /// The logarithm of the probability from which another character makes one doubtful. This saves two thirds of the
    /// second readings on clean clips and a third on blurred ones, with the same results (docs/decisions/networks.md).
    private static let leastLogarithm = Float(log(0.01))
    /// The confidence below which a character may be none.
    private static let leastConfidence = 0.5

    init(_ line: FoldedLine) {
        guard let evidence = line.evidence.first, evidence.peaks.count == line.letters.count else {
            before = nil
            return
        }
        let codes = line.letters.map { letter in
            letter.character.unicodeScalars.first.flatMap { line.folding.code(of: $0.value) }
        }
        var sums = [0]
        for (index, letter) in line.letters.enumerated() {
            // At the edge of a character's steps the network sees its neighbor.
            let read = codes[max(0, index - 1)...min(codes.count - 1, index + 1)]
            let isDoubtful =
                letter.confidence < Self.leastConfidence
                || evidence.cell(ofCharacter: index).contains { step in
                    evidence.candidates(at: step).contains { candidate in
                        candidate.logarithm >= Self.leastLogarithm && candidate.scalar != 0x20
                            && !read.contains(line.folding.code(of: candidate.scalar))
                    }
                }
            sums.append(sums[index] + (isDoubtful ? 1 : 0))
        }
        before = sums
    }

    /// Returns whether one of these characters of the line is doubtful, or nothing is known of them; indices outside
    /// the line are ignored.
    func areIn(_ characters: ClosedRange<Int>) -> Bool {
        guard let before else { return true }
        let inside = characters.clamped(to: 0...max(0, before.count - 2))
        return before.count < 2 || before[inside.upperBound + 1] > before[inside.lowerBound]
    }
}
