import Dispatch
import Foundation
import Synchronization

/// Ctrl-C and SIGTERM: the first ends the work cleanly, the second stops the program at once.
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
        sources = [SIGINT, SIGTERM, SIGHUP].map { [counter] number in
            signal(number, SIG_IGN)
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

    deinit { for source in sources { source.cancel() } }
}
