public import Errors
public import GStreamerMedia
public import TextSpotting
import Threads

/// Draws finished sightings into a copy of the recording, or into a picture of each.
///
/// A second pass over the source: only when the search is over is it known where a box begins and ends, so the copy is
/// exact to the frame, and the picture of a sighting is the very frame that was read. Reading and writing are two
/// pipelines, so that the one can be completed when the other has stopped.
public struct RecordingAnnotator: Sendable {
    /// The files that were written.
    public struct Outcome: Sendable {
        /// Everything that was asked for.
        public var isWhole = false
        /// Where the copy ends.
        public var end = StreamTime.zero
        /// How many sightings have no picture yet.
        public var missingPictures = 0
        /// Why there is less than was asked for, unless it was interrupted.
        public var failure: FramegrepError?
        /// Why the copy is without sound, or without the rest of it.
        public var soundFailure: FramegrepError?
    }

    /// The pipeline that brings the frames of the recording that was searched.
    public let description: String
    /// The copy; nil for none.
    public let recording: Recording?
    /// The pictures; nil for none.
    public let pictures: SightingPictures?

    /// How long the source may bring nothing while there is nothing to do.
    public let patience: Duration
    /// Where labels must not stand; nil if unknown.
    private let text: TextRegions?
    /// The parts of the recording that are copied, one after the other, in order; nil for all of it.
    private let stretches: [Range<StreamTime>]?
    /// Hides places instead of drawing boxes; nil to draw.
    private let brush: HidingBrush?
    private let file: SourceFile?

    /// - Parameters:
    ///   - source: one that can be read again.
    ///   - patience: as in ``FindSettings/patience``.
    ///   - text: what the search was told to fill (``FindSettings/textPlaces``).
    ///   - stretches: what alone is to be copied, in order; such a copy has no sound.
    public init(
        _ source: OpenedSource, recording: Recording?, pictures: SightingPictures?,
        patience: Duration = FindSettings().patience, avoiding text: TextRegions? = nil,
        stretches: [Range<StreamTime>]? = nil, hiding brush: HidingBrush? = nil
    ) {
        self.brush = brush
        file = source.file
        self.stretches = stretches
        self.patience = patience
        self.text = text
        description = brush == nil ? SourceDescription.search(source) : HidingBrush.source(source)
        self.recording = recording
        self.pictures = pictures
    }

    /// Makes sure that what encodes and writes is installed; nothing is opened.
    ///
    /// - Throws: `FramegrepError` (`missingPlugin`).
    public static func check(_ container: RecordingContainer) throws {
        _ = try CopyWriter(Recording(path: "/dev/null", container: container))
    }

    /// Writes what was asked for, up to `end` of the recording. A cancelled task completes what it has begun.
    ///
    /// - Parameters:
    ///   - sightings: with their boxes, where a video is written; quads in pixels of the picture as displayed.
    ///   - start: where nothing before it is wanted, so that a picture near the end of a long recording comes soon.
    ///   - isPart: more of the recording follows after `end`. Its sound is then cut off there from the beginning, because sound may
    ///     run ahead of the pictures; otherwise it may be longer than they are.
    ///   - progress: told how far it is, on another thread.
    /// - Throws: `FramegrepError` (`outputFailed`) when a file cannot be written. What there is of a video plays, but has
    ///   no index.
    public func write(
        _ sightings: [Sighting], from start: StreamTime? = nil, until end: StreamTime, isPart: Bool = false,
        progress: @escaping @Sendable (StreamTime) -> Void
    ) async throws -> Outcome {
        guard var recording, recording.sound != nil else {
            return try await write(sightings, from: start, until: end, to: recording, progress)
        }
        do {
            return try await write(sightings, until: end, to: recording, soundUntil: isPart ? end : nil, progress)
        } catch let failure as CopyWriter.SoundFailure {
            // Nothing is lost by beginning again: the sound was missing from the first moment on.
            recording.sound = nil
            var outcome = try await write(sightings, until: end, to: recording, progress)
            outcome.soundFailure = failure.error
            return outcome
        }
    }

    private func write(
        _ sightings: [Sighting], from start: StreamTime? = nil, until end: StreamTime, to recording: Recording?,
        soundUntil: StreamTime? = nil, _ progress: @escaping @Sendable (StreamTime) -> Void
    ) async throws -> Outcome {
        let reader = try Pipeline(parsing: description)
        let writer = try recording.map(CopyWriter.init)
        do {
            let outcome = try await run(
                reader, writer: writer, sightings: sightings, from: start, end: end, soundUntil: soundUntil,
                progress: progress)
            await reader.stop()
            await writer?.stop()
            return outcome
        } catch {
            await reader.stop()
            await writer?.stop()
            throw writer?.missingSound ?? error
        }
    }

    private func run(
        _ reader: Pipeline, writer: CopyWriter?, sightings: [Sighting],
        from start: StreamTime?, end: StreamTime, soundUntil: StreamTime?,
        progress: @escaping @Sendable (StreamTime) -> Void
    ) async throws -> Outcome {
        let sink = try reader.appSink(named: Pipeline.framesName)
        _ = try sink.configure(maxBuffers: 4, drop: false, sync: false)
        let writing = try await writer?.begin(patience: patience)
        _ = try await reader.prepare(timeout: patience)
        let beginning = StreamStart(of: reader, at: sink)
        let origin = beginning.origin
        // Before the first picture: until one comes, no sound gets further than the muxer.
        if let soundUntil { writer?.cutSound(at: soundUntil + origin) }
        if let start { _ = await beginning.move(to: start) }
        try await reader.play()
        let cancellation = CancellationFlag()
        let end = recording == nil ? min(end, sightings.map(\.peak.time.end).max() ?? .zero) : end
        return try await withTaskCancellationHandler {
            var (outcome, soundEnd) = try await DedicatedThread.run(named: "framegrep-annotate") {
                [pictures, patience, text, stretches, brush] in
                var pass = AnnotationPass(
                    sightings: sightings, until: end, origin: origin, pictures: pictures, text: text,
                    stretches: stretches, brush: brush)
                return try Self.draw(
                    &pass, from: reader, sink: sink, to: writer, until: cancellation,
                    watch: StallWatch(patience: patience), progress: progress
                )
            }
            writer?.end(soundAt: soundEnd)
            await writing?.value
            // Interrupted before the first frame there is nothing that could be completed.
            if let failure = writer?.failure, outcome.end > .zero || !cancellation.isCancelled { throw failure }
            outcome.soundFailure = writer?.soundFailure
            if outcome.end >= end { outcome.isWhole = true }
            // A file that was cut plays without an error, but is not the one that was searched.
            if !cancellation.isCancelled, let change = file?.change(), !change.isGrowth {
                outcome.isWhole = false
                outcome.failure = FramegrepError(.sourceDamaged, change.sentence)
            }
            if !outcome.isWhole { outcome.failure = outcome.failure ?? reader.bus.firstFailure }
            return outcome
        } onCancel: {
            cancellation.cancel()
            writer?.interrupt()
        }
    }

    /// Draws frame by frame; blocks its thread.
    ///
    /// - Returns: what was drawn, and where the sound is to end; nil where it ends by itself.
    private static func draw(
        _ pass: inout AnnotationPass, from reader: Pipeline, sink: AppSink, to writer: CopyWriter?,
        until cancellation: CancellationFlag, watch: StallWatch, progress: @Sendable (StreamTime) -> Void
    ) throws -> (Outcome, soundEnd: StreamTime?) {
        var outcome = Outcome()
        var soundEnd: StreamTime? = .zero
        var watch = watch
        var broken = StallWatch.afterFailure
        pulling: while !cancellation.isCancelled, writer?.failure == nil {
            switch sink.pull(timeout: .milliseconds(100)) {
            case .sample(let sample):
                watch.reset()
                broken.reset()
                switch try pass.annotate(sample, sendingTo: writer?.source) {
                case .done(let time, let copyEnd):
                    writer?.progressed()
                    (outcome.end, soundEnd) = (time.end, copyEnd)
                    progress(time.start)
                case .beyond:
                    outcome.isWhole = true
                    break pulling
                case .refused:
                    break pulling
                }
            case .timedOut:
                // After an error some elements send no end of stream, once they have decoded what came before it.
                outcome.isWhole = pass.isOver(at: outcome.end)
                if outcome.isWhole { break pulling }
                guard reader.bus.firstFailure == nil else {
                    guard broken.look(at: .now, work: ProcessWork.current) else { continue }
                    soundEnd = nil
                    break pulling
                }
                // The sound stalls too, where it comes from the same source; the copy ends with the picture.
                outcome.failure = watch.stall(at: .now, work: ProcessWork.current)
                if outcome.failure != nil { break pulling }
            case .endOfStream:
                (outcome.isWhole, soundEnd) = (reader.bus.firstFailure == nil, nil)
                break pulling
            }
        }
        outcome.missingPictures = pass.missingPictures
        return (outcome, soundEnd)
    }
}

/// Hides places in each frame of a second pass: the other brush of ``RecordingAnnotator``.
public struct HidingBrush: Sendable {
    public let plan: HidingPlan
    public let style: HidingStyle

    public init(_ plan: HidingPlan, style: HidingStyle) {
        self.plan = plan
        self.style = style
    }

    /// The pipeline that brings the frames, in the one format that places are hidden in and that encoders take.
    static func source(_ source: OpenedSource) -> String {
        SourceDescription.hiding(SourceDescription.search(source))
    }
}

/// Tells a source that brings nothing any more from one that is only slow: a state machine.
///
/// While it is slow, the program works, or waits for a processor: a large picture is decoded, the machine is busy. A source
/// that has stalled leaves nothing to do. Where there is work without end and never a picture, that is a stall too, after
/// ``endlessWork`` times as long.
struct StallWatch: Sendable {
    /// For a source that has told an error: what it had before that may still be decoded.
    static var afterFailure: StallWatch { StallWatch(patience: .milliseconds(400)) }

    /// A program that works, or wants to, for less than this share of the time does nothing.
    static let idleShare = 0.01
    static let endlessWork = 10
    /// Of the time between two looks no more counts: the program may have been stopped, or the machine asleep.
    private static let longestLook = Duration.seconds(2)

    private let patience: Duration
    private var last: (time: ContinuousClock.Instant, work: Duration)?
    private var idle = Duration.zero
    private var silent = Duration.zero

    /// - Parameter patience: how long a source may bring nothing while there is nothing to do.
    init(patience: Duration) {
        self.patience = patience
    }

    /// The error of a source that has stalled.
    var stall: FramegrepError {
        FramegrepError(
            .sourceUnavailable,
            "It brought no picture for \(patience.components.seconds) seconds. Check that it is complete or reachable; "
                + "--patience TIME waits longer.")
    }

    /// A picture came.
    mutating func reset() {
        last = nil
        (idle, silent) = (.zero, .zero)
    }

    /// Whether the next look is due; they are no free thing.
    func isDue(at time: ContinuousClock.Instant) -> Bool { last.map { time - $0.time >= .seconds(1) } ?? true }

    /// Looks at the program while no picture comes, where it is time to; what is to be said when the source has stalled.
    ///
    /// - Parameter work: see ``look(at:work:)``; asked for only when it is looked at.
    mutating func stall(at time: ContinuousClock.Instant, work: @autoclosure () -> Duration) -> FramegrepError? {
        isDue(at: time) && look(at: time, work: work()) ? stall : nil
    }

    /// Looks at the program while no picture comes; true when the source has stalled.
    ///
    /// - Parameter work: how long its threads have worked or waited for a processor, since any moment.
    mutating func look(at time: ContinuousClock.Instant, work: Duration) -> Bool {
        defer { last = (time, work) }
        guard let last else { return false }
        let passed = min(time - last.time, Self.longestLook)
        silent += passed
        // Less than before: a thread has ended, with what it had worked.
        let worked = work - last.work
        if worked >= .zero, worked < passed * Self.idleShare { idle += passed }
        return idle >= patience || silent >= patience * Self.endlessWork
    }
}

/// How much of a recording around each sighting is wanted.
public struct SightingContext: Sendable, Hashable {
    public var before: StreamTime
    public var after: StreamTime

    public init(before: StreamTime = .zero, after: StreamTime = .zero) {
        self.before = before
        self.after = after
    }

    /// The stretches of a recording that hold the sightings, in order; those that touch are one.
    ///
    /// - Parameter end: of the recording, or of what was searched of it.
    public func stretches(of sightings: [Sighting], until end: StreamTime) -> [Range<StreamTime>] {
        StreamTime.united(
            sightings.compactMap { sighting in
                let (from, to) = (max(.zero, sighting.start - before), min(end, sighting.end + after))
                return from < to ? from..<to : nil
            })
    }
}

/// A stretch of a recording in which nothing that was searched for is in view.
public struct Absence: Sendable, Hashable {
    /// Counts those of one input from 1.
    public var id: Int
    /// As the person wrote them.
    public var patterns: [String]
    public var start: StreamTime
    public var end: StreamTime

    public init(id: Int, patterns: [String], start: StreamTime, end: StreamTime) {
        self.id = id
        self.patterns = patterns
        self.start = start
        self.end = end
    }

    /// The same for whatever prints lines: `no EXIT`.
    public var asLine: Sighting {
        let words = patterns.map { "no \($0)" }.joined(separator: ", ")
        let place = Sighting.Box(
            time: FrameTime(index: 0, start: start, duration: end - start),
            quad: Quad(Rect(x: 0, y: 0, width: 0, height: 0)))
        return Sighting(
            id: id, patternIndex: 0, pattern: patterns.joined(separator: ", "), text: "", line: words, start: start,
            end: end, score: 1, peak: place)
    }
}

extension Sighting {
    /// From when to when none of the sightings is in view.
    public static func gaps(
        between sightings: [Sighting], from start: StreamTime, to end: StreamTime
    ) -> [Range<StreamTime>] {
        var gaps: [Range<StreamTime>] = []
        var place = start
        for seen in SightingContext().stretches(of: sightings, until: end) {
            if place < seen.lowerBound { gaps.append(place..<seen.lowerBound) }
            place = max(place, seen.upperBound)
        }
        if place < end { gaps.append(place..<end) }
        return gaps
    }
}
