import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextSpotting

/// Prints the events of a live job: as JSON lines, or each finished sighting as `find` does. Thread-safe.
///
/// Buffering: lines wait for their reader, up to ``Dropped/boxLimit`` for boxes and ``Dropped/limit`` for the rest;
/// beyond that they are dropped and counted, so that the picture continues. An `appeared` that was printed is always
/// followed by its `disappeared`, and the `end` is always printed.
final class LivePrinter: EventSink {
    /// Counts lines that were dropped because the reader was behind.
    private struct Dropped {
        /// The limit in bytes. A box is useful only while its picture is in view.
        static let boxLimit = 256 << 10
        static let limit = 4 << 20

        var (boxes, events) = (0, 0)
        /// Sightings whose `appeared` was dropped.
        var sightings = Set<Int>()
        /// Whether the `end` was printed, after which no event comes; what is left to say is only on standard error.
        var isOver = false
    }

    private let results: ResultOutput
    private let sourceName: String
    private let output: LiveOutputOptions
    private let isQuiet: Bool
    private let limit: LiveLimit
    private let speaker: String
    private let isOneOfMany: Bool
    /// The formatter of sightings; nil if events are printed.
    private let formatter: Mutex<(any SightingFormatter)?>
    private let dropped = Mutex(Dropped())

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
        let event = counted(event)
        tell(event)
        guard !isQuiet else { return }
        if output.countsOnly {
            if case .end(let end) = event { results.line("\(limit.countsLines ? limit.lineCount : end.sightings)") }
        } else if printsEvents {
            if case .statistics = event, !output.stats { return }
            if case .textAppeared = event { return }
            print(event)
        } else if case .disappeared(let sighting, _) = event {
            print { $0.format(sighting, of: ShownSource(name: sourceName)) }
        } else if case .text(let text, _) = event {
            print { $0.format(text: text, of: ShownSource(name: sourceName)) }
        }
    }

    /// Prints an event, unless its reader is too far behind.
    private func print(_ event: LiveEvent) {
        let line = json(event)
        dropped.withLock { dropped in
            guard !dropped.isOver else { return }
            switch event {
            case .box(let id, _, _):
                let isPrinted = !dropped.sightings.contains(id) && results.line(line, upTo: Dropped.boxLimit)
                if !isPrinted { dropped.boxes += 1 }
            case .disappeared(let sighting, _):
                if dropped.sightings.remove(sighting.id) != nil { return dropped.events += 1 }
                results.line(line)
            case .end:
                dropped.isOver = true
                results.line(line)
            default:
                guard !results.line(line, upTo: Dropped.limit) else { return }
                dropped.events += 1
                if case .appeared(let sighting, _, _) = event { dropped.sightings.insert(sighting.id) }
            }
        }
    }

    /// Prints a line, unless its reader is too far behind; lines come in the order of their numbers.
    private func print(_ line: (inout any SightingFormatter) -> String) {
        formatter.withLock { formatter in
            guard var next = formatter else { return }
            if results.line(line(&next), upTo: Dropped.limit) {
                formatter = next
            } else {
                dropped.withLock { $0.events += 1 }
            }
        }
    }

    private func counted(_ event: LiveEvent) -> LiveEvent {
        let (boxes, events) = dropped.withLock { ($0.boxes, $0.events) }
        switch event {
        case .statistics(var figures, let time):
            (figures.droppedBoxes, figures.droppedEvents) = (boxes, events)
            return .statistics(figures, at: time)
        case .end(var end):
            (end.statistics.droppedBoxes, end.statistics.droppedEvents) = (boxes, events)
            return .end(end)
        default: return event
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
        case .end(let end) where saysAll && end.statistics.droppedEvents > 0:
            let count = Amount.of(end.statistics.droppedEvents, "result")
            StandardError.line("\(speaker): \(count) left out, because they were not read in time.")
        case .state(let state, let message) where saysAll && !message.isEmpty && state != .failed:
            StandardError.line(
                "\(speaker): \(state.rawValue): \(redacted(message))",
                as: [.stalled, .reconnecting].contains(state) ? .warning : .notice)
        default: break
        }
    }

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
