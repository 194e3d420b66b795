import GStreamerMedia
import TextSpotting

/// Gives each frame of a stream its index and times, even if the stream states none, or its times go back.
///
/// Each frame begins after the one before it. Where the stream's times jump back (recordings concatenated in a file, a
/// clock that was set), times continue from where they were.
struct FrameClock: Sendable {
    private var origin: StreamTime
    private var count = 0
    private var last: FrameTime?
    /// The sum of the jumps, which is added to the stream's own times.
    private var offset = StreamTime.zero
    /// Whether each time so far depends on nothing but what the stream states about that frame and the next.
    private(set) var isRegular = true

    /// A frame that begins up to this time before the last one is out of order; an earlier one comes after a jump.
    static let disorder = StreamTime(seconds: 0.5)
    private static let leastDistance = StreamTime(nanoseconds: 1)

    /// - Parameter origin: the stream's own time that counts as 0.
    init(origin: StreamTime = .zero) {
        self.origin = origin
    }

    /// Announces that the next frame is at another time, earlier or later: it begins at the time that the stream
    /// states.
    mutating func jump(origin: StreamTime) {
        (self.origin, last, offset) = (origin, nil, .zero)
    }

    /// Returns the time of the next frame.
    ///
    /// A frame without a timestamp follows the one before it. A frame is visible until the next one arrives, which
    /// matters without a fixed frame rate (containers then state the usual duration). If that is not known, it is
    /// visible for its stated duration, otherwise for one frame of the stream's rate, otherwise as long as the one
    /// before was, but for a second at most unless that one is known to have been longer, otherwise for a second.
    /// - Parameter next: the time at which the next frame begins according to the stream, if it has already arrived.
    mutating func time(of sample: borrowing Sample, until next: StreamTime? = nil) -> FrameTime {
        self.next(sample.streamTime, duration: sample.duration, until: next)
    }

    /// Returns the time from what the stream states about the frame.
    mutating func next(_ own: StreamTime?, duration: StreamTime?, until next: StreamTime?) -> FrameTime {
        var duration = duration ?? .zero
        if let next, let own, next > own { duration = next - own }
        let isStated = duration > .zero
        let start = start(own)
        if !isStated { duration = usualDuration(at: start) }
        let time = FrameTime(index: count, start: start, duration: duration)
        isRegular = isRegular && isStated && time.start == own.map { $0 - origin }
        count += 1
        last = time
        return time
    }

    /// Returns how long the frame that begins at a time is probably visible.
    private func usualDuration(at start: StreamTime) -> StreamTime {
        guard let last else { return FrameTime.stillDuration }
        let distance = start - last.start
        // A frame that is out of order says nothing about the distance.
        guard distance > Self.leastDistance else { return last.duration }
        return min(distance, max(last.duration, FrameTime.stillDuration))
    }

    private mutating func start(_ own: StreamTime?) -> StreamTime {
        let time = own.map { $0 - origin + offset }
        guard let last else { return time ?? .zero }
        guard let time else { return last.end }
        if time > last.start { return time }
        if last.start - time <= Self.disorder { return last.start + Self.leastDistance }
        offset = offset + (last.end - time)
        return last.end
    }
}

/// Gives each frame of a running source its index and its time.
///
/// `t` is the source's stream time, counted from its beginning if that is not 0 (``StreamOrigin``). It continues after
/// a reconnection: the first frame of a new connection is as much later than the last frame of the previous one as it
/// was by the wall clock. So times never go back, and differences remain true over a gap.
struct LiveClock: Sendable {
    private var frames = FrameClock()
    private var offset = StreamTime.zero
    private var last: (time: FrameTime, arrival: ContinuousClock.Instant)?
    private var isNew = false

    /// Announces that the next frame is the first of another connection.
    mutating func startAnew() { isNew = last != nil }

    /// Announces that the next frame is the very first, or at another time of the same recording, which is used as
    /// stated.
    mutating func jump(origin: StreamTime) {
        frames.jump(origin: origin)
        (last, isNew, offset) = (nil, false, .zero)
    }

    /// - Parameter usesArrival: whether the source has no times of its own, so that the time of arrival counts.
    mutating func time(of sample: borrowing Sample, arrival: ContinuousClock.Instant, usesArrival: Bool) -> FrameTime {
        var time = frames.time(of: sample)
        time = next(time, arrival: arrival, usesArrival: usesArrival)
        return time
    }

    /// Returns the time from the one that the source states.
    mutating func next(_ own: FrameTime, arrival: ContinuousClock.Instant, usesArrival: Bool) -> FrameTime {
        var (start, duration) = (own.start + offset, own.duration)
        if let last {
            let elapsed = StreamTime(nanoseconds: Int64((arrival - last.arrival).milliseconds * 1e6))
            if isNew || usesArrival {
                start = last.time.start + max(elapsed, StreamTime(nanoseconds: 1))
                offset = start - own.start
            }
            start = max(start, last.time.start)
            // The distances of the source's own times mean nothing then.
            if usesArrival {
                duration = isNew ? last.time.duration : min(start - last.time.start, FrameTime.stillDuration)
            }
        }
        isNew = false
        let time = FrameTime(index: own.index, start: start, duration: duration)
        last = (time, arrival)
        return time
    }
}

/// Determines the source's time at which players show 0.
///
/// The times of an MPEG stream are those of a clock that started long before; GStreamer counts from the first value of
/// that clock in the stream, which precedes the first picture by the time a receiver must buffer: 0.7 s in files
/// written by FFmpeg. Players count from the first picture. Every other container states when its first picture is
/// shown, which may be late on purpose (an edit list).
enum StreamOrigin {
    /// Demuxers that count this way: MPEG transport streams, including those of HLS, and program streams.
    static let demuxers: Set<String> = ["tsdemux", "mpegpsdemux"]

    /// - Parameters:
    ///   - pipeline: prepared, and not yet moved to another time.
    ///   - sink: the sink that its frames reach.
    static func time(of pipeline: Pipeline, at sink: AppSink) -> StreamTime {
        guard pipeline.hasElement(ofAnyKind: demuxers) else { return .zero }
        return sink.firstSample()?.streamTime ?? .zero
    }
}

extension Duration {
    var milliseconds: Double { Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15 }
}

extension StreamTime {
    /// Converts a duration on the wall clock.
    init(_ duration: Duration) {
        self.init(nanoseconds: Int64(duration.milliseconds * 1e6))
    }
}

/// A frame on its way to the reader, and the time of its arrival.
struct LiveFrame: ~Copyable, Sendable {
    /// The frame; nil reports that the source was lost, so that everything seen is over.
    let sample: Sample?
    let time: FrameTime
    let arrival: ContinuousClock.Instant
    /// The number of the connection; frames of different connections are unrelated.
    let connection: Int
    /// Whether the picture is frozen at this frame, so that there is time to read it closely.
    var isFrozen = false
}
