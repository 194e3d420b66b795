import Synchronization
import TextMatching
import TextSpotting

/// The current patterns, which the user may change while the job runs. Thread-safe.
final class SearchedWords: Sendable {
    private let current: Mutex<(matcher: Matcher, revision: Int)>

    /// Each change of the patterns; for one listener. Buffering: changes that were not taken yet are one.
    let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    init(_ matcher: Matcher) {
        current = Mutex((matcher, 0))
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var matcher: Matcher { current.withLock { $0.matcher } }
    var texts: [String] { matcher.patterns.map(\.text) }

    /// The matcher, and a number that changes with it.
    var versioned: (matcher: Matcher, revision: Int) { current.withLock { $0 } }

    func replace(with matcher: Matcher) {
        current.withLock { $0 = (matcher, $0.revision + 1) }
        changed.yield()
    }
}
