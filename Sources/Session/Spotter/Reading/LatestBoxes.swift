import GStreamerMedia
import Synchronization
import TextMatching
import TextSpotting
import Threads

/// The latest reading on its way from the reader to the display. Thread-safe; it holds one reading, and a newer one
/// replaces the older.
final class LatestBoxes: Sendable {
    struct Reading: Sendable {
        /// Each match with the identifier of its sighting; quads in pixels of the searched part.
        let found: [(id: Int, match: Match)]
        /// The frame that was read.
        let time: FrameTime
        /// The frame's thumbnail of that part; nil if there is none.
        let picture: Picture?
        /// Whether all other boxes must be removed because the search changed.
        let isNewSearch: Bool
    }

    /// Matches in lines of a reading that is not complete yet.
    struct PartialResult: Sendable {
        /// Each match with a negative number, which no sighting has; in pixels of the searched part.
        var found: [(id: Int, match: Match)]
        /// The frame that is being read.
        var time: FrameTime
        let revision: Int
    }

    private let pending = Mutex<Reading?>(nil)
    private let partialState = Mutex<(partialResult: PartialResult, isNews: Bool)?>(nil)

    /// Adds matches in a line of the frame at `time`, whose reading continues.
    ///
    /// - Parameter revision: the revision of the search: matches of different searches are not combined.
    func partialResult(_ matches: [Match], at time: FrameTime, revision: Int) {
        partialState.withLock { known in
            var partialResult = PartialResult(found: [], time: time, revision: revision)
            if let before = known?.partialResult, before.time.index == time.index, before.revision == revision {
                partialResult = before
            }
            for match in matches { partialResult.found.append((-1 - partialResult.found.count, match)) }
            known = (partialResult, true)
        }
    }

    /// Returns all findings so far of the reading in progress, if any were added since the previous call.
    ///
    /// - Parameter time: the time of the shown frame; nil for the last one that arrived. Findings in later frames wait.
    func takePartialResult(upTo time: StreamTime? = nil) -> PartialResult? {
        partialState.withLock { known in
            guard let (partialResult, isNews) = known, isNews, time.map({ partialResult.time.start <= $0 }) ?? true
            else {
                return nil
            }
            known?.isNews = false
            return partialResult
        }
    }

    func post(_ reading: Reading) {
        // The whole reading replaces the partial results.
        partialState.withLock { $0 = nil }
        pending.withLock { pending in
            // Keep the request of an earlier reading to remove other boxes.
            let isNewSearch = reading.isNewSearch || pending?.isNewSearch == true
            pending = Reading(
                found: reading.found, time: reading.time, picture: reading.picture, isNewSearch: isNewSearch)
        }
    }

    /// Returns the reading that has not been taken yet.
    func take() -> Reading? {
        pending.withLock { pending in
            defer { pending = nil }
            return pending
        }
    }
}

/// Searches single lines of a reading in progress, so that the first box appears before the last line is read.
///
/// Such matches are only shown: the whole reading decides whether they are sightings. Thread-safe; called on an
/// engine's threads.
struct PartialResults: Sendable {
    let words: SearchedWords
    let latestBoxes: LatestBoxes
    /// Matches below it are ignored.
    let minimumScore: Double
    /// Wakes the display.
    let bell: WakeEvent

    /// Takes a line that was read in the frame at `time`, in pixels of the searched part.
    @Sendable func see(_ line: TextLine, at time: FrameTime) {
        let (matcher, revision) = words.versioned
        // If all patterns must be there together, one line is not enough.
        guard !matcher.manner.requiresAll else { return }
        // The meaning of a line is judged together with its neighbors, when all are read.
        let matches = matcher.matches(in: line).filter { $0.score >= minimumScore }
        guard !matches.isEmpty else { return }
        DebugLog.debug("glimpses \(matches.count) matches in a line of frame \(time.index)")
        latestBoxes.partialResult(matches, at: time, revision: revision)
        bell.ring()
    }
}

/// The current patterns, which the user may change while the job runs. Thread-safe.
final class SearchedWords: Sendable {
    private let current: Mutex<(matcher: Matcher, revision: Int)>

    /// The changes of the patterns, for one listener. Buffering: changes that were not taken yet are merged.
    let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    init(_ matcher: Matcher) {
        current = Mutex((matcher, 0))
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var matcher: Matcher { current.withLock { $0.matcher } }
    var texts: [String] { matcher.patterns.map(\.text) }

    var versioned: (matcher: Matcher, revision: Int) { current.withLock { $0 } }

    func replace(with matcher: Matcher) {
        current.withLock { $0 = (matcher, $0.revision + 1) }
        changed.yield()
    }

    /// Adds a text to the current search, even if that changes meanwhile.
    ///
    /// - Throws: `FramegrepError` for a text that cannot be searched for.
    func add(_ text: String) throws {
        while true {
            let (matcher, revision) = versioned
            let texts = matcher.patterns.map(\.text)
            guard !texts.contains(text) else { return }
            let wider = try matcher.manner.matcher(for: texts + [text])
            let isDone = current.withLock { current -> Bool in
                guard current.revision == revision else { return false }
                current = (wider, revision + 1)
                return true
            }
            guard isDone else { continue }
            changed.yield()
            return
        }
    }
}

/// All text of the latest reading: written by the reader, used by the display. Thread-safe.
final class LatestText: Sendable {
    struct Reading: Sendable {
        /// The lines, in pixels of the frame as stored.
        let lines: [TextLine]
        /// The frame that was read.
        let time: FrameTime
    }

    private let latest = Mutex<Reading?>(nil)

    /// The latest reading; nil before the first.
    var reading: Reading? { latest.withLock { $0 } }

    /// Stores the reading of a frame; `lines` are in pixels of the frame as stored.
    func put(_ lines: [TextLine], at time: FrameTime) {
        latest.withLock { $0 = Reading(lines: lines, time: time) }
    }
}
