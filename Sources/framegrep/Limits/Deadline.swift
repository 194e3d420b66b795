import TextSpotting
import Threads

/// The end of the time that a user gives a search (`--timeout`). Thread-safe.
struct Deadline: Sendable {
    private let flag = CancellationFlag()
    private let waiting: Task<Void, Never>?

    /// - Parameters:
    ///   - time: from now; nil for no end.
    ///   - end: called when it is over.
    init(_ time: StreamTime?, _ end: @escaping @Sendable () -> Void) {
        waiting = time.map { [flag] time in
            Task {
                guard (try? await Task.sleep(for: .nanoseconds(time.nanoseconds))) != nil else { return }
                flag.cancel()
                end()
            }
        }
    }

    /// The time was over before the search was.
    var isOver: Bool { flag.isCancelled }

    /// The search is over.
    func cancel() { waiting?.cancel() }
}
