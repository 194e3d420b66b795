import Dispatch
import Foundation
import Synchronization

/// Ctrl-C, SIGTERM and the end of the terminal: the first ends the work cleanly, the second stops the program at once.
///
/// A program that was started with SIGHUP ignored, as `nohup` does, goes on without its terminal.
final class Interrupts: Sendable {
    /// Counts signals.
    private final class Counter: Sendable {
        private let value = Mutex(0)

        var isZero: Bool { value.withLock { $0 == 0 } }

        /// Counts one more; true for the first.
        func count() -> Bool {
            value.withLock { value in
                value += 1
                return value == 1
            }
        }
    }

    private let counter = Counter()
    // Dispatch sources lock themselves; they are only kept, never changed after the initializer.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    /// - Parameters:
    ///   - end: called once, on a thread of Dispatch, at the first signal.
    ///   - last: called at the second one, before the program stops.
    init(_ end: @escaping @Sendable () -> Void, last: @escaping @Sendable () -> Void = {}) {
        // Dispatch takes each signal over on a thread of its own, some time later. Until then it does what it did before
        // (it ends the program, which has nothing to lose yet): ignored, a Ctrl-C in that time would be lost.
        sources = [SIGINT, SIGTERM, SIGHUP].filter { $0 != SIGHUP || !Self.isIgnored($0) }.map { [counter] number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                guard counter.count() else {
                    last()
                    _exit(128 + number)
                }
                end()
            }
            source.resume()
            return source
        }
    }

    /// A signal has come.
    var wasInterrupted: Bool { !counter.isZero }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // C functions are compared by their addresses; SIG_IGN is a made-up one.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    deinit { for source in sources { source.cancel() } }
}
