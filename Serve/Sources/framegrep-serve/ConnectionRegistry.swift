import NIOCore
import Synchronization

/// The open connections, bounded so that a client that holds many cannot keep others out: when there are too many, the one that was idle
/// longest is closed, those without a session first. Thread-safe.
///
/// Sending a request or a byte now and then so keeps a place only until others need it.
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

    /// - Parameter most: the most connections at once; the system's own limit must be higher, or new ones are not noticed.
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
