import Dispatch
import Foundation
import Synchronization
import Threads

/// Writes to one file, pipe or terminal, in order. A thread of its own writes, so that a slow or stopped reader never
/// blocks the code that has something to write. Thread-safe.
///
/// Buffering: ``add(_:upTo:_:)`` refuses text that would exceed the caller's limit. Without a limit everything waits;
/// callers that can be suspended keep the queue short with ``caughtUp()``.
final class OutputQueue: Sendable {
    private struct Waiter {
        let id: Int
        /// Whether the caller waits only to keep pace, so that the end of the program ends the wait.
        let keepsPace: Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        /// The number of entries, including the one that is being written.
        var entries = 0
        var bytes = 0
        var isEnding = false
        var isGivenUp = false
        var waiters: [Waiter] = []
        var nextWaiter = 0

        mutating func remove(where isReady: (Waiter) -> Bool) -> [Waiter] {
            let ready = waiters.filter(isReady)
            waiters.removeAll(where: isReady)
            return ready
        }
    }

    /// The time that a program that must end waits for its output to be read.
    static let patience = Duration.seconds(2)

    private let thread = SerialQueue("framegrep.output")
    private let state: Mutex<State>

    /// The queues of the program that end together, and whether they must end.
    private static let all = Mutex<(queues: [OutputQueue], areEnding: Bool)>(([], false))
    private static let clock = SerialQueue("framegrep.output.patience")

    /// - Parameter endsWithProgram: whether the program's ``endSoon()`` applies to it.
    init(endsWithProgram: Bool = true) {
        let isEnding = endsWithProgram && Self.all.withLock { $0.areEnding }
        state = Mutex(State(isEnding: isEnding))
        if endsWithProgram { Self.all.withLock { $0.queues.append(self) } }
    }

    /// The number of waiting bytes.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Whether waiting output was given up at the end of the program, because it was not read in time.
    var isGivenUp: Bool { state.withLock { $0.isGivenUp } }

    /// Writes something when it is its turn; returns at once.
    ///
    /// - Parameters:
    ///   - count: its size in bytes.
    ///   - limit: it is left out if more bytes than this would wait.
    ///   - write: called on the queue's thread; may block. Not called once the queue is given up.
    /// - Returns: false if it was left out.
    @discardableResult
    func add(_ count: Int, upTo limit: Int = .max, _ write: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isGivenUp, state.bytes == 0 || state.bytes <= limit - count else { return false }
            state.entries += 1
            state.bytes += count
            // Do this under the lock, so that no later call gets in between.
            thread.start { [self] in
                if !isGivenUp { write() }
                hasWritten(count)
            }
            return true
        }
    }

    private func hasWritten(_ count: Int) {
        let ready = state.withLock { state in
            state.entries -= 1
            state.bytes -= count
            return state.entries == 0 ? state.remove { _ in true } : []
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    // MARK: Waiting

    /// Returns when everything is written, or when the program must end: for code that has more to write.
    func caughtUp() async { await wait(keepingPace: true) }

    /// Returns when everything is written. If the program must end, it waits only a while for the reader; unread output
    /// is then given up.
    func settled() async { await wait(keepingPace: false) }

    /// Returns when everything is written, or after this time.
    func settled(within time: Duration) async { await wait(keepingPace: false, time) }

    private func wait(keepingPace keepsPace: Bool, _ time: Duration? = nil) async {
        await withCheckedContinuation { continuation in
            let (isOver, id, isEnding) = state.withLock { state in
                if state.entries == 0 || state.isGivenUp || keepsPace && state.isEnding { return (true, 0, false) }
                state.nextWaiter += 1
                state.waiters.append(Waiter(id: state.nextWaiter, keepsPace: keepsPace, continuation: continuation))
                return (false, state.nextWaiter, state.isEnding)
            }
            if isOver { return continuation.resume() }
            if let time { limit([id], to: time, givingUp: false) } else if isEnding { limit([id]) }
        }
    }

    /// Lets waiters continue after a while.
    private func limit(_ waiters: [Int], to time: Duration = patience, givingUp: Bool = true) {
        guard !waiters.isEmpty else { return }
        Self.clock.start(after: time) { [weak self] in
            guard let self else { return }
            let ready = state.withLock { state in
                let ready = state.remove { waiters.contains($0.id) }
                guard givingUp, !ready.isEmpty else { return ready }
                state.isGivenUp = true
                return ready + state.remove { _ in true }
            }
            for waiter in ready { waiter.continuation.resume() }
        }
    }

    /// Prepares for the end of the program: from now on nothing keeps pace with the reader, and unread output is waited
    /// for only a while.
    func endSoon() {
        let (ready, rest) = state.withLock { state in
            state.isEnding = true
            return (state.remove { $0.keepsPace }, state.waiters.map(\.id))
        }
        for waiter in ready { waiter.continuation.resume() }
        limit(rest)
    }

    /// Does the same for all queues of the program, including later ones.
    static func endSoon() {
        let queues = all.withLock { all in
            all.areEnding = true
            return all.queues
        }
        queues.forEach { $0.endSoon() }
    }

    /// Returns when all output of the program is written or given up.
    static func allSettled() async {
        await withTaskGroup(of: Void.self) { group in
            for queue in all.withLock({ $0.queues }) { group.addTask { await queue.settled() } }
        }
    }

    /// Blocks the calling thread until everything is written, at most for this time: for a program that stops at once.
    func wait(atMost time: Duration) {
        let isDone = DispatchSemaphore(value: 0)
        thread.start { isDone.signal() }
        _ = isDone.wait(timeout: .now() + .milliseconds(Int(time / .milliseconds(1))))
    }
}
