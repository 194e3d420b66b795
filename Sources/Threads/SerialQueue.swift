internal import Dispatch

/// A thread of its own for calls that block, one after the other in the order in which they were asked for.
///
/// On Swift's shared pool, which is only as wide as the machine has cores, they would hold up everything else. A serial
/// Dispatch queue has its own overcommitting thread, and none while nothing is to be done.
public final class SerialQueue: Sendable {
    private let queue: DispatchQueue

    /// - Parameter label: as debuggers show it.
    public init(_ label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Runs `work` there and suspends, without holding a thread, until it has returned.
    ///
    /// Not cancellable: work that has begun must end.
    public func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Runs `work` there and returns at once.
    public func start(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Runs `work` there after a time.
    public func start(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        let milliseconds = delay.components.seconds * 1000 + delay.components.attoseconds / 1_000_000_000_000_000
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: milliseconds)), execute: work)
    }
}
