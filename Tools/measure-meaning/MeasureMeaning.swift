import ArgumentParser
import Engines
import Foundation
import Meaning
import TextMatching

/// Prints how well search by meaning finds the lines of Tests/MeaningTests/questions.txt, and what it costs: what docs/MEANING.md says
/// comes from here. `scripts/bench meaning` runs it.
@main
struct MeasureMeaning: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure-meaning", abstract: "Recall, order, scores and cost of search by meaning.")

    @Argument(help: "Lines and questions, as in Tests/MeaningTests/questions.txt.")
    var questions: String

    func run() throws {
        let questions = try Questions(String(contentsOfFile: questions, encoding: .utf8))
        let table = try Table(questions)
        print("\(questions.items.count) lines, \(table.rows.count) questions, each held against all lines")
        for (name, isHeldOut) in [("tuned with", false), ("put aside", true)] {
            let rows = table.rows.filter { $0.isHeldOut == isHeldOut }
            table.printAccuracy(name, rows)
            for language in Set(rows.map(\.language)).sorted() {
                table.printAccuracy("  " + language, rows.filter { $0.language == language })
            }
        }
        table.printCalibration(table.rows.filter(\.isHeldOut))
        try Self.printTimes(questions)
        try Self.printReadings(questions)
    }

    /// Measures how long a reading of a running picture waits for a full screen of lines that were never seen before.
    private static func printReadings(_ questions: Questions) throws {
        let encoder = try MeaningInstallation.encoder()
        let matcher = try SearchMode(meaning: MeaningSource { encoder }).matcher(for: ["~ way out", "~ 비상 정지"])
        let lines = questions.items.prefix(60).map { RecognizedText($0.text) }
        var times: [Double] = []
        var found = 0
        repeat {
            found = times.count
            times.append(
                processorTime {
                    _ = matcher.matches(in: lines, blocks: .consecutive(lines.count), meaningAllowance: 60)
                })
        } while times.count < 60
        let all = processorTime { _ = matcher.matches(in: lines, blocks: .consecutive(lines.count)) }
        let known = processorTime { _ = matcher.matches(in: lines, blocks: .consecutive(lines.count)) }
        print(
            "live, \(lines.count) new lines at once: \(number(times[0])) ms in the first reading, \(number(times.max() ?? 0)) ms in the dearest of "
                + "\(found + 1), \(number(known)) ms once all are known (\(number(all)))")
    }

    /// The cost of a text, in processor time of one thread.
    private static func printTimes(_ questions: Questions) throws {
        let begun = ContinuousClock.now
        let encoder = try MeaningInstallation.encoder()
        print("opened in \(milliseconds(ContinuousClock.now - begun)) ms")
        let texts = questions.items.flatMap { item in [item.text] + item.questions.map(\.text) }
        // The first call reads from the disk, and is not counted.
        _ = encoder.vectors(of: texts)
        let alone = processorTime { for text in texts { _ = encoder.vectors(of: [text]) } }
        let together = processorTime { _ = encoder.vectors(of: texts) }
        let slowest = texts.map { text in processorTime { _ = encoder.vectors(of: [text]) } }.max() ?? 0
        print(
            "\(texts.count) texts, one core: \(number(alone / Double(texts.count))) ms each alone, "
                + "\(number(together / Double(texts.count))) ms many at once, \(number(slowest)) ms the slowest")
    }

    private static func processorTime(_ work: () -> Void) -> Double {
        let begun = clock()
        work()
        return Double(clock() - begun) / Double(CLOCKS_PER_SEC) * 1000
    }

    private static func milliseconds(_ time: Duration) -> String {
        number(Double(time.components.attoseconds) / 1e15 + Double(time.components.seconds) * 1000)
    }
}

func number(_ value: Double, decimals: Int = 3) -> String { String(format: "%.\(decimals)f", value) }

/// The questions and lines of the file.
struct Questions {
    struct Item {
        var text: String
        var questions: [(language: String, text: String)] = []
    }
    private(set) var items: [Item] = []
    /// Lines that mean the same.
    private(set) var alike: [[String]] = []

    init(_ file: String) {
        for line in file.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("~ ") {
                alike.append(line.dropFirst(2).components(separatedBy: " | "))
            } else if line.hasPrefix("= ") {
                items.append(Item(text: line.dropFirst(2).replacingOccurrences(of: " / ", with: " ")))
            } else {
                items[items.count - 1].questions.append((String(line.prefix(2)), String(line.dropFirst(3))))
            }
        }
    }

    func isRight(_ line: Int, for item: Int) -> Bool {
        line == item || alike.contains { $0.contains(items[line].text) && $0.contains(items[item].text) }
    }
}

/// How close every question is to every line.
struct Table {
    struct Row {
        var item: Int
        var language: String
        var isHeldOut: Bool
        var closeness: [Double]
        var probability: [Double]
    }
    let questions: Questions
    private(set) var rows: [Row] = []

    init(_ questions: Questions) throws {
        self.questions = questions
        for (number, item) in questions.items.enumerated() {
            for question in item.questions {
                rows.append(
                    Row(
                        item: number, language: question.language, isHeldOut: number % 3 == 2, closeness: [],
                        probability: []))
            }
        }
        let texts = questions.items.flatMap { $0.questions.map { "~ " + $0.text } }
        let matcher = try SearchMode(meaning: MeaningInstallation.source).matcher(for: texts)
        // Some are asked about two lines.
        let number = Dictionary(uniqueKeysWithValues: matcher.patterns.enumerated().map { ($1.text, $0) })
        let numbers = texts.map { number[$0] ?? 0 }
        for item in questions.items {
            let found = matcher.explanations(in: [RecognizedText(item.text)], blocks: .consecutive(1))
            for row in rows.indices {
                let explanation = found[numbers[row]]
                rows[row].closeness.append(explanation.meanings.first?.closeness.value ?? -1)
                rows[row].probability.append(explanation.meanings.first?.probability ?? 0)
            }
        }
    }

    /// The right line first, among the first three, and found where one of a hundred other pairs is let through.
    func printAccuracy(_ name: String, _ rows: [Row]) {
        var (first, three) = (0, 0)
        var right: [Double] = []
        var wrong: [Double] = []
        for row in rows {
            let order = row.closeness.indices.sorted { row.closeness[$0] > row.closeness[$1] }
            let place = order.firstIndex { questions.isRight($0, for: row.item) } ?? order.count
            first += place == 0 ? 1 : 0
            three += place < 3 ? 1 : 0
            right.append(row.closeness[order[place]])
            wrong += row.closeness.indices.filter { !questions.isRight($0, for: row.item) }.map { row.closeness[$0] }
        }
        wrong.sort()
        let bound = wrong[min(wrong.count - 1, wrong.count * 99 / 100)]
        func share(_ count: Int) -> String { number(Double(count) / Double(rows.count)) }
        let atDefault = zip(rows, right).filter { row, _ in
            row.probability.indices.contains {
                questions.isRight($0, for: row.item) && row.probability[$0] >= Matcher.usualMinimumScore
            }
        }
        print(
            "\(name.padding(toLength: 12, withPad: " ", startingAt: 0)) \(rows.count) questions: first \(share(first)), "
                + "of the first three \(share(three)), at 1 % of others \(share(right.count { $0 >= bound })), "
                + "with the usual score \(share(atDefault.count))")
    }

    /// How often a pair of such a score is right.
    func printCalibration(_ rows: [Row]) {
        let pairs = rows.flatMap { row in
            row.probability.indices.map { (row.probability[$0], questions.isRight($0, for: row.item)) }
        }
        for (low, high) in [(0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.01)] {
            let some = pairs.filter { low <= $0.0 && $0.0 < high }
            guard !some.isEmpty else { continue }
            let mean = some.reduce(0) { $0 + $1.0 } / Double(some.count)
            let right = Double(some.count { $0.1 }) / Double(some.count)
            print(
                "put aside, scores \(low) to \(min(1, high)): \(some.count) pairs, mean \(number(mean)), right \(number(right))"
            )
        }
    }
}
