import Synchronization
import TextIndex
import TextSpotting
import Threads

/// The results of a search so far. Those of a recording are delivered when they are known and all earlier recordings
/// have been searched, so that the order is that of the complete answer. Thread-safe; one task takes them.
///
/// Buffering: the sightings, which the answer contains anyway.
final class FoundSightings: Sendable {
    /// The next result.
    enum Some: Sendable {
        case sightings([Found])
        /// Only the end is left.
        case end(Result<SearchAnswer, any Error>)
    }

    struct Found: Sendable {
        let source: IndexedSource
        let sighting: Sighting
        /// Whether it is the first one of its recording.
        let isFirst: Bool
    }

    private struct State {
        /// The sightings of recordings that were not taken completely.
        var found: [SourceID: [Sighting]] = [:]
        /// The recordings whose sightings are all known.
        var whole: Set<SourceID> = []
        /// The index of the current recording, and how many of its sightings were taken.
        var turn = 0
        var taken = 0
        /// The number of sightings that may still be taken.
        var left: Int
        var end: Result<SearchAnswer, any Error>?
        /// Whether the end was taken too.
        var isOver = false
    }

    /// The number of sightings that are taken at once.
    private static let most = 200

    private let sources: [IndexedSource]
    private let state: Mutex<State>
    private let bell = TaskWakeEvent()

    /// - Parameters:
    ///   - sources: the recordings that are searched, in order.
    ///   - limit: the largest number of sightings; nil for all.
    init(_ sources: [IndexedSource], limit: Int?) {
        self.sources = sources
        state = Mutex(State(left: limit ?? .max))
    }

    /// Makes the results of a search that has ended.
    convenience init(_ answer: SearchAnswer, limit: Int?) {
        self.init(answer.sources, limit: limit)
        finish(.success(answer))
    }

    /// Records further sightings of a recording.
    func hear(_ source: SourceID, _ sightings: [Sighting], isWhole: Bool) {
        state.withLock { state in
            state.found[source, default: []] += sightings
            if isWhole { state.whole.insert(source) }
        }
        bell.ring()
    }

    /// Records that all recordings are searched, or that the search has ended.
    func finish(_ end: Result<SearchAnswer, any Error>) {
        state.withLock { state in
            state.end = end
            guard case .success(let answer) = end else { return }
            for source in sources[min(state.turn, sources.count)...] where !state.whole.contains(source.id) {
                state.found[source.id] = answer.sightings[source.id]
            }
        }
        bell.ring()
    }

    /// Waits for the next result; nil after the end, and if the task was cancelled.
    func next() async -> Some? {
        while !Task.isCancelled, !state.withLock({ $0.isOver }) {
            if let some = state.withLock({ take(&$0) }) { return some }
            await bell.wait()
        }
        return nil
    }

    /// Returns nil if the caller must wait.
    private func take(_ state: inout State) -> Some? {
        var all: [Found] = []
        while state.turn < sources.count, all.count < Self.most {
            let source = sources[state.turn]
            // After the end of the search nothing more comes.
            let isWhole = state.end != nil || state.whole.contains(source.id)
            let sightings = state.found[source.id] ?? []
            let some = sightings.dropFirst(state.taken).prefix(min(state.left, Self.most - all.count))
            let begins = state.taken == 0
            all += some.enumerated().map { Found(source: source, sighting: $1, isFirst: begins && $0 == 0) }
            state.left -= some.count
            state.taken += some.count
            guard isWhole && state.taken == sightings.count || state.left == 0 else { break }
            state.found[source.id] = nil
            (state.turn, state.taken) = (state.turn + 1, 0)
        }
        if !all.isEmpty { return .sightings(all) }
        guard state.turn == sources.count, let end = state.end else { return nil }
        state.isOver = true
        return .end(end)
    }
}

/// The number of sightings in each of the equal parts of a recording's time.
struct TimelineBins {
    private(set) var counts: [Int]
    private let seconds: Double

    /// - Parameter seconds: the length of the recording.
    init(count: Int, seconds: Double) {
        counts = Array(repeating: 0, count: max(1, count))
        self.seconds = seconds
    }

    /// Counts a sighting in every part in which it is visible.
    mutating func add(from start: Double, to end: Double) {
        guard seconds > 0 else {
            counts[0] += 1
            return
        }
        let first = bin(of: start)
        // The end is exclusive.
        let last = max(first, Int((end / seconds * Double(counts.count)).rounded(.up)) - 1)
        for index in first...min(last, counts.count - 1) { counts[index] += 1 }
    }

    private func bin(of time: Double) -> Int {
        min(counts.count - 1, max(0, Int(time / seconds * Double(counts.count))))
    }
}
