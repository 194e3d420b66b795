import Errors
import GStreamerMedia
import TextSpotting
import Threads

/// Takes frames in: gives each its time, makes its thumbnail, and hands it to the reader. Used by the display thread only.
struct FrameReceiver {
    /// The thumbnail of a frame's searched part, and how it lies in the frame; or why there is none.
    typealias Thumbnail = Result<(frame: FrameHistory.Frame, geometry: FrameGeometry), any Error>
    typealias Received = (time: FrameTime, thumbnail: Thumbnail)

    private let slot: LatestSlot<LiveFrame>
    private let frameHistory: LiveFrameHistory
    private let source: SourceState
    private let measurements: LiveMeasurements
    private let words: SearchedWords
    /// Whether a frame is to be read: not where somebody has read the recording ahead.
    private let isToBeRead: @Sendable (StreamTime) -> Bool
    /// Somebody sees the frames; else one has been shown when it was taken.
    private let isShown: Bool
    /// So long after one frame the reader gets no other.
    private let readInterval: StreamTime
    private var lastGiven: StreamTime?
    private var clock = LiveClock()
    /// The frozen frame that was given to be read closely, and what was searched for then.
    private var asked: (index: Int, revision: Int)?
    private let part: SearchedPart
    private(set) var frameCount = 0

    /// - Parameters:
    ///   - slot: where the reader takes its frames.
    ///   - frameHistory: where the thumbnails go.
    ///   - source: is told that frames come.
    ///   - words: what is searched for: for something else, a frame that stands still is read again.
    ///   - region: the part of the picture to search; nil for all of it.
    ///   - isShown: somebody sees the frames.
    ///   - readInterval: the reader gets no other frame for this time after one.
    ///   - isToBeRead: whether the frame of a time is to be read.
    init(
        slot: LatestSlot<LiveFrame>, frameHistory: LiveFrameHistory, source: SourceState,
        measurements: LiveMeasurements,
        words: SearchedWords, region: RegionOfInterest?, isShown: Bool, readInterval: StreamTime = .zero,
        isToBeRead: @escaping @Sendable (StreamTime) -> Bool = { _ in true }
    ) {
        self.isToBeRead = isToBeRead
        self.slot = slot
        self.frameHistory = frameHistory
        self.source = source
        self.measurements = measurements
        self.words = words
        part = SearchedPart(region, size: .followed)
        self.isShown = isShown
        self.readInterval = readInterval
    }

    /// Takes a frame in: the reader gets it, and finds its thumbnail on the trail.
    ///
    /// - Parameters:
    ///   - connection: the number of the connection that it came through.
    ///   - arrival: when it came.
    ///   - isUntimed: the source gives its frames no times.
    mutating func take(
        _ sample: borrowing Sample, _ connection: Int, arrival: ContinuousClock.Instant, isUntimed: Bool
    ) -> Received {
        let time = clock.time(of: sample, arrival: arrival, usesArrival: isUntimed)
        frameCount = time.index + 1
        measurements.frameArrived(at: time.start)
        source.frameArrived()
        if !isShown { measurements.showed(staleness: nil) }
        let thumbnail = thumbnail(of: sample, at: time)
        if isToBeRead(time.start), lastGiven.map({ time.start - $0 >= readInterval }) ?? true {
            lastGiven = time.start
            slot.put(LiveFrame(sample: sample.retained(), time: time, arrival: arrival, connection: connection))
        }
        return (time, thumbnail)
    }

    private func thumbnail(of sample: borrowing Sample, at time: FrameTime) -> Thumbnail {
        do {
            let geometry = try part.geometry(of: sample.info)
            let frame = FrameHistory.Frame(time: time, picture: try part.thumbnail(of: sample, geometry))
            frameHistory.append(frame, geometry)
            return .success((frame, geometry))
        } catch {
            return .failure(error)
        }
    }

    /// The warning about a frame without a thumbnail; nil if the reader of the frame reports it, and ends the
    /// search.
    static func warning(of failure: any Error) -> FramegrepError? {
        (failure as? FramegrepError).flatMap { $0.code == .badArgument ? nil : $0 }
    }

    /// The next frame is the first of another connection: nothing of before says anything about it.
    mutating func startAnew() { clock.startAnew() }

    /// The next frame is the very first, or of another time of the same recording.
    ///
    /// - Parameter origin: the source's time of its beginning.
    mutating func jump(origin: StreamTime) { clock.jump(origin: origin) }

    /// The frame that begins at a time; nil where it is not remembered.
    func time(ofFrameAt start: StreamTime) -> FrameTime? {
        frameHistory.frames(from: start, through: start).frames.last?.time
    }

    /// Forgets the thumbnails: what comes has nothing to do with them.
    func forgetPictures() { frameHistory.clear() }

    /// Tells the reader that the source was lost after the frame that began at `start`.
    func tellOfLoss(after start: StreamTime?, _ connection: Int) {
        let time = FrameTime(index: frameCount, start: start ?? .zero, duration: .zero)
        slot.put(LiveFrame(sample: nil, time: time, arrival: .now, connection: connection))
    }

    /// Has a frame that stands still read closely: once, and again for each new word.
    mutating func readClosely(_ frame: HeldFrame, _ connection: Int) {
        let revision = words.versioned.revision
        guard isToBeRead(frame.time.start), asked?.index != frame.time.index || asked?.revision != revision else {
            return
        }
        asked = (frame.time.index, revision)
        slot.put(
            LiveFrame(
                sample: frame.sample.retained(), time: frame.time, arrival: .now, connection: connection,
                isFrozen: true))
    }

    /// Tells the reader that no frames follow.
    func finish() {
        slot.finish()
        part.close()
    }
}
