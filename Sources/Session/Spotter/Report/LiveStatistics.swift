import Glibc
import Synchronization
import TextSpotting

/// How well the live job keeps up, over the last second; `skipped` and `dropped` are counted from the beginning.
public struct LiveStatistics: Sendable, Hashable {
    /// Frames that came from the source, a second.
    public var framesIn = 0.0
    /// Frames that were shown, a second.
    public var framesShown = 0.0
    /// Frames that were read, a second.
    public var framesRead = 0.0
    /// Frames that were not read, because a newer one came first.
    public var skipped = 0
    /// Frames that the reader took and found to look as they did when it last read them.
    public var unchanged = 0
    /// Frames that came and were not shown.
    public var dropped = 0
    /// How long a reading takes, in milliseconds: the median and what 95 of 100 stay below.
    public var readMilliseconds = Percentiles()
    /// How far in time the shown frame is from the reading behind its oldest box, in milliseconds: the reading is older, or
    /// (in ``OverlayTiming/exact(delay:)``) younger.
    public var stalenessMilliseconds = Percentiles()
    /// Resident memory of the process, in MiB.
    public var memoryMebibytes = 0.0
    /// Boxes and other events that were dropped because a receiver was behind, from the beginning: its sink says so.
    public var droppedBoxes = 0
    public var droppedEvents = 0

    public init() {}

    public struct Percentiles: Sendable, Hashable {
        public var p50 = 0.0
        public var p95 = 0.0

        public init() {}

        /// Of the values given; both 0 when there are none.
        init(of values: [Double]) {
            guard !values.isEmpty else { return }
            let sorted = values.sorted()
            p50 = sorted[sorted.count / 2]
            p95 = sorted[min(sorted.count - 1, sorted.count * 95 / 100)]
        }
    }
}

/// Collects measurements between two reports. A value.
struct LiveMeter: Sendable {
    private var last = ContinuousClock.now
    private var seen = (received: 0, shown: 0, read: 0)
    private var readTimes: [Double] = []
    private var staleness: [Double] = []
    private(set) var readings = 0
    private(set) var shownByUs = 0
    private(set) var unchanged = 0
    /// Frames that wait to be shown.
    var held = 0

    /// A picture was read.
    mutating func read(in duration: Duration) {
        readings += 1
        readTimes.append(duration.milliseconds)
        if readTimes.count > 64 { readTimes.removeFirst() }
    }

    /// A frame need not be read.
    mutating func foundUnchanged() { unchanged += 1 }

    /// A frame was handed on to be shown, its boxes so much older than itself (nil: no boxes).
    mutating func showed(staleness age: StreamTime?) {
        shownByUs += 1
        guard let age else { return }
        staleness.append(Double(age.nanoseconds) / 1e6)
        if staleness.count > 256 { staleness.removeFirst() }
    }

    /// The figures since the last report.
    ///
    /// - Parameters:
    ///   - received: frames that reached the program, from the beginning.
    ///   - window: what the window showed and threw away as too late; nil where there is none (or it does not say).
    ///   - skipped: frames that were not read, from the beginning.
    mutating func report(received: Int, window: (rendered: Int, dropped: Int)?, skipped: Int) -> LiveStatistics {
        let now = ContinuousClock.now
        let seconds = max(1e-3, (now - last).milliseconds / 1000)
        let window = window.flatMap { $0.rendered > 0 ? $0 : nil }
        let shown = window?.rendered ?? shownByUs
        var result = LiveStatistics()
        result.framesIn = Double(received - seen.received) / seconds
        result.framesShown = Double(shown - seen.shown) / seconds
        result.framesRead = Double(readings - seen.read) / seconds
        result.skipped = skipped
        result.unchanged = unchanged
        result.dropped = max(0, received - shownByUs - held) + (window?.dropped ?? 0)
        result.readMilliseconds = .init(of: readTimes)
        result.stalenessMilliseconds = .init(of: staleness)
        result.memoryMebibytes = Self.residentMebibytes()
        last = now
        seen = (received, shown, readings)
        staleness = []
        return result
    }

    /// The second number of `/proc/self/statm` is the resident set in pages (proc(5)).
    static func residentMebibytes() -> Double {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
            separator: " ")
        guard fields.count > 1, let pages = Double(fields[1]) else { return 0 }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / Double(1 << 20)
    }
}

/// The measurements of a running job: each part reports its work, and once a second they are published. Thread-safe.
final class LiveMeasurements: Sendable {
    private struct State {
        var meter = LiveMeter()
        var latest = LiveStatistics()
        var time = StreamTime.zero
    }

    private let state = Mutex(State())

    /// When the newest frame begins.
    var time: StreamTime { state.withLock { $0.time } }

    /// A frame was read.
    var hasRead: Bool { state.withLock { $0.meter.readings > 0 } }

    /// How many frames were handed on to be shown.
    var shownFrames: Int { state.withLock { $0.meter.shownByUs } }

    /// How many frames are read a second; nil before the first.
    var readingsPerSecond: Double? { state.withLock { $0.meter.readings > 0 ? $0.latest.framesRead : nil } }

    /// A frame came.
    func frameArrived(at time: StreamTime) { state.withLock { $0.time = time } }

    /// So many frames wait to be shown.
    func holding(_ count: Int) { state.withLock { $0.meter.held = count } }

    /// A frame was taken to be read, and looked as it did when it was last read.
    func foundUnchanged() { state.withLock { $0.meter.foundUnchanged() } }

    /// A frame was read.
    func read(in duration: Duration) { state.withLock { $0.meter.read(in: duration) } }

    /// A frame was handed on to be shown, its boxes so far from their readings; nil where it has none.
    func showed(staleness: StreamTime?) { state.withLock { $0.meter.showed(staleness: staleness) } }

    /// Measures the time since the last call.
    ///
    /// - Parameters:
    ///   - received: frames that reached the program, from the beginning.
    ///   - window: what the window showed and threw away as too late; nil where there is none.
    ///   - skipped: frames that were not read, from the beginning.
    func tick(received: Int, window: (rendered: Int, dropped: Int)?, skipped: Int) -> LiveEvent {
        state.withLock { state in
            state.latest = state.meter.report(received: received, window: window, skipped: skipped)
            return .statistics(state.latest, at: state.time)
        }
    }

    /// The totals until now, with the figures of the last second that was reported.
    func totals(skipped: Int) -> LiveStatistics {
        state.withLock { state in
            var totals = state.latest
            totals.skipped = skipped
            totals.unchanged = state.meter.unchanged
            return totals
        }
    }
}
