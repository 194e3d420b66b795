import Errors
import Spotter
import Synchronization
import TextMatching
import Threads

/// Commands to a job from outside its window: to end, or to search for other words, which come from changed files,
/// standard input, a broker, or a reload of the service. For one run of the job; thread-safe.
///
/// New words go through one mailbox and take effect in the order in which they arrive. Commands that arrive before the
/// job runs wait.
final class LiveCommands: EventSink {
    private enum Command: Sendable {
        /// Search for these words and no others.
        case replace([String])
        /// Use the words of other options.
        case use(PatternOptions)
        /// A file has changed.
        case readFiles
        /// Take lines of standard input; their reader waits until they are taken.
        case take([InputLines.Line], done: CheckedContinuation<Void, Never>)
    }

    /// Functions that end a job.
    struct Endings: Sendable {
        let end: @Sendable () -> Void
        /// Ends at once everything that the job has started, because its time is over.
        let last: @Sendable () -> Void
    }

    private struct State {
        var changes: PatternChanges?
        var endings: Endings?
        var waiting: [Command] = []
        /// The files of patterns that are watched; nil for those that were given at the start.
        var files: [String]?
        var isEnded = false
        var hasBegun = false
        var isBusy = false
        var isOver = false
    }

    private let state = Mutex(State())
    /// Watches the files of patterns.
    private let files = Mutex<Task<Void, Never>?>(nil)
    /// Reads standard input; nil if nothing is read from it.
    private let input = Mutex<Task<Void, Never>?>(nil)

    /// Attaches the job, and begins to watch for changes of its words.
    ///
    /// - Parameters:
    ///   - patterns: all options that were given at the start.
    ///   - targets: get changes of words, and may bring some.
    func attach(
        _ spotter: LiveSpotter, patterns: PatternOptions, targets: NoticeTargets?, readsInput: Bool,
        endings: Endings
    ) {
        let changes = PatternChanges(spotter, options: patterns) { targets?.watch($0) }
        let (isEnded, paths) = state.withLock { state in
            (state.changes, state.endings) = (changes, endings)
            return (state.isEnded, state.files ?? patterns.files)
        }
        if readsInput { followInput() }
        targets?.whenPatternsCome { [weak self] in self?.replace(with: $0) }
        follow(paths)
        if isEnded { endings.end() }
    }

    /// Carries out waiting commands once the job runs, and later ones as they arrive.
    func take(_ event: LiveEvent) {
        let isNews = state.withLock { $0.hasBegun.raise() }
        if isNews { work() }
    }

    /// Ends the job cleanly.
    func end() {
        state.withLock { state in
            state.isEnded = true
            return state.endings
        }?.end()
    }

    /// Ends at once everything that the job has started.
    func endCommands() { state.withLock { $0.endings }?.last() }

    /// Searches for these words and nothing else.
    func replace(with words: [String]) { post(.replace(words)) }

    /// Searches for these patterns from now on; invalid ones are warnings of the job.
    func use(_ patterns: PatternOptions) {
        post(.use(patterns))
        let isAttached = state.withLock { state in
            state.files = patterns.files
            return state.changes != nil
        }
        if isAttached { follow(patterns.files) }
    }

    /// Stops watching because the job is over. Programs that it has started, and waits for, can still be ended.
    func close() {
        input.withLock { $0 }?.cancel()
        files.withLock { $0 }?.cancel()
        let left = state.withLock { state in
            state.isOver = true
            defer { (state.waiting, state.changes) = ([], nil) }
            return state.waiting
        }
        for case .take(_, let done) in left { done.resume() }
    }

    // MARK: The mailbox

    private func post(_ command: Command) {
        let isOver = state.withLock { state in
            guard !state.isOver else { return true }
            // If several commands replace all words, only the last one counts.
            if case .replace = command, case .replace? = state.waiting.last { state.waiting.removeLast() }
            state.waiting.append(command)
            return false
        }
        if isOver, case .take(_, let done) = command { done.resume() }
        work()
    }

    /// Carries out waiting commands in order, unless another thread is already doing so.
    private func work() {
        let isMine = state.withLock { state in
            guard state.hasBegun, state.changes != nil, !state.isBusy, !state.waiting.isEmpty else { return false }
            state.isBusy = true
            return true
        }
        guard isMine else { return }
        Task { while let (command, changes) = next() { await perform(command, changes) } }
    }

    private func next() -> (Command, PatternChanges)? {
        state.withLock { state in
            guard !state.waiting.isEmpty, let changes = state.changes else {
                state.isBusy = false
                return nil
            }
            return (state.waiting.removeFirst(), changes)
        }
    }

    private func perform(_ command: Command, _ changes: PatternChanges) async {
        switch command {
        case .replace(let words): await changes.replace(with: words)
        case .use(let patterns): await changes.use(patterns)
        case .readFiles: await changes.readFiles()
        case .take(let lines, let done):
            await changes.take(lines)
            done.resume()
        }
    }

    // MARK: Watching

    private func followInput() {
        let task = Task { [weak self] in
            let lines = InputLines.batches()
            while let batch = await lines.next() {
                await withCheckedContinuation { done in
                    guard let self else { return done.resume() }
                    self.post(.take(batch, done: done))
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

/// Changes the patterns of a running job: from lines on standard input and from files of patterns that change.
///
/// An invalid pattern is a warning, and the search stays as it was.
actor PatternChanges {
    private let spotter: LiveSpotter
    private var options: PatternOptions
    private let changed: @Sendable ([String]) -> Void

    init(_ spotter: LiveSpotter, options: PatternOptions, changed: @escaping @Sendable ([String]) -> Void = { _ in }) {
        self.spotter = spotter
        self.options = options
        self.changed = changed
    }

    /// Searches for the patterns of other options from now on.
    func use(_ options: PatternOptions) async {
        self.options = options
        await readFiles()
    }

    /// Takes lines from standard input, all that arrived together, and searches for the result.
    func take(_ lines: [InputLines.Line]) {
        var asked: [PatternLine] = []
        for line in lines {
            switch line {
            case .success(let text): asked.append(PatternLine(text))
            case .failure(let warning): spotter.warn(warning)
            }
        }
        take(asked[...])
    }

    /// Searches for these words only; for nothing if there are none.
    func replace(with words: [String]) {
        guard let first = words.first else { return take([PatternLine.clear][...]) }
        take(([.replace(first)] + words.dropFirst().map { .add($0) })[...])
    }

    /// One invalid pattern among many does not affect the others: it is found by taking half of them at a time.
    private func take(_ lines: ArraySlice<PatternLine>) {
        guard lines.count > 1 else {
            if let line = lines.first { change { try matcher(after: [line]) } }
            return
        }
        if let matcher = try? matcher(after: lines) { return search(for: matcher) }
        let middle = lines.startIndex + lines.count / 2
        take(lines[..<middle])
        take(lines[middle...])
    }

    private func search(for matcher: Matcher) {
        spotter.search(for: matcher)
        changed(matcher.patterns.map(\.text))
    }

    private func matcher(after lines: ArraySlice<PatternLine>) throws -> Matcher {
        var texts = spotter.matcher.patterns.map(\.text)
        for line in lines {
            switch line {
            case .replace(let text): texts = [text]
            case .add(let text): texts.append(text)
            case .clear: texts = []
            }
        }
        return try options.manner.matcher(for: texts)
    }

    /// Reads everything that was given on the command line again, because one of its files changed.
    func readFiles() async {
        let options = options
        do {
            // A pipe, or a disk that does not respond, may keep its reader waiting.
            let matcher = try await DedicatedThread.run(named: "framegrep-words") {
                try options.matcher(positional: nil)
            }
            search(for: matcher)
        } catch {
            warn(error)
        }
    }

    private func change(_ matcher: () throws -> Matcher) {
        do { search(for: try matcher()) } catch { warn(error) }
    }

    private func warn(_ error: any Error) {
        guard let error = error as? FramegrepError else {
            return spotter.warn(FramegrepError(.badPattern, "The pattern cannot be searched for: \(error)."))
        }
        spotter.warn(FramegrepError(error.code, "\(error.message) The search continues as before."))
    }
}
