import Errors
import GStreamerMedia
import TextSpotting
import Threads

/// Receives frames: gives each its time, makes its thumbnail, and hands it to the reader. Used only by the display
/// thread.
struct FrameReceiver {
    /// The thumbnail of a frame's searched part and its geometry, or the reason there is none.
    typealias Thumbnail = Result<(frame: FrameHistory.Frame, geometry: FrameGeometry), any Error>
    typealias Received = (time: FrameTime, thumbnail: Thumbnail)

    private let session: LatestSession
    /// Returns whether a frame must be read; false for recordings that are read ahead.
    private let isToBeRead: @Sendable (StreamTime) -> Bool
    /// Whether the frames are displayed; if not, a frame counts as shown when it is taken.
    private let isShown: Bool
    /// The time after one frame in which the reader gets no other.
    private let readInterval: StreamTime
    private var lastGiven: StreamTime?
    private var clock = LiveClock()
    /// The frozen frame that was given to be read closely, and the revision of the search at that time.
    private var asked: (index: Int, revision: Int)?
    private let part: SearchedPart
    private(set) var frameCount = 0

    /// - Parameters:
    ///   - region: the part of the picture to search; nil for all of it.
    ///   - isShown: whether the frames are displayed.
    ///   - readInterval: the time after one frame in which the reader gets no other.
    ///   - isToBeRead: returns whether the frame at a time must be read.
    init(
        _ session: LatestSession, region: RegionOfInterest?, isShown: Bool, readInterval: StreamTime = .zero,
        isToBeRead: @escaping @Sendable (StreamTime) -> Bool = { _ in true }
    ) {
        self.session = session
        self.isToBeRead = isToBeRead
        part = SearchedPart(region: region, size: .followed)
        self.isShown = isShown
        self.readInterval = readInterval
    }

    /// Takes a frame, adds its thumbnail to the history and gives it to the reader.
    ///
    /// - Parameters:
    ///   - connection: the number of the connection that the frame came through.
    ///   - arrival: the time of its arrival.
    ///   - isUntimed: whether the source gives its frames no times.
    mutating func take(
        _ sample: borrowing Sample, _ connection: Int, arrival: ContinuousClock.Instant, isUntimed: Bool
    ) -> Received {
        let time = clock.time(of: sample, arrival: arrival, usesArrival: isUntimed)
        frameCount = time.index + 1
        session.measurements.frameArrived(at: time.start)
        session.source.frameArrived()
        if !isShown { session.measurements.showed(staleness: nil) }
        let thumbnail = thumbnail(of: sample, at: time)
        if isToBeRead(time.start), lastGiven.map({ time.start - $0 >= readInterval }) ?? true {
            lastGiven = time.start
            session.slot.put(LiveFrame(sample: sample.retained(), time: time, arrival: arrival, connection: connection))
        }
        return (time, thumbnail)
    }

    private func thumbnail(of sample: borrowing Sample, at time: FrameTime) -> Thumbnail {
        do {
            let geometry = try part.geometry(of: sample.info)
            let frame = FrameHistory.Frame(time: time, picture: try part.thumbnail(of: sample, geometry))
            session.frameHistory.append(frame, geometry)
            return .success((frame, geometry))
        } catch {
            return .failure(error)
        }
    }

    /// Returns the warning about a frame without a thumbnail; nil if the reader of the frame reports it and ends the
    /// search.
    static func warning(of failure: any Error) -> FramegrepError? {
        (failure as? FramegrepError).flatMap { $0.code == .badArgument ? nil : $0 }
    }

    /// Announces that the next frame is the first of another connection, unrelated to earlier ones.
    mutating func startAnew() { clock.startAnew() }

    /// Announces that the next frame is the very first, or at another time of the same recording.
    ///
    /// - Parameter origin: the source's time of its beginning.
    mutating func jump(origin: StreamTime) { clock.jump(origin: origin) }

    /// Returns the time of the frame that begins at `start`; nil if it is no longer known.
    func time(ofFrameAt start: StreamTime) -> FrameTime? {
        session.frameHistory.frames(from: start, through: start).frames.last?.time
    }

    /// Discards the thumbnails, which are unrelated to coming frames.
    func forgetPictures() { session.frameHistory.clear() }

    /// Notifies the reader that the source was lost after the frame that began at `start`.
    func tellOfLoss(after start: StreamTime?, _ connection: Int) {
        let time = FrameTime(index: frameCount, start: start ?? .zero, duration: .zero)
        session.slot.put(LiveFrame(sample: nil, time: time, arrival: .now, connection: connection))
    }

    /// Requests a close reading of a frame that stands still: once, and again for each new word.
    mutating func readClosely(_ frame: HeldFrame, _ connection: Int) {
        let revision = session.words.versioned.revision
        guard isToBeRead(frame.time.start), asked?.index != frame.time.index || asked?.revision != revision else {
            return
        }
        asked = (frame.time.index, revision)
        session.slot.put(
            LiveFrame(
                sample: frame.sample.retained(), time: frame.time, arrival: .now, connection: connection,
                isFrozen: true))
    }

    /// Notifies the reader that no more frames follow.
    func finish() {
        session.slot.finish()
        part.close()
    }
}
