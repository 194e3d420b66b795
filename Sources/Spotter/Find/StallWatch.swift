import Errors

/// Tells a source that brings nothing any more from one that is only slow: a state machine.
///
/// While it is slow, the program works, or waits for a processor: a large picture is decoded, the machine is busy. A source
/// that has stalled leaves nothing to do. Where there is work without end and never a picture, that is a stall too, after
/// ``endlessWork`` times as long.
struct StallWatch: Sendable {
    /// A program that works, or wants to, for less than this share of the time does nothing.
    static let idleShare = 0.01
    static let endlessWork = 10
    /// Of the time between two looks no more counts: the program may have been stopped, or the machine asleep.
    private static let longestLook = Duration.seconds(2)

    private let patience: Duration
    private var last: (time: ContinuousClock.Instant, work: Duration)?
    private var idle = Duration.zero
    private var silent = Duration.zero

    /// - Parameter patience: how long a source may bring nothing while there is nothing to do.
    init(patience: Duration) {
        self.patience = patience
    }

    /// The error of a source that has stalled.
    var stall: FramegrepError {
        FramegrepError(
            .sourceUnavailable,
            "It brought no picture for \(patience.components.seconds) seconds. Check that it is complete or reachable; "
                + "--patience TIME waits longer.")
    }

    /// A picture came.
    mutating func reset() {
        last = nil
        (idle, silent) = (.zero, .zero)
    }

    /// Whether the next look is due; they are no free thing.
    func isDue(at time: ContinuousClock.Instant) -> Bool { last.map { time - $0.time >= .seconds(1) } ?? true }

    /// Looks at the program while no picture comes, where it is time to; what is to be said when the source has stalled.
    ///
    /// - Parameter work: see ``look(at:work:)``; asked for only when it is looked at.
    mutating func stall(at time: ContinuousClock.Instant, work: @autoclosure () -> Duration) -> FramegrepError? {
        isDue(at: time) && look(at: time, work: work()) ? stall : nil
    }

    /// Looks at the program while no picture comes; true when the source has stalled.
    ///
    /// - Parameter work: how long its threads have worked or waited for a processor, since any moment.
    mutating func look(at time: ContinuousClock.Instant, work: Duration) -> Bool {
        defer { last = (time, work) }
        guard let last else { return false }
        let passed = min(time - last.time, Self.longestLook)
        silent += passed
        // Less than before: a thread has ended, with what it had worked.
        let worked = work - last.work
        if worked >= .zero, worked < passed * Self.idleShare { idle += passed }
        return idle >= patience || silent >= patience * Self.endlessWork
    }
}
