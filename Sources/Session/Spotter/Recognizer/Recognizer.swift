import GStreamerMedia
import TextSpotting

/// Reads pictures one after the other, each using the previous reading, so that only changes are read.
///
/// Every search has one. Readings may be started concurrently (``OrderedReadings``): text detection runs ahead, and
/// recognition waits for the previous reading.
actor Recognizer {
    /// A reading in progress; its value is everything known about the text in view then.
    typealias Work = Task<TextTracker, any Error>

    private let engine: any TextReader
    private let tracking: TextTracker.Settings
    private let executor: (any TaskExecutor)?
    private let see: (@Sendable (TextLine, FrameTime) -> Void)?
    /// The last reading and the geometry of its picture: pictures with another geometry are unrelated.
    private var last: (work: Work, geometry: FrameGeometry)?
    /// The part of the recording that is read.
    private var part = 0

    /// - Parameters:
    ///   - executor: runs the readings; nil for Swift's shared pool.
    ///   - see: called with each line as soon as it is read, in pixels of the searched part, on any thread; nil if only
    ///     whole readings count.
    init(
        engine: any TextReader, tracking: TextTracker.Settings, executor: (any TaskExecutor)? = nil,
        seeing see: (@Sendable (TextLine, FrameTime) -> Void)? = nil
    ) {
        self.engine = engine
        self.tracking = tracking
        self.executor = executor
        self.see = see
    }

    /// Starts to read a request; nil if it asks for nothing.
    ///
    /// The work holds the request's picture, so the request need not.
    func begin(_ request: ReadRequest) -> Work? {
        if request.part != part { (part, last) = (request.part, nil) }
        guard let time = request.time, request.closeLines == nil else { return nil }
        if request.isUnchanged { return last?.work }
        let known = last.flatMap { $0.geometry == request.geometry ? $0.work : nil }
        let work: Work?
        if let reread = request.reread {
            work = known.map { self.reread(reread, at: time, request.geometry, after: $0) }
        } else {
            work = request.picture.map { read($0, request, at: time, after: known) }
        }
        if let work { last = (work, request.geometry) }
        return work
    }

    /// Discards everything known, because coming pictures are unrelated.
    func startAnew() { last = nil }

    private func read(_ picture: Picture, _ request: ReadRequest, at time: FrameTime, after known: Work?) -> Work {
        let tracking = request.readsAnew ? tracking.readingAnew : tracking
        // Lines of different parts have different numbers.
        let fresh = TextTracker(settings: tracking, firstID: request.part << 32 + 1)
        // In a thorough reading no line is followed: only reading tells what is there.
        let frames = request.isThorough ? [] : request.sinceReading
        let (changed, displacement) = (known == nil ? nil : request.changed, request.displacement)
        return Task(executorPreference: executor) { [engine, see] in
            let begun = ContinuousClock.now
            let tracker = try await engine.read(
                picture, at: time,
                after: PreviousReading(changed: changed, displacement: displacement, frames: frames) {
                    var tracker = try await known?.value ?? fresh
                    tracker.settings = tracking
                    return tracker
                },
                seeing: { line in see?(line, time) })
            DebugLog.tell(of: tracker, at: time, after: .now - begun)
            return tracker
        }
    }

    /// Reads known lines again where a picture changed; usually there are none.
    private func reread(
        _ deferred: DeferredReading, at time: FrameTime, _ geometry: FrameGeometry, after known: Work
    ) -> Work {
        return Task(executorPreference: executor) { [engine] in
            let before = try await known.value
            let previous = PreviousReading(changed: deferred.lost, frames: deferred.frames, isRereading: true) {
                before
            }
            guard previous.concerns(before, scale: geometry.scale) else { return before }
            let tracker = try await engine.read(try deferred.picture(), at: time, after: previous)
            DebugLog.tell(of: tracker, at: time, after: .zero)
            return tracker
        }
    }
}

/// A request to the recognizer: a part of a stream that ends with a frame worth reading (or with the stream).
struct ReadRequest: Sendable {
    /// The frames since the previous step, oldest first, as thumbnails; the last one is to be read.
    var frames: [FrameHistory.Frame]
    /// The frame that was read before this step and all since; the last one is to be read. Text that was only reread
    /// between two readings does not count as read.
    var sinceReading: [FrameHistory.Frame] = []
    /// The frame to read if it is not among ``frames``; nil for the last of these.
    var frame: FrameTime?
    /// The picture to read; nil at the end, when nothing is left to read.
    var picture: Picture?
    /// The picture in which only known lines are read, where it changed.
    var reread: DeferredReading?
    /// The tiles that changed since the previous step; nil if there is none to compare with.
    var changed: TileMask?
    /// The motion of the rest since the previous step, in pixels of the thumbnail.
    var displacement = Displacement.none
    /// Whether everything is read for certainty: nothing is taken as known.
    var isThorough = false
    /// Whether each line is read, however well it is known, and the reading stands for itself.
    var readsAnew = false
    /// The number of bytes to return to the budget once it is joined.
    var budgeted = 0
    /// The part of the recording that it belongs to: nothing read in one is used in another. See ``PartGrid``.
    var part = 0
    /// Whether it only has the last frames of a part, which show nothing to be read: they go to the first reading of
    /// the next.
    var endsPart = false
    var geometry: FrameGeometry
    /// The time at which the frame arrived.
    var arrival = ContinuousClock.now
    /// The time at which its reading started.
    var begun = ContinuousClock.now
    /// The thumbnail of the frame, if one is needed in addition to ``frames``.
    var thumbnail: Picture?
    /// The whole frame as stored, if pictures of it are wanted.
    var shown: Picture?
    /// Whether the picture looks as it did when last read, so that what was known still applies.
    var isUnchanged = false
    /// The lines of the picture, if a better reader has already read it.
    var closeLines: [TextLine]?

    /// The time of the frame to read; nil if the request has no frame.
    var time: FrameTime? { frame ?? frames.last?.time }

    /// Whether the whole picture was searched.
    var isComplete: Bool { reread == nil }

    /// The size of its pictures in memory; one that repeats the previous picture takes nothing.
    var byteCount: Int {
        (picture?.bytes.count ?? 0) + (reread?.byteCount ?? 0) + FrameHistory.distinctBytes(of: frames)
    }
}

/// A frame that is converted to a picture only on demand, because most frames that may have to be reread are not.
///
/// Thread-safe: a frame never changes, and the converter supports several threads.
final class DeferredReading: Sendable {
    /// The tiles that show something no reading saw.
    let lost: TileMask
    /// The previous frame, this one and, if it is known, the next, as thumbnails.
    let frames: [FrameHistory.Frame]
    private let sample: Sample
    private let part: SearchedPart
    private let format: Picture.Format
    private let geometry: FrameGeometry

    init(
        of sample: borrowing Sample, _ part: SearchedPart, _ format: Picture.Format, _ geometry: FrameGeometry,
        _ lost: TileMask, frames: [FrameHistory.Frame]
    ) {
        self.lost = lost
        self.frames = frames
        self.sample = sample.retained()
        self.part = part
        self.format = format
        self.geometry = geometry
    }

    /// The approximate size of the frame in memory.
    var byteCount: Int { geometry.frameWidth * geometry.frameHeight * 3 / 2 }

    /// - Throws: ``FramegrepError`` if the frame cannot be converted.
    func picture() throws -> Picture { try part.picture(of: sample, format, geometry) }
}

extension TextTracker.Settings {
    /// The same settings with each reading standing for itself.
    var readingAnew: TextTracker.Settings {
        var settings = self
        settings.keepsKnown = false
        settings.votes = false
        return settings
    }
}
