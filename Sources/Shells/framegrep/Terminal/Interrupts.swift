import Dispatch
import Foundation
import Synchronization

/// Ctrl-C, SIGTERM and the end of the terminal: the first signal ends the work cleanly, the second stops the program at
/// once, and so does Ctrl-\. After the first one, nothing waits long for a reader of the output
/// (``OutputQueue/endSoon()``).
///
/// A program that was started with SIGHUP ignored, as by `nohup`, continues without its terminal.
final class Interrupts: Sendable {
    /// Determines which signals count: a state machine.
    private struct Count {
        enum Answer { case end, same, stop }

        /// The time after the first signal in which further ones are the same request: `timeout` signals a program and
        /// then its group, and a terminal repeats a key that is held.
        static let sameWish = Duration.milliseconds(500)

        private(set) var first: (signal: Int32, time: ContinuousClock.Instant)?
        private var isStopping = false
        var work = Work()

        mutating func answer(to signal: Int32, at time: ContinuousClock.Instant) -> Answer {
            guard signal != SIGQUIT else {
                defer { isStopping = true }
                return isStopping ? .same : .stop
            }
            guard let first else {
                first = (signal, time)
                return .end
            }
            // Signals of several kinds may arrive at the same moment, on several threads: the program is stopped by one
            // of them.
            guard time - first.time >= Self.sameWish, !isStopping else { return .same }
            isStopping = true
            return .stop
        }
    }

    /// The actions of signals.
    private struct Work {
        var end: (@Sendable (_ signal: Int32) -> Void)?
        var last: (@Sendable () -> Void)?
    }

    /// Called before the program stops at once; nil while there is nothing to clean up. Must not block.
    static let cleanUp = Mutex<(@Sendable () -> Void)?>(nil)

    /// The most recent instance. It counts until the program is gone: results may still wait to be read when the
    /// command is over.
    private static let latest = Mutex<Interrupts?>(nil)

    /// The signal by which the program must end; nil if none has arrived.
    static var signal: Int32? { latest.withLock { $0 }?.signal }

    private let count = Counter()
    // Dispatch sources lock themselves; they are only kept, never changed after the initializer.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    /// Counts signals from now on; they do nothing before ``then(_:last:)``. Create it before the first file.
    ///
    /// - Parameter numbers: the signals that end the work.
    init(_ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]) {
        // Dispatch takes each signal over on a thread of its own, some time later. Until then a signal has its previous
        // effect: it ends the program. If it were ignored, a Ctrl-C in that time would be lost, so wait for Dispatch.
        let queue = DispatchQueue(label: "framegrep.signals", attributes: .concurrent)
        let taken = DispatchGroup()
        let wanted = numbers.filter { number in
            // Users of Swift's backtraces request them with SIGQUIT.
            number != SIGQUIT
                ? number != SIGHUP || !Self.isIgnored(number)
                : !Self.isIgnored(number) && getenv("SWIFT_BACKTRACE") == nil
        }
        sources = wanted.map { [count] number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            taken.enter()
            source.setRegistrationHandler { taken.leave() }
            source.setEventHandler {
                let (answer, work) = count.answer(to: number)
                switch answer {
                case .end:
                    OutputQueue.endSoon()
                    work.end?(number)
                case .same: break
                case .stop:
                    work.last?()
                    Self.cleanUp.withLock { $0 }?()
                    Interruption(signal: number).die()
                }
            }
            source.resume()
            return source
        }
        // This takes microseconds; the limit is for machines without a free thread.
        _ = taken.wait(timeout: .now() + 1)
        Self.latest.withLock { $0 = self }
    }

    /// - Parameters:
    ///   - end: see ``then(_:last:)``.
    convenience init(_ end: @escaping @Sendable (_ signal: Int32) -> Void, last: @escaping @Sendable () -> Void = {}) {
        self.init()
        then(end, last: last)
    }

    /// Lets the first signal cancel a task; the last one removes the line of progress.
    convenience init<Success>(cancelling work: Task<Success, any Error>) {
        self.init({ _ in work.cancel() }, last: { ProgressLine.wipe() })
    }

    /// Sets the actions of signals. Call it once.
    ///
    /// - Parameters:
    ///   - end: called once, at the first signal: on a thread of Dispatch, or here if it has already arrived.
    ///   - last: called at the second one, or at SIGQUIT, before the program stops.
    func then(_ end: @escaping @Sendable (_ signal: Int32) -> Void, last: @escaping @Sendable () -> Void = {}) {
        if let signal = count.work(Work(end: end, last: last)) { end(signal) }
    }

    /// The first signal that has arrived; nil if none has.
    var signal: Int32? { count.first }

    /// Counts signals, on whichever thread they arrive.
    private final class Counter: Sendable {
        private let count = Mutex(Count())

        var first: Int32? { count.withLock { $0.first?.signal } }

        func answer(to signal: Int32) -> (Count.Answer, Work) {
            count.withLock { ($0.answer(to: signal, at: .now), $0.work) }
        }

        /// - Returns: the signal that arrived before there was any work.
        func work(_ work: Work) -> Int32? {
            count.withLock {
                $0.work = work
                return $0.first?.signal
            }
        }
    }

    /// Returns whether the parent process wants the program to ignore a signal.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // C functions are compared by their addresses; SIG_IGN is an artificial one.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    deinit { for source in sources { source.cancel() } }
}

/// Thrown by a command that a signal ended, once its cleanup is done.
struct Interruption: Error {
    let signal: Int32

    /// Ends the program as the signal would have ended it.
    ///
    /// A shell sees the exit status 128 + signal (130 after Ctrl-C) either way, but its loops continue after a program
    /// that exits with that status on its own: only if the program *died* of Ctrl-C does the shell know that Ctrl-C was
    /// meant for all of them.
    func die() -> Never {
        // This gives the message about the interruption time to be written.
        StandardError.queue.wait(atMost: .milliseconds(100))
        Foundation.signal(signal, SIG_DFL)
        var only = sigset_t()
        sigemptyset(&only)
        sigaddset(&only, signal)
        pthread_sigmask(SIG_UNBLOCK, &only, nil)
        raise(signal)
        // The signal does not end the first process of a container.
        _exit(128 + signal)
    }
}
