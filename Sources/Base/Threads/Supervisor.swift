internal import Synchronization

/// Keeps a job running that may fail: restarts it, with growing pauses after failures. Thread-safe; good for one run.
///
/// Jobs of the service run in this process, and those of the page in processes of their own; both are restarted here.
public final class Supervisor: Sendable {
    private let pauses: Backoff
    private let steadyTime: Duration
    private let isOver = Atomic<Bool>(false)
    private let bell = TaskWakeEvent()

    /// - Parameters:
    ///   - pauses: how long it rests after failures.
    ///   - steadyTime: after running this long, the pauses start over.
    public init(pauses: Backoff, steadyTime: Duration = .seconds(60)) {
        (self.pauses, self.steadyTime) = (pauses, steadyTime)
    }

    /// Whether it is to end and not to be restarted.
    public var isEnding: Bool { isOver.load(ordering: .acquiring) }

    /// Prevents restarts, and ends a pause. A running job is ended by its owner.
    public func end() {
        isOver.store(true, ordering: .releasing)
        bell.ring()
    }

    /// Runs a job until it is over, until ``end()``, or until the task is cancelled while it rests.
    ///
    /// - Parameters:
    ///   - job: runs once; returns false when it is over, true to start again at once, but never more often than the shortest pause. After a
    ///     failure there is a pause.
    ///   - failed: called with each failure and the pause after it; nil if it is not restarted.
    public func run(
        _ job: () async throws -> Bool, failed: (_ error: any Error, _ pause: Duration?) -> Void
    ) async {
        var pauses = pauses
        while !isEnding, !Task.isCancelled {
            let begun = ContinuousClock.now
            do {
                guard try await job(), !isEnding else { return }
                // Otherwise a job that ends at once would be started a thousand times a second.
                if .now - begun < pauses.first { await rest(for: pauses.first) }
            } catch {
                guard !isEnding, !Task.isCancelled else { return failed(error, nil) }
                if .now - begun >= steadyTime { pauses.reset() }
                let pause = pauses.next()
                failed(error, pause)
                await rest(for: pause)
            }
        }
    }

    private func rest(for time: Duration) async {
        let end = ContinuousClock.now + time
        // A cancelled task's wait is over at once.
        while !isEnding, !Task.isCancelled, .now < end { await bell.wait(atMost: end - .now) }
    }
}

/// The pauses before something that failed is tried again: each is twice the one before, up to a longest one.
///
/// The only place where pauses grow: lost cameras, brokers, webhooks, jobs of a service and of the page all use it. It
/// is a value, which the code that waits keeps.
///
///     var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
///     while !connect() { wait(backoff.next()) }
///     backoff.reset()
public struct Backoff: Sendable, Hashable {
    public let first: Duration
    public let longest: Duration
    private var failures = 0

    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// The pause after one more failure.
    public mutating func next() -> Duration {
        defer { failures += 1 }
        return pause(after: failures)
    }

    /// The pause after this number of earlier failures.
    public func pause(after earlier: Int) -> Duration {
        // More doublings than that are longer than any pause that makes sense, and would overflow at some point.
        min(first * (1 << min(max(0, earlier), 20)), longest)
    }

    /// Resets it after a success: the next pause is the shortest.
    public mutating func reset() { failures = 0 }
}

extension Backoff {
    /// The pauses for network servers that many clients may reconnect to: from half a second to a minute.
    public static let server = Backoff(first: .milliseconds(500), longest: .seconds(60))
    /// The longest pause that a server may request.
    private static let longestAsked = Duration.seconds(600)

    /// The pause after one more failure, varied by up to a quarter at random, so that many clients do not reconnect at
    /// the same instant.
    ///
    /// - Parameters:
    ///   - asked: the pause that the server requests (`Retry-After`).
    ///   - chance: 0 to 1.
    public mutating func nextJittered(
        asked: Duration? = nil, chance: Double = .random(in: 0...1)
    ) -> Duration {
        max(next() * (0.75 + chance / 2), min(asked ?? .zero, Self.longestAsked))
    }
}

/// Wakes a task that waits for any of several things; see ``WakeEvent``, which is for threads. Thread-safe; one task waits at a time.
public final class TaskWakeEvent: Sendable {
    private struct State {
        var isRung = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    public init() {}

    /// Whether a task is waiting; for tests.
    var hasWaiter: Bool { state.withLock { $0.waiter != nil } }

    /// Wakes the waiting task, or the next one that waits.
    public func ring() {
        let waiter = state.withLock { state in
            state.isRung = state.waiter == nil
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Returns when it rings, at once if it rang since the last wait, and when the task is cancelled.
    public func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !state.isRung, !Task.isCancelled else {
                        state.isRung = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume()
        }
    }

    /// Does the same, but waits for at most this much time.
    public func wait(atMost time: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }
}

extension Duration {
    public var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

extension Bool {
    /// Sets the flag; returns true if it was not set before. Under a lock, that is so for exactly one of several
    /// callers.
    public mutating func raise() -> Bool {
        defer { self = true }
        return !self
    }
}

extension Optional<ContinuousClock.Instant> {
    /// Returns whether this much time has passed, and if so, restarts the count from now. It limits how often something
    /// happens.
    public mutating func isDue(after pause: Duration) -> Bool {
        let now = ContinuousClock.now
        if let last = self, now - last < pause { return false }
        self = now
        return true
    }
}
