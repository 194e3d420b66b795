import ArgumentParser
import Engines
import Errors
import Foundation
import Synchronization
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

    @Option(help: "Measure also when so many sightings are known, in the order of the recordings' names; 0 for not.")
    var first = 0

    @Option(help: "Write all that was found to this file, so that two programs can be compared.")
    var answers: String?

    @Option(help: "Ask these instead of searching for words: a file as Tests/MeaningTests/questions.txt.")
    var questions: String?

    func validate() throws {
        guard lines > 0, part > 0, queries > 0 else {
            throw ValidationError("--lines, --part and --queries are numbers above 0.")
        }
    }

    func run() throws {
        let vocabulary = try Self.vocabulary(words)
        guard !Self.searched(vocabulary, queries).isEmpty else {
            throw ValidationError("\(words) has no word of four letters or more; give a longer text.")
        }
        let folder = try IndexFolder(folder)
        var truths: [String] = []
        if !folder.exists { truths = try fill(folder, vocabulary) }
        guard let index = try TextIndex.forSearching(folder) else { return }
        let size = try index.size()
        print("lines: \(size.lines) in \(size.segments) segments, \(size.bytes / 1_000_000) MB")
        guard let questions else { return try measure(index, vocabulary, truths) }
        try MeaningTimes(folder: folder).measure(try MeaningTimes.questions(questions))
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
                recorded.append(Self.recorded(made.line, number))
            }
            try add(recorded, number: first / part, to: index)
        }
        print("filled in \(Self.seconds(.now - begun)) s")
        if let plain, let read { try read.write(toFile: plain, atomically: true, encoding: .utf8) }
        return truths
    }

    /// With a second between them, so that each is a sighting of its own.
    private static func recorded(_ line: TextLine, _ number: Int) -> RecordedLine {
        let times = (StreamTime(seconds: Double(2 * number)), StreamTime(seconds: Double(2 * number + 1)))
        return RecordedLine(
            line: line, steps: number..<number + 1,
            words: line.words.map { _ in .init(id: number + 1, start: times.0, end: times.1) })
    }

    private func add(_ lines: [RecordedLine], number: Int, to index: TextIndex) throws {
        let frames = FrameTimes(runs: [.init(start: 0, count: part, span: Int64(part) * 2_000_000_000)])
        let recording = RecordedPart(
            from: .zero, to: StreamTime(seconds: Double(2 * part)), frames: frames, steps: Array(0..<part), lines: lines
        )
        let entry = IndexedSource(
            id: .drawn(), name: "recording \(number)", manner: "made up", stamp: nil, digest: nil, state: .complete,
            end: recording.to)
        _ = try index.add(recording, of: entry, inPlaceOf: nil)
        try index.mergeSmall()
    }

    /// The measurements of the searches, word by word.
    private struct Searches {
        var times: [Double] = []
        /// Until the first ones were known.
        var firstTimes: [Double] = []
        /// Processor time, which other programs do not make longer.
        var work: [Double] = []
        var firstWork: [Double] = []
        var found = 0
        /// One row a word.
        var rows = ""
        /// One row a sighting.
        var answers: [String] = []
    }

    private func measure(_ index: TextIndex, _ vocabulary: [String], _ truths: [String]) throws {
        // Opens the segments, as in a second search.
        _ = try index.search(
            for: Matcher(patterns: [try Pattern(text: "warm")]), minimumScore: Matcher.usualMinimumScore)
        let sources = try index.sources()
        let names = Dictionary(sources.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
        var searches = Searches()
        var all = 0
        for (number, word) in Self.searched(vocabulary, queries).enumerated() {
            if first > 0 { try searchFirst(index, for: word, sources.map(\.id), &searches) }
            try search(index, for: word, names, &searches)
            if number % 20 == 0, let time = searches.times.last { print("  \(word): \(Int(time)) ms") }
            all += truths.isEmpty ? 0 : truths.count { " \($0) ".contains(" \(word) ") }
        }
        try report.map { try searches.rows.write(toFile: $0, atomically: true, encoding: .utf8) }
        try answers.map {
            try (searches.answers.joined(separator: "\n") + "\n").write(toFile: $0, atomically: true, encoding: .utf8)
        }
        print(
            "\(searches.times.count) words: \(Self.summary(searches.times)); processor time \(Self.summary(searches.work))"
        )
        if first > 0 {
            print(
                "the first \(first): \(Self.summary(searches.firstTimes)); processor time \(Self.summary(searches.firstWork))"
            )
        }
        if all > 0 { print("sightings: \(searches.found), lines in which the words stand: \(all)") }
    }

    /// As a page does that is full.
    private func searchFirst(
        _ index: TextIndex, for word: String, _ order: [SourceID], _ searches: inout Searches
    ) throws {
        let isEnough = Atomic<Bool>(false)
        let matcher = Matcher(patterns: [try Pattern(text: word)])
        let (begun, busy) = (ContinuousClock.now, Self.processorTime)
        var counts: [SourceID: Int] = [:]
        var whole = Set<SourceID>()
        let listener = SearchListener(order: order, enough: first) { source, found, isWhole in
            counts[source, default: 0] += found.count
            if isWhole { whole.insert(source) }
            // Those after a recording that is not complete are not shown yet.
            let shown = order.prefix(while: whole.contains).count + 1
            let count = order.prefix(shown).reduce(0) { $0 + (counts[$1] ?? 0) }
            if count >= first { isEnough.store(true, ordering: .relaxed) }
        }
        _ = try index.search(
            for: matcher, minimumScore: Matcher.usualMinimumScore, listener: listener,
            isCancelled: { isEnough.load(ordering: .relaxed) })
        searches.firstTimes.append(Self.seconds(.now - begun) * 1000)
        searches.firstWork.append((Self.processorTime - busy) * 1000)
    }

    private func search(
        _ index: TextIndex, for word: String, _ names: [SourceID: String], _ searches: inout Searches
    ) throws {
        let matcher = Matcher(patterns: [try Pattern(text: word)])
        let (begun, busy) = (ContinuousClock.now, Self.processorTime)
        let answer = try index.search(for: matcher, minimumScore: Matcher.usualMinimumScore)
        let (time, work) = (Self.seconds(.now - begun) * 1000, (Self.processorTime - busy) * 1000)
        let count = answer.sightings.values.reduce(0) { $0 + $1.count }
        searches.times.append(time)
        searches.work.append(work)
        searches.found += count
        searches.rows += "\(word)\t\(count)\t\(time)\t\(work)"
        if let time = searches.firstTimes.last, let work = searches.firstWork.last {
            searches.rows += "\t\(time)\t\(work)"
        }
        searches.rows += "\n"
        guard answers != nil else { return }
        searches.answers += answer.sightings.flatMap { source, sightings in
            sightings.map { Self.row($0, word, names[source] ?? "") }
        }.sorted()
    }

    /// All that an answer says, as far as it must not depend on how it was found.
    private static func row(_ sighting: Sighting, _ word: String, _ name: String) -> String {
        let corners = sighting.peak.quad.corners.flatMap { [$0.x, $0.y] }.map { String(format: "%.2f", $0) }
        return [
            word, name, "\(sighting.id)", sighting.text, sighting.line, "\(sighting.start.nanoseconds)",
            "\(sighting.end.nanoseconds)", String(format: "%.4f", sighting.score),
            "\(sighting.peak.time.start.nanoseconds)", corners.joined(separator: " "),
        ].joined(separator: "\t")
    }

    /// From frequent to rare, as people search: every so many of the list that are long enough.
    private static func searched(_ vocabulary: [String], _ queries: Int) -> [String] {
        let step = max(1, vocabulary.count / queries)
        let chosen = stride(from: 3, to: vocabulary.count, by: step).map { vocabulary[$0] }.filter { $0.count >= 4 }
        return chosen.isEmpty ? Array(vocabulary.filter { $0.count >= 4 }.prefix(queries)) : chosen
    }

    static func summary(_ values: [Double]) -> String {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return "nothing was measured" }
        func percentile(_ share: Double) -> Double { sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] }
        return String(
            format: "p50 %.1f ms, p95 %.1f ms, longest %.1f ms", percentile(0.5), percentile(0.95), percentile(1))
    }

    /// Of all threads, in seconds.
    static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}

extension Double {
    /// This number to the power of another.
    func power(_ exponent: Double) -> Double { pow(self, exponent) }

    /// The natural logarithm.
    var logarithm: Double { log(self) }
}

/// How long questions take that an index is asked, how much memory that is, and how much the vectors take on the disk.
struct MeaningTimes {
    let folder: IndexFolder

    /// The questions of a file as `Tests/MeaningTests/questions.txt`.
    static func questions(_ path: String) throws -> [String] {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        let asking = lines.filter { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return parts.count == 2 && parts[0].count == 2 && parts[0].allSatisfy(\.isLowercase)
        }
        return asking.map { String($0.dropFirst(3)) }
    }

    func measure(_ questions: [String]) throws {
        try prepare()
        guard let index = try TextIndex.forSearching(folder) else { return }
        let coverage = try index.vectorCoverage(MeaningInstallation.source)
        print(
            "vectors: \(coverage.texts) texts, \(coverage.missing) without; \(coverage.bytes / 1_000_000) MB, "
                + "\(Double(coverage.bytes * 10 / Int64(max(1, coverage.texts))) / 10) bytes a text")
        var times: [Double] = []
        var work: [Double] = []
        var found = 0
        let before = Self.peak
        let mode = SearchMode(meaning: MeaningInstallation.source)
        for question in questions {
            let (begun, busy) = (ContinuousClock.now, MeasureIndex.processorTime)
            let answer = try index.search(
                for: try mode.matcher(for: ["~ " + question]), minimumScore: Matcher.usualMinimumScore)
            times.append(MeasureIndex.seconds(.now - begun) * 1000)
            work.append((MeasureIndex.processorTime - busy) * 1000)
            found += answer.sightings.values.reduce(0) { $0 + $1.count }
        }
        print(
            "\(questions.count) questions: \(MeasureIndex.summary(times)); processor time \(MeasureIndex.summary(work)); "
                + "\(found) sightings; memory \(before) MiB before, at most \(Self.peak) MiB")
    }

    /// Makes the vectors that are missing.
    private func prepare() throws {
        let begun = ContinuousClock.now
        let made = try TextIndex.forWriting(folder).makeVectors(with: MeaningInstallation.source)
        if made.texts > 0 {
            print("\(made.texts) texts prepared in \(Int(MeasureIndex.seconds(.now - begun))) s")
        }
    }

    /// The most memory that this program has used, in MiB.
    private static var peak: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) / 1024
    }
}
