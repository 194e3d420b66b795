internal import Synchronization

/// Keeps something running that may end before its time: begins it again, after growing pauses where it failed. Thread-safe; for one run.
///
/// Jobs of the service run in this process and those of the page in processes of their own; both are begun again here.
public final class Supervisor: Sendable {
    private let pauses: Backoff
    private let steadyTime: Duration
    private let isOver = Atomic<Bool>(false)
    private let bell = TaskWakeEvent()

    /// - Parameters:
    ///   - pauses: how long it rests after failures.
    ///   - steadyTime: what ran for so long begins the pauses anew.
    public init(pauses: Backoff, steadyTime: Duration = .seconds(60)) {
        (self.pauses, self.steadyTime) = (pauses, steadyTime)
    }

    /// It is to end, and not to begin again.
    public var isEnding: Bool { isOver.load(ordering: .acquiring) }

    /// Has it not begin again, and wakes it where it rests. What runs is ended by its owner.
    public func end() {
        isOver.store(true, ordering: .releasing)
        bell.ring()
    }

    /// Runs a job until it is over, or until ``end()``.
    ///
    /// - Parameters:
    ///   - job: runs once; false when it is over, true when it is to begin again at once, though never more often than the shortest pause
    ///     says. Failures make it rest.
    ///   - failed: called with each failure, and how long it rests after it; nil where it does not begin again.
    public func run(
        _ job: () async throws -> Bool, failed: (_ error: any Error, _ pause: Duration?) -> Void
    ) async {
        var pauses = pauses
        while !isEnding {
            let begun = ContinuousClock.now
            do {
                guard try await job(), !isEnding else { return }
                // What ends at once would begin a thousand times a second.
                if .now - begun < pauses.first { await rest(for: pauses.first) }
            } catch {
                guard !isEnding else { return failed(error, nil) }
                if .now - begun >= steadyTime { pauses.reset() }
                let pause = pauses.next()
                failed(error, pause)
                await rest(for: pause)
            }
        }
    }

    private func rest(for time: Duration) async {
        let end = ContinuousClock.now + time
        while !isEnding, .now < end { await bell.wait(atMost: end - .now) }
    }
}
