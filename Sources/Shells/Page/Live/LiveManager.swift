import Foundation
import GStreamerMedia
import Spotter
import Synchronization
public import TextMatching
import TextSpotting
import Threads

/// All sources that the page watches, and its viewers. Thread-safe.
final class LiveManager: Sendable {
    private struct Viewer {
        let queue: StreamQueue
        /// Returns whether its session is still open.
        let isAllowed: @Sendable () -> Bool
    }

    private struct State {
        var viewers: [ObjectIdentifier: Viewer] = [:]
        /// The number of sources that have not ended.
        var running = 0
        var words: JobPlan.Search
        var isOver = false
        var keptAt: ContinuousClock.Instant?
    }

    let sources: [WatchedSource]
    let remembers: Bool
    private let state: Mutex<State>
    /// Held while wanted words or cameras change and jobs and viewers are informed, so that all of them see the changes
    /// in one order.
    private let changing = Mutex(())
    /// Rung when a source ends, and when everything has ended.
    private let ended = WakeEvent()
    private let over = WakeEvent()

    /// The interval at which data is sent to each browser, because only sending shows that it is gone.
    private static let pulse = Duration.seconds(2)
    /// The largest number of pages that can watch.
    private static let mostViewers = 64
    /// The look of a source that no viewer names.
    private static let nobody = ViewerCommand.Look()

    init(_ settings: WatchSettings, index: String) {
        state = Mutex(State(words: JobPlan.Search(settings.words, settings.manner)))
        remembers = settings.remembers
        sources = settings.sources.enumerated().map { WatchedSource($0 + 1, $1, settings, index: index) }
    }

    func start() {
        for source in sources {
            state.withLock { $0.running += 1 }
            Task { [self] in
                await source.run(deliver)
                sourceEnded()
            }
        }
        guard !sources.isEmpty else { return }
        // Without this, browsers that are gone would be noticed only at the next frame.
        try? DedicatedThread.start(named: "cameras' pulse") { [self] in
            while !state.withLock({ $0.isOver }) {
                over.wait(atMost: Self.pulse)
                dismissViewers()
                deliver(ViewerRecord(.event, head: JSONObject(type: "alive").text))
            }
        }
    }

    private func sourceEnded() {
        state.withLock { $0.running -= 1 }
        ended.ring()
    }

    /// Ends the streams of viewers with an expired session.
    func dismissViewers() {
        let viewers = state.withLock { Array($0.viewers.values) }
        for viewer in viewers where !viewer.isAllowed() { viewer.queue.close() }
    }

    // MARK: What is searched for

    var words: JobPlan.Search { state.withLock { $0.words } }

    /// Searches all sources for these words from now on.
    func search(for words: JobPlan.Search) {
        changing.withLock { _ in
            state.withLock { $0.words = words }
            for source in sources { source.search(for: words) }
            deliver(wordsRecord)
        }
    }

    private var wordsRecord: ViewerRecord {
        ViewerRecord(.event, head: Self.object(of: words).text)
    }

    static func object(of words: JobPlan.Search) -> JSONObject {
        var object = JSONObject(type: "words")
        let meant = words.manner.kind == .plain ? SearchQuestion.meant(words.patterns) : nil
        object.add("q", list: (meant ?? words.patterns).map(JSONObject.quoted))
        object.add("regex", words.manner.kind == .expression)
        object.add("exact", words.manner.kind == .exact)
        object.add("meaning", meant != nil)
        object.add("case", words.manner.options.caseSensitive)
        object.add("words", words.manner.options.wholeWords)
        object.add("all", words.manner.requiresAll)
        return object
    }

    /// Returns when the readings so far are in the index, at most every few seconds: searchers expect to find recent
    /// text.
    func keep() async {
        guard remembers, state.withLock({ $0.keptAt.isDue(after: .seconds(2)) }) else { return }
        await withTaskGroup(of: Void.self) { group in
            for source in sources { group.addTask { await source.keep() } }
        }
    }

    // MARK: Viewers

    /// - Parameter isAllowed: called now and then; the stream ends when it returns false.
    /// - Throws: ``PageProblem`` (503) if there are too many viewers.
    func look(
        _ kind: FrameEncoder.Kind, longestSide: Int, while isAllowed: @escaping @Sendable () -> Bool
    ) throws(PageProblem) -> LiveStream {
        let queue = StreamQueue(kind, longestSide: longestSide)
        let isTaken = state.withLock { state in
            guard state.viewers.count < Self.mostViewers, !state.isOver else { return false }
            state.viewers[ObjectIdentifier(queue)] = Viewer(queue: queue, isAllowed: isAllowed)
            return true
        }
        guard isTaken else {
            throw PageProblem(503, "Too many pages watch at once.", headers: [("Retry-After", "5")])
        }
        // A new viewer first gets the state so far.
        changing.withLock { _ in _ = queue.put(wordsRecord) }
        for source in sources {
            _ = queue.put(source.stateRecord)
            for event in source.known.appeared {
                _ = queue.put(ViewerRecord(.event, source: source.number, head: event))
            }
        }
        if sources.isEmpty { queue.close() }
        updateLook(isNew: true)
        return LiveStream(queue, self)
    }

    fileprivate func leave(_ queue: StreamQueue) {
        queue.close()
        state.withLock { _ = $0.viewers.removeValue(forKey: ObjectIdentifier(queue)) }
        updateLook()
    }

    /// Informs the sources of the encodings that the viewers need, so that no others are made.
    private func updateLook(isNew: Bool = false) {
        changing.withLock { _ in
            let viewers = state.withLock { $0.viewers.values.map(\.queue) }
            let look = ViewerCommand.Look(
                kinds: Set(viewers.map(\.kind)),
                longestSide: viewers.map(\.longestSide).max() ?? Self.nobody.longestSide)
            for source in sources {
                source.look(look)
                // A viewer that joins late sees nothing before the next key frame.
                if isNew { source.needsKey() }
            }
        }
    }

    var viewers: Int { state.withLock { $0.viewers.count } }

    private func deliver(_ record: ViewerRecord) {
        let viewers = state.withLock { $0.viewers.values.map(\.queue) }
        guard !viewers.isEmpty else { return }
        var (sent, dropped, needsKey) = (0, 0, false)
        for viewer in viewers {
            switch viewer.put(record) {
            case .taken: sent += 1
            case .dropped: dropped += 1
            case .needsKey: (dropped, needsKey) = (dropped + 1, true)
            }
        }
        guard record.kind != .event, let source = sources.first(where: { $0.number == record.source }) else { return }
        source.noteFrames(sent: sent, dropped: dropped)
        if needsKey { source.needsKey() }
    }

    /// Ends all streams and all jobs; returns when they have ended. Jobs that take longer than this time are killed.
    func finish(within patience: Duration) {
        let viewers = state.withLock { state in
            state.isOver = true
            return state.viewers.values.map(\.queue)
        }
        over.ring()
        for viewer in viewers { viewer.close() }
        for source in sources { source.finish() }
        let end = ContinuousClock.now + patience
        while state.withLock({ $0.running }) > 0, ContinuousClock.now < end { ended.wait(atMost: end - .now) }
        for source in sources { source.end() }
    }
}

/// The stream of one browser, which is removed from the viewers with the last reference.
final class LiveStream: ChunkSource {
    private let queue: StreamQueue
    private let manager: LiveManager

    fileprivate init(_ queue: StreamQueue, _ manager: LiveManager) { (self.queue, self.manager) = (queue, manager) }

    func next() async throws -> [UInt8]? { await queue.next() }

    deinit { manager.leave(queue) }
}

/// Settings for the cameras and streams that the page watches.
public struct WatchSettings: Hashable, Sendable {
    /// The sources, in the form that `framegrep live` takes.
    public var sources: [String] = []
    /// The words that are searched for at the start.
    public var words: [String] = []
    public var manner = SearchMode()
    /// Further options of `framegrep live` for each source.
    public var options: [String] = []
    /// Whether the text that is read is stored in the index.
    public var remembers = false
    /// The program that runs the jobs.
    public var program = "framegrep"

    public init() {}

    /// The largest number of cameras; no machine can read more.
    public static let most = 32

    /// Returns the job of a source.
    ///
    /// - Parameter index: the folder of the index.
    func job(of source: String, index: String) -> JobPlan {
        JobPlan(.feed(options: options, index: remembers ? index : nil), of: [source])
    }
}
