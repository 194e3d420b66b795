public import Errors
import Glibc
import Synchronization
public import TextSpotting

/// Receives the output of a live search: events, readings, and pictures of findings.
///
/// Events come from several threads, one at a time and in one order for all sinks; readings and pictures come
/// independently of them. None of the functions may block: a sink that passes on to something slow has a bounded queue,
/// and documents what happens when that is full.
public protocol EventSink: Sendable {
    /// The data to produce for it in addition to events.
    var wishes: EventWishes { get }
    /// Takes the next event.
    func take(_ event: LiveEvent)
    /// Takes everything that was read, matched or not, so that it can be kept. Readings of a recording ahead of its
    /// picture, and closer readings of a picture that stands still, are not included.
    func take(_ result: LiveResult)
    /// Takes the frame in which a sighting was read, when it appears and again when it is read better. The peak of the
    /// sighting is in this frame.
    func take(_ picture: Picture, of sighting: Sighting)
    /// Announces that nothing more comes; returns when everything that was taken has been delivered, or cannot be.
    func finish() async
}

/// Data that is only produced if an ``EventSink`` wants it.
public struct EventWishes: OptionSet, Sendable {
    public let rawValue: Int

    /// ``LiveResult``s.
    public static let results = EventWishes(rawValue: 1)
    /// Pictures of sightings.
    public static let pictures = EventWishes(rawValue: 2)

    public init(rawValue: Int) { self.rawValue = rawValue }
}

extension EventSink {
    public var wishes: EventWishes { [] }
    public func take(_ event: LiveEvent) {}
    public func take(_ result: LiveResult) {}
    public func take(_ picture: Picture, of sighting: Sighting) {}
    public func finish() async {}
}

/// A sink of events that has nothing to finish.
public struct EventListener: EventSink {
    private let hear: @Sendable (LiveEvent) -> Void

    /// - Parameter hear: called with each event; must not block.
    public init(_ hear: @escaping @Sendable (LiveEvent) -> Void) { self.hear = hear }

    public func take(_ event: LiveEvent) { hear(event) }
}

/// Distributes the events of a live search to all sinks, in their order, one event after the other. Thread-safe.
///
/// Events before its start are dropped. The end is the last event: later ones, from parts that are still being stopped,
/// are dropped.
final class LiveReport: Sendable {
    private struct State {
        var sinks: [any EventSink]
        /// Events that have not been delivered yet, each with its sinks.
        var posted: [(event: LiveEvent, sinks: [any EventSink])] = []

        mutating func takePosted() -> [(event: LiveEvent, sinks: [any EventSink])] {
            defer { posted = [] }
            return posted
        }
    }

    private let state: Mutex<State>
    /// Held while events are delivered.
    private let turn = Mutex(())
    /// The thread that delivers events; 0 for none.
    private let teller = Atomic<UInt>(0)

    init(_ sinks: [any EventSink] = []) { state = Mutex(State(sinks: sinks)) }

    convenience init(_ hear: @escaping @Sendable (LiveEvent) -> Void) { self.init([EventListener(hear)]) }

    var wishes: EventWishes { current.reduce(into: []) { $0.formUnion($1.wishes) } }

    private var current: [any EventSink] { state.withLock { $0.sinks } }

    func begin(_ sinks: [any EventSink]) { state.withLock { $0.sinks = sinks } }

    /// Releases all sinks, which may hold a reference to this.
    func close() { begin([]) }

    /// Delivers an event; all earlier ones have been delivered when this returns. If a sink reports an event itself,
    /// that follows the event it received.
    func tell(_ event: LiveEvent) {
        post(event)
        tellPosted()
    }

    /// Reserves the place of an event among all others, to be delivered by ``tellPosted()``: for code that holds a
    /// lock, so that events come in the order in which it was held.
    func post(_ event: LiveEvent) {
        state.withLock { state in
            state.posted.append((event, state.sinks))
            if case .end = event { state.sinks = [] }
        }
    }

    /// Delivers the events posted so far.
    func tellPosted() {
        let thread = UInt(pthread_self())
        guard teller.load(ordering: .relaxed) != thread else { return }
        turn.withLock { _ in
            teller.store(thread, ordering: .relaxed)
            while case let posted = state.withLock({ $0.takePosted() }), !posted.isEmpty {
                for (event, sinks) in posted { for sink in sinks { sink.take(event) } }
            }
            teller.store(0, ordering: .relaxed)
        }
    }

    func tell(_ result: LiveResult) { for sink in current { sink.take(result) } }

    func tell(_ picture: Picture, of sighting: Sighting) { for sink in current { sink.take(picture, of: sighting) } }

    func warn(_ warning: FramegrepError) { tell(.warning(warning)) }
}

/// An event of a live job, in order. Times are stream times.
public enum LiveEvent: Sendable {
    /// The state of the source has changed.
    case state(OverlayStatus.State, message: String)
    /// A pattern appeared; `latency` is the time from the arrival of the frame that first showed it until its box was
    /// drawn (without a picture: until it was read).
    case appeared(Sighting, at: StreamTime, latency: Duration)
    /// A box as drawn in one frame; only on request.
    case box(id: Int, Quad, at: StreamTime)
    /// A sighting is over.
    case disappeared(Sighting, at: StreamTime)
    /// A line of text came into view, matched or not, as it was first read; only if all text was requested.
    case textAppeared(Sighting)
    /// A line of text is over; this is its best reading. Its `pattern` is empty.
    case text(Sighting, at: StreamTime)
    /// Sent once a second.
    case statistics(LiveStatistics, at: StreamTime)
    /// Something is wrong, but the job continues.
    case warning(FramegrepError)
    /// A picture was saved at the request of the user at the window.
    case snapshot(path: String, at: StreamTime)
    /// The last event.
    case end(LiveEnd)
}

/// The outcome of the live job.
public struct LiveEnd: Sendable {
    public enum Reason: String, Sendable { case eos, quit, signal, error }

    public var reason: Reason
    /// The number of sightings.
    public var sightings: Int
    /// The totals and the last measurements.
    public var statistics: LiveStatistics
    public var time: StreamTime
    /// The error, if that is the reason.
    public var failure: FramegrepError?
    /// The number of frames passed on to the window or the recording.
    public var shownFrames = 0

    public init(
        reason: Reason, sightings: Int, statistics: LiveStatistics, time: StreamTime,
        failure: FramegrepError? = nil, shownFrames: Int = 0
    ) {
        (self.reason, self.sightings, self.statistics, self.time) = (reason, sightings, statistics, time)
        (self.failure, self.shownFrames) = (failure, shownFrames)
    }
}

/// A result of a live job for a receiver that keeps the readings.
public enum LiveResult: Sendable {
    /// Everything found in reading a frame. Skipped frames are included as far as they are kept (some seconds), and
    /// thumbnails show the whole frame, even if only a part of it is read.
    case read(FrameResult, arrival: ContinuousClock.Instant)
    /// The source was lost: later results are unrelated to earlier ones.
    case lost
}

/// Determines how long a job continues, and why it ends. Thread-safe.
///
/// Any part may end it; each part that waits is notified.
final class JobLife: Sendable {
    private struct State {
        var end: (reason: LiveEnd.Reason, failure: FramegrepError?)?
        var isSourceOver = false
        var actions: [@Sendable () -> Void] = []
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    /// Whether the job must end.
    var isStopping: Bool { state.withLock { $0.end != nil } }

    /// The reason it ends: by default the end of the source.
    var ending: (reason: LiveEnd.Reason, failure: FramegrepError?) { state.withLock { $0.end ?? (.eos, nil) } }

    /// Whether the source came to its end first, whatever failed after that: what it has sent must still be read.
    var isSourceOver: Bool { state.withLock { $0.isSourceOver } }

    /// Ends the job. The first reason counts, unless a later failure must be reported.
    ///
    /// After the end of the source the rest of the job's work continues, and any failure of it counts. After the user
    /// has stopped the job, only the failure of a file counts: one that could not be completed is lost, while
    /// everything else was abandoned on purpose.
    func end(_ reason: LiveEnd.Reason, failure: FramegrepError? = nil) {
        let (actions, waiters) = state.withLock { state in
            if let first = state.end {
                if let failure, first.failure == nil, first.reason == .eos || failure.code == .outputFailed {
                    state.end = (.error, failure)
                }
            } else {
                state.end = (reason, failure)
                state.isSourceOver = reason == .eos
            }
            defer { (state.actions, state.waiters) = ([], [:]) }
            return (state.actions, Array(state.waiters.values))
        }
        actions.forEach { $0() }
        waiters.forEach { $0.resume() }
    }

    /// Calls `action` once when the job must end; at once if it already must. For threads, which cannot await.
    func whenStopping(_ action: @escaping @Sendable () -> Void) {
        let isStopping = state.withLock { state in
            if state.end == nil { state.actions.append(action) }
            return state.end != nil
        }
        if isStopping { action() }
    }

    /// Returns when the job must end, or the task is cancelled.
    func stopped() async {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.end == nil, !Task.isCancelled else { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    /// Runs `body`, and cancels it when the job must end.
    ///
    /// - Throws: the error of `body`.
    func untilStopped<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                await self.stopped()
                return nil
            }
            while let ended = try await group.next() {
                group.cancelAll()
                if let value = ended { return value }
            }
            throw CancellationError()
        }
    }
}

/// Reports the sightings of a running picture. Thread-safe.
///
/// The reader finds them and the display draws them: a sighting that is drawn has appeared only once its box has.
final class SightingReport: Sendable {
    private struct State {
        var awaitingBox: [Int: (sighting: Sighting, arrival: ContinuousClock.Instant)] = [:]
        var count = 0
    }

    private let report: LiveReport
    private let measurements: LiveMeasurements
    /// Whether boxes are drawn on a visible picture.
    private let isShown: Bool
    /// Whether each box of each frame is reported.
    private let tellsBoxes: Bool
    private let state = Mutex(State())

    init(_ report: LiveReport, _ measurements: LiveMeasurements, isShown: Bool, tellsBoxes: Bool) {
        self.report = report
        self.measurements = measurements
        self.isShown = isShown
        self.tellsBoxes = tellsBoxes
    }

    /// The number of sightings.
    var count: Int { state.withLock { $0.count } }

    /// Records that a pattern appeared in a frame that came at `arrival`; it is reported once its box is drawn.
    func appeared(_ sighting: Sighting, arrival: ContinuousClock.Instant) {
        state.withLock { state in
            state.count += 1
            guard !isShown else { return state.awaitingBox[sighting.id] = (sighting, arrival) }
            report.post(.appeared(sighting, at: sighting.start, latency: .now - arrival))
        }
        report.tellPosted()
    }

    /// Reports that a sighting is over. If its box was never drawn, it is first reported as appeared, so that events
    /// pair up.
    func disappeared(_ sighting: Sighting) {
        let time = measurements.time
        state.withLock { state in
            if let waiting = state.awaitingBox.removeValue(forKey: sighting.id) {
                report.post(.appeared(waiting.sighting, at: time, latency: .now - waiting.arrival))
            }
            report.post(.disappeared(sighting, at: time))
        }
        report.tellPosted()
    }

    /// Records that a frame was passed on with these boxes.
    ///
    /// - Parameter displayed: converts from pixels of the frame as stored to those of the picture as displayed.
    func drew(_ boxes: [FollowedBox], at time: StreamTime, displayed: (Quad) -> Quad) {
        guard !boxes.isEmpty else { return }
        state.withLock { state in
            for (sighting, arrival) in boxes.compactMap({ state.awaitingBox.removeValue(forKey: $0.id) }) {
                report.post(.appeared(sighting, at: time, latency: .now - arrival))
            }
            guard tellsBoxes else { return }
            for box in boxes where box.id >= 0 { report.post(.box(id: box.id, displayed(box.quad), at: time)) }
        }
        report.tellPosted()
    }
}

/// The sentences shown over the picture. Thread-safe: any part adds one, the painter asks for the current ones.
final class PictureNotices: Sendable {
    private struct State {
        var messages: [(notice: OverlayNotice, until: ContinuousClock.Instant)] = []
        var advice: OverlayNotice?
        var activity: String?
    }

    /// The largest number of sentences shown at once.
    private static let messageLimit = 3

    private let state = Mutex(State())

    /// Shows a sentence for a few seconds.
    func say(_ text: String, kind: OverlayNotice.Kind = .done, for duration: Duration = .seconds(4)) {
        state.withLock { state in
            state.messages.removeAll { $0.notice.text == text }
            state.messages.append((OverlayNotice(text, kind: kind), .now + duration))
            if state.messages.count > Self.messageLimit { state.messages.removeFirst() }
        }
    }

    /// Shows a sentence until it is replaced; nil removes it.
    func advise(_ text: String?) {
        state.withLock { $0.advice = text.map { OverlayNotice($0, kind: .advice) } }
    }

    /// Shows an activity in the status line; nil removes it.
    func begin(_ activity: String?) { state.withLock { $0.activity = activity } }

    /// The current activity; nil for none worth showing.
    var activity: String? { state.withLock { $0.activity } }

    /// The notices to show now.
    var current: [OverlayNotice] {
        state.withLock { state in
            let now = ContinuousClock.now
            state.messages.removeAll { $0.until < now }
            return (state.advice.map { [$0] } ?? []) + state.messages.map(\.notice)
        }
    }
}
