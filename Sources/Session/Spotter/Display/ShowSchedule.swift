import Errors
import TextSpotting

/// When each frame of a running picture is shown, and what is shown while none comes: a state machine without clocks, threads
/// or pipelines.
///
/// Its owner reports events to it, asks ``next(at:_:)`` for the next action, carries it out, and asks again. `Frame` is whatever stands for
/// a frame.
///
/// Buffering: as many frames as fit into the delay and a quarter of a second more, at most ``limit``. When it is full, a file is
/// not asked for more; a camera's frame that comes all the same makes the oldest due.
struct ShowSchedule<Frame> {
    typealias Instant = ContinuousClock.Instant

    /// Settings that never change while a job runs.
    struct Settings: Sendable, Hashable {
        /// So much later than it came a frame is shown.
        var delay = StreamTime.zero
        /// Somebody sees the frames; else they are only taken.
        var isShown = true
        /// They are seen in a window, which throws away what comes late.
        var hasWindow = false
        /// At its end the source stays where it is, and may go somewhere else.
        var staysOpen = false
    }

    /// The current state of other parts.
    struct Situation: Sendable, Hashable {
        /// Frames come when they come; else they wait until they are taken.
        var isLive = true
        /// The source sends frames, as far as is known.
        var isRunning = true
        /// The person has stopped the picture.
        var isFrozen = false
        /// The job is to end.
        var isStopping = false
        /// A frame was read.
        var hasRead = false
        /// The window has shown a frame, or thrown one away.
        var hasWindowShown = false
        /// The number of the connection whose frames come next. Where a recording goes to another time, a new one begins.
        var connection = 0
        /// The source has sent all it has, and waits to go somewhere else.
        var isAtEnd = false
    }

    /// Returns the next action.
    enum Action {
        /// Shows a frame whose time has come.
        case show(Frame)
        /// Shows the last frame once more, so much later than it was shown before, with boxes and words of now.
        case showAgain(Frame, after: Duration, isFrozen: Bool)
        /// Lets everything that follows be shown so much later.
        case postpone(Duration)
        /// Takes the next frame, or waits for it: for this time, or until something happens if none is given.
        case takeFrame(within: Duration?)
        /// Throws away the frames that are there, so that none of them is old later, and waits for this time or until something
        /// happens.
        case discardFrames(waiting: Duration)
        /// Waits for this time or until something happens. Frames stay where they are.
        case wait(Duration)
        /// Says to the reader that no frames follow.
        case endReading
        /// Ends the job, because the source has.
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
        /// The source has ended: what is held is still shown when its time comes.
        case ending(FramegrepError?)
        case ended
    }

    /// Bounds memory at high rates.
    static var limit: Int { OverlayTiming.mostHeld }
    /// More of the stream than the delay asks for. With no frame to spare, every hesitation would slow it down.
    static var spare: StreamTime { StreamTime(seconds: 0.25) }
    /// How often a frozen picture is shown again, for what is typed and for new words.
    static var frozenInterval: Duration { .milliseconds(66) }
    /// How often the last picture of a silent source is shown again, with its state.
    static var idleInterval: Duration { .milliseconds(250) }
    /// So long a window is waited for, which may take a second to open.
    static var windowPatience: Duration { .seconds(2) }
    /// So long the first reading is waited for, which loads the engine's networks.
    static var readerPatience: Duration { .seconds(3) }

    private let settings: Settings
    private let delay: Duration
    private let begun: Instant
    private var phase = Phase.going
    private var held: [Held] = []
    private var shown: (frame: Frame, at: Instant)?
    private var hasEndedReading = false
    /// Until when the next frame of a file waits for the window to open; nil before the first frame and after that.
    private var windowDeadline: Instant?
    private var hasAwaitedWindow = false
    /// When the picture was frozen, or was shown again since.
    private var frozenAt: Instant?
    /// The connection whose frames are taken, and the number of its first frame.
    private var connection: (number: Int, firstFrame: Int)?
    /// Nothing of the connection was shown yet.
    private var isFresh = false

    init(_ settings: Settings, begun: Instant) {
        self.settings = settings
        self.begun = begun
        delay = .nanoseconds(settings.delay.nanoseconds)
    }

    /// How many frames wait to be shown.
    var heldCount: Int { held.count }

    /// The frame that is shown; nil before the first.
    var shownFrame: Frame? { shown?.frame }

    // MARK: What happens

    /// A frame of this connection has come; true where it is the first after another connection, of which nothing holds any
    /// more: whatever was held or followed is to be forgotten.
    ///
    /// - Parameter index: the number of the frame.
    mutating func connects(_ number: Int, at index: Int) -> Bool {
        guard connection?.number != number else { return false }
        defer { connection = (number, index) }
        guard connection != nil else { return false }
        held = []
        isFresh = true
        return true
    }

    /// A frame came that is to be shown.
    mutating func hold(_ frame: Frame, from start: StreamTime, to end: StreamTime, arrivedAt arrival: Instant) {
        held.append(Held(frame: frame, start: start, end: end, arrival: arrival))
    }

    /// The source was lost. The last frame stays, without what was found in it.
    ///
    /// - Parameter isStopping: it was closed because the job is to end, so that what is held is still shown.
    mutating func lose(isStopping: Bool = false) {
        guard !isStopping else { return }
        held = []
        connection?.firstFrame = .max
    }

    /// The source has ended: nothing comes any more.
    mutating func end(_ failure: FramegrepError?) {
        if case .going = phase { phase = .ending(failure) }
    }

    /// Whether what was read in the frame of this number says anything about the frames of now: not where it came before the
    /// source was lost.
    func believes(readingOf index: Int) -> Bool { index >= connection?.firstFrame ?? 0 }

    /// The connection whose frames are taken; 0 before the first.
    var connectionNumber: Int { connection?.number ?? 0 }

    // MARK: What to do

    /// Returns the next action.
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

    /// A recording was told to go to another time: its frame is shown even where the picture stands still.
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

    /// The last picture once more, so that what is typed over it is seen.
    private mutating func showStanding(at now: Instant, every interval: Duration, isFrozen: Bool) -> Action {
        guard let shown else { return .wait(interval) }
        let passed = now - shown.at
        guard passed >= interval else { return .wait(interval - passed) }
        self.shown?.at = now
        return .showAgain(shown.frame, after: passed, isFrozen: isFrozen)
    }

    /// The job was stopped: all that is held is shown at once.
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

    /// A camera's frames are taken and thrown away meanwhile; a file waits, and goes on so much later.
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
        return .showAgain(shown.frame, after: passed, isFrozen: true)
    }

    /// How long to wait for the window at most: opening it may take a second, in which the next frames, already on their way,
    /// would get too late and be thrown away. A file has the time.
    private mutating func restOfOpening(at now: Instant, _ situation: Situation) -> Duration? {
        guard let deadline = windowDeadline else { return nil }
        guard !situation.hasWindowShown, now < deadline else {
            windowDeadline = nil
            return nil
        }
        return deadline - now
    }

    /// The oldest frame, if its time has come.
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

    /// How long until the oldest frame is due; nil where none is held.
    private func restOfHolding(at now: Instant, _ situation: Situation) -> Duration? {
        guard let first = held.first else { return nil }
        return max(.zero, restOfReader(at: now, situation) ?? delay - (now - first.arrival))
    }

    /// How long the first frame waits for the reader at most; nil where it does not. Where boxes are to be right rather than
    /// soon, a file begins after the first reading.
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
