import Foundation
import TextSpotting

/// The service manager that has started the program and wants to know its state: systemd's protocol, with one datagram
/// per message (sd_notify(3)). Thread-safe.
///
/// Does nothing if `NOTIFY_SOCKET` is not set, and ignores messages that cannot be sent.
struct ServiceManager: Sendable {
    private let address: [UInt8]
    /// The time without a report after which the program counts as hung; nil without a watchdog.
    let watchdog: Duration?

    /// - Returns: nil if there is no service manager.
    init?(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let name = environment["NOTIFY_SOCKET"], let mark = name.first, "/@".contains(mark) else { return nil }
        // A name that begins with @ is in no file system: its first byte is 0 (unix(7)).
        var bytes = FileName.bytes(of: name)
        guard bytes.count > 1, bytes.count < Self.capacity else { return nil }
        if mark == "@" { bytes[0] = 0 }
        address = bytes
        let isOurs = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        let interval = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdog = isOurs && interval > 0 ? .microseconds(interval) : nil
    }

    private static let capacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    /// Reports that all sources are started.
    func ready() { send("READY=1") }

    /// Reports that the file is being read again; ``ready()`` follows.
    func reloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        send("RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000)")
    }

    func stopping() { send("STOPPING=1") }

    /// Reports that work continues.
    func isAlive() { send("WATCHDOG=1") }

    /// - Parameter text: a text for users, which `systemctl status` shows.
    func status(_ text: String) { send("STATUS=" + Visible.text(text)) }

    private func send(_ message: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: address) }
        // For a name outside the file system every byte counts, so the length must not include any after it.
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + address.count } ?? 0
        let bytes = Array(message.utf8)
        _ = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length))
            }
        }
    }
}
