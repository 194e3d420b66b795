import GStreamerMedia
import TextSpotting

/// Reads pictures one after the other, each with what is known from the reading before, so that only what changed is read again.
///
/// Every search has one. Readings may be begun side by side (``OrderedReadings``): finding text runs ahead, and recognizing it waits for the
/// reading before.
actor Recognizer {
    /// A reading under way; its value is all that is known of the text in view then.
    typealias Work = Task<TextTracker, any Error>

    private let engine: any TextReader
    private let tracking: TextTracker.Settings
    private let executor: (any TaskExecutor)?
    private let see: (@Sendable (TextLine, FrameTime) -> Void)?
    /// The last reading, and how its picture lay in its frame: pictures that lie otherwise have nothing in common with it.
    private var last: (work: Work, geometry: FrameGeometry)?

    /// - Parameters:
    ///   - executor: where readings run; nil for Swift's shared pool.
    ///   - see: told of each line as soon as it is read, in pixels of the searched part, on any thread; nil where only whole readings
    ///     count.
    init(
        engine: any TextReader, tracking: TextTracker.Settings, executor: (any TaskExecutor)? = nil,
        seeing see: (@Sendable (TextLine, FrameTime) -> Void)? = nil
    ) {
        self.engine = engine
        self.tracking = tracking
        self.executor = executor
        self.see = see
    }

    /// Begins to read what a request asks for; nil where it asks for nothing.
    ///
    /// The work holds the request's picture, so the request need not.
    func begin(_ request: ReadRequest) -> Work? {
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

    /// Forgets what is known: what comes has nothing to do with it.
    func startAnew() { last = nil }

    private func read(_ picture: Picture, _ request: ReadRequest, at time: FrameTime, after known: Work?) -> Work {
        let tracking = request.readsAnew ? tracking.readingAnew : tracking
        let fresh = TextTracker(settings: tracking)
        // Where all is to be looked at, no line is followed: only reading tells what is there.
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

    /// Reads known lines again where a picture changed; mostly there are none.
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
    /// The frames since the step before, oldest first, as thumbnails; the last one is the one to be read.
    var frames: [FrameHistory.Frame]
    /// The frame that was read before this step and all since; the last one is the one to be read. What was only read again between
    /// two readings does not count as read.
    var sinceReading: [FrameHistory.Frame] = []
    /// The frame to be read where it is not among ``frames``; nil for the last of these.
    var frame: FrameTime?
    /// The picture to be read; nil at the end, when nothing is left to read.
    var picture: Picture?
    /// The picture of which only known lines are to be read, where it changed.
    var reread: DeferredReading?
    /// The tiles that changed since the step before; nil if there is none to compare with.
    var changed: TileMask?
    /// By how much the rest moved since the step before, in pixels of the thumbnail.
    var displacement = Displacement.none
    /// It is read to make sure of all of it: nothing is taken for known.
    var isThorough = false
    /// Each line of it is read, however well it is known, and the reading stands for itself.
    var readsAnew = false
    /// Bytes to be given back to the budget once it is joined.
    var budgeted = 0
    var geometry: FrameGeometry
    /// When the frame came.
    var arrival = ContinuousClock.now
    /// When it was taken to be read.
    var begun = ContinuousClock.now
    /// The frame as a thumbnail, where one is wanted besides ``frames``.
    var thumbnail: Picture?
    /// The whole frame as stored, where pictures of it are wanted.
    var shown: Picture?
    /// The picture looks as it did when it was last read: what was known still is.
    var isUnchanged = false
    /// Its lines, where a better reader has read it already.
    var closeLines: [TextLine]?

    /// When the frame to be read is shown; nil where the request has no frame.
    var time: FrameTime? { frame ?? frames.last?.time }

    /// All of the picture was looked at.
    var isComplete: Bool { reread == nil }

    /// The size of its pictures in memory; one that repeats the one before takes nothing.
    var byteCount: Int {
        (picture?.bytes.count ?? 0) + (reread?.byteCount ?? 0) + FrameHistory.distinctBytes(of: frames)
    }
}

/// A frame that is made a picture of only if somebody asks: most of those that may have to be read again need not be.
///
/// Thread-safe: a frame never changes, and the converter takes several threads.
final class DeferredReading: Sendable {
    /// Where it shows what no reading saw.
    let lost: TileMask
    /// The frame before it and itself, as thumbnails.
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

    /// - Throws: ``FramegrepError`` when the frame cannot be converted.
    func picture() throws -> Picture { try part.picture(of: sample, format, geometry) }
}

extension TextTracker.Settings {
    /// The same where each reading stands for itself.
    var readingAnew: TextTracker.Settings {
        var settings = self
        settings.keepsKnown = false
        settings.votes = false
        return settings
    }
}
