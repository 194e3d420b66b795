import Foundation
import Synchronization
import TextSpotting

/// One line on standard error that shows how far a search is; only on a terminal. Thread-safe.
final class ProgressLine: Sendable {
    private struct State {
        var isShown = false
        var lastDrawn: ContinuousClock.Instant?
    }

    private let place: String
    private let name: String
    private let begun = ContinuousClock.now
    private let isEnabled: Bool
    private let state = Mutex(State())

    /// - Parameter place: what stands before the name.
    init(place: String = "", name: String, isEnabled: Bool) {
        self.place = place
        self.name = Visible.text(name)
        self.isEnabled = isEnabled && StandardError.isScreen
    }

    /// Draws the line anew, at most ten times a second.
    func update(_ position: StreamTime, of total: StreamTime?) {
        guard isEnabled else { return }
        state.withLock { state in
            let now = ContinuousClock.now
            if let last = state.lastDrawn, now - last < .milliseconds(100) { return }
            state.lastDrawn = now
            state.isShown = true
            let text = ProgressText(
                place: place, name: name, position: position, total: total, elapsed: (now - begun).inSeconds)
            StandardError.write(
                Self.start + Self.still + text.line(columns: StandardError.columns) + Self.wrapping)
        }
    }

    /// Takes the line away, so that something else can be written.
    func clear() {
        guard isEnabled else { return }
        state.withLock { state in
            guard state.isShown else { return }
            state.isShown = false
            state.lastDrawn = nil
            StandardError.write(Self.start)
        }
    }

    /// Takes away whatever line is shown.
    static func wipe() { if StandardError.isScreen { StandardError.write(start) } }

    /// To the line's beginning, and nothing in it.
    private static let start = "\r\u{1B}[K"
    /// While it is written the terminal is told not to go on in the next line (DECAWM), in case it takes more columns for
    /// a letter than are known of.
    private static let (still, wrapping) = ("\u{1B}[?7l", "\u{1B}[?7h")
}

/// Times as a person reads them.
enum ClockTime {
    /// `00:00:12.367`.
    static func text(_ time: StreamTime) -> String {
        let milliseconds = max(0, (time.nanoseconds + 500_000) / 1_000_000)
        let (h, m) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
        let (s, ms) = (milliseconds / 1000 % 60, milliseconds % 1000)
        return "\(padded(h, 2)):\(padded(m, 2)):\(padded(s, 2)).\(padded(ms, 3))"
    }

    /// `1:02:03`, `2:03` or `0:03`.
    static func short(_ time: StreamTime) -> String {
        let seconds = max(0, time.nanoseconds / 1_000_000_000)
        let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
        return h > 0 ? "\(h):\(padded(m, 2)):\(padded(s, 2))" : "\(m):\(padded(s, 2))"
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Duration {
    /// As a number of seconds.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
