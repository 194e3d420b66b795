import Dispatch
import Synchronization

/// A value that is set once, on any thread, and awaited once: how a C callback or a blocking thread wakes a task.
final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<Value, Never>)
        case set(Value)
        case taken
    }

    private let state = Mutex(State.empty)

    /// Sets the value; only the first call has an effect.
    func resolve(_ value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .empty:
                state = .set(value)
                return nil
            case .waiting(let continuation):
                state = .taken
                return continuation
            case .set, .taken:
                return nil
            }
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the value. Call it only once.
    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let ready: Value? = state.withLock { state in
                guard case .set(let value) = state else {
                    state = .waiting(continuation)
                    return nil
                }
                state = .taken
                return value
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }
}

extension OneShot where Value == Void {
    func resolve(after time: Duration) {
        let nanoseconds = time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: nanoseconds))) {
            self.resolve(())
        }
    }

    /// Sleeps, even in a cancelled task.
    static func pause(_ time: Duration) async {
        let end = OneShot<Void>()
        end.resolve(after: time)
        await end.value()
    }
}
