import Errors
import Foundation
import Synchronization
import TestSupport
import TextSpotting

/// A server on the loopback interface that accepts connections and never answers.
final class SilentServer: Sendable {
    private let descriptor: Int32
    private let port: UInt16
    private let guests = Mutex<[Int32]>([])

    /// - Parameter port: 0 for a free port.
    init(port wanted: UInt16 = 0) throws {
        let socket = try LoopbackSocket(port: wanted)
        (descriptor, port) = (socket.descriptor, socket.port)
    }

    var address: String { "http://127.0.0.1:\(port)/clip.mp4" }

    /// Whether a client has connected and waits. The connection stays unanswered until this object is gone.
    var hasGuest: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) == 1
    }

    /// Accepts a client that has connected, without an answer; returns false if there is none.
    func takeGuest() -> Bool {
        guard hasGuest else { return false }
        let guest = accept(descriptor, nil, nil)
        guard guest >= 0 else { return false }
        guests.withLock { $0.append(guest) }
        return true
    }

    deinit {
        for guest in guests.withLock({ $0 }) { close(guest) }
        close(descriptor)
    }
}
