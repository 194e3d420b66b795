import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextSpotting

/// Prints the events of a live job: as JSON lines, or a line for each finished sighting as `find` does.
struct LivePrinter: Sendable {
    let results: ResultOutput
    let sourceName: String
    let printsEvents: Bool
    let isQuiet: Bool
    let showsStatistics: Bool

    func print(_ event: LiveEvent) {
        switch event {
        case .warning(let warning):
            StandardError.line("framegrep: \(redacted(warning.message))")
        case .snapshot(let path, _) where !isQuiet:
            StandardError.line("framegrep: saved \(path)")
        case .statistics(let statistics, _) where showsStatistics:
            StandardError.line(Self.summary(of: statistics))
        case .state(let state, let message) where !printsEvents && !isQuiet && !message.isEmpty && state != .failed:
            StandardError.line("framegrep: \(state.rawValue): \(redacted(message))")
        default: break
        }
        guard !isQuiet else { return }
        if printsEvents {
            results.line(json(event))
        } else if case .disappeared(let sighting, _) = event {
            results.line(TextFormatter(isColored: results.isColored).format(sighting, source: sourceName))
        }
    }

    /// The event as a line of JSON.
    func json(_ event: LiveEvent) -> String {
        LiveEventFormatter(sourceName: sourceName).line(for: event, now: Date())
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
