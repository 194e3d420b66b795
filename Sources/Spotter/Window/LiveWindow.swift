import Synchronization
import TextSpotting

/// What the person at the window has asked for, and what is to be told there. Thread-safe.
///
/// The keys write it (``WindowControl``), the display reads it for every frame (``WindowPainter``).
final class LiveWindow: Sendable {
    /// All text of one reading.
    struct Reading: Sendable {
        /// In pixels of the frame as stored.
        let lines: [TextLine]
        /// The frame that was read.
        let time: FrameTime
    }

    private struct State {
        var typed: String?
        var offered: String?
        var showsAllText = false
        var showsHelp = false
        var help = OverlayHelp(rows: [])
        var messages: [(notice: OverlayNotice, until: ContinuousClock.Instant)] = []
        var advice: OverlayNotice?
        var isReadingClosely = false
        var wantsSnapshot = false
        var reading: Reading?
        var shown: StreamTime?
    }

    /// More sentences than this are not shown at once.
    private static let messageLimit = 3

    private let state = Mutex(State())

    // MARK: What the keys do

    /// The word being typed, and an earlier one that is offered; nil, nil when the line was left.
    func edit(_ typed: String?, offering offered: String?) {
        state.withLock { ($0.typed, $0.offered) = (typed, offered) }
    }

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

    // MARK: What is told

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

    func beginReadingClosely() { state.withLock { $0.isReadingClosely = true } }
    func endReadingClosely() { state.withLock { $0.isReadingClosely = false } }

    // MARK: What was read and shown

    /// A frame was read; `lines` are in pixels of the frame as stored.
    func read(_ lines: [TextLine], at time: FrameTime) {
        state.withLock { $0.reading = Reading(lines: lines, time: time) }
    }

    var reading: Reading? { state.withLock { $0.reading } }

    /// The text to be outlined; nil while it is not asked for.
    var outlinedReading: Reading? { state.withLock { $0.showsAllText ? $0.reading : nil } }

    /// The frame that is shown.
    var shown: StreamTime? { state.withLock { $0.shown } }

    /// What is drawn over the frame of `time`, apart from boxes and other text.
    ///
    /// - Parameter status: of the source and the reader; what is known here is added to it.
    func content(over time: StreamTime, _ status: OverlayStatus) -> OverlayContent {
        state.withLock { state in
            let now = ContinuousClock.now
            state.shown = time
            state.messages.removeAll { $0.until < now }
            var status = status
            status.typed = state.typed
            status.offered = state.offered
            status.readingAge = state.reading.map { max(0, (time - $0.time.start).seconds) }
            if state.isReadingClosely { status.activity = "reading closely…" }
            var content = OverlayContent(status: status)
            content.notices = (state.advice.map { [$0] } ?? []) + state.messages.map(\.notice)
            content.help = state.showsHelp ? state.help : nil
            return content
        }
    }
}
