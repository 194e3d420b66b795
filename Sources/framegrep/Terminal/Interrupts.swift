import Dispatch
import Foundation
import Synchronization

/// Ctrl-C, SIGTERM and the end of the terminal: the first ends the work cleanly, the second stops the program at once.
///
/// A program that was started with SIGHUP ignored, as `nohup` does, goes on without its terminal.
final class Interrupts: Sendable {
    /// Which signals count: a state machine.
    private struct Count {
        enum Answer { case end, same, stop }

        /// `timeout` signals a program and then the group that it is in, and a terminal repeats a key that is held: what
        /// comes so soon after the first is the same wish.
        static let sameWish = Duration.milliseconds(500)

        private(set) var first: (signal: Int32, time: ContinuousClock.Instant)?

        mutating func answer(to signal: Int32, at time: ContinuousClock.Instant) -> Answer {
            guard let first else {
                first = (signal, time)
                return .end
            }
            return time - first.time < Self.sameWish ? .same : .stop
        }
    }

    private let count = Counter()
    // Dispatch sources lock themselves; they are only kept, never changed after the initializer.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    /// - Parameters:
    ///   - end: called once, on a thread of Dispatch, at the first signal.
    ///   - last: called at the second one, before the program stops.
    init(_ end: @escaping @Sendable (_ signal: Int32) -> Void, last: @escaping @Sendable () -> Void = {}) {
        // Dispatch takes each signal over on a thread of its own, some time later. Until then it does what it did before
        // (it ends the program, which has nothing to lose yet): ignored, a Ctrl-C in that time would be lost.
        sources = [SIGINT, SIGTERM, SIGHUP].filter { $0 != SIGHUP || !Self.isIgnored($0) }.map { [count] number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                switch count.answer(to: number) {
                case .end: end(number)
                case .same: break
                case .stop:
                    last()
                    Interruption(signal: number).die()
                }
            }
            source.resume()
            return source
        }
    }

    /// The signal that has come; the first one. Nil while none has.
    var signal: Int32? { count.first }

    /// Counts on whichever thread a signal is told.
    private final class Counter: Sendable {
        private let count = Mutex(Count())

        var first: Int32? { count.withLock { $0.first?.signal } }

        func answer(to signal: Int32) -> Count.Answer { count.withLock { $0.answer(to: signal, at: .now) } }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // C functions are compared by their addresses; SIG_IGN is a made-up one.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    deinit { for source in sources { source.cancel() } }
}
