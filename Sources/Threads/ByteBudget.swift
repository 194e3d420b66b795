import Dispatch
import Synchronization

/// Bounds the bytes in flight between the thread that makes them and the one that is done with them later.
///
/// For one producer, which waits; any thread may give back. Some pieces are let through whatever their size, because with fewer nothing
/// would run side by side.
public final class ByteBudget: Sendable {
    private struct State {
        var bytes = 0
        var pieces = 0
        var isAwaited = false
        var isLifted = false
    }

    private let limit: Int
    private let fewest: Int
    private let state = Mutex(State())
    private let freed = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - limit: in bytes, of all pieces together.
    ///   - fewest: so many pieces are in flight even where they are larger than that.
    public init(limit: Int, fewest: Int) {
        self.limit = limit
        self.fewest = max(1, fewest)
    }

    /// Takes bytes for a piece, blocking the calling thread until there are enough.
    ///
    /// To be called on a thread of its own, never on Swift's shared pool.
    public func take(_ bytes: Int) {
        while true {
            let isTaken = state.withLock { state in
                let fits = state.isLifted || state.pieces < fewest || state.bytes + bytes <= limit
                if fits {
                    state.bytes += bytes
                    state.pieces += 1
                } else {
                    state.isAwaited = true
                }
                return fits
            }
            if isTaken { return }
            freed.wait()
        }
    }

    /// Gives a piece's bytes back.
    public func give(_ bytes: Int) {
        wake { state in
            state.bytes -= bytes
            state.pieces -= 1
        }
    }

    /// Removes the limit, because little more comes: waiting threads go on.
    public func lift() { wake { $0.isLifted = true } }

    private func wake(after change: (inout sending State) -> Void) {
        let isAwaited = state.withLock { state in
            change(&state)
            defer { state.isAwaited = false }
            return state.isAwaited
        }
        if isAwaited { freed.signal() }
    }
}
