import Spotter
import Synchronization
import TextSpotting
import Threads

/// Ends work cleanly, by cancelling it, as soon as enough is done. Thread-safe.
final class EarlyEnd: Sendable {
    private let state = Mutex<(cancel: (@Sendable () -> Void)?, isAsked: Bool)>((nil, false))

    /// Whether the end was requested.
    var isAsked: Bool { state.withLock { $0.isAsked } }

    /// Cancels the work, now or as soon as it begins.
    func ask() {
        state.withLock { state in
            state.isAsked = true
            return state.cancel
        }?()
    }

    /// Runs the work in a task of its own, which is also cancelled with the caller.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await work() }
        let isLate = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.isAsked
        }
        if isLate { task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

/// The end of the time that a user gives a search (`--timeout`). Thread-safe.
struct Deadline: Sendable {
    private let flag = CancellationFlag()
    private let waiting: Task<Void, Never>?

    /// - Parameters:
    ///   - time: the time from now; nil for no end.
    ///   - end: called when it is over.
    init(_ time: StreamTime?, _ end: @escaping @Sendable () -> Void) {
        waiting = time.map { [flag] time in
            Task {
                guard (try? await Task.sleep(for: .nanoseconds(time.nanoseconds))) != nil else { return }
                flag.cancel()
                end()
            }
        }
    }

    /// Whether the time was over before the search was.
    var isOver: Bool { flag.isCancelled }

    /// Stops the timer, because the search is over.
    func cancel() { waiting?.cancel() }
}

/// Determines which events of a live job are still wanted, and when it has found enough (`-m`, `-q`, `--timeout`).
/// Thread-safe.
final class LiveLimit: Sendable {
    /// The reason the program ends a job that would continue.
    enum Ending: String, Sendable {
        case count, timeout, signal
    }

    /// The sightings that are wanted, which are those that appear first: a state machine.
    private struct State {
        let maximum: Int?
        var wanted = Set<Int>()
        /// The lines of text that are wanted, and those of them that were reported.
        var lines = Set<Int>()
        var toldLines = Set<Int>()
        var ending: Ending?

        var isFull: Bool { maximum.map { wanted.count >= $0 } ?? false }
    }

    private let state: Mutex<State>
    let countsLines: Bool

    /// - Parameters:
    ///   - maximum: the number of sightings that are wanted; nil for all.
    ///   - countsLines: whether to count lines of text instead of sightings.
    init(maximum: Int?, countsLines: Bool = false) {
        state = Mutex(State(maximum: maximum))
        self.countsLines = countsLines
    }

    /// The number of wanted lines of text that were reported, if lines are counted.
    var lineCount: Int { state.withLock { $0.toldLines.count } }

    /// The first reason to end the job.
    var ending: Ending? { state.withLock { $0.ending } }

    /// Records a reason; only the first one counts.
    func end(_ reason: Ending) { state.withLock { $0.ending = $0.ending ?? reason } }

    /// Takes the next event.
    ///
    /// - Returns: the event to report, nil for none, and whether the job has now found enough.
    func take(_ event: LiveEvent) -> (event: LiveEvent?, isEnough: Bool) {
        state.withLock { state in
            if countsLines { return Self.take(lines: event, &state) }
            guard state.maximum != nil else { return (event, false) }
            switch event {
            case .appeared(let sighting, _, _):
                guard !state.isFull else { return (nil, false) }
                state.wanted.insert(sighting.id)
                if state.isFull { state.ending = state.ending ?? .count }
                return (event, state.isFull)
            case .box(let id, _, _):
                return (state.wanted.contains(id) ? event : nil, false)
            case .disappeared(let sighting, _):
                return (state.wanted.contains(sighting.id) ? event : nil, false)
            case .end(var end):
                end.sightings = state.wanted.count
                return (.end(end), false)
            default:
                return (event, false)
            }
        }
    }

    /// Does the same if lines of text are counted.
    private static func take(lines event: LiveEvent, _ state: inout State) -> (event: LiveEvent?, isEnough: Bool) {
        switch event {
        case .textAppeared(let line):
            let (isWanted, isEnough) = want(line, &state)
            return (isWanted ? event : nil, isEnough)
        case .text(let line, _):
            // Before this it may not have been certain that it is a line.
            let (isWanted, isEnough) = want(line, &state)
            if isWanted { state.toldLines.insert(line.id) }
            return (isWanted ? event : nil, isEnough)
        default:
            return (event, false)
        }
    }

    /// Adds a line of text, unless there are enough others; also returns whether it completes their number.
    private static func want(_ line: Sighting, _ state: inout State) -> (isWanted: Bool, isEnough: Bool) {
        if state.lines.contains(line.id) { return (true, false) }
        if let maximum = state.maximum, state.lines.count >= maximum { return (false, false) }
        state.lines.insert(line.id)
        let isEnough = state.lines.count == state.maximum
        if isEnough { state.ending = state.ending ?? .count }
        return (true, isEnough)
    }
}

/// Passes on those events of a live job that are still wanted, and ends it when it has found enough.
struct LimitedSinks: EventSink {
    let limit: LiveLimit
    let sinks: [any EventSink]
    /// Called when enough is found.
    let stop: @Sendable () -> Void

    var wishes: EventWishes { sinks.reduce(into: []) { $0.formUnion($1.wishes) } }

    func take(_ event: LiveEvent) {
        let (wanted, isEnough) = limit.take(event)
        if let wanted { for sink in sinks { sink.take(wanted) } }
        if isEnough { stop() }
    }

    func take(_ picture: Picture, of sighting: Sighting) { for sink in sinks { sink.take(picture, of: sighting) } }

    func finish() async { for sink in sinks { await sink.finish() } }
}
