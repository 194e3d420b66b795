import TextMatching
import TextSpotting

/// Determines which lines of a part may be one of the two lines of a plate (``PlateOfTwoLines``), so that a search for
/// plates examines no others.
///
/// It selects too many: it examines only the two lines, and the text beside them may show that they are not a plate.
struct PlateLines {
    /// A line that may be one of the two.
    private struct Half {
        let number: Int
        let line: RecordedLine
        let text: RecognizedText
        let hasDigit: Bool
        let hasLetter: Bool

        /// Returns nil if it cannot be one.
        init?(_ line: RecordedLine, _ number: Int) {
            let text = line.line.recognized
            guard PlateOfTwoLines.mayBeHalf(text) else { return nil }
            (self.number, self.line, self.text) = (number, line, text)
            hasDigit = text.letters.contains { $0.character.isNumber }
            hasLetter = text.letters.contains { !$0.character.isNumber }
        }

        func quad(in frame: Int) -> Quad { line.path.place(of: line.line.quad, in: frame) }
    }

    private let steps: [Int]
    private var found = Set<Int>()

    /// Returns the indices of the lines.
    ///
    /// - Parameter steps: the frames of the part that were read.
    static func numbers(in lines: [RecordedLine], steps: [Int]) -> Set<Int> {
        let halves = lines.enumerated().compactMap { Half($1, $0) }
        guard halves.count > 1 else { return [] }
        var plates = PlateLines(steps: steps)
        plates.pair(halves.sorted { $0.line.steps.lowerBound < $1.line.steps.lowerBound })
        return plates.found
    }

    private init(steps: [Int]) { self.steps = steps }

    /// - Parameter halves: the lines in the order of appearance.
    private mutating func pair(_ halves: [Half]) {
        var inView: [Half] = []
        for half in halves {
            let first = half.line.steps.lowerBound
            inView.removeAll { $0.line.steps.upperBound <= first }
            for other in inView where !(found.contains(half.number) && found.contains(other.number)) {
                let last = min(half.line.steps.upperBound, other.line.steps.upperBound) - 1
                if isPlate(half, other, at: first) || isPlate(half, other, at: last) {
                    found.formUnion([half.number, other.number])
                }
            }
            inView.append(half)
        }
    }

    private func isPlate(_ a: Half, _ b: Half, at step: Int) -> Bool {
        guard a.hasDigit || b.hasDigit, a.hasLetter || b.hasLetter, steps.indices.contains(step) else { return false }
        let (place, other) = (a.quad(in: steps[step]), b.quad(in: steps[step]))
        return TextBlocks.mayGoOn(from: place, to: other) && PlateOfTwoLines.isOne(a.text, b.text)
            || TextBlocks.mayGoOn(from: other, to: place) && PlateOfTwoLines.isOne(b.text, a.text)
    }
}
