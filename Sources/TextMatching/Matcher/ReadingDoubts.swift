import Glibc

/// In which characters of a line its reader also saw others, so that another reading may say something else.
struct ReadingDoubts {
    /// How many of the characters before each are in doubt, and last of all of them; nil if the reader gave no evidence.
    private let before: [Int]?

    /// A character is in doubt where another is at least as probable as this. On clean clips two thirds of the second looks are left
    /// out so, on blurred ones a third, and the same is found (docs/NEURAL.md).
    private static let leastLogarithm = Float(log(0.01))
    /// A character less sure than this may be none.
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
            // At the edge of a character's steps its neighbor is seen.
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

    /// One of these characters of the line is in doubt, or nothing is known of them; numbers outside of the line are left out.
    func areIn(_ characters: ClosedRange<Int>) -> Bool {
        guard let before else { return true }
        let inside = characters.clamped(to: 0...max(0, before.count - 2))
        return before.count < 2 || before[inside.upperBound + 1] > before[inside.lowerBound]
    }
}
