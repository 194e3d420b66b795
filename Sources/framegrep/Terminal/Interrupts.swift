import Dispatch
import Foundation
import Synchronization

/// Ctrl-C and SIGTERM: the first ends the work cleanly, the second stops the program at once.
final class Interrupts: Sendable {
    private let count = Mutex(0)
    // Dispatch sources lock themselves; they are only kept, never changed.
    nonisolated(unsafe) private var sources: [any DispatchSourceSignal] = []

    /// - Parameter end: called once, on a thread of Dispatch, at the first signal.
    init(_ end: @escaping @Sendable () -> Void) {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [count] in
                let isFirst = count.withLock { value in
                    value += 1
                    return value == 1
                }
                guard isFirst else { _exit(128 + number) }
                end()
            }
            source.resume()
            sources.append(source)
        }
    }

    /// A signal has come.
    var wasInterrupted: Bool { count.withLock { $0 > 0 } }

    deinit { for source in sources { source.cancel() } }
}
