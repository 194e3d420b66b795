import GStreamerMedia
import TextSpotting

/// A frame that came and is still to be shown.
final class HeldFrame {
    let sample: Sample
    let time: FrameTime
    /// When to show it, on the source's clock; nil where the source gives no times.
    let running: StreamTime?
    let arrival: ContinuousClock.Instant

    init(_ sample: consuming Sample, time: FrameTime, running: StreamTime?, arrival: ContinuousClock.Instant) {
        self.sample = sample
        self.time = time
        self.running = running
        self.arrival = arrival
    }
}

/// The frames that wait to be shown: each for a fixed time, which may be none. Used by the display thread only.
///
/// Buffering: as many as fit into the delay and a quarter of a second more, at most ``limit``. When it is full, whoever can should take no more frames;
/// one that comes all the same makes the oldest due.
struct HeldFrames {
    /// Bounds memory at high rates: a second at 120 frames a second.
    static let limit = 120

    private let delay: StreamTime
    private let wait: Duration
    private var frames: [HeldFrame] = []

    init(delay: StreamTime) {
        self.delay = delay
        wait = .nanoseconds(delay.nanoseconds)
    }

    var count: Int { frames.count }

    /// More of the stream is here than the delay asks for. With no frame to spare, every hesitation would slow it down.
    var isFull: Bool {
        guard let first = frames.first, let last = frames.last else { return false }
        return frames.count >= Self.limit || last.time.end - first.time.start > delay + Self.spare
    }

    private static let spare = StreamTime(seconds: 0.25)

    mutating func append(_ frame: HeldFrame) { frames.append(frame) }

    /// The oldest frame, if its time has come.
    ///
    /// - Parameter isEnding: nothing follows, so nothing is worth waiting for.
    mutating func next(isEnding: Bool = false) -> HeldFrame? {
        guard !frames.isEmpty else { return nil }
        return isEnding || rest <= .zero || frames.count > Self.limit ? frames.removeFirst() : nil
    }

    /// How long until the oldest frame is due; a long time when there is none.
    var rest: Duration { frames.first.map { wait - (.now - $0.arrival) } ?? .seconds(1) }

    /// Lets go of all frames: they will not be shown.
    mutating func clear() { frames = [] }
}
