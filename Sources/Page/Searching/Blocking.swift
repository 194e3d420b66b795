import Dispatch
import Synchronization

/// Work that blocks a thread, on threads of its own: Swift's are as many as the machine has processors.
enum Blocking {
    private static let queue = DispatchQueue(label: "framegrep.page", attributes: .concurrent)

    /// - Parameter body: given a function that tells whether the task was cancelled.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let flag = Flag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result { try body { flag.isRaised } }) }
            }
        } onCancel: {
            flag.raise()
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)

        var isRaised: Bool { value.load(ordering: .relaxed) }

        func raise() { value.store(true, ordering: .relaxed) }
    }
}
