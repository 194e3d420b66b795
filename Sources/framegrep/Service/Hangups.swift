import Dispatch
import Foundation

/// SIGHUP as services have it: they read their file again. If the terminal of the program is gone, it means the end.
final class Hangups: Sendable {
    // Dispatch sources lock themselves; it is only kept, never changed after the initializer.
    nonisolated(unsafe) private let source: any DispatchSourceSignal

    /// - Parameter hear: called on a thread of Dispatch; true if the terminal is gone.
    init(_ hear: @escaping @Sendable (Bool) -> Void) {
        let source = DispatchSource.makeSignalSource(
            signal: SIGHUP, queue: DispatchQueue(label: "framegrep.hangups", attributes: .concurrent))
        self.source = source
        // Until Dispatch has taken it over the signal ends the program.
        let taken = DispatchGroup()
        taken.enter()
        source.setRegistrationHandler { taken.leave() }
        source.setEventHandler { hear(StandardError.isTerminal && isatty(StandardError.descriptor) == 0) }
        source.resume()
        _ = taken.wait(timeout: .now() + 1)
    }

    func cancel() { source.cancel() }
}
