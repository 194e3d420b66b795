public import Errors
import Glibc

/// Ports of this machine's own addresses.
public enum LoopbackPort {
    /// The port to listen at: the one that is wanted, or for 0 one that is free.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) if it is taken.
    public static func choose(_ wanted: Int) throws(FramegrepError) -> Int {
        guard let port = bound(to: UInt16(wanted)) else {
            throw FramegrepError(
                .badArgument,
                "Port \(wanted) cannot be listened at: \(String(cString: strerror(errno))). Is the page served already? --port names another, 0 any that is free."
            )
        }
        return Int(port)
    }

    /// This machine has an address ::1, and the port is free there.
    public static func hasVersion6(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = UInt16(port).bigEndian
        address.sin6_addr = in6addr_loopback
        reuse(descriptor)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
    }

    private static func bound(to port: UInt16) -> UInt16? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        reuse(descriptor)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 1) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        return isBound ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// As servers do, so that a port is free again as soon as its server has ended.
    private static func reuse(_ descriptor: Int32) {
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    }
}
