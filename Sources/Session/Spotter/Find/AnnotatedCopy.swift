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
        /// It was drawn and sent on; in the copy it is over at this running time.
        case done(FrameTime, copyEnd: StreamTime)
        /// It begins where the copy ends, or later.
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
    /// Whether something was left out before the next frame of the copy, and how much in all until now.
    private var isBehindGap = true
    private var leftOut = StreamTime.zero

    /// - Parameters:
    ///   - end: frames that begin then or later are left out.
    ///   - origin: the stream's own time that was called 0 in the search.
    ///   - text: where labels must not stand; nil if unknown.
    ///   - stretches: frames outside of them are left out of the copy; nil for none.
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

    /// Whether every frame has come once one that ends then has: what follows begins where the copy ends, or later.
    func isOver(at time: StreamTime) -> Bool { time >= end }

    /// How many pictures are still to be saved.
    var missingPictures: Int { peaks.count }

    /// Draws the frame's boxes, saves the pictures of the sightings whose best reading it was, and sends it on.
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

    /// When a frame is shown in the copy, from which those before it may have been left out.
    private mutating func copyTime(of running: StreamTime?, _ duration: StreamTime) -> StreamTime {
        if stretches != nil, isBehindGap, let running { leftOut = running - times.end }
        isBehindGap = false
        return times.next(running.map { $0 - leftOut }, duration: duration)
    }

    private mutating func save(
        _ sample: borrowing Sample, at time: StreamTime, _ geometry: FrameGeometry, to pictures: SightingPictures
    ) throws {
        let file = NewPicture(folder: pictures.folder, advice: "name another with --save-frames")
        // A sighting has one picture, even where several frames have the same time.
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

/// When each frame of a copy is shown: at its own time, but never before the frame in front of it, and never at no time at
/// all, since no file can hold that.
struct CopyTimes: Sendable {
    private var last: StreamTime?
    private var offset = StreamTime.zero
    /// When the last frame is over.
    private(set) var end = StreamTime.zero

    /// - Parameter running: the frame's own running time; nil where it has none, and then it follows the one before.
    mutating func next(_ running: StreamTime?, duration: StreamTime) -> StreamTime {
        var time = running.map { $0 + offset } ?? end
        if let last, time <= last {
            // Times that jump back go on from where they were.
            time = max(end, last + StreamTime(nanoseconds: 1))
            if let running { offset = time - running }
        }
        last = time
        end = time + duration
        return time
    }
}

/// The pipeline that writes the annotated copy, and what became of it. Thread-safe.
///
/// Its bus is listened to from the beginning by a task of its own, which no cancellation ends: a writer that fails is stopped
/// at once, and with it a push that waits for it.
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

    /// Where frames go.
    let source: AppSource
    private let pipeline: Pipeline
    private let sound: StreamCut?
    private let state = Mutex(State())

    /// How long a file that is being completed after an interruption may take.
    private static let patience = Duration.seconds(10)

    /// - Throws: ``FramegrepError`` (`missingPlugin`) where an encoder is not installed.
    init(_ recording: Recording) throws {
        pipeline = try Pipeline(parsing: SourceDescription.encoding(to: recording))
        guard let source = pipeline.appSource(named: "overlay") else {
            throw FramegrepError(.badPipeline, "The pipeline of the copy has no appsrc named “overlay”.")
        }
        self.source = source
        if recording.hidesPlaces { pipeline.dropWords(behindElementNamed: SoundTrack.cutName) }
        sound = pipeline.makeCut(behindElementNamed: SoundTrack.cutName)
    }

    /// Opens the file.
    ///
    /// - Parameter patience: how long nothing may get into the file while there is nothing to do.
    /// - Returns: waits for the end of the writing, however that comes.
    /// - Throws: ``SoundFailure`` where it is only the sound that cannot be opened.
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

    /// Has the sound end at a time of the file, if not before.
    func cutSound(at time: StreamTime) { sound?.cut(at: time) }

    /// A frame got in.
    func progressed() { state.withLock { $0.frames += 1 } }

    /// Why the file cannot be written any more; nil while it can.
    var failure: FramegrepError? { state.withLock { $0.failure } }

    /// Why there is no sound, or none from somewhere on; nil where nothing happened to it.
    var soundFailure: FramegrepError? { state.withLock { $0.soundFailure } }

    /// Set where nothing of the sound got into the file before it failed.
    var missingSound: SoundFailure? {
        guard let sound, !sound.hasPassed else { return nil }
        return soundFailure.map(SoundFailure.init)
    }

    /// Ends the file after what was pushed.
    ///
    /// - Parameter time: where the sound ends too; nil for its own end.
    func end(soundAt time: StreamTime?) {
        if let time { cutSound(at: time) }
        let isInterrupted = state.withLock { state in
            state.hasAllFrames = true
            return state.isInterrupted
        }
        if isInterrupted { cutSound(at: .zero) }
        source.endOfStream()
    }

    /// From now on only the file's end is waited for, and not for ever.
    func interrupt() {
        let hasAllFrames = state.withLock { state in
            state.isInterrupted = true
            return state.hasAllFrames
        }
        // The rest of a sound that is longer than the picture.
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

    /// Gives up a file that nothing gets into any more: its sound may come from a source that has stalled, and pictures wait for
    /// their sound. A source that brings no pictures either is found out first, by who waits for those.
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
                // A frame may be stuck on its way into what failed.
                return await pipeline.stop()
            default: continue
            }
        }
    }

    private static func isOfSound(_ report: MediaReport) -> Bool { report.bins.contains(SoundTrack.sourceName) }
}

/// Values that belong to frames, by the times at which these begin.
struct FrameEntries<Entry> {
    /// The index keeps times in steps, whose frames may begin this many nanoseconds sooner or later than those of the recording.
    private static var tolerance: Int64 { 1000 }

    /// By the microsecond in which their frames begin.
    private var entries: [Int64: [(time: StreamTime, entry: Entry)]] = [:]
    private(set) var count = 0

    mutating func add(_ entry: Entry, at time: StreamTime) {
        entries[time.nanoseconds / 1000, default: []].append((time, entry))
        count += 1
    }

    /// Those of the frame that begins then: of that very time, or else of the nearest within the tolerance.
    func all(at time: StreamTime) -> [Entry] {
        guard let place = place(of: time) else { return [] }
        return entries[place.nanoseconds / 1000, default: []].filter { $0.time == place }.map(\.entry)
    }

    /// The same, which are gone then.
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
