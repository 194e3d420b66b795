import Errors
import Foundation
import Synchronization
import TestSupport
import TextSpotting

/// A server on the loopback interface that takes connections and says nothing.
final class SilentServer: Sendable {
    private let descriptor: Int32
    private let port: UInt16
    private let guests = Mutex<[Int32]>([])

    /// - Parameter port: 0 for one that is free.
    init(port wanted: UInt16 = 0) throws {
        let socket = try LoopbackSocket(port: wanted)
        (descriptor, port) = (socket.descriptor, socket.port)
    }

    var address: String { "http://127.0.0.1:\(port)/clip.mp4" }

    /// Somebody has connected and waits. The connection stays unanswered until this object is gone.
    var hasGuest: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) == 1
    }

    /// Lets somebody in who has connected, without an answer; false where nobody has.
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
