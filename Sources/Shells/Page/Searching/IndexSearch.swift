import Dispatch
import Errors
import Foundation
import Spotter
import Synchronization
public import TextIndex
import TextMatching
import TextSpotting
import Threads

/// Searches the index, a few searches at a time, and remembers the last answers, because a page often requests more of
/// the same. Thread-safe.
final class IndexSearch: Sendable {
    /// A question about a state of the index.
    private struct Asked: Equatable {
        var question: SearchQuestion
        var stamp: FileStamp?
    }

    /// The number of sightings that are kept in memory for later requests.
    private static let mostRemembered = 200_000
    /// The number of boxes of one search that are kept, about 100 bytes each.
    private static let mostBoxes = 400_000
    /// The number of sightings that are sent first, more than a page shows before the user scrolls; the others are only
    /// counted.
    private static let shownFirst = 1_000
    /// The longest time that a search may take.
    private static let patience = Duration.seconds(60)

    let view: IndexView
    private let meaning: MeaningSource
    private let slots = Slots(2, mostWaiting: 32)
    private let remembered = RecentAnswers<Asked, SearchAnswer>(most: mostRemembered) { $0.count }
    private let boxed = Mutex<[(asked: Asked, answer: SearchAnswer)]>([])

    init(_ view: IndexView, _ meaning: MeaningSource) { (self.view, self.meaning) = (view, meaning) }

    /// - Throws: ``PageProblem`` for an invalid pattern or a search that took too long; ``FramegrepError``
    ///   (`indexDamaged`); `CancellationError`.
    func answer(_ question: SearchQuestion) async throws -> SearchAnswer {
        let matcher = try matcher(question)
        let snapshot = try await view.current()
        let asked = Asked(question: question, stamp: snapshot.stamp)
        if let known = remembered.recall(asked) { return known }
        let answer = try await slots.run { [self] isCancelled in
            try search(question, matcher: matcher, snapshot: snapshot, keepsBoxes: false, isCancelled: isCancelled)
        }
        remember(answer, to: asked)
        return answer
    }

    /// Begins a search and returns the lines of the answer as they are found; releasing them ends it.
    ///
    /// - Parameters:
    ///   - limit: the largest number of sightings.
    ///   - describes: whether a line of each recording precedes its sightings.
    ///   - note: called when everything is searched.
    /// - Throws: the errors of ``answer(_:)`` that are known before the search; later ones are the last line.
    func begin(
        _ question: SearchQuestion, limit: Int?, describes: Bool, note: @escaping @Sendable () -> Void
    ) async throws -> FoundLines {
        let matcher = try matcher(question)
        let snapshot = try await view.current()
        let wanted = try Self.wanted(question, snapshot)
        let asked = Asked(question: question, stamp: snapshot.stamp)
        if let known = remembered.recall(asked) {
            return FoundLines(FoundSightings(known, limit: limit), describes: describes)
        }
        let found = FoundSightings(wanted, limit: limit)
        let slot = try await slots.hold()
        return FoundLines(
            found, describes: describes,
            Task { [self] in
                defer { withExtendedLifetime(slot) {} }
                do {
                    let answer = try await Blocking.run { isCancelled in
                        let listener = SearchListener(
                            order: wanted.map(\.id), enough: min(limit ?? Self.shownFirst, Self.shownFirst),
                            hear: found.hear)
                        return try self.search(
                            question, matcher: matcher, snapshot: snapshot, keepsBoxes: false, listener: listener,
                            isCancelled: isCancelled)
                    }
                    // Before the last line, after which the page asks the same question again for a timeline.
                    remember(answer, to: asked)
                    note()
                    found.finish(.success(answer))
                } catch {
                    found.finish(.failure(error))
                }
            })
    }

    /// Returns one sighting with its place in every frame.
    func boxes(of number: Int, in source: SourceID, _ question: SearchQuestion) async throws -> Sighting {
        var question = question
        let matcher = try matcher(question)
        // A search by meaning returns the nearest texts, which differ between one recording and all of them.
        if matcher.patterns.allSatisfy({ $0.question == nil }) { question.sources = [source] }
        let snapshot = try await view.current()
        let asked = Asked(question: question, stamp: snapshot.stamp)
        let known = boxed.withLock { $0.last { $0.asked == asked }?.answer }
        if let known { return try Self.sighting(number, in: source, known) }
        let answer = try await slots.run { [self] isCancelled in
            try search(asked.question, matcher: matcher, snapshot: snapshot, keepsBoxes: true, isCancelled: isCancelled)
        }
        let frames = answer.sightings[source, default: []].reduce(0) { $0 + $1.boxes.count }
        boxed.withLock { all in
            // A player requests one after the other of the same recording.
            if all.count > 2 { all.removeFirst() }
            if frames <= Self.mostBoxes { all.append((asked, answer)) }
        }
        return try Self.sighting(number, in: source, answer)
    }

    private static func sighting(
        _ number: Int, in source: SourceID, _ answer: SearchAnswer
    ) throws(PageProblem) -> Sighting {
        guard let sighting = answer.sightings[source]?.first(where: { $0.id == number }) else {
            throw PageProblem(404, "There is no such sighting (any more): the index may have changed since the search.")
        }
        return sighting
    }

    /// Returns one sighting of an answer.
    func sighting(_ number: Int, in source: SourceID, _ question: SearchQuestion) async throws -> Sighting {
        try Self.sighting(number, in: source, try await answer(question))
    }

    private func matcher(_ question: SearchQuestion) throws -> Matcher {
        var manner = question.manner
        manner.meaning = meaning
        do { return try manner.matcher(for: question.patterns) } catch let error as FramegrepError {
            throw PageProblem(400, error.message)
        }
    }

    /// Returns the recordings that are searched, by name.
    private static func wanted(
        _ question: SearchQuestion, _ snapshot: IndexView.Snapshot
    ) throws(PageProblem) -> [IndexedSource] {
        let wanted = snapshot.sources.filter { question.sources.isEmpty || question.sources.contains($0.id) }
        guard question.sources.isEmpty || !wanted.isEmpty else { throw PageProblem(404, "There is no such recording.") }
        return wanted
    }

    private func search(
        _ question: SearchQuestion, matcher: Matcher, snapshot: IndexView.Snapshot, keepsBoxes: Bool,
        listener: SearchListener? = nil, isCancelled: @escaping @Sendable () -> Bool
    ) throws -> SearchAnswer {
        let wanted = try Self.wanted(question, snapshot)
        let end = ContinuousClock.now + Self.patience
        let found = try snapshot.index?.search(
            for: matcher, in: Set(wanted.map(\.id)), minimumScore: question.minimumScore, keepsBoxes: keepsBoxes,
            listener: listener, isCancelled: { isCancelled() || ContinuousClock.now > end })
        if isCancelled() { throw CancellationError() }
        guard ContinuousClock.now <= end else {
            throw PageProblem(
                503, "The search was ended after \(Self.patience.components.seconds) seconds; search for a longer word."
            )
        }
        let missing =
            snapshot.failed.map { ($0, IndexedSource.Lack.unread($0.problem)) }
            + (found?.lacks(of: wanted) ?? [])
        return SearchAnswer(
            sources: wanted, sightings: found?.sightings ?? [:],
            missing: question.sources.isEmpty ? missing : missing.filter { question.sources.contains($0.0.id) },
            folder: view.folder.path)
    }

    private func remember(_ answer: SearchAnswer, to asked: Asked) {
        remembered.keep(answer, to: asked) { $0.stamp != asked.stamp }
    }
}

/// The results of a search, and the recordings that it did not cover.
struct SearchAnswer: Sendable {
    /// The recordings that were searched, by name.
    let sources: [IndexedSource]
    let sightings: [SourceID: [Sighting]]
    /// Recordings whose current state is not in the index, and the reasons.
    let missing: [(source: IndexedSource, reason: IndexedSource.Lack)]
    /// The folder of the index.
    let folder: String

    /// The number of sightings.
    var count: Int { sightings.values.reduce(0) { $0 + $1.count } }

    /// The searched length of the recordings, in seconds.
    var seconds: Double { sources.reduce(0) { $0 + ($1.isStill ? 0 : $1.end.seconds) } }

    /// The last line of `framegrep find --format jsonl`.
    var coverage: String {
        JSONLinesFormatter.coverage(
            ofIndexIn: folder, count: sources.count, seconds: seconds,
            live: sources.filter(\.isLive).reduce(0) { $0 + $1.end.seconds },
            skimmed: sources.filter(\.isSkimmed).reduce(0) { $0 + $1.end.seconds },
            missing: missing.map { ($0.source.name, $0.reason.text) })
    }
}

extension IndexedSource {
    /// Returns the wall-clock time of a sighting's beginning; nil if unknown.
    func wallTime(of sighting: Sighting) -> Date? { isStill ? nil : wallStart.map { $0 + sighting.start.seconds } }
}

/// The current state of the index: it is opened again when it was replaced, and its recordings are listed again when it
/// has changed. Thread-safe.
public final class IndexView: Sendable {
    /// The contents of an index at one moment.
    public struct Snapshot: Sendable {
        /// The index; nil if there is none yet.
        public let index: TextIndex?
        /// Everything that is kept, one reading for each recording: the best of those with different options.
        public let sources: [IndexedSource]
        /// The recordings that could not be read at all.
        public let failed: [IndexedSource]
        /// Shows whether the catalog has changed since then.
        public let stamp: FileStamp?

        private let byID: [SourceID: IndexedSource]

        init(index: TextIndex?, all: [IndexedSource], stamp: FileStamp?) {
            self.index = index
            self.stamp = stamp
            failed = all.filter { $0.state == .failed }
            sources = IndexedSource.best(of: all)
            byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
        }

        func source(_ id: SourceID) -> IndexedSource? { byID[id] }
    }

    public let folder: IndexFolder
    private let last = Mutex<Snapshot?>(nil)
    /// Limits the threads that wait for a disk that does not respond.
    let slots = Slots(4, mostWaiting: 256)

    /// - Parameter folder: the folder of the index, which may not exist yet.
    public init(_ folder: IndexFolder) { self.folder = folder }

    /// Returns the current state of the index, for tasks: no thread of Swift's pool waits for the disk.
    ///
    /// - Throws: also ``PageProblem`` (503) if too many wait; `CancellationError`.
    func current() async throws -> Snapshot { try await slots.run { [self] _ in try snapshot() } }

    /// Does the same for programs other than the page.
    ///
    /// - Throws: ``FramegrepError`` (`indexUnreadable` if too many wait; `indexDamaged`); `CancellationError`.
    public func now() async throws -> Snapshot {
        do {
            return try await current()
        } catch let problem as PageProblem {
            throw FramegrepError(.indexUnreadable, problem.message)
        }
    }

    /// Discards the snapshot, which is out of date.
    func refresh() { last.withLock { $0 = nil } }

    /// Returns the current state of the index. Blocks while it examines one file, and reads the catalog if that has
    /// changed.
    ///
    /// - Throws: ``FramegrepError`` (`indexDamaged`) if there is one that cannot be used.
    func snapshot() throws -> Snapshot {
        let stamp = FileStamp(path: folder.path + "/catalog.db")
        let known = last.withLock { $0 }
        if let known, known.stamp == stamp { return known }
        // The open connection can continue to read the same file.
        let isSameFile = known?.stamp?.inode == stamp?.inode && known?.stamp?.device == stamp?.device
        let index = try (isSameFile ? known?.index : nil) ?? TextIndex.forSearching(folder)
        let snapshot = Snapshot(index: index, all: try index?.sources() ?? [], stamp: stamp)
        last.withLock { $0 = snapshot }
        return snapshot
    }
}

/// Runs blocking work on dedicated threads, because Swift's pool has only one thread for each processor.
public enum Blocking {
    private static let queue = DispatchQueue(label: "framegrep.page", attributes: .concurrent)

    /// - Parameter body: called with a function that returns whether the task was cancelled.
    public static func run<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let flag = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result { try body { flag.isCancelled } }) }
            }
        } onCancel: {
            flag.cancel()
        }
    }
}

extension Slots {
    /// Does work that blocks a thread once it has a slot, which it holds until the work is done.
    ///
    /// - Throws: the errors of ``hold()`` and of the work.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        try await withSlot { try await Blocking.run(body) }
    }
}

/// The lines of a search's answer, which may still be going on; releasing them ends it. For one task.
final class FoundLines: ChunkSource {
    private let found: FoundSightings
    private let describes: Bool
    private let work: Task<Void, Never>?
    private let formatter = JSONLinesFormatter()

    /// - Parameter describes: whether a line of each recording precedes its sightings. It does not say whether the file
    ///   has changed since; the coverage says that.
    init(_ found: FoundSightings, describes: Bool, _ work: Task<Void, Never>? = nil) {
        (self.found, self.describes, self.work) = (found, describes, work)
    }

    deinit { work?.cancel() }

    func next() async throws -> [UInt8]? {
        switch await found.next() {
        case nil: return nil
        case .sightings(let all):
            return all.flatMap { found in
                let head = describes && found.isFirst ? found.source.line(lack: nil) + "\n" : ""
                return Array((head + formatter.format(found.sighting, of: found.source) + "\n").utf8)
            }
        case .end(let end):
            let last =
                switch end {
                case .success(let answer): answer.coverage
                case .failure(let error): PageProblem.object(PageProblem(of: error).message)
                }
            return Array(last.utf8) + [0x0A]
        }
    }
}

extension JSONLinesFormatter {
    /// Returns the line of a sighting in a recording of the index.
    func format(_ sighting: Sighting, of source: IndexedSource) -> String {
        format(sighting, source: source.name, wallStart: source.wallTime(of: sighting))
    }
}
