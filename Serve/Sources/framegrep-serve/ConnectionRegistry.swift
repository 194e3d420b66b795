import NIOCore
import Synchronization

/// The open connections, bounded so that a client with many connections cannot keep others out: when there are too
/// many, the one idle for longest is closed, those without a session first. Thread-safe.
///
/// So a client that sends a request or a byte from time to time keeps its connection only until others need it.
final class ConnectionRegistry: Sendable {
    private struct Entry {
        let channel: any Channel
        var hasSession = false
        /// The time of its last request, or of its opening.
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

    /// Adds a connection.
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

    /// Notes a request on a connection.
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
