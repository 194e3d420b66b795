import Foundation
import Synchronization

/// The terminal's bell, rung on standard error where that is a terminal. Thread-safe.
final class Bell: Sendable {
    /// Words that appear together ring once.
    private static let rest = Duration.milliseconds(500)

    private let last = Mutex<ContinuousClock.Instant?>(nil)

    func ring() {
        guard StandardError.isTerminal else { return }
        let isDue = last.withLock { last in
            let now = ContinuousClock.now
            if let last, now - last < Self.rest { return false }
            last = now
            return true
        }
        if isDue { StandardError.write("\u{7}") }
    }
}
