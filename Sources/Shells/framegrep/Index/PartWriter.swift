import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextIndex
import TextMatching
import TextSpotting

/// Turns findings into parts, and writes them. Thread-safe.
final class PartWriter: Sendable {
    /// The bounds of unsaved work, in the recording's time and on the clock.
    private static let checkpoint = (video: StreamTime(seconds: 60), clock: Duration.seconds(20))

    private struct State {
        var source: IndexedSource
        /// The state when the part began.
        var before: IndexedSource
        var recorder: LineRecorder
        /// The segment with the part as written so far.
        var segment: String?
        var written: (video: StreamTime, clock: ContinuousClock.Instant)
        var failure: (any Error)?
    }

    private let index: TextIndex
    private let state: Mutex<State>

    init(_ index: TextIndex, _ source: IndexedSource) {
        self.index = index
        state = Mutex(
            State(
                source: source, before: source, recorder: LineRecorder(from: source.end), written: (source.end, .now)))
    }

    var failure: (any Error)? { state.withLock { $0.failure } }

    /// - Returns: false if nothing more can be written.
    func take(_ finding: FrameResult) -> Bool {
        state.withLock { state in
            state.recorder.add(finding)
            let isFull = state.recorder.isFull
            let isDue =
                state.recorder.end - state.written.video >= Self.checkpoint.video
                && .now - state.written.clock >= Self.checkpoint.clock
            guard isFull || isDue else { return true }
            do {
                try write(&state, endsPart: isFull)
                return true
            } catch {
                state.failure = error
                return false
            }
        }
    }

    /// Writes the rest.
    func finish(isWhole: Bool, end: StreamTime, damage: FramegrepError?) throws {
        try state.withLock { state in
            state.source.problem = damage?.message
            if isWhole { state.source.state = .complete }
            try write(&state, endsPart: true, until: isWhole ? end : nil)
        }
    }

    private func write(_ state: inout State, endsPart: Bool, until end: StreamTime? = nil) throws {
        var recorder = state.recorder
        var part = recorder.takePart()
        if let end { part.to = max(part.to, end) }
        state.source.end = part.to
        (state.source.burntIn, state.source.wallStart) = (state.before.burntIn, state.before.wallStart)
        if let clock = part.clock { state.source.note(clock) }
        state.source.added = Date()
        state.segment = try index.add(part, of: state.source, inPlaceOf: state.segment)
        state.written = (part.to, .now)
        guard endsPart else { return }
        state.recorder = recorder
        state.before = state.source
        state.segment = nil
    }
}

extension OpenedSource {
    /// Returns a new entry of the index, without anything read.
    func entry(named name: String, manner: String, stamp: FileStamp?, digest: String?) -> IndexedSource {
        IndexedSource(
            id: .drawn(), name: name, manner: manner, stamp: stamp, digest: digest, duration: info.duration,
            isStill: isStill, wallStart: wallStart)
    }

    /// Reads all text of the recording.
    ///
    /// - Parameters:
    ///   - description: the pipeline that reads it.
    ///   - take: called with each reading; returns false if no more are wanted.
    func readAll(
        _ settings: FindSettings, _ reader: any TextReader, description: String,
        take: @escaping @Sendable (FrameResult) -> Bool,
        progress: @escaping @Sendable (StreamTime, _ total: StreamTime?) -> Void
    ) async throws -> FindSummary {
        let spotter = FileSpotter(
            description: description, sourceName: uri.redacted, settings: settings, reader: reader,
            matcher: Matcher(patterns: []), file: file)
        let enough = EarlyEnd()
        return try await enough.run {
            try await spotter.search { event in
                switch event {
                case .finding(let finding): if !take(finding) { enough.ask() }
                case .progress(let position, let total): progress(position, total ?? info.duration)
                case .warning(let warning): StandardError.line("framegrep: \(warning.message)")
                case .sighting, .text, .onePicture: break
                }
            }
        }
    }
}

/// Adds the readings of a search to the index (`--remember`).
struct SearchIndexRecorder: Sendable {
    let index: TextIndex
    /// The profile of the readings; see ``ReadingProfile``.
    let manner: String
    /// The profile for still pictures.
    let stillManner: String

    /// Returns a recorder for the findings of one input. Returns nil if only a part of it is searched, so that its text
    /// would be incomplete, or if it was read before: a search that ends early would replace hours by minutes.
    func recorder(of source: OpenedSource, _ input: String, _ settings: FindSettings) throws -> Recorder? {
        guard settings.from == nil, settings.to == nil, settings.maximumCount == nil, !source.isReadOnce,
            let name = try IndexedInputs.sourceName(of: input), let stamp = FileStamp(path: name)
        else { return nil }
        let manner = source.isStill ? stillManner : manner
        switch try index.status(ofFile: name, manner: manner) {
        case .unchanged, .expired, .renamed: return nil
        case .goesOn(let known):
            StandardError.line(
                "framegrep: \(redacted(input)) is in the index up to \(ClockTime.text(known.end)), and what this search reads is not kept; 'framegrep index' with its name reads the rest."
            )
            return nil
        case .new: break
        }
        var entry = source.entry(
            named: name, manner: manner, stamp: stamp, digest: FileStamp.digest(ofFile: name))
        entry.interval = settings.skim?.interval
        return Recorder(writer: PartWriter(index, entry), index: index, source: entry)
    }

    /// Takes the findings of one input. A failure to store something does not end the search.
    struct Recorder: Sendable {
        fileprivate let writer: PartWriter
        fileprivate let index: TextIndex
        fileprivate let source: IndexedSource

        func take(_ finding: FrameResult) { _ = writer.take(finding) }

        /// Records that the input was searched to its end.
        func finish(_ summary: FindSummary) {
            do {
                if let failure = writer.failure { throw failure }
                try writer.finish(isWhole: !summary.hasChanged, end: summary.end, damage: summary.damage)
                if !source.isSkimmed { try index.dropSkim(of: source, manner: source.manner) }
            } catch {
                SearchIndexRecorder.tell(error)
            }
        }
    }

    /// Called when all inputs were searched. Segments are merged only now: a part that is written replaces an earlier
    /// one, which must still be there (``IndexRun``).
    func finish() {
        do { IndexRun.tell(damage: try index.mergeSmall().map(\.message)) } catch { Self.tell(error) }
    }

    private static func tell(_ error: any Error) {
        let reason = (error as? FramegrepError)?.message ?? "\(error)"
        StandardError.line("framegrep: the text that was read is not kept. \(reason)")
    }
}
