import Synchronization
import TextSpotting

/// The wishes of the user at the window, and the frame that is shown there. Thread-safe.
///
/// The keys write it (``WindowControl``), the display reads it for every frame (``WindowPainter``).
final class WindowState: Sendable {
    private struct State {
        var typed: LineEditor?
        var offered: String?
        var showsAllText = false
        var showsHelp = false
        var help = OverlayHelp(rows: [])
        var wantsSnapshot = false
        var shown: StreamTime?
    }

    private let state = Mutex(State())

    // MARK: What the keys do

    /// The word being typed, and an earlier one that is offered; nil, nil when the line was left.
    func edit(_ typed: LineEditor?, offering offered: String?) {
        state.withLock { ($0.typed, $0.offered) = (typed, offered) }
    }

    /// Outlines all text, or no longer; returns whether it is outlined now.
    func toggleAllText() -> Bool {
        state.withLock { state in
            state.showsAllText.toggle()
            return state.showsAllText
        }
    }

    func toggleHelp(_ help: OverlayHelp) {
        state.withLock { state in
            state.help = help
            state.showsHelp.toggle()
        }
    }

    var showsHelp: Bool { state.withLock { $0.showsHelp } }

    /// The next frame that is shown is to be kept.
    func requestSnapshot() { state.withLock { $0.wantsSnapshot = true } }

    /// Whether the frame being shown is to be kept; true once for each request.
    func takeSnapshotRequest() -> Bool {
        state.withLock { state in
            defer { state.wantsSnapshot = false }
            return state.wantsSnapshot
        }
    }

    // MARK: What is shown

    /// All text is outlined.
    var showsAllText: Bool { state.withLock { $0.showsAllText } }

    /// The frame that is shown.
    var shown: StreamTime? { state.withLock { $0.shown } }

    /// The drawing that the user asked for over the frame of `time`; that frame is the shown one from now on.
    ///
    /// - Parameter status: of the source and the reader; the user's wishes are added to it.
    func content(over time: StreamTime, _ status: OverlayStatus) -> OverlayContent {
        state.withLock { state in
            state.shown = time
            var status = status
            status.typed = state.typed?.text
            status.cursor = state.typed?.cursor
            status.isAllChosen = state.typed?.isAllChosen ?? false
            status.offered = state.offered
            var content = OverlayContent(status: status)
            content.help = state.showsHelp ? state.help : nil
            return content
        }
    }
}
