import Synchronization
import TextSpotting

/// The sentences that stand over the picture. Thread-safe: any part says one, the painter asks for those of now.
final class PictureNotices: Sendable {
    private struct State {
        var messages: [(notice: OverlayNotice, until: ContinuousClock.Instant)] = []
        var advice: OverlayNotice?
        var activity: String?
    }

    /// More sentences than this are not shown at once.
    private static let messageLimit = 3

    private let state = Mutex(State())

    /// Shows a sentence for a few seconds.
    func say(_ text: String, kind: OverlayNotice.Kind = .done, for duration: Duration = .seconds(4)) {
        state.withLock { state in
            state.messages.removeAll { $0.notice.text == text }
            state.messages.append((OverlayNotice(text, kind: kind), .now + duration))
            if state.messages.count > Self.messageLimit { state.messages.removeFirst() }
        }
    }

    /// Shows a sentence until it is replaced; nil takes it away.
    func advise(_ text: String?) {
        state.withLock { $0.advice = text.map { OverlayNotice($0, kind: .advice) } }
    }

    /// Says in the status line what is being done; nil takes it away.
    func begin(_ activity: String?) { state.withLock { $0.activity = activity } }

    /// The current activity; nil for none worth showing.
    var activity: String? { state.withLock { $0.activity } }

    /// The notices to show now.
    var current: [OverlayNotice] {
        state.withLock { state in
            let now = ContinuousClock.now
            state.messages.removeAll { $0.until < now }
            return (state.advice.map { [$0] } ?? []) + state.messages.map(\.notice)
        }
    }
}
