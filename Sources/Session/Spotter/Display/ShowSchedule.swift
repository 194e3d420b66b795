import Errors
import TextSpotting

/// Determines when each frame of a running picture is shown, and what is shown while none arrives: a state machine
/// without clocks, threads or pipelines.
///
/// Its owner reports events to it, asks ``next(at:_:)`` for the next action, carries it out, and asks again. `Frame` is
/// any representation of a frame.
///
/// Buffering: as many frames as fit into the delay plus a quarter of a second, at most ``limit``. When the buffer is
/// full, a file is not asked for more; an additional frame of a camera makes the oldest due.
struct ShowSchedule<Frame> {
    typealias Instant = ContinuousClock.Instant

    /// Settings that do not change while a job runs.
    struct Settings: Sendable, Hashable {
        /// The time by which a frame is shown later than it arrived.
        var delay = StreamTime.zero
        /// Whether frames are displayed; if not, they are only taken.
        var isShown = true
        /// Whether they are displayed in a window, which discards late frames.
        var hasWindow = false
        /// Whether the source stays open at its end, and may go to another time.
        var staysOpen = false
    }

    /// The current state of other parts.
    struct Situation: Sendable, Hashable {
        /// Whether frames arrive on their own; if not, they wait to be taken.
        var isLive = true
        /// Whether the source sends frames, as far as is known.
        var isRunning = true
        /// Whether the user has stopped the picture.
        var isFrozen = false
        /// Whether the job must end.
        var isStopping = false
        /// Whether a frame has been read.
        var hasRead = false
        /// Whether the window has shown or discarded a frame.
        var hasWindowShown = false
        /// The number of the connection that the next frames come from. A jump within a recording starts a new one.
        var connection = 0
        /// Whether the source has sent everything and can go to another time.
        var isAtEnd = false
    }

    enum Action {
        /// Show a frame whose time has come.
        case show(Frame)
        /// Show the last frame again, this much later than before, with the current boxes and words.
        case showAgain(Frame, after: Duration, isFrozen: Bool)
        /// Delay everything that follows by this time.
        case postpone(Duration)
        /// Take the next frame, waiting up to this time for it, or until something happens if none is given.
        case takeFrame(within: Duration?)
        /// Discard the available frames, so that none of them is old later, and wait for this time or until something
        /// happens.
        case discardFrames(waiting: Duration)
        /// Wait for this time or until something happens, without touching frames.
        case wait(Duration)
        /// Notify the reader that no more frames follow.
        case endReading
        /// End the job, because the source has ended.
        case end(FramegrepError?)
        /// Nothing is left to do.
        case finish
    }

    private struct Held {
        let frame: Frame
        let start: StreamTime
        let end: StreamTime
        let arrival: Instant
    }

    private enum Phase {
        case going
        /// The source has ended; held frames are still shown at their times.
        case ending(FramegrepError?)
        case ended
    }

    /// The limit on held frames, which bounds memory at high rates.
    static var limit: Int { OverlayTiming.mostHeld }
    /// The buffered time beyond the delay. Without it every hesitation would slow the stream down.
    static var spare: StreamTime { StreamTime(seconds: 0.25) }
    /// The interval at which a frozen picture is redrawn, for typed text and new words.
    static var frozenInterval: Duration { .milliseconds(66) }
    /// The interval at which the last picture of a silent source is redrawn, with its state.
    static var idleInterval: Duration { .milliseconds(250) }
    /// The longest wait for a window, which may take a second to open.
    static var windowPatience: Duration { .seconds(2) }
    /// The longest wait for the first reading, which loads the networks of the engine.
    static var readerPatience: Duration { .seconds(3) }

    private let settings: Settings
    private let delay: Duration
    private let begun: Instant
    private var phase = Phase.going
    private var held: [Held] = []
    private var shown: (frame: Frame, at: Instant)?
    private var hasEndedReading = false
    /// The time until which the next frame of a file waits for the window to open; nil before the first frame and after
    /// that.
    private var windowDeadline: Instant?
    private var hasAwaitedWindow = false
    /// The time at which the picture was frozen or last redrawn.
    private var frozenAt: Instant?
    /// The connection whose frames are taken, and the index of its first frame.
    private var connection: (number: Int, firstFrame: Int)?
    /// Whether nothing of the connection has been shown yet.
    private var isFresh = false

    init(_ settings: Settings, begun: Instant) {
        self.settings = settings
        self.begun = begun
        delay = .nanoseconds(settings.delay.nanoseconds)
    }

    /// The number of frames waiting to be shown.
    var heldCount: Int { held.count }

    /// The frame being shown; nil before the first.
    var shownFrame: Frame? { shown?.frame }

    // MARK: What happens

    /// Records that a frame of this connection arrived; returns true if it is the first after another connection, so
    /// that everything held or followed must be discarded.
    ///
    /// - Parameter index: the index of the frame.
    mutating func connects(_ number: Int, at index: Int) -> Bool {
        guard connection?.number != number else { return false }
        defer { connection = (number, index) }
        guard connection != nil else { return false }
        held = []
        isFresh = true
        return true
    }

    /// Adds a frame to be shown.
    mutating func hold(_ frame: Frame, from start: StreamTime, to end: StreamTime, arrivedAt arrival: Instant) {
        held.append(Held(frame: frame, start: start, end: end, arrival: arrival))
    }

    /// Records that the source was lost. The last frame stays, without its findings.
    ///
    /// - Parameter isStopping: whether it was closed because the job must end; held frames are then still shown.
    mutating func lose(isStopping: Bool = false) {
        guard !isStopping else { return }
        held = []
        connection?.firstFrame = .max
    }

    /// Records that the source has ended and no more frames arrive.
    mutating func end(_ failure: FramegrepError?) {
        if case .going = phase { phase = .ending(failure) }
    }

    /// Returns whether a reading of the frame with this index applies to current frames; false if it came before the
    /// source was lost.
    func believes(readingOf index: Int) -> Bool { index >= connection?.firstFrame ?? 0 }

    /// The number of the connection whose frames are taken; 0 before the first.
    var connectionNumber: Int { connection?.number ?? 0 }

    // MARK: What to do

    mutating func next(at now: Instant, _ situation: Situation) -> Action {
        if situation.isStopping { return nextAtTheEnd(now) }
        switch phase {
        case .ended: return .finish
        case .ending(let failure): return nextWhileEnding(failure, at: now, situation)
        case .going: break
        }
        if isAwaitingJump(situation) { return nextAfterJump(at: now, situation) }
        if let action = nextWhileFrozen(at: now, situation) { return action }
        if let rest = restOfOpening(at: now, situation) { return .wait(rest) }
        if let frame = takeDue(at: now, situation) { return .show(frame) }
        if !situation.isLive, isFull { return .wait(restOfHolding(at: now, situation) ?? .zero) }
        if settings.staysOpen, situation.isAtEnd, held.isEmpty, shown != nil {
            return showStanding(at: now, every: Self.frozenInterval, isFrozen: false)
        }
        guard settings.isShown, held.isEmpty, !situation.isRunning, let shown else {
            return .takeFrame(within: restOfHolding(at: now, situation))
        }
        let passed = now - shown.at
        guard passed >= Self.idleInterval else { return .takeFrame(within: Self.idleInterval - passed) }
        self.shown?.at = now
        return .showAgain(shown.frame, after: passed, isFrozen: false)
    }

    /// Returns whether a recording was told to go to another time: its frame is shown even while the picture is frozen.
    private func isAwaitingJump(_ situation: Situation) -> Bool {
        guard settings.isShown, settings.staysOpen, shown != nil, let connection else { return false }
        return situation.connection != connection.number || isFresh
    }

    private mutating func nextAfterJump(at now: Instant, _ situation: Situation) -> Action {
        if situation.connection == connection?.number, let first = held.first {
            held.removeFirst()
            isFresh = false
            frozenAt = situation.isFrozen ? now : nil
            return .show(show(first.frame, at: now))
        }
        held = []
        guard let shown else { return .takeFrame(within: Self.frozenInterval) }
        let passed = now - shown.at
        guard passed >= Self.idleInterval else { return .takeFrame(within: Self.idleInterval - passed) }
        self.shown?.at = now
        return .showAgain(shown.frame, after: passed, isFrozen: false)
    }

    /// Shows the last picture again, so that typed text appears over it.
    private mutating func showStanding(at now: Instant, every interval: Duration, isFrozen: Bool) -> Action {
        guard let shown else { return .wait(interval) }
        let passed = now - shown.at
        guard passed >= interval else { return .wait(interval - passed) }
        self.shown?.at = now
        return .showAgain(shown.frame, after: passed, isFrozen: isFrozen)
    }

    /// After the job was stopped, shows all held frames at once.
    private mutating func nextAtTheEnd(_ now: Instant) -> Action {
        if let action = endReading() { return action }
        guard settings.isShown, !held.isEmpty else { return .finish }
        return .show(show(held.removeFirst().frame, at: now))
    }

    private mutating func nextWhileEnding(
        _ failure: FramegrepError?, at now: Instant, _ situation: Situation
    ) -> Action {
        if let action = endReading() { return action }
        guard settings.isShown, !held.isEmpty else {
            phase = .ended
            return .end(failure)
        }
        if let rest = restOfOpening(at: now, situation) { return .wait(rest) }
        if let frame = takeDue(at: now, situation) { return .show(frame) }
        return .wait(restOfHolding(at: now, situation) ?? .zero)
    }

    private mutating func endReading() -> Action? {
        guard !hasEndedReading else { return nil }
        hasEndedReading = true
        return .endReading
    }

    /// While frozen, discards the frames of a camera; a file waits, and continues later.
    private mutating func nextWhileFrozen(at now: Instant, _ situation: Situation) -> Action? {
        guard settings.isShown, situation.isFrozen, let shown else {
            guard let since = frozenAt else { return nil }
            frozenAt = nil
            self.shown?.at = now
            return situation.isLive || now <= since ? nil : .postpone(now - since)
        }
        let since = frozenAt ?? now
        frozenAt = since
        if situation.isLive { held = [] }
        let passed = now - since
        guard passed >= Self.frozenInterval else {
            let rest = Self.frozenInterval - passed
            return situation.isLive ? .discardFrames(waiting: rest) : .wait(rest)
        }
        frozenAt = now
        // Another redrawing, like that during a jump, counts from this one.
        self.shown?.at = now
        return .showAgain(shown.frame, after: passed, isFrozen: true)
    }

    /// Returns the longest remaining wait for the window: opening it may take a second, in which the next frames would
    /// become late and be discarded. A file can wait.
    private mutating func restOfOpening(at now: Instant, _ situation: Situation) -> Duration? {
        guard let deadline = windowDeadline else { return nil }
        guard !situation.hasWindowShown, now < deadline else {
            windowDeadline = nil
            return nil
        }
        return deadline - now
    }

    /// Removes and returns the oldest frame if its time has come.
    private mutating func takeDue(at now: Instant, _ situation: Situation) -> Frame? {
        guard settings.isShown, let first = held.first, restOfReader(at: now, situation) == nil,
            delay <= now - first.arrival || held.count > Self.limit
        else { return nil }
        if !situation.isLive, !hasAwaitedWindow {
            hasAwaitedWindow = true
            if settings.hasWindow { windowDeadline = now + Self.windowPatience }
        }
        return show(held.removeFirst().frame, at: now)
    }

    private mutating func show(_ frame: Frame, at now: Instant) -> Frame {
        shown = (frame, now)
        return frame
    }

    /// Returns the time until the oldest frame is due; nil if none is held.
    private func restOfHolding(at now: Instant, _ situation: Situation) -> Duration? {
        guard let first = held.first else { return nil }
        return max(.zero, restOfReader(at: now, situation) ?? delay - (now - first.arrival))
    }

    /// Returns the longest remaining wait of the first frame for the reader; nil if it does not wait. If boxes should
    /// be exact rather than early, a file begins after the first reading.
    private func restOfReader(at now: Instant, _ situation: Situation) -> Duration? {
        guard shown == nil, !situation.isLive, delay > .zero, !situation.hasRead, let first = held.first,
            delay <= now - first.arrival, now < begun + Self.readerPatience
        else { return nil }
        return begun + Self.readerPatience - now
    }

    private var isFull: Bool {
        guard let first = held.first, let last = held.last else { return false }
        return held.count >= Self.limit || last.end - first.start > settings.delay + Self.spare
    }
}

extension ShowSchedule.Action: Sendable where Frame: Sendable {}
extension ShowSchedule.Action: Equatable where Frame: Equatable {}
