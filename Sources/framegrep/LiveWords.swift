import Spotter
import Synchronization
import Threads

/// Changes the words of a running job from outside of its window: files that change, standard input, a broker, and a reload of the service.
/// Thread-safe.
///
/// All commands go through one mailbox, and are carried out in the order in which they came. Those that come before the job runs wait in
/// it.
final class LiveWords: Sendable {
    private enum Order: Sendable {
        /// These words and no others.
        case replace([String])
        /// Use the words of other options.
        case use(PatternOptions)
        /// A file has changed.
        case readFiles
        /// Lines of standard input; its reader waits until they are taken.
        case take([InputLines.Line], done: CheckedContinuation<Void, Never>)
    }

    private struct State {
        var waiting: [Order] = []
        var hasBegun = false
        var isBusy = false
        var isOver = false
    }

    private let changes: PatternChanges
    private let state = Mutex(State())
    /// Follows the files of patterns.
    private let files = Mutex<Task<Void, Never>?>(nil)
    /// Follows standard input; nil if nothing is to come from there.
    private let input = Mutex<Task<Void, Never>?>(nil)

    /// Begins to follow them.
    ///
    /// - Parameters:
    ///   - patterns: all that was given at the start.
    ///   - targets: get changes of words, and may bring some.
    init(_ spotter: LiveSpotter, _ patterns: PatternOptions, _ targets: NoticeTargets?, readsInput: Bool) {
        changes = PatternChanges(spotter, options: patterns) { targets?.watch($0) }
        if readsInput { followInput() }
        targets?.whenPatternsCome { [weak self] in self?.replace(with: $0) }
        follow(patterns.files)
    }

    /// The job runs: carries out waiting commands, and later ones as they come.
    func begin() {
        state.withLock { $0.hasBegun = true }
        work()
    }

    /// Searches for these and nothing else.
    func replace(with words: [String]) { post(.replace(words)) }

    /// Searches for these patterns from now on; invalid ones are warnings of the job.
    func use(_ patterns: PatternOptions) {
        post(.use(patterns))
        follow(patterns.files)
    }

    /// Follows nothing more.
    func end() {
        input.withLock { $0 }?.cancel()
        files.withLock { $0 }?.cancel()
        let left = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for case .take(_, let done) in left { done.resume() }
    }

    // MARK: The mailbox

    private func post(_ order: Order) {
        let isOver = state.withLock { state in
            guard !state.isOver else { return true }
            // Of words that replace all others only the last ones count.
            if case .replace = order, case .replace? = state.waiting.last { state.waiting.removeLast() }
            state.waiting.append(order)
            return false
        }
        if isOver, case .take(_, let done) = order { done.resume() }
        work()
    }

    /// Carries out waiting commands in order, unless another thread is already doing so.
    private func work() {
        let isMine = state.withLock { state in
            guard state.hasBegun, !state.isBusy, !state.waiting.isEmpty else { return false }
            state.isBusy = true
            return true
        }
        guard isMine else { return }
        Task { while let order = next() { await perform(order) } }
    }

    private func next() -> Order? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isBusy = false
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    private func perform(_ order: Order) async {
        switch order {
        case .replace(let words): await changes.replace(with: words)
        case .use(let patterns): await changes.use(patterns)
        case .readFiles: await changes.readFiles()
        case .take(let lines, let done):
            await changes.take(lines)
            done.resume()
        }
    }

    // MARK: What is followed

    private func followInput() {
        let task = Task { [weak self] in
            let lines = InputLines.lots()
            while let lot = await lines.next() {
                await withCheckedContinuation { done in
                    guard let self else { return done.resume() }
                    self.post(.take(lot, done: done))
                }
            }
        }
        input.withLock { $0 = task }
    }

    private func follow(_ paths: [String]) {
        let task = Task { [weak self] in await WatchedFiles(paths).watch { self?.post(.readFiles) } }
        files.withLock { files in
            files?.cancel()
            files = task
        }
    }
}
