import NIOCore
import Synchronization

/// The connections that are open, so that nobody keeps others out by holding many: when there are too many, the one goes that was
/// heard of longest ago, and first among those on which nobody has shown a session. Thread-safe.
///
/// Sending whole requests now and then, or a byte of one, so only keeps a place until others want it.
final class ConnectionRegistry: Sendable {
    private struct Entry {
        let channel: any Channel
        var hasSession = false
        /// When its last request came, or it itself.
        var heard: Int
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var count = 0
    }

    private let most: Int
    private let state = Mutex(State())

    /// - Parameter most: no more connections at once; the system's own limit must lie above, or nobody new is heard of.
    init(most: Int) { self.most = most }

    /// A connection is there.
    func enter(_ channel: any Channel) {
        let left = state.withLock { state -> (any Channel)? in
            state.count += 1
            let others = state.entries
            state.entries[ObjectIdentifier(channel)] = Entry(channel: channel, heard: state.count)
            guard state.entries.count > most else { return nil }
            let strangers = others.filter { !$0.value.hasSession }
            guard let first = (strangers.isEmpty ? others : strangers).min(by: { $0.value.heard < $1.value.heard })
            else { return nil }
            return state.entries.removeValue(forKey: first.key)?.channel
        }
        left?.close(promise: nil)
    }

    /// A request has come on it.
    func hear(_ channel: any Channel, hasSession: Bool) {
        state.withLock { state in
            state.count += 1
            state.entries[ObjectIdentifier(channel)]?.heard = state.count
            state.entries[ObjectIdentifier(channel)]?.hasSession = hasSession
        }
    }

    func leave(_ channel: any Channel) {
        state.withLock { _ = $0.entries.removeValue(forKey: ObjectIdentifier(channel)) }
    }
}
