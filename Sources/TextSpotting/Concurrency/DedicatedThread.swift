import Foundation

/// Runs blocking work on a thread of its own, so that Swift's shared pool, as wide as the machine has cores, never waits.
public enum DedicatedThread {
    /// Runs `body` on a new thread named `name` and returns what it returns.
    ///
    /// Cancelling the task does not stop `body`: give it something of its own to look at.
    public static func run<Result: Sendable>(
        named name: String, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Swift.Result { try body() }) }
            thread.name = name
            thread.stackSize = 1 << 20
            thread.start()
        }
    }
}
