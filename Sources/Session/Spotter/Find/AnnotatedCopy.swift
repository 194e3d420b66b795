import Errors
import GStreamerMedia
import OverlayDrawing
import Synchronization
import TextSpotting
import Threads

/// Draws the boxes of one frame after the other. Used by one thread.
struct AnnotationPass: ~Copyable {
    /// The result of a frame.
    enum Step: Sendable {
        /// The frame was drawn and sent; in the copy it ends at this running time.
        case done(FrameTime, copyEnd: StreamTime)
        /// The frame begins at or after the end of the copy.
        case beyond
        /// The output takes no more frames.
        case refused
    }

    private let pictures: SightingPictures?
    private let text: TextRegions?
    private let end: StreamTime
    private var boxes = FrameEntries<OverlayBox>()
    private var peaks = FrameEntries<Sighting>()
    private let rasterizer = OverlayRasterizer()
    private let converter = PictureConverter()
    private var clock: FrameClock
    private var times = CopyTimes()
    private let stretches: [Range<StreamTime>]?
    /// Hides places instead of drawing boxes; nil to draw.
    private let brush: HidingBrush?
    /// Whether something was left out before the next frame of the copy, and the total left out so far.
    private var isBehindGap = true
    private var leftOut = StreamTime.zero

    /// - Parameters:
    ///   - end: frames that begin at or after this time are left out.
    ///   - origin: the stream's own time that was 0 in the search.
    ///   - text: the places that labels must not cover; nil if unknown.
    ///   - stretches: frames outside these are left out of the copy; nil to keep all.
    init(
        sightings: [Sighting], until end: StreamTime, origin: StreamTime, pictures: SightingPictures?,
        text: TextRegions? = nil, stretches: [Range<StreamTime>]? = nil, brush: HidingBrush? = nil
    ) {
        self.brush = brush
        self.stretches = stretches
        self.text = text
        clock = FrameClock(origin: origin)
        self.pictures = pictures
        self.end = end
        for sighting in sightings {
            for box in sighting.boxes { boxes.add(Self.box(of: sighting, box.quad), at: box.time.start) }
            if pictures != nil { peaks.add(sighting, at: sighting.peak.time.start) }
        }
    }

    /// Returns whether a frame ending at `time` is the last one: what follows begins at or after the end of the copy.
    func isOver(at time: StreamTime) -> Bool { time >= end }

    /// The number of pictures that are still to be saved.
    var missingPictures: Int { peaks.count }

    /// Draws the boxes of the frame, saves the pictures of the sightings that were read best in it, and sends it on.
    mutating func annotate(_ sample: consuming Sample, sendingTo source: AppSource?) throws -> Step {
        let time = clock.time(of: sample)
        guard time.start < end else { return .beyond }
        let isCopied = stretches?.contains { time.start < $0.upperBound && $0.lowerBound < time.end } ?? true
        let copyTime = isCopied ? copyTime(of: sample.runningTime, time.duration) : nil
        isBehindGap = isBehindGap || !isCopied
        guard let info = sample.info else { return .done(time, copyEnd: times.end) }
        let geometry = try FrameGeometry(info, region: nil)
        if let pictures { try save(sample, at: time.start, geometry, to: pictures) }
        if let source, let copyTime, let brush {
            let places = brush.plan.quads(in: time).map(geometry.stored)
            guard try source.push(sample, hiding: places, brush.style, at: copyTime) == .ok else { return .refused }
        } else if let source, let copyTime {
            let drawn = try patches(boxes.all(at: time.start), at: time.start, geometry)
            guard source.push(sample, drawing: drawn, at: copyTime) == .ok else { return .refused }
        }
        return .done(time, copyEnd: times.end)
    }

    /// Returns when a frame is shown in the copy, in which earlier frames may have been left out.
    private mutating func copyTime(of running: StreamTime?, _ duration: StreamTime) -> StreamTime {
        if stretches != nil, isBehindGap, let running { leftOut = running - times.end }
        isBehindGap = false
        return times.next(running.map { $0 - leftOut }, duration: duration)
    }

    private mutating func save(
        _ sample: borrowing Sample, at time: StreamTime, _ geometry: FrameGeometry, to pictures: SightingPictures
    ) throws {
        let file = NewPicture(folder: pictures.folder, advice: "name another with --save-frames")
        // A sighting has one picture, even if several frames have the same time.
        let due = peaks.take(at: time)
        for some in pictures.areTogether && !due.isEmpty ? [due] : due.map({ [$0] }) {
            let canvas = try Canvas(try converter.picture(from: sample, format: .rgb))
            try canvas.draw(try patches(some.map { Self.box(of: $0, $0.peak.quad) }, at: time, geometry))
            _ = try file.write(try PNGWriter.encode(canvas), named: pictures.name(of: some[0]))
        }
    }

    private func patches(
        _ boxes: [OverlayBox], at time: StreamTime, _ geometry: FrameGeometry
    ) throws -> [OverlayPatch] {
        guard !boxes.isEmpty else { return [] }
        var content = OverlayContent(boxes: boxes)
        for index in content.boxes.indices { content.boxes[index].quad = geometry.stored(boxes[index].quad) }
        content.textPlaces = text?.places(at: time).map { geometry.stored(Quad($0)) } ?? []
        let list = OverlayComposer(pictureWidth: geometry.frameWidth, pictureHeight: geometry.frameHeight).compose(
            content)
        return try rasterizer.rasterize(list, width: geometry.frameWidth, height: geometry.frameHeight)
    }

    private static func box(of sighting: Sighting, _ quad: Quad) -> OverlayBox {
        OverlayBox(
            quad: quad, text: sighting.pattern, score: sighting.score, patternIndex: sighting.patternIndex)
    }
}

/// Determines when each frame of a copy is shown: at its own time, but never before the previous frame and never for
/// zero time, which no file can store.
struct CopyTimes: Sendable {
    private var last: StreamTime?
    private var offset = StreamTime.zero
    /// The end of the last frame.
    private(set) var end = StreamTime.zero

    /// - Parameter running: the frame's own running time; if nil, it follows the previous one.
    mutating func next(_ running: StreamTime?, duration: StreamTime) -> StreamTime {
        var time = running.map { $0 + offset } ?? end
        if let last, time <= last {
            // Times that jump back continue from the previous one.
            time = max(end, last + StreamTime(nanoseconds: 1))
            if let running { offset = time - running }
        }
        last = time
        end = time + duration
        return time
    }
}

/// The pipeline that writes the annotated copy, and its outcome. Thread-safe.
///
/// A separate task that ignores cancellation monitors its bus from the beginning: a writer that fails is stopped at
/// once, and with it a push that waits for it.
final class CopyWriter: Sendable {
    /// The sound failed before any of it was written.
    struct SoundFailure: Error {
        let error: FramegrepError
    }

    private struct State {
        var failure: FramegrepError?
        var soundFailure: FramegrepError?
        var hasAllFrames = false
        var isComplete = false
        var isInterrupted = false
        var frames = 0
    }

    /// The source that takes the frames.
    let source: AppSource
    private let pipeline: Pipeline
    private let sound: StreamCut?
    private let state = Mutex(State())

    /// The time that completing a file may take after an interruption.
    private static let patience = Duration.seconds(10)

    /// - Throws: ``FramegrepError`` (`missingPlugin`) if an encoder is not installed.
    init(_ recording: Recording) throws {
        pipeline = try Pipeline(parsing: SourceDescription.encoding(to: recording))
        guard let source = pipeline.appSource(named: "overlay") else {
            throw FramegrepError(.badPipeline, "The pipeline of the copy has no appsrc named 'overlay'.")
        }
        self.source = source
        if recording.hidesPlaces { pipeline.dropWords(behindElementNamed: SoundTrack.cutName) }
        sound = pipeline.makeCut(behindElementNamed: SoundTrack.cutName)
    }

    /// Opens the file.
    ///
    /// - Parameter patience: the time for which nothing may be written while the program is idle.
    /// - Returns: a task that finishes when writing ends, for whatever reason.
    /// - Throws: ``SoundFailure`` if only the sound cannot be opened.
    func begin(patience: Duration) async throws -> Task<Void, Never> {
        source.configure(maxBuffers: 4, block: true, isLive: false)
        RecordedPicture.settle(in: pipeline)
        do {
            _ = try await pipeline.prepare()
            try await pipeline.play()
        } catch let error as FramegrepError {
            guard sound != nil, pipeline.bus.firstError.map(Self.isOfSound) ?? true else { throw error }
            throw SoundFailure(error: error)
        }
        return Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.watchForStall(patience) }
                await self.watch()
                group.cancelAll()
            }
        }
    }

    /// Ends the sound at a time of the file, unless it ends earlier.
    func cutSound(at time: StreamTime) { sound?.cut(at: time) }

    func progressed() { state.withLock { $0.frames += 1 } }

    /// The reason the file can no longer be written; nil while it can.
    var failure: FramegrepError? { state.withLock { $0.failure } }

    /// The reason the sound is missing or incomplete; nil if it is complete.
    var soundFailure: FramegrepError? { state.withLock { $0.soundFailure } }

    /// The error of the sound if it failed before any of it was written.
    var missingSound: SoundFailure? {
        guard let sound, !sound.hasPassed else { return nil }
        return soundFailure.map(SoundFailure.init)
    }

    /// Ends the file after the frames pushed so far.
    ///
    /// - Parameter time: the end of the sound; nil for its own end.
    func end(soundAt time: StreamTime?) {
        if let time { cutSound(at: time) }
        let isInterrupted = state.withLock { state in
            state.hasAllFrames = true
            return state.isInterrupted
        }
        if isInterrupted { cutSound(at: .zero) }
        source.endOfStream()
    }

    /// Limits the time to wait for the end of the file from now on.
    func interrupt() {
        let hasAllFrames = state.withLock { state in
            state.isInterrupted = true
            return state.hasAllFrames
        }
        // Cut the rest of a sound that is longer than the picture.
        if hasAllFrames { cutSound(at: .zero) }
        Task { [weak self] in
            try? await Task.sleep(for: Self.patience)
            await self?.giveUp()
        }
    }

    private func giveUp() async {
        let isLate = state.withLock { state in
            guard !state.isComplete, state.failure == nil else { return false }
            let text = "The video could not be completed within \(Self.patience.components.seconds) seconds."
            state.failure = FramegrepError(.outputFailed, text)
            return true
        }
        if isLate { await stop() }
    }

    func stop() async { await pipeline.stop() }

    /// Gives up a file that nothing is written to any more: its sound may come from a source that has stalled, and
    /// pictures wait for their sound. A source that supplies no pictures either is detected earlier, by the code that
    /// waits for them.
    private func watchForStall(_ patience: Duration) async {
        var watch = StallWatch(patience: patience + .seconds(5))
        var seen = 0
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            let frames = state.withLock { $0.frames }
            if frames != seen { watch.reset() }
            seen = frames
            guard watch.look(at: .now, work: ProcessWork.current) else { continue }
            state.withLock { $0.failure = $0.failure ?? watch.stall }
            return await stop()
        }
    }

    private func watch() async {
        for await message in pipeline.bus.messages {
            switch message {
            case .endOfStream:
                return state.withLock { $0.isComplete = true }
            case .error(let report) where Self.isOfSound(report):
                state.withLock { $0.soundFailure = $0.soundFailure ?? report.error }
                sound?.end()
            case .error(let report):
                state.withLock { $0.failure = $0.failure ?? report.error }
                // A frame may be stuck on its way into the element that failed.
                return await pipeline.stop()
            default: continue
            }
        }
    }

    private static func isOfSound(_ report: MediaReport) -> Bool { report.bins.contains(SoundTrack.sourceName) }
}

/// Values associated with frames, found by the start times of these.
struct FrameEntries<Entry> {
    /// The tolerance in nanoseconds: the index rounds times, so its frames may begin slightly earlier or later than
    /// those of the recording.
    private static var tolerance: Int64 { 1000 }

    /// The entries, keyed by the microsecond in which their frames begin.
    private var entries: [Int64: [(time: StreamTime, entry: Entry)]] = [:]
    private(set) var count = 0

    mutating func add(_ entry: Entry, at time: StreamTime) {
        entries[time.nanoseconds / 1000, default: []].append((time, entry))
        count += 1
    }

    /// Returns the entries of the frame that begins exactly then, or of the nearest within the tolerance.
    func all(at time: StreamTime) -> [Entry] {
        guard let place = place(of: time) else { return [] }
        return entries[place.nanoseconds / 1000, default: []].filter { $0.time == place }.map(\.entry)
    }

    /// Returns and removes these entries.
    mutating func take(at time: StreamTime) -> [Entry] {
        guard let place = place(of: time) else { return [] }
        let found = all(at: place)
        entries[place.nanoseconds / 1000]?.removeAll { $0.time == place }
        count -= found.count
        return found
    }

    private func place(of time: StreamTime) -> StreamTime? {
        func distance(_ other: StreamTime) -> Int64 { abs(other.nanoseconds - time.nanoseconds) }
        let microsecond = time.nanoseconds / 1000
        return (microsecond - 1...microsecond + 1).flatMap { entries[$0, default: []].map(\.time) }
            .filter { distance($0) <= Self.tolerance }
            .min { (distance($0), $0) < (distance($1), $1) }
    }
}
