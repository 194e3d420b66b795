import Engines
import Errors
import Foundation
import TextIndex

/// Prepares what is in an index for search by meaning (`index --meaning`).
struct IndexMeanings {
    let options: IndexOptions
    let isQuiet: Bool

    /// - Throws: ``FramegrepError`` where search by meaning is not set up or the index not be written; ``Interruption``.
    func run() throws -> ExitStatus {
        // Said before anything is opened.
        _ = try MeaningInstallation.encoder()
        _ = try options.openForSearching()
        let store = try TextIndex.forWriting(try options.folder(), meaning: MeaningInstallation.source)
        let interrupts = Interrupts()
        let made = try store.makeVectors(with: MeaningInstallation.source) {
            interrupts.signal != nil
        } progress: { done, total in
            guard !isQuiet, StandardError.isScreen else { return }
            ProgressLine.wipe()
            StandardError.write("by meaning: \(done) of \(total) lines")
        }
        if !isQuiet { ProgressLine.wipe() }
        for problem in made.problems { StandardError.line("framegrep: \(problem.message)") }
        let coverage = try store.vectorCoverage(MeaningInstallation.source)
        if !isQuiet {
            let (texts, all) = (Amount.of(made.texts, "line"), coverage.texts - coverage.missing)
            StandardError.line(
                "framegrep: \(texts) prepared; \(all) of \(coverage.texts) can be searched by meaning.")
        }
        if let signal = interrupts.signal {
            StandardError.line("framegrep: interrupted; the same command goes on where it stopped.")
            throw Interruption(signal: signal)
        }
        return made.problems.isEmpty ? .found : .error
    }
}
