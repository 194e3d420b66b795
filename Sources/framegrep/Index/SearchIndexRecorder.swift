import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextIndex
import TextSpotting

/// Puts the readings of a search into the index (`--remember`).
struct SearchIndexRecorder: Sendable {
    let index: TextIndex
    /// See ``ReadingProfile``.
    let manner: String

    /// Returns a recorder for the findings of one input; nil if only a part of it is searched, so that its text would
    /// be incomplete.
    func recorder(of source: OpenedSource, _ input: String, _ settings: FindSettings) throws -> Recorder? {
        guard settings.from == nil, settings.to == nil, settings.maximumCount == nil, !source.isReadOnce,
            let name = try IndexedInputs.sourceName(of: input), let stamp = FileStamp(path: name)
        else { return nil }
        switch try index.task(forFile: name, manner: manner) {
        case .unchanged, .expired: return nil
        case .new, .goesOn, .renamed: break
        }
        var entry = IndexedSource(
            id: .drawn(), name: name, manner: manner, stamp: stamp, digest: FileStamp.digest(ofFile: name),
            duration: source.info.duration, isStill: source.isStill, wallStart: source.wallStart)
        entry.interval = settings.skim?.interval
        return Recorder(writer: PartWriter(index, entry), index: index, source: entry)
    }

    /// Takes the findings of one input. That something cannot be kept does not end the search.
    struct Recorder: Sendable {
        fileprivate let writer: PartWriter
        fileprivate let index: TextIndex
        fileprivate let source: IndexedSource

        func take(_ finding: FrameResult) { _ = writer.take(finding) }

        /// The input was searched to its end.
        func finish(_ summary: FindSummary) {
            do {
                if let failure = writer.failure { throw failure }
                try writer.finish(isWhole: true, end: summary.end, damage: summary.damage)
                if !source.isSkimmed { try index.dropSkim(ofFile: source.name, manner: source.manner) }
            } catch {
                SearchIndexRecorder.tell(error)
            }
        }
    }

    /// Called when all inputs were searched. Segments are merged only now: a part that is written replaces an earlier one, which must still
    /// be there (``IndexRun``).
    func finish() {
        do { try index.mergeSmall() } catch { Self.tell(error) }
    }

    private static func tell(_ error: any Error) {
        let reason = (error as? FramegrepError)?.message ?? "\(error)"
        StandardError.line("framegrep: what was read is not kept. \(reason)")
    }
}
