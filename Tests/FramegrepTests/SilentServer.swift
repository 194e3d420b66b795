import Errors
import Foundation
import TextSpotting

/// A server on the loopback interface that takes connections and says nothing.
final class SilentServer: Sendable {
    private let descriptor: Int32
    private let port: UInt16

    /// - Parameter port: 0 for one that is free.
    init(port wanted: UInt16 = 0) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
        guard isOpen else { throw FramegrepError(.sourceUnavailable, "No port is free.") }
    }

    var address: String { "http://127.0.0.1:\(port)/clip.mp4" }

    /// Somebody has connected and waits. The connection stays unanswered until this object is gone.
    var hasGuest: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) == 1
    }

    deinit { close(descriptor) }
}
