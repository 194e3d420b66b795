import Glibc
import Synchronization
import TextSpotting

/// How well the live job keeps up, over the last second; `skipped` and `dropped` are totals.
public struct LiveStatistics: Sendable, Hashable {
    /// The number of frames per second from the source.
    public var framesIn = 0.0
    /// The number of frames shown per second.
    public var framesShown = 0.0
    /// The number of frames read per second.
    public var framesRead = 0.0
    /// The number of frames that were not read because a newer one came first.
    public var skipped = 0
    /// The number of frames that looked unchanged since the last reading.
    public var unchanged = 0
    /// The number of frames that arrived but were not shown.
    public var dropped = 0
    /// The duration of a reading, in milliseconds: the median and the 95th percentile.
    public var readMilliseconds = Percentiles()
    /// The time between the shown frame and the reading behind its oldest box, in milliseconds: the reading is older,
    /// or (in ``OverlayTiming/exact(delay:)``) newer.
    public var stalenessMilliseconds = Percentiles()
    /// The resident memory of the process, in MiB.
    public var memoryMebibytes = 0.0
    /// The total of boxes and other events that were dropped because a receiver was behind, as reported by its sink.
    public var droppedBoxes = 0
    public var droppedEvents = 0

    public init() {}

    public struct Percentiles: Sendable, Hashable {
        public var p50 = 0.0
        public var p95 = 0.0

        public init() {}

        /// Computes the percentiles of the values; both are 0 without any.
        package init(of values: [Double]) {
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
    /// The number of frames waiting to be shown.
    var held = 0

    /// Records that a picture was read.
    mutating func read(in duration: Duration) {
        readings += 1
        readTimes.append(duration.milliseconds)
        if readTimes.count > 64 { readTimes.removeFirst() }
    }

    /// Records that a frame need not be read.
    mutating func foundUnchanged() { unchanged += 1 }

    /// Records that a frame was passed on to be shown, with the age of its boxes (nil: no boxes).
    mutating func showed(staleness age: StreamTime?) {
        shownByUs += 1
        guard let age else { return }
        staleness.append(Double(age.nanoseconds) / 1e6)
        if staleness.count > 256 { staleness.removeFirst() }
    }

    /// Returns the figures since the last report.
    ///
    /// - Parameters:
    ///  - received: the total of frames that reached the program.
    ///  - window: the frames that the window showed and discarded as too late; nil without one or if it does not report
    ///    them.
    ///  - skipped: the total of frames that were not read.
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

    /// Returns the resident set: the second number of `/proc/self/statm`, in pages (proc(5)).
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

/// The measurements of a running job: each part reports its work, and they are published once a second. Thread-safe.
final class LiveMeasurements: Sendable {
    private struct State {
        var meter = LiveMeter()
        var latest = LiveStatistics()
        var time = StreamTime.zero
    }

    private let state = Mutex(State())

    /// The start of the newest frame.
    var time: StreamTime { state.withLock { $0.time } }

    /// Whether a frame has been read.
    var hasRead: Bool { state.withLock { $0.meter.readings > 0 } }

    /// The number of frames passed on to be shown.
    var shownFrames: Int { state.withLock { $0.meter.shownByUs } }

    /// The number of frames read per second; nil before the first.
    var readingsPerSecond: Double? { state.withLock { $0.meter.readings > 0 ? $0.latest.framesRead : nil } }

    func frameArrived(at time: StreamTime) { state.withLock { $0.time = time } }

    /// Records how many frames wait to be shown.
    func holding(_ count: Int) { state.withLock { $0.meter.held = count } }

    /// Records that a frame was taken to be read, but looked as it did when it was last read.
    func foundUnchanged() { state.withLock { $0.meter.foundUnchanged() } }

    func read(in duration: Duration) { state.withLock { $0.meter.read(in: duration) } }

    /// Records that a frame was passed on to be shown, with the age of its boxes; nil if it has none.
    func showed(staleness: StreamTime?) { state.withLock { $0.meter.showed(staleness: staleness) } }

    /// Measures the time since the last call.
    ///
    /// - Parameters:
    ///   - received: the total of frames that reached the program.
    ///   - window: the frames that the window showed and discarded as too late; nil without one.
    ///   - skipped: the total of frames that were not read.
    func tick(received: Int, window: (rendered: Int, dropped: Int)?, skipped: Int) -> LiveEvent {
        state.withLock { state in
            state.latest = state.meter.report(received: received, window: window, skipped: skipped)
            return .statistics(state.latest, at: state.time)
        }
    }

    /// Returns the current totals, with the figures of the last second that was reported.
    func totals(skipped: Int) -> LiveStatistics {
        state.withLock { state in
            var totals = state.latest
            totals.skipped = skipped
            totals.unchanged = state.meter.unchanged
            return totals
        }
    }
}
