import Dispatch
import Errors
import Synchronization
import TextIndex
import TextSpotting
import Threads

/// The results of searching everything in the index, recording by recording while the search continues: the first lines
/// are printed before the last segment is opened. It starts when results are first requested. Thread-safe.
///
/// Buffering: results that have not been requested yet, which the answer holds anyway.
final class IndexedFindings: Sendable {
    private struct State {
        var hasBegun = false
        var isCancelled = false
        var found: [SourceID: [Sighting]] = [:]
        /// The recordings whose results are complete.
        var whole: Set<SourceID> = []
        var end: Result<TextIndex.Answer, any Error>?
        var waiting: [TaskWakeEvent] = []
    }

    /// The number of sightings that are printed in order before the others are searched; more than a screen shows.
    private static let shownFirst = 200
    private static let queue = DispatchQueue(label: "framegrep.index", attributes: .concurrent)

    private let query: IndexedInputs.Query
    private let order: [SourceID]
    private let state = Mutex(State())

    /// - Parameter order: the recordings that are searched, in the order in which they are requested.
    init(_ query: IndexedInputs.Query, order: [SourceID]) { (self.query, self.order) = (query, order) }

    /// Returns a search of only some of the recordings, for a search that has not begun.
    func narrowed(to sources: Set<SourceID>) -> IndexedFindings {
        IndexedFindings(query, order: order.filter(sources.contains))
    }

    /// Waits for sightings of a recording after the first `count`.
    ///
    /// - Returns: the known ones, and whether these are all.
    /// - Throws: the error that ended the search early; `CancellationError`.
    func next(of source: SourceID, after count: Int) async throws -> (sightings: [Sighting], isWhole: Bool) {
        begin()
        while true {
            let bell = TaskWakeEvent()
            let found = try state.withLock { state in
                let found = try known(source, after: count, state)
                if found == nil { state.waiting.append(bell) }
                return found
            }
            if let found { return found }
            await bell.wait()
            guard !Task.isCancelled else {
                // End the search; its waiters continue.
                change { $0.isCancelled = true }
                throw CancellationError()
            }
        }
    }

    /// Returns nil if the caller must wait.
    private func known(
        _ source: SourceID, after count: Int, _ state: State
    ) throws -> (sightings: [Sighting], isWhole: Bool)? {
        if case .failure(let error) = state.end, !state.whole.contains(source) { throw error }
        let isWhole = isWhole(source, state)
        let more = Array((state.found[source] ?? []).dropFirst(count))
        return isWhole || !more.isEmpty ? (more, isWhole) : nil
    }

    /// Returns whether the results of a recording are complete. When those of all are, this waits for the end, because
    /// the caller asks for the overall result next (``answer``).
    private func isWhole(_ source: SourceID, _ state: State) -> Bool {
        state.end != nil || (state.whole.contains(source) && state.whole.count < order.count)
    }

    private func change(_ body: (inout sending State) -> Void) {
        let waiting = state.withLock { state in
            body(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for bell in waiting { bell.ring() }
    }

    // MARK: The search

    private func begin() {
        let isFirst = state.withLock { $0.hasBegun.raise() }
        guard isFirst else { return }
        Self.queue.async { self.search() }
    }

    private func search() {
        let listener = SearchListener(order: order, enough: Self.shownFirst) { source, found, isWhole in
            self.change { state in
                state.found[source, default: []] += found
                if isWhole { state.whole.insert(source) }
            }
        }
        let end = Result {
            try query.index.search(
                for: query.matcher, in: Set(order), minimumScore: query.minimumScore, extent: query.extent,
                keepsBoxes: query.keepsBoxes, listener: listener,
                isCancelled: { self.state.withLock { $0.isCancelled } })
        }
        if case .success(let answer) = end { answer.tellProblems() }
        change { $0.end = end }
    }

    /// The overall result of the search; empty until it is over.
    var answer: TextIndex.Answer {
        state.withLock { state in (try? state.end?.get()) ?? TextIndex.Answer() }
    }
}

extension TextIndex.Answer {
    /// Reports which parts of the index could not be read.
    func tellProblems() {
        for problem in problems { StandardError.line("framegrep: \(problem.message)") }
    }
}
