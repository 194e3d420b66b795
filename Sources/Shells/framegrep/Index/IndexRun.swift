import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextIndex
import TextSpotting

/// Reads the inputs of `index`, one after the other or several concurrently.
struct IndexRun: Sendable {
    let job: RecordingIndexer.Job
    let expiry: ExpiryRule
    let isQuiet: Bool
    /// The number of inputs read at a time.
    let sideBySide: Int

    /// Counts of the work done.
    struct Tally {
        var read = 0
        var unchanged = 0
        var renamed = 0
        var expired = 0
        var failed = 0
        var seconds = 0.0
        /// The last message about expiries.
        var expiry: String?
        /// Parts of the index that could not be read, as messages.
        var damage: [String] = []

        mutating func note(damage problem: FramegrepError) {
            if !damage.contains(problem.message) { damage.append(problem.message) }
        }

        /// Whether something was done or failed.
        var isWorthTelling: Bool { read + renamed + failed > 0 }
    }

    /// - Throws: ``FramegrepError`` if the index cannot be written, or nothing can be read; ``Interruption``.
    func run(_ found: FoundInputs) async throws -> ExitStatus {
        let work = Task { try await readAll(found.inputs) }
        let interrupts = Interrupts(cancelling: work)
        var tally = try await work.value
        tally.failed += found.unreadable
        Self.tell(damage: tally.damage)
        if !isQuiet { Self.tell(tally) }
        if let signal = interrupts.signal {
            StandardError.line("framegrep: interrupted; the same command continues where it stopped.")
            throw Interruption(signal: signal)
        }
        return tally.failed > 0 || !tally.damage.isEmpty ? .error : .found
    }

    /// Reports the counts.
    static func tell(_ tally: Tally) {
        StandardError.line("framegrep: \(summary(tally))")
        if let expiry = tally.expiry { StandardError.line("framegrep: \(expiry)") }
    }

    /// Reports parts of the index that could not be read and were left unchanged.
    static func tell(damage: [String]) { for message in damage { StandardError.line("framegrep: \(message)") } }

    /// The number of inputs between maintenance, for each that is read at a time. Segments are merged, and old or
    /// excess recordings removed, only while nothing is read: a part that is written replaces an earlier one, which
    /// must still be there.
    private static let inputsOfRound = 8

    /// - Throws: ``FramegrepError`` if the index cannot be written, or nothing can be read.
    func readAll(_ inputs: [SearchInput]) async throws -> Tally {
        var tally = Tally()
        var begun = 0
        while begun < inputs.count, !Task.isCancelled {
            let round = try self.round(from: begun, inputs)
            let before = tally.read
            do { try await read(round, of: inputs, &tally) } catch is CancellationError where Task.isCancelled { break }
            if tally.read > before {
                try merge(&tally)
                try expire(&tally)
            }
            begun = round.upperBound
        }
        if !Task.isCancelled {
            // Also after recordings that failed, of which parts may have been written.
            try merge(&tally)
            // Recordings that have become too old are removed even if nothing is new.
            try expire(&tally)
        }
        return tally
    }

    private func merge(_ tally: inout Tally) throws {
        for problem in try job.index.mergeSmall() { tally.note(damage: problem) }
    }

    /// Removes old or excess recordings. A part of the index that cannot be read may keep some; that does not stop
    /// reading.
    private func expire(_ tally: inout Tally) throws {
        do { tally.expiry = try expiry.expire(job.index) ?? tally.expiry } catch let error as FramegrepError
            where error.isAboutAFile
        { tally.note(damage: error) }
    }

    /// Returns the next inputs, each a different recording: one that is named twice is read once, and found in the
    /// index later.
    private func round(from first: Int, _ inputs: [SearchInput]) throws -> Range<Int> {
        guard sideBySide > 1 else { return first..<first + 1 }
        var names = Set<ExactName>()
        var end = first
        while end < inputs.count, end - first < Self.inputsOfRound * sideBySide,
            names.insert(
                ExactName(((try? IndexedInputs.sourceName(of: inputs[end].name)) ?? nil) ?? inputs[end].name)
            ).inserted
        {
            end += 1
        }
        return first..<end
    }

    /// The result of an input.
    private enum Event: Sendable {
        case done(RecordingIndexer.Outcome)
        case passedOver(String)
        case failed(FramegrepError)
    }

    private func read(_ round: Range<Int>, of inputs: [SearchInput], _ tally: inout Tally) async throws {
        try await withThrowingTaskGroup(of: (Int, Event).self) { group in
            let running = Running()
            var next = round.lowerBound
            func begin() {
                guard next < round.upperBound, !Task.isCancelled else { return }
                running.begin(next)
                group.addTask { [next] in (next, try await read(next, of: inputs, running)) }
                next += 1
            }
            for _ in 0..<sideBySide { begin() }
            while let (number, event) = try await group.next() {
                running.end(number)
                if round.count > 1, !isQuiet { ProgressLine.wipe() }
                note(event, of: inputs[number], in: &tally)
                begin()
            }
        }
    }

    /// - Throws: errors that the next input would encounter too; `CancellationError`.
    private func read(_ number: Int, of inputs: [SearchInput], _ running: Running) async throws -> Event {
        let input = inputs[number]
        let place = inputs.count > 1 ? "\(number + 1) of \(inputs.count)  " : ""
        let progress = ProgressLine(place: place, name: redacted(input.name), isEnabled: !isQuiet)
        defer { progress.clear() }
        CrashRestart.blame(
            sideBySide > 1 ? "One of several recordings (\(redacted(input.name)) or another)" : redacted(input.name),
            "Everything that was read before is kept. Leave this one out, and the same command reads the others.")
        do {
            return .done(
                try await RecordingIndexer(job: job).run(input.name) { position, total in
                    if running.first == number { progress.update(position, of: total) }
                })
        } catch let error as FramegrepError {
            try Task.checkCancellation()
            // Without an engine, or room for the index, the next input would fail in the same way.
            if error.isAboutAFile || [.engineUnavailable, .outputFailed].contains(error.code) { throw error }
            return input.passesOver(error) ? .passedOver(error.message) : .failed(error)
        }
    }

    private func note(_ event: Event, of input: SearchInput, in tally: inout Tally) {
        switch event {
        case .done(let outcome): note(outcome, of: input, in: &tally)
        case .passedOver(let message):
            if job.isVerbose { StandardError.line("framegrep: passed over: \(message)") }
        case .failed(let error):
            tally.failed += 1
            StandardError.line(MessageLines.text(error))
        }
    }

    private func note(_ outcome: RecordingIndexer.Outcome, of input: SearchInput, in tally: inout Tally) {
        switch outcome {
        case .unchanged: tally.unchanged += 1
        case .expired:
            tally.expired += 1
            if job.isVerbose {
                StandardError.line("framegrep: \(redacted(input.name)) has expired, and is not read again")
            }
        case .renamed(let before):
            tally.renamed += 1
            if job.isVerbose { StandardError.line("framegrep: \(redacted(input.name)) was \(before) before") }
        case .read(let end, let isStill, _, let damage):
            tally.read += 1
            tally.seconds += isStill ? 0 : end.seconds
            if let damage {
                tally.failed += 1
                StandardError.line(
                    "framegrep: \(redacted(input.name)) is damaged or cut off: indexed up to \(ClockTime.text(end)). \(damage.message)"
                )
            }
        }
    }

    private static func summary(_ tally: Tally) -> String {
        var parts = ["\(tally.read) read (\(CoverageReport.hours(tally.seconds)))"]
        if tally.unchanged > 0 { parts.append("\(tally.unchanged) unchanged") }
        if tally.expired > 0 { parts.append("\(tally.expired) expired earlier") }
        if tally.renamed > 0 { parts.append("\(tally.renamed) renamed") }
        if tally.failed > 0 { parts.append("\(tally.failed) with an error") }
        return parts.joined(separator: ", ") + "."
    }
}

/// The inputs being read: the first of them is shown on the terminal's single line of progress. Thread-safe.
private final class Running: Sendable {
    private let numbers = Mutex<Set<Int>>([])

    var first: Int? { numbers.withLock { $0.min() } }

    func begin(_ number: Int) { numbers.withLock { _ = $0.insert(number) } }

    func end(_ number: Int) { numbers.withLock { _ = $0.remove(number) } }
}

/// Reports how much a search of the whole index has covered.
struct CoverageReport {
    let inputs: IndexedInputs

    /// The largest number of recordings that are named individually.
    private static let mostNamed = 5

    var sentences: [String] {
        let live = inputs.live
        let hours = live.values.joined()
        let count = inputs.entries.count - hours.count
        let liveSeconds = hours.reduce(0) { $0 + $1.seconds }
        var parts: [String] = []
        if count > 0 || live.isEmpty {
            parts.append(
                "\(count) \(count == 1 ? "recording" : "recordings") (\(Self.hours(inputs.seconds - liveSeconds)))")
        }
        if !live.isEmpty {
            // Pictures shown between two readings were not read.
            parts.append(
                "\(Self.hours(liveSeconds)) of \(live.count) live \(live.count == 1 ? "source" : "sources"), of which not every picture was read,"
            )
        }
        var text = parts.joined(separator: " and ")
        text += " searched in the index"
        let skimmed = inputs.skimmed
        if !skimmed.isEmpty {
            let seconds = skimmed.reduce(0) { $0 + $1.seconds }
            let most = skimmed.compactMap(\.source.interval).max().map { ", pictures up to \(Self.tenths($0)) apart" }
            text += ", \(seconds >= inputs.seconds ? "all" : Self.hours(seconds)) of it skimmed\(most ?? "")"
        }
        let missing = inputs.missing
        text +=
            missing.isEmpty
            ? "."
            : "; \(missing.count) \(missing.count == 1 ? "was" : "were") not searched, or not in the current state:"
        var lines = [text]
        for (source, reason) in missing.prefix(Self.mostNamed) { lines.append("  \(source.name): \(reason.text)") }
        if missing.count > Self.mostNamed { lines.append("  and \(missing.count - Self.mostNamed) more") }
        if missing.contains(where: { $0.reason == .gone }) {
            lines.append("'framegrep index forget --gone' removes those whose files are gone.")
        }
        if missing.contains(where: { Self.canBeRead($0.reason) }) {
            lines.append("'framegrep index' with their names reads \(Self.which(missing.map(\.reason))).")
        }
        if missing.contains(where: { $0.reason == .withoutVectors }) {
            lines.append(
                "'framegrep index --meaning' prepares older recordings without reading them again.")
        }
        if missing.contains(where: { $0.reason == .damaged }) {
            lines.append("'framegrep index repair' moves damaged parts aside, so that they can be read again.")
        }
        return lines
    }

    /// Returns whether reading the recording again may help.
    private static func canBeRead(_ reason: IndexedSource.Lack) -> Bool {
        switch reason {
        case .unread, .changed, .partial: true
        case .gone, .unreachable, .damaged, .undated, .withoutVectors: false
        }
    }

    private static func which(_ reasons: [IndexedSource.Lack]) -> String {
        reasons.allSatisfy(canBeRead) ? "them" : "the others"
    }

    var json: String {
        JSONLinesFormatter.coverage(
            ofIndexIn: inputs.folder, count: inputs.entries.count, seconds: inputs.seconds,
            live: inputs.live.values.joined().reduce(0) { $0 + $1.seconds },
            skimmed: inputs.skimmed.reduce(0) { $0 + $1.seconds },
            missing: inputs.missing.map { ($0.source.name, $0.reason.text) })
    }

    /// Returns `5.0 s`, rounded up.
    static func tenths(_ time: StreamTime) -> String {
        let tenths = Int((time.seconds * 10 - 0.001).rounded(.up))
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// Returns `45 s`, `12:30 min` or `812:30:00 h`.
    static func hours(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded())
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60):\(two(whole % 60)) min" }
        return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60)) h"
    }
}
