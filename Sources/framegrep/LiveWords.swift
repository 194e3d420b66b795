import Spotter
import Synchronization
import Threads

/// Where the words of a running job come from besides its window: files that change, standard input, a broker, and whoever has other options
/// for it. Thread-safe.
final class LiveWords: Sendable {
    private let changes: PatternChanges
    /// Follows the files of patterns.
    private let files = Mutex<Task<Void, Never>?>(nil)
    /// Follows standard input; nil where nothing is to come from there.
    private let input: Task<Void, Never>?

    /// Begins to follow them.
    ///
    /// - Parameters:
    ///   - patterns: all that was given at the start.
    ///   - targets: are told of other words, and may bring some.
    init(_ spotter: LiveSpotter, _ patterns: PatternOptions, _ targets: NoticeTargets?, readsInput: Bool) {
        let changes = PatternChanges(spotter, options: patterns) { targets?.watch($0) }
        self.changes = changes
        input =
            readsInput
            ? Task {
                let lines = InputLines.lots()
                while let lot = await lines.next() { await changes.take(lot) }
            } : nil
        targets?.whenPatternsCome { words in Task { await changes.replace(with: words) } }
        follow(patterns.files)
    }

    /// Searches for what these say from now on; what cannot be searched for is a warning of the job's.
    func use(_ patterns: PatternOptions) {
        Task { [changes] in await changes.use(patterns) }
        follow(patterns.files)
    }

    private func follow(_ paths: [String]) {
        let task = Task { [changes] in await WatchedFiles(paths).watch { await changes.readFiles() } }
        files.withLock { files in
            files?.cancel()
            files = task
        }
    }

    /// Follows nothing more.
    func end() {
        input?.cancel()
        files.withLock { $0 }?.cancel()
    }
}
