public import Errors
public import GStreamerMedia
public import TextSpotting
import Threads

/// Draws finished sightings into a copy of the recording, or into a picture of each.
///
/// A second pass over the source: only when the search is over is it known where a box begins and ends, so the copy is
/// exact to the frame, and the picture of a sighting is the very frame that was read. Reading and writing are two
/// pipelines, so that one can be completed when the other has stopped.
public struct RecordingAnnotator: Sendable {
    /// The files that were written.
    public struct Outcome: Sendable {
        /// Whether everything that was requested was written.
        public var isWhole = false
        /// The end of the copy.
        public var end = StreamTime.zero
        /// The number of sightings without a picture.
        public var missingPictures = 0
        /// The reason something is missing, unless the pass was interrupted.
        public var failure: FramegrepError?
        /// The reason the copy is without sound, or without the rest of it.
        public var soundFailure: FramegrepError?
    }

    /// The pipeline that supplies the frames of the recording that was searched.
    public let description: String
    /// The copy; nil for none.
    public let recording: Recording?
    /// The pictures; nil for none.
    public let pictures: SightingPictures?

    /// The time for which the source may supply nothing while the program is idle.
    public let patience: Duration
    /// The places that labels must not cover; nil if unknown.
    private let text: TextRegions?
    /// The parts of the recording that are copied, in order; nil for all of it.
    private let stretches: [Range<StreamTime>]?
    /// Hides places instead of drawing boxes; nil to draw.
    private let brush: HidingBrush?
    private let file: SourceFile?

    /// - Parameters:
    ///   - source: a source that can be read again.
    ///   - patience: as in ``FindSettings/patience``.
    ///   - text: the places collected by the search (``FindSettings/textPlaces``).
    ///   - stretches: the only parts to copy, in order; such a copy has no sound.
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

    /// Checks that the elements that encode and write are installed, without opening anything.
    ///
    /// - Throws: `FramegrepError` (`missingPlugin`).
    public static func check(_ container: RecordingContainer) throws {
        _ = try CopyWriter(Recording(path: "/dev/null", container: container))
    }

    /// Writes what was requested, up to `end` of the recording. A cancelled task completes what it has begun.
    ///
    /// - Parameters:
    ///   - sightings: the sightings, with their boxes if a video is written; quads in pixels of the picture as
    ///     displayed.
    ///   - start: the time before which nothing is wanted, so that a picture near the end of a long recording is
    ///     available soon.
    ///   - isPart: whether more of the recording follows after `end`. The sound is then cut off there from the
    ///     beginning, because sound may run ahead of the pictures; otherwise it may be longer than they are.
    ///   - progress: called with the progress, on another thread.
    /// - Throws: `FramegrepError` (`outputFailed`) if a file cannot be written. The part of a video that was written
    ///   plays, but has no index.
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
            // Starting again loses nothing: the sound was missing from the first moment on.
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
        // Cut it before the first picture: until one arrives, no sound gets further than the muxer.
        if let soundUntil { writer?.cutSound(at: soundUntil + beginning.origin) }
        if let start { _ = await beginning.move(to: start) }
        try await reader.play()
        let cancellation = CancellationFlag()
        let end = recording == nil ? min(end, sightings.map(\.peak.time.end).max() ?? .zero) : end
        return try await withTaskCancellationHandler {
            var (outcome, soundEnd) = try await DedicatedThread.run(named: "framegrep-annotate") {
                [pictures, patience, text, stretches, brush] in
                var pass = AnnotationPass(
                    sightings: sightings, until: end, origin: beginning.origin, pictures: pictures, text: text,
                    stretches: stretches, brush: brush)
                return try Self.draw(
                    &pass, from: reader, sink: sink, to: writer, until: cancellation,
                    watch: StallWatch(patience: patience), progress: progress)
            }
            writer?.end(soundAt: soundEnd)
            await writing?.value
            // After an interruption before the first frame there is nothing to complete.
            if let failure = writer?.failure, outcome.end > .zero || !cancellation.isCancelled { throw failure }
            outcome.soundFailure = writer?.soundFailure
            if outcome.end >= end { outcome.isWhole = true }
            if !cancellation.isCancelled { noteChange(&outcome) }
            if !outcome.isWhole { outcome.failure = outcome.failure ?? reader.bus.firstFailure }
            return outcome
        } onCancel: {
            cancellation.cancel()
            writer?.interrupt()
        }
    }

    /// A file that was truncated plays without an error, but is not the one that was searched.
    private func noteChange(_ outcome: inout Outcome) {
        guard let change = file?.change(), !change.isGrowth else { return }
        outcome.isWhole = false
        outcome.failure = FramegrepError(.sourceDamaged, change.sentence)
    }

    /// Draws frame by frame; blocks its thread.
    ///
    /// - Returns: the outcome, and the time at which the sound must end; nil if it ends by itself.
    private static func draw(
        _ pass: inout AnnotationPass, from reader: Pipeline, sink: AppSink, to writer: CopyWriter?,
        until cancellation: CancellationFlag, watch: StallWatch, progress: @Sendable (StreamTime) -> Void
    ) throws -> (Outcome, soundEnd: StreamTime?) {
        var (outcome, soundEnd) = (Outcome(), StreamTime?.some(.zero))
        var (watch, broken) = (watch, StallWatch.afterFailure)
        pulling: while !cancellation.isCancelled, writer?.failure == nil {
            switch sink.pull(timeout: .milliseconds(100)) {
            case .sample(let sample):
                watch.reset()
                broken.reset()
                let step = try pass.annotate(sample, sendingTo: writer?.source)
                guard case .done(let time, let copyEnd) = step else {
                    if case .beyond = step { outcome.isWhole = true }
                    break pulling
                }
                writer?.progressed()
                (outcome.end, soundEnd) = (time.end, copyEnd)
                progress(time.start)
            case .timedOut:
                // After an error some elements never send the end of the stream, even when they have decoded everything
                // before it.
                outcome.isWhole = pass.isOver(at: outcome.end)
                if outcome.isWhole { break pulling }
                guard reader.bus.firstFailure == nil else {
                    guard broken.look(at: .now, work: ProcessWork.current) else { continue }
                    soundEnd = nil
                    break pulling
                }
                // The sound stalls too if it comes from the same source; the copy ends with the picture.
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

/// Hides places in each frame of a second pass: the alternative to drawing in ``RecordingAnnotator``.
public struct HidingBrush: Sendable {
    public let plan: HidingPlan
    public let style: HidingStyle

    public init(_ plan: HidingPlan, style: HidingStyle) {
        self.plan = plan
        self.style = style
    }

    /// Returns the pipeline that supplies the frames, in the one format in which places can be hidden and that encoders
    /// take.
    static func source(_ source: OpenedSource) -> String {
        SourceDescription.hiding(SourceDescription.search(source))
    }
}

/// Distinguishes a stalled source from a slow one: a state machine.
///
/// With a slow source, the program works or waits for a processor: a large picture is decoded, the machine is busy. A
/// stalled source leaves it idle. Endless work without a picture counts as a stall too, after ``endlessWork`` times as
/// long.
struct StallWatch: Sendable {
    /// The watch for a source that has reported an error: earlier data may still be decoded.
    static var afterFailure: StallWatch { StallWatch(patience: .milliseconds(400)) }

    /// A program that works, or wants to, for less than this share of the time is idle.
    static let idleShare = 0.01
    static let endlessWork = 10
    /// The longest interval between two checks that counts: the program may have been stopped, or the machine asleep.
    private static let longestLook = Duration.seconds(2)

    private let patience: Duration
    private var last: (time: ContinuousClock.Instant, work: Duration)?
    private var idle = Duration.zero
    private var silent = Duration.zero

    /// - Parameter patience: the time for which a source may supply nothing while the program is idle.
    init(patience: Duration) {
        self.patience = patience
    }

    var stall: FramegrepError {
        FramegrepError(
            .sourceUnavailable,
            "It brought no picture for \(patience.components.seconds) seconds. Check that it is complete or reachable; "
                + "--patience TIME waits longer.")
    }

    /// Records that a picture arrived.
    mutating func reset() {
        last = nil
        (idle, silent) = (.zero, .zero)
    }

    /// Returns whether the next check is due; checks are not free.
    func isDue(at time: ContinuousClock.Instant) -> Bool { last.map { time - $0.time >= .seconds(1) } ?? true }

    /// Checks the program while no picture arrives, if a check is due; returns the error if the source has stalled.
    ///
    /// - Parameter work: see ``look(at:work:)``; evaluated only if a check is due.
    mutating func stall(at time: ContinuousClock.Instant, work: @autoclosure () -> Duration) -> FramegrepError? {
        isDue(at: time) && look(at: time, work: work()) ? stall : nil
    }

    /// Checks the program while no picture arrives; returns true if the source has stalled.
    ///
    /// - Parameter work: the time that its threads have worked or waited for a processor, from an arbitrary origin.
    mutating func look(at time: ContinuousClock.Instant, work: Duration) -> Bool {
        defer { last = (time, work) }
        guard let last else { return false }
        let passed = min(time - last.time, Self.longestLook)
        silent += passed
        // It is less than before if a thread has ended, because its work is no longer included.
        let worked = work - last.work
        if worked >= .zero, worked < passed * Self.idleShare { idle += passed }
        return idle >= patience || silent >= patience * Self.endlessWork
    }
}

/// The part of a recording around each sighting that is wanted.
public struct SightingContext: Sendable, Hashable {
    public var before: StreamTime
    public var after: StreamTime

    public init(before: StreamTime = .zero, after: StreamTime = .zero) {
        self.before = before
        self.after = after
    }

    /// Returns the stretches of a recording that contain the sightings, in order; adjacent ones are merged.
    ///
    /// - Parameter end: the end of the recording, or of its searched part.
    public func stretches(of sightings: [Sighting], until end: StreamTime) -> [Range<StreamTime>] {
        StreamTime.united(
            sightings.compactMap { sighting in
                let (from, to) = (max(.zero, sighting.start - before), min(end, sighting.end + after))
                return from < to ? from..<to : nil
            })
    }
}

/// A stretch of a recording in which nothing that was searched for is visible.
public struct Absence: Sendable, Hashable {
    /// The number of the stretch within one input, counted from 1.
    public var id: Int
    /// The patterns as you wrote them.
    public var patterns: [String]
    public var start: StreamTime
    public var end: StreamTime

    public init(id: Int, patterns: [String], start: StreamTime, end: StreamTime) {
        self.id = id
        self.patterns = patterns
        self.start = start
        self.end = end
    }

    /// The stretch in the form of a line, for code that prints lines: `no EXIT`.
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
    /// Returns the stretches in which none of the sightings is visible.
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
