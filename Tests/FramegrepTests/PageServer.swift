import Errors
import Foundation
import Synchronization
import TestSupport
import TextSpotting

/// A small HTTP server on the loopback interface: pages by their paths, which it counts. Thread-safe.
final class PageServer: Sendable {
    /// The answer for a path.
    enum Page: Sendable {
        case data(Data, type: String)
        /// Only the beginning of the announced length; then nothing, until the client leaves.
        case stalling(Data, type: String)
        /// A redirection to another address.
        case redirect(String)
    }

    private struct State {
        var pages: [String: Page] = [:]
        var asked: [String] = []
    }

    let port: UInt16
    private let descriptor: Int32
    private let state = Mutex(State())

    init() throws {
        // A client may leave before it has read everything.
        signal(SIGPIPE, SIG_IGN)
        let socket = try LoopbackSocket()
        (descriptor, port) = (socket.descriptor, socket.port)
        let thread = Thread { [weak self] in
            while true {
                let guest = accept(socket.descriptor, nil, nil)
                if guest < 0, errno == EINTR || errno == ECONNABORTED { continue }
                guard guest >= 0, let self else { return }
                self.answer(guest)
            }
        }
        thread.start()
    }

    /// Returns the address of a page.
    func address(_ path: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    func put(_ page: Page, at path: String) { state.withLock { $0.pages[path] = page } }

    func remove(_ path: String) { state.withLock { $0.pages[path] = nil } }

    func put(list lines: String..., at path: String) {
        let text = "#EXTM3U\n#EXT-X-VERSION:3\n" + lines.joined(separator: "\n") + "\n"
        put(.data(Data(text.utf8), type: "application/vnd.apple.mpegurl"), at: path)
    }

    /// The requests, in order.
    var asked: [String] { state.withLock { $0.asked } }

    private func answer(_ guest: Int32) {
        defer { close(guest) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = Foundation.read(guest, &bytes, bytes.count)
        guard count > 0 else { return }
        let request = String(decoding: bytes[..<count], as: UTF8.self)
        let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? "/"
        let page = state.withLock { state in
            state.asked.append(path)
            return state.pages[path]
        }
        var head: String
        var body = Data()
        var isStalling = false
        switch page {
        case .data(let data, let type):
            head =
                "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nAccept-Ranges: none\r\nContent-Length: \(data.count)\r\n"
            body = data
        case .stalling(let data, let type):
            head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nAccept-Ranges: none\r\nContent-Length: 1000000000\r\n"
            body = data
            isStalling = true
        case .redirect(let place): head = "HTTP/1.1 302 Found\r\nLocation: \(place)\r\nContent-Length: 0\r\n"
        case nil: head = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n"
        }
        head += "Connection: close\r\n\r\n"
        send(Data(head.utf8), to: guest)
        send(body, to: guest)
        if isStalling { while Foundation.read(guest, &bytes, bytes.count) > 0 {} }
        shutdown(guest, Int32(SHUT_WR))
    }

    private func send(_ data: Data, to guest: Int32) {
        data.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = Foundation.write(guest, rest.baseAddress, rest.count)
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }
}
