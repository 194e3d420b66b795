import Foundation
import TestSupport

/// Debian's mosquitto on a port of the loopback interface.
final class TestBroker: Sendable {
    static let isInstalled = program != nil && Tool("mosquitto_sub") != nil

    private static var program: String? {
        Tool("mosquitto")?.path
            ?? (FileManager.default.isExecutableFile(atPath: "/usr/sbin/mosquitto") ? "/usr/sbin/mosquitto" : nil)
    }

    let port: UInt16
    private let folder: TemporaryFolder
    private let running: Running

    /// - Parameter more: lines of its configuration.
    init(
        port wanted: UInt16? = nil, user: String? = nil, password: String? = nil, more: [String] = []
    ) async throws {
        folder = try TemporaryFolder()
        if let wanted {
            port = wanted
        } else {
            let socket = try LoopbackSocket()
            port = socket.port
            close(socket.descriptor)
        }
        var lines = ["listener \(port) 127.0.0.1", "user root", "log_type error"]
        if let user, let password, let tool = Tool("mosquitto_passwd") {
            _ = try await tool.run(["-c", "-b", folder.file("users"), user, password])
            lines += ["allow_anonymous false", "password_file \(folder.file("users"))"]
        } else {
            lines += ["allow_anonymous true"]
        }
        lines += more
        let configuration = try folder.write(lines.joined(separator: "\n") + "\n", to: "mosquitto.conf")
        running = try Running(Self.program ?? "mosquitto", ["-c", configuration])
        guard try await holds({ [port] in Self.answers(port) }) else { throw CancellationError() }
    }

    private static func answers(_ port: UInt16) -> Bool {
        let guest = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(guest) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(guest, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    var address: String { "mqtt://127.0.0.1:\(port)" }

    /// A program that writes a line for each message that arrives; ``Heard`` reads it.
    func listen(_ more: [String] = []) throws -> Running {
        let options = ["-h", "127.0.0.1", "-p", String(port), "-q", "1", "-v", "-F", "%r %x %t", "-t", "#"]
        // Into a file it would write in blocks of 4 KB.
        return try Running("/usr/bin/stdbuf", ["-oL", "mosquitto_sub"] + options + more)
    }

    func publish(_ payload: String, to topic: String) async throws {
        _ = try await Tool("mosquitto_pub")?.run([
            "-h", "127.0.0.1", "-p", String(port), "-q", "1", "-t", topic, "-m", payload,
        ])
    }

    func stop() async { await Self.kill(running) }

    /// Programs inherit the signals that the tests' threads block, so an ordinary end may never reach them.
    static func kill(_ running: Running) async {
        running.send(SIGKILL)
        _ = await running.end(within: 30)
    }
}

/// A message as received by a subscriber.
struct Heard {
    var isRetained: Bool
    var payload: Data
    var topic: String

    /// - Parameter output: what ``TestBroker/listen(_:)`` has written so far.
    static func all(in output: String) -> [Heard] {
        output.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return nil }
            let digits = Array(parts[1])
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(digits[$0...$0 + 1]), radix: 16)
            }
            return Heard(isRetained: parts[0] == "1", payload: Data(bytes), topic: String(parts[2]))
        }
    }

    var text: String { String(decoding: payload, as: UTF8.self) }
    var object: [String: Any] { ((try? JSONSerialization.jsonObject(with: payload)) as? [String: Any]) ?? [:] }
}
