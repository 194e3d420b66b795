import ArgumentParser
import Errors
import Foundation
import TextIndex
import TextMatching
import TextSpotting

/// Fills an index with made-up lines and measures how large it is, how long searches take, and what they find.
@main
struct MeasureIndex: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure-index", abstract: "Sizes, times and recall of the index on made-up lines.")

    @Option(help: "How many lines.")
    var lines = 1_000_000

    @Option(help: "How many lines of a recording.")
    var part = 50_000

    @Option(help: "A text whose words the lines are made of, and which words are searched for.")
    var words: String

    @Option(help: "The index's folder, which must not be there yet; one that is there is searched only.")
    var folder: String

    @Option(help: "How many words are searched for.")
    var queries = 200

    @Option(help: "How many letters are misread.")
    var errors = 0.06

    @Option(help: "How many of these have the truth among their alternatives.")
    var known = 0.85

    @Option(help: "Write the lines as read to this file, for other programs.")
    var plain: String?

    @Option(
        help:
            "Write each word that is searched for to this file, with how many sightings it has and how long that takes."
    )
    var report: String?

    func run() throws {
        let vocabulary = try Self.vocabulary(words)
        let folder = try IndexFolder(folder)
        var truths: [String] = []
        if !folder.exists { truths = try fill(folder, vocabulary) }
        guard let index = try TextIndex.forSearching(folder) else { return }
        let size = try index.size()
        print("lines: \(size.lines) in \(size.segments) segments, \(size.bytes / 1_000_000) MB")
        try measure(index, vocabulary, truths)
    }

    private static func vocabulary(_ path: String) throws -> [String] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var counts: [String: Int] = [:]
        for word in text.lowercased().split(whereSeparator: { !$0.isLetter }) where word.count > 1 && word.count < 20 {
            counts[String(word), default: 0] += 1
        }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }

    private func fill(_ folder: IndexFolder, _ vocabulary: [String]) throws -> [String] {
        var source = SyntheticLines(words: vocabulary, errorRate: errors, knownShare: known, seed: 7)
        let index = try TextIndex.forWriting(folder)
        var truths: [String] = []
        var read = plain == nil ? nil : ""
        let begun = ContinuousClock.now
        for first in stride(from: 0, to: lines, by: part) {
            var recorded: [RecordedLine] = []
            for number in 0..<min(part, lines - first) {
                let made = source.next()
                truths.append(made.truth)
                read? += made.line.text + "\n"
                // With a second between them, so that each is a sighting of its own.
                let times = (StreamTime(seconds: Double(2 * number)), StreamTime(seconds: Double(2 * number + 1)))
                recorded.append(
                    RecordedLine(
                        line: made.line, steps: number..<number + 1,
                        words: made.line.words.map { _ in .init(id: number + 1, start: times.0, end: times.1) }))
            }
            let frames = FrameTimes(runs: [.init(start: 0, count: part, span: Int64(part) * 2_000_000_000)])
            let recording = RecordedPart(
                from: .zero, to: StreamTime(seconds: Double(2 * part)), frames: frames, steps: Array(0..<part),
                lines: recorded)
            let entry = IndexedSource(
                id: .drawn(), name: "recording \(first / part)", manner: "made up", stamp: nil, digest: nil,
                state: .complete, end: recording.to)
            _ = try index.add(recording, of: entry, inPlaceOf: nil)
            try index.mergeSmall()
        }
        print("filled in \(Self.seconds(.now - begun)) s")
        if let plain, let read { try read.write(toFile: plain, atomically: true, encoding: .utf8) }
        return truths
    }

    private func measure(_ index: TextIndex, _ vocabulary: [String], _ truths: [String]) throws {
        // From frequent to rare, as people search: every so many of the list.
        let step = max(1, vocabulary.count / queries)
        let chosen = stride(from: 3, to: vocabulary.count, by: step).map { vocabulary[$0] }.filter { $0.count >= 4 }
        var times: [Double] = []
        // What the processors did, which other programs do not make longer.
        var work: [Double] = []
        var (found, all) = (0, 0)
        var rows = ""
        // Opens the segments, as whoever searches twice has them open.
        _ = try index.search(for: Matcher(patterns: [try Pattern(text: "warm")]), minimumScore: 0.3)
        for (number, word) in chosen.enumerated() {
            let matcher = Matcher(patterns: [try Pattern(text: word)])
            let (begun, busy) = (ContinuousClock.now, Self.processorTime)
            let answer = try index.search(for: matcher, minimumScore: 0.3)
            times.append(Self.seconds(.now - begun) * 1000)
            work.append((Self.processorTime - busy) * 1000)
            let count = answer.sightings.values.reduce(0) { $0 + $1.count }
            rows += "\(word)\t\(count)\t\(times[times.count - 1])\t\(work[work.count - 1])\n"
            if number % 20 == 0 { print("  \(word): \(count) in \(Int(times[times.count - 1])) ms") }
            guard !truths.isEmpty else { continue }
            all += truths.count { " \($0) ".contains(" \(word) ") }
            found += count
        }
        if let report { try rows.write(toFile: report, atomically: true, encoding: .utf8) }
        print("\(times.count) words: \(Self.summary(times)); processor time \(Self.summary(work))")
        if all > 0 { print("sightings: \(found), lines in which the words stand: \(all)") }
    }

    private static func summary(_ values: [Double]) -> String {
        let sorted = values.sorted()
        func percentile(_ share: Double) -> Double { sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] }
        return String(
            format: "p50 %.1f ms, p95 %.1f ms, longest %.1f ms", percentile(0.5), percentile(0.95), percentile(1))
    }

    /// Of all threads, in seconds.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}

extension Double {
    /// This number to the power of another.
    func power(_ exponent: Double) -> Double { pow(self, exponent) }

    /// The natural logarithm.
    var logarithm: Double { log(self) }
}
