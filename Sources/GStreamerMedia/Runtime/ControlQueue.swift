import Dispatch

/// A thread of its own for GStreamer calls that block, in the order in which they were asked for.
///
/// Changing a pipeline's state joins threads and opens devices; on Swift's shared pool, which is only as wide as the
/// machine has cores, that would hold up everything else. A serial Dispatch queue has its own overcommitting thread.
final class ControlQueue: Sendable {
    private let queue: DispatchQueue

    init(_ label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Runs `work` there and suspends, without holding a thread, until it has returned.
    ///
    /// Not cancellable: a state change that has begun must end.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Runs `work` there and returns at once.
    func start(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Runs `work` there after a time.
    func start(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        let milliseconds = delay.components.seconds * 1000 + delay.components.attoseconds / 1_000_000_000_000_000
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: milliseconds)), execute: work)
    }
}
