import Foundation
import Synchronization
import TestSupport

/// The socket of a service manager (sd_notify(3)), with the messages received so far.
final class NotifySocket: Sendable {
    /// For `NOTIFY_SOCKET`.
    let name: String
    private let descriptor: Int32
    private let said = Mutex<[String]>([])

    /// - Parameter name: the path of a file that does not exist; with `@` before it, an abstract name.
    init(_ name: String) throws {
        self.name = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if name.hasPrefix("@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let isBound = withUnsafePointer(to: &address) { [descriptor] in
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
    }

    deinit { close(descriptor) }

    /// The messages, one per line.
    var lines: [String] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)), count > 0 {
            let text = String(decoding: buffer[..<count], as: UTF8.self)
            said.withLock { $0 += text.split(separator: "\n").map(String.init) }
        }
        return said.withLock { $0 }
    }

    func count(_ line: String) -> Int { lines.count { $0 == line } }
}
