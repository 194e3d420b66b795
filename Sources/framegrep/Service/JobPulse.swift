import Spotter
import TextSpotting

/// Decides whether a job makes progress: a state machine that gets events with their times.
///
/// A source that is not there is no standstill: it is waited for. One whose frames come must have them read, and every job reports once a
/// second what it measures; where that stays away, what runs it stands still.
struct JobPulse: Sendable, Hashable {
    private enum Phase: Sendable, Hashable {
        /// It is loading.
        case starting
        case running
        /// Failed, and waits for its next try.
        case resting
        /// Completes its files.
        case ending
    }

    /// Loading networks takes so long at most, on a slow machine that has not done it before.
    static let longestStart = Duration.seconds(300)

    private var phase = Phase.starting
    private var state = OverlayStatus.State.opening
    private var unchanged = 0
    private var progress: ContinuousClock.Instant

    /// It begins, or begins again.
    init(at now: ContinuousClock.Instant) { progress = now }

    mutating func rest() { phase = .resting }

    mutating func end() { phase = .ending }

    mutating func hear(_ event: LiveEvent, at now: ContinuousClock.Instant) {
        if phase == .starting {
            phase = .running
            progress = now
        }
        switch event {
        case .state(let next, _):
            state = next
            progress = now
        case .statistics(let figures, _):
            let isRead = figures.framesRead > 0 || figures.unchanged != unchanged
            unchanged = figures.unchanged
            // Frames that come are to be read.
            let isOwed = state == .running && figures.framesIn > 0
            if isRead || !isOwed { progress = now }
        case .end: phase = .ending
        default: break
        }
    }

    /// - Parameter patience: a job that runs may go without progress for this long.
    func isAlive(at now: ContinuousClock.Instant, patience: Duration) -> Bool {
        switch phase {
        case .starting: now - progress < Self.longestStart
        case .running: now - progress < patience
        case .resting, .ending: true
        }
    }
}
