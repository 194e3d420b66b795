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
    private let whole: WholeProgress.Part?
    private let name: String
    private let begun = ContinuousClock.now
    private let isEnabled: Bool
    /// For the program that started this one; nil where that has not asked.
    private let lines: ProgressLines?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - place: the text before the name.
    ///   - whole: the input as one of several.
    init(place: String = "", name: String, of whole: WholeProgress.Part? = nil, isEnabled: Bool) {
        self.place = place
        self.whole = whole
        self.name = Visible.text(name)
        self.isEnabled = isEnabled && StandardError.isScreen
        lines = isEnabled ? ProgressLines(name: name) : nil
    }

    /// Draws the line anew, at most ten times a second.
    func update(_ position: StreamTime, of total: StreamTime?) {
        lines?.update(position, of: total)
        guard isEnabled else { return }
        if let total, total > .zero { whole?.update(position.seconds / total.seconds) }
        state.withLock { state in
            let now = ContinuousClock.now
            if let last = state.lastDrawn, now - last < .milliseconds(100) { return }
            state.lastDrawn = now
            state.isShown = true
            let text = ProgressText(
                place: place, name: name, position: position, total: total, elapsed: (now - begun).inSeconds,
                wholeRemaining: whole?.remaining)
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
    /// Turns the terminal's line wrapping off while the line is written (DECAWM), in case it takes more columns for a letter than are known
    /// of.
    private static let (still, wrapping) = ("\u{1B}[?7l", "\u{1B}[?7h")
}

extension Duration {
    /// As a number of seconds.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
