import Dispatch
import Synchronization

/// How many bytes may be in flight between a thread that makes them and whoever is done with them later.
///
/// For one producer, which waits; any thread may give back. Some pieces are let through whatever their size, because with fewer nothing
/// would run side by side.
public final class ByteBudget: Sendable {
    private struct State {
        var bytes = 0
        var pieces = 0
        var isAwaited = false
        var isClosed = false
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

    /// Takes bytes for a piece, blocking the calling thread until there are enough; false once the budget was closed.
    ///
    /// To be called on a thread of its own, never on Swift's shared pool.
    public func take(_ bytes: Int) -> Bool {
        while true {
            let taken: Bool? = state.withLock { state in
                guard !state.isClosed else { return false }
                guard state.pieces < fewest || state.bytes + bytes <= limit else {
                    state.isAwaited = true
                    return nil
                }
                state.bytes += bytes
                state.pieces += 1
                return true
            }
            if let taken { return taken }
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

    /// Nobody wants more: whoever waits is let go.
    public func close() { wake { $0.isClosed = true } }

    private func wake(after change: (inout sending State) -> Void) {
        let isAwaited = state.withLock { state in
            change(&state)
            defer { state.isAwaited = false }
            return state.isAwaited
        }
        if isAwaited { freed.signal() }
    }
}
