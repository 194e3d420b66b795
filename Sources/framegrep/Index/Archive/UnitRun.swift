import Engines
import Errors
import Foundation
import GStreamerMedia
import TextIndex
import TextMatching
import TextSpotting

/// Reads some units of a plan one after the other.
struct UnitRun: Sendable {
    let list: UnitList
    let numbers: [Int]
    let units: UnitReader
    let threads: Int?
    let isQuiet: Bool
    let isVerbose: Bool

    /// Counts of the work done.
    private struct Tally {
        var (read, there, failed) = (0, 0, 0)
    }

    /// - Throws: ``FramegrepError`` if none can be read; ``Interruption``.
    func run() async throws -> ExitStatus {
        let work = Task { try await readAll() }
        let interrupts = Interrupts { _ in
            work.cancel()
        } last: {
            ProgressLine.wipe()
        }
        let result = await work.result
        if let signal = interrupts.signal {
            StandardError.line("framegrep: interrupted; the same command reads what is missing.")
            throw Interruption(signal: signal)
        }
        let tally = try result.get()
        if !isQuiet, numbers.count > 1 {
            StandardError.line(
                "framegrep: \(Amount.of(tally.read, "unit")) read, \(tally.there) there already, \(tally.failed) with an error."
            )
        }
        return tally.failed > 0 ? .error : .found
    }

    private static func tell(_ damage: FramegrepError, of unit: ArchiveUnit) {
        StandardError.line("framegrep: \(redacted(unit.input)) is damaged or cut off: \(damage.message)")
    }

    private func readAll() async throws -> Tally {
        var tally = Tally()
        // Loaded when the first unit needs it, and again only where another wants another.
        var loaded: (settings: ReaderSettings, reader: any TextReader)?
        for number in numbers {
            try Task.checkCancellation()
            let unit = try list.unit(number)
            let progress = ProgressLine(
                place: "unit \(number)  ", name: redacted(unit.input), isEnabled: !isQuiet)
            defer { progress.clear() }
            do {
                switch UnitResult.isWhole(unit, in: units.folder) {
                case true?:
                    tally.there += 1
                    continue
                case false?:
                    StandardError.line(
                        "framegrep: unit \(number): its result \(units.folder)/\(unit.fileName) is not whole, so it is read again."
                    )
                case nil: break
                }
                let settings = try unit.reading.reader(threads: threads)
                if loaded?.settings != settings {
                    let choice = ReaderChoice(settings, Matcher(patterns: [])) {
                        StandardError.line("framegrep: \($0)")
                    }
                    loaded = (settings, try await choice.load(use: .recordings))
                    if isVerbose, let loaded { StandardError.line("framegrep: reading with \(loaded.reader.name)") }
                }
                guard let reader = loaded?.reader else { continue }
                let damage = try await units.run(unit, reader) { progress.update($0, of: $1) }
                tally.read += 1
                progress.clear()
                if let damage { Self.tell(damage, of: unit) }
            } catch let error as FramegrepError {
                progress.clear()
                // Without an engine, or room for results, the next would fail in the same way.
                if [.engineUnavailable, .outputFailed].contains(error.code) { throw error }
                tally.failed += 1
                StandardError.line("framegrep: unit \(number): \(error.message)")
            }
        }
        return tally
    }
}
