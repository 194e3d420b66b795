import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextIndex
import TextSpotting

/// Reads the inputs of `index` one after the other.
struct IndexRun {
    let job: RecordingIndexer.Job
    let expiry: ExpiryRule
    let isQuiet: Bool

    /// What was done.
    struct Tally {
        var read = 0
        var unchanged = 0
        var renamed = 0
        var expired = 0
        var failed = 0
        var seconds = 0.0
        /// What is said of expiries, the last one.
        var expiry: String?

        /// Something was done, or could not be.
        var isWorthTelling: Bool { read + renamed + failed > 0 }
    }

    /// - Throws: ``FramegrepError`` where the index cannot be written, or nothing be read; ``Interruption``.
    func run(_ inputs: [SearchInput]) async throws -> ExitStatus {
        let work = Task { try await readAll(inputs) }
        let interrupts = Interrupts { _ in
            work.cancel()
        } last: {
            ProgressLine.wipe()
        }
        let tally = try await work.value
        if !isQuiet { Self.tell(tally) }
        if let signal = interrupts.signal {
            StandardError.line("framegrep: interrupted; the same command goes on where it stopped.")
            throw Interruption(signal: signal)
        }
        return tally.failed > 0 ? .error : .found
    }

    /// Says what was done.
    static func tell(_ tally: Tally) {
        StandardError.line("framegrep: \(summary(tally))")
        if let expiry = tally.expiry { StandardError.line("framegrep: \(expiry)") }
    }

    /// - Throws: ``FramegrepError`` where the index cannot be written, or nothing be read.
    func readAll(_ inputs: [SearchInput]) async throws -> Tally {
        var tally = Tally()
        let indexer = RecordingIndexer(job: job)
        for (number, input) in inputs.enumerated() where !Task.isCancelled {
            let place = inputs.count > 1 ? "\(number + 1) of \(inputs.count)  " : ""
            let progress = ProgressLine(place: place, name: redacted(input.name), isEnabled: !isQuiet)
            defer { progress.clear() }
            do {
                let outcome = try await indexer.run(input.name) { progress.update($0, of: $1) }
                progress.clear()
                note(outcome, of: input, in: &tally)
                try job.index.mergeSmall()
                if case .read = outcome { tally.expiry = try expiry.expire(job.index) ?? tally.expiry }
            } catch is CancellationError where Task.isCancelled {
                break
            } catch let error as FramegrepError {
                progress.clear()
                // Without an engine, or room for the index, the next would fail in the same way.
                if [.engineUnavailable, .outputFailed, .indexDamaged].contains(error.code) { throw error }
                if input.isFound, error.code == .sourceNotVideo {
                    if job.isVerbose { StandardError.line("framegrep: passed over: \(error.message)") }
                    continue
                }
                tally.failed += 1
                StandardError.line("framegrep: \(error.message)")
            }
        }
        // What grew old since goes also where nothing is new.
        if !Task.isCancelled { tally.expiry = try expiry.expire(job.index) ?? tally.expiry }
        return tally
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
        case .read(let end, _, let damage):
            tally.read += 1
            tally.seconds += end.seconds
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
        if tally.unchanged > 0 { parts.append("\(tally.unchanged) as they were") }
        if tally.expired > 0 { parts.append("\(tally.expired) expired before") }
        if tally.renamed > 0 { parts.append("\(tally.renamed) renamed") }
        if tally.failed > 0 { parts.append("\(tally.failed) with an error") }
        return parts.joined(separator: ", ") + "."
    }
}
