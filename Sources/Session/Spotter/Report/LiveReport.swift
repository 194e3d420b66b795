public import Errors
import Glibc
import Synchronization
public import TextSpotting

/// The one way out of a live search: what happens, what is read, and pictures of what is found.
///
/// Events come from several threads, one at a time and in one order for all sinks; what is read and pictures come beside them. None of the
/// functions may block: a sink that hands on to something slow has a bounded queue, and says in its documentation what happens when that is full.
public protocol EventSink: Sendable {
    /// Which things are to be made for it besides events.
    var wishes: EventWishes { get }
    /// Takes the next event.
    func take(_ event: LiveEvent)
    /// Takes all that was read, matched or not, so that it can be kept. What is read of a recording ahead of its picture, and a picture that
    /// stands still read more closely, is not told.
    func take(_ result: LiveResult)
    /// Takes the frame in which a sighting was read, when it appears and again when it is read better, with the sighting's peak there.
    func take(_ picture: Picture, of sighting: Sighting)
    /// Nothing more comes: returns when all that was taken is where it belongs, or cannot get there.
    func finish() async
}

/// Things that are made for an ``EventSink`` only where it wants them.
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

/// Where the parts of a live search say what happens: tells all sinks, in their order, one event after the other. Thread-safe.
///
/// Before it begins nobody hears anything. The end is the last event: later ones, from parts that are still being stopped, are dropped.
final class LiveReport: Sendable {
    private struct State {
        var sinks: [any EventSink]
        /// Events that are not told yet, each with those who are to hear it.
        var posted: [(event: LiveEvent, sinks: [any EventSink])] = []

        mutating func takePosted() -> [(event: LiveEvent, sinks: [any EventSink])] {
            defer { posted = [] }
            return posted
        }
    }

    private let state: Mutex<State>
    /// Held while events are told.
    private let turn = Mutex(())
    /// The thread that tells events; 0 for none.
    private let teller = Atomic<UInt>(0)

    init(_ sinks: [any EventSink] = []) { state = Mutex(State(sinks: sinks)) }

    convenience init(_ hear: @escaping @Sendable (LiveEvent) -> Void) { self.init([EventListener(hear)]) }

    /// The wishes of all sinks together.
    var wishes: EventWishes { current.reduce(into: []) { $0.formUnion($1.wishes) } }

    private var current: [any EventSink] { state.withLock { $0.sinks } }

    func begin(_ sinks: [any EventSink]) { state.withLock { $0.sinks = sinks } }

    /// Lets go of all sinks, which may well hold this.
    func close() { begin([]) }

    /// Tells an event; all before it are told when this returns. A sink that has something to tell is heard after the event that it hears.
    func tell(_ event: LiveEvent) {
        post(event)
        tellPosted()
    }

    /// Gives an event its place among all others, to be told by ``tellPosted()``: for code that holds a lock, so that events come in the order in
    /// which it was held.
    func post(_ event: LiveEvent) {
        state.withLock { state in
            state.posted.append((event, state.sinks))
            if case .end = event { state.sinks = [] }
        }
    }

    /// Tells what was posted until now.
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
    /// A pattern appeared; `latency` is the time from the arrival of the frame that first showed it to its box being
    /// drawn (without a picture: to its being read).
    case appeared(Sighting, at: StreamTime, latency: Duration)
    /// A box as drawn in one frame; only when boxes were asked for.
    case box(id: Int, Quad, at: StreamTime)
    /// A sighting is over.
    case disappeared(Sighting, at: StreamTime)
    /// A line of text came into view, matched or not, as it was read first; only when all text was asked for.
    case textAppeared(Sighting)
    /// It is over, and this is how it stood at its best. Its `pattern` is empty.
    case text(Sighting, at: StreamTime)
    /// Once a second.
    case statistics(LiveStatistics, at: StreamTime)
    /// Something is not as it should be, but the job goes on.
    case warning(FramegrepError)
    /// A picture was kept that the person at the window wanted.
    case snapshot(path: String, at: StreamTime)
    /// The last event.
    case end(LiveEnd)
}

/// How and with what the live job ended.
public struct LiveEnd: Sendable {
    public enum Reason: String, Sendable { case eos, quit, signal, error }

    public var reason: Reason
    /// How many sightings there were.
    public var sightings: Int
    /// The totals and the last measurements.
    public var statistics: LiveStatistics
    public var time: StreamTime
    /// Why, when the reason is an error.
    public var failure: FramegrepError?
    /// How many frames were handed on to the window or the recording.
    public var shownFrames = 0

    public init(
        reason: Reason, sightings: Int, statistics: LiveStatistics, time: StreamTime,
        failure: FramegrepError? = nil, shownFrames: Int = 0
    ) {
        (self.reason, self.sightings, self.statistics, self.time) = (reason, sightings, statistics, time)
        (self.failure, self.shownFrames) = (failure, shownFrames)
    }
}

/// A live job's result for a receiver that keeps the readings.
public enum LiveResult: Sendable {
    /// All that the reading of a frame found. Frames that were skipped are among its frames, as far as they are remembered (some
    /// seconds), and thumbnails show the whole frame, also where only a part of it is read.
    case read(FrameResult, arrival: ContinuousClock.Instant)
    /// The source was lost: what comes has nothing to do with what was read.
    case lost
}

/// How long a job goes on, and why it ends. Thread-safe.
///
/// Any part may end it; each part that waits is told.
final class JobLife: Sendable {
    private struct State {
        var end: (reason: LiveEnd.Reason, failure: FramegrepError?)?
        var isSourceOver = false
        var actions: [@Sendable () -> Void] = []
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    /// The job is to end.
    var isStopping: Bool { state.withLock { $0.end != nil } }

    /// Why it ends: by default because the source did.
    var ending: (reason: LiveEnd.Reason, failure: FramegrepError?) { state.withLock { $0.end ?? (.eos, nil) } }

    /// The source came to its end first, whatever failed after that: what it has sent is still to be read.
    var isSourceOver: Bool { state.withLock { $0.isSourceOver } }

    /// Ends the job; the first reason counts, unless something fails after it that is to be known.
    ///
    /// What comes after the end of the source is the rest of the job's work, and any failure of it counts. After a person has stopped it, only
    /// that of a file counts: one that could not be completed is lost, while all else was given up.
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

    /// Has `action` called once when the job is to end; at once when it is already. For threads, which cannot await.
    func whenStopping(_ action: @escaping @Sendable () -> Void) {
        let isStopping = state.withLock { state in
            if state.end == nil { state.actions.append(action) }
            return state.end != nil
        }
        if isStopping { action() }
    }

    /// Returns when the job is to end, and when the task is cancelled.
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

    /// Runs `body`, and cancels it when the job is to end.
    ///
    /// - Throws: what `body` throws.
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
/// The reader finds them, the display draws them: one that is drawn has appeared only once its box has.
final class SightingReport: Sendable {
    private struct State {
        var awaitingBox: [Int: (sighting: Sighting, arrival: ContinuousClock.Instant)] = [:]
        var count = 0
    }

    private let report: LiveReport
    private let measurements: LiveMeasurements
    /// Boxes are drawn on a picture that somebody sees.
    private let isShown: Bool
    /// Each box of each frame is told.
    private let tellsBoxes: Bool
    private let state = Mutex(State())

    init(_ report: LiveReport, _ measurements: LiveMeasurements, isShown: Bool, tellsBoxes: Bool) {
        self.report = report
        self.measurements = measurements
        self.isShown = isShown
        self.tellsBoxes = tellsBoxes
    }

    /// How many there were.
    var count: Int { state.withLock { $0.count } }

    /// A pattern appeared in a frame that came at `arrival`; it is reported once its box is drawn.
    func appeared(_ sighting: Sighting, arrival: ContinuousClock.Instant) {
        state.withLock { state in
            state.count += 1
            guard !isShown else { return state.awaitingBox[sighting.id] = (sighting, arrival) }
            report.post(.appeared(sighting, at: sighting.start, latency: .now - arrival))
        }
        report.tellPosted()
    }

    /// A sighting is over. One whose box was never drawn is reported as appeared first, so that events pair up.
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

    /// A frame was handed on with these boxes.
    ///
    /// - Parameter displayed: from pixels of the frame as stored to those of the picture as displayed.
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

/// The sentences that stand over the picture. Thread-safe: any part says one, the painter asks for those of now.
final class PictureNotices: Sendable {
    private struct State {
        var messages: [(notice: OverlayNotice, until: ContinuousClock.Instant)] = []
        var advice: OverlayNotice?
        var activity: String?
    }

    /// More sentences than this are not shown at once.
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

    /// Shows a sentence until it is replaced; nil takes it away.
    func advise(_ text: String?) {
        state.withLock { $0.advice = text.map { OverlayNotice($0, kind: .advice) } }
    }

    /// Says in the status line what is being done; nil takes it away.
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
