import Engines
import Foundation
import Testing
import TextMatching

@testable import Meaning

/// Checks the figures in docs/MEANING.md of how often the right line is found; `scripts/bench meaning` prints the figures.
@Suite(.enabled(if: Model.isInstalled, "\(Model.reason)"))
struct MeaningQualityTests {
    /// The closeness of each question to each line; rows are in the order of the items' questions.
    private struct Table {
        var values: [[Double]] = []
        var item: [Int] = []
        let items: [MeaningItem]
        let alike: [Set<Int>]

        init() throws {
            (items, alike) = try MeaningItem.all()
            let questions = items.enumerated().flatMap { number, item in item.questions.map { (number, $0.text) } }
            item = questions.map(\.0)
            let matcher = try SearchMode(meaning: MeaningInstallation.source).matcher(
                for: questions.map { "~ " + $0.1 })
            // Some questions are about two lines.
            let number = Dictionary(uniqueKeysWithValues: matcher.patterns.enumerated().map { ($1.text, $0) })
            values = [[Double]](repeating: [], count: questions.count)
            for item in items {
                let found = matcher.explanations(in: [RecognizedText(item.text)], blocks: .consecutive(1))
                for (question, asked) in questions.enumerated() {
                    let explanation = found[try #require(number["~ " + asked.1])]
                    values[question].append(explanation.meanings.first?.closeness.value ?? -1)
                }
            }
        }

        /// Returns the share of questions whose closest line is a right one.
        func rightFirst(_ isCounted: (Int) -> Bool) -> Double {
            let counted = values.indices.filter(isCounted)
            let right = counted.filter { question in
                let best = values[question].indices.max { values[question][$0] < values[question][$1] } ?? 0
                return alike[item[question]].contains(best)
            }
            return Double(right.count) / Double(counted.count)
        }
    }

    @Test("the right line comes first as often as the documents say, also of those that took no part in the choice")
    func rightFirst() throws {
        let table = try Table()
        #expect(table.items.count >= 100 && table.values.count >= 400)
        #expect(table.rightFirst { _ in true } >= 0.79)
        #expect(table.rightFirst { table.items[table.item[$0]].isHeldOut } >= 0.75)
    }

    @Test("what is surer is right more often")
    func calibration() {
        let shares = stride(from: -0.5, through: 1, by: 0.01).map(MeaningCalibration.map)
        #expect(shares == shares.sorted())
        #expect(shares.allSatisfy { (0...1).contains($0) })
    }
}
