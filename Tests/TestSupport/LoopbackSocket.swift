import Errors
import Foundation

/// A socket on the loopback interface at which guests are waited for. Whoever makes it closes ``descriptor``.
package struct LoopbackSocket: Sendable {
    package let descriptor: Int32
    package let port: UInt16

    /// - Parameter wanted: 0 for a port that is free.
    /// - Throws: ``FramegrepError`` (`sourceUnavailable`) where there is none.
    package init(port wanted: UInt16 = 0) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = withUnsafeMutablePointer(to: &address) { [descriptor] in
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isOpen else { throw FramegrepError(.sourceUnavailable, "No port is free.") }
    }
}
