import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextSpotting

/// Prints the events of a live job: as JSON lines, or each finished sighting as `find` does. Thread-safe.
final class LivePrinter: EventSink {
    private let results: ResultOutput
    private let sourceName: String
    private let output: LiveOutputOptions
    private let isQuiet: Bool
    private let limit: LiveLimit
    private let speaker: String
    private let isOneOfMany: Bool
    /// Nil if events are printed.
    private let formatter: Mutex<(any SightingFormatter)?>

    /// - Parameter jobName: the name of the job among others of the program; nil if it is the only one.
    init(
        results: ResultOutput, sourceName: String, output: LiveOutputOptions, isQuiet: Bool, limit: LiveLimit,
        jobName: String?
    ) {
        speaker = jobName.map { "framegrep: \($0)" } ?? "framegrep"
        isOneOfMany = jobName != nil
        self.results = results
        self.sourceName = sourceName
        self.output = output
        self.isQuiet = isQuiet
        self.limit = limit
        formatter = Mutex(
            output.format == .jsonl
                ? nil : output.format.formatter(coloring: results.isColored, naming: !output.hidesNames))
    }

    private var printsEvents: Bool { output.format == .jsonl }

    /// Prints the header.
    func begin() {
        guard !isQuiet, !output.countsOnly, let header = formatter.withLock({ $0?.header }) else { return }
        results.line(header, isResult: false)
    }

    func take(_ event: LiveEvent) {
        tell(event)
        guard !isQuiet else { return }
        if output.countsOnly {
            if case .end(let end) = event { results.line("\(limit.countsLines ? limit.lineCount : end.sightings)") }
        } else if printsEvents {
            if case .statistics = event, !output.stats { return }
            if case .textAppeared = event { return }
            results.line(json(event))
        } else if case .disappeared(let sighting, _) = event {
            // In one step: lines come in the order of their numbers.
            formatter.withLock { if let line = $0?.format(sighting, source: sourceName) { results.line(line) } }
        } else if case .text(let text, _) = event {
            formatter.withLock { if let line = $0?.format(text: text, source: sourceName) { results.line(line) } }
        }
    }

    /// Prints messages for the user on standard error.
    private func tell(_ event: LiveEvent) {
        let saysAll = !isQuiet && (!printsEvents || output.countsOnly)
        switch event {
        case .warning(let warning):
            StandardError.line("\(speaker): \(redacted(warning.message))")
        case .snapshot(let path, _) where !isQuiet:
            StandardError.line("\(speaker): saved \(path)", as: .info)
        case .statistics(let statistics, _) where output.stats && (isQuiet || saysAll):
            StandardError.line((isOneOfMany ? "\(speaker): " : "") + Self.summary(of: statistics), as: .info)
        case .state(let state, let message) where saysAll && !message.isEmpty && state != .failed:
            StandardError.line(
                "\(speaker): \(state.rawValue): \(redacted(message))",
                as: [.stalled, .reconnecting].contains(state) ? .warning : .notice)
        default: break
        }
    }

    /// The event as a line of JSON.
    func json(_ event: LiveEvent) -> String {
        LiveEventFormatter(sourceName: sourceName, ending: limit.ending?.rawValue).line(for: event, now: Date())
    }

    private static func summary(of figures: LiveStatistics) -> String {
        String(
            format:
                "in %.1f fps, shown %.1f, read %.1f; skipped %d, dropped %d; a reading takes %.0f ms (95 %%: %.0f), "
                + "boxes are %.0f ms old (95 %%: %.0f); %.0f MiB",
            figures.framesIn, figures.framesShown, figures.framesRead, figures.skipped, figures.dropped,
            figures.readMilliseconds.p50, figures.readMilliseconds.p95, figures.stalenessMilliseconds.p50,
            figures.stalenessMilliseconds.p95, figures.memoryMebibytes)
    }
}
