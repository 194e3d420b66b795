import Dispatch

/// Runs blocking work on a dedicated thread.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        DispatchQueue(label: "test.blocking").async { continuation.resume(returning: work()) }
    }
}
