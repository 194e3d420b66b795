import Errors
import Foundation
import Synchronization
import TestSupport

/// A webhook on the loopback interface with configurable behavior. Thread-safe.
final class HookServer: Sendable {
    /// The handler of a request.
    enum Manner: Sendable {
        case answer(Int, headers: String = "")
        /// It reads the whole request and never answers.
        case hang
        case close
    }

    struct Request: Sendable {
        /// With lowercase names.
        var headers: [String: String]
        var body: Data
        var path: String
        /// Whether it was answered with 200.
        var isTaken: Bool

        var object: [String: Any] { ((try? JSONSerialization.jsonObject(with: body)) as? [String: Any]) ?? [:] }
    }

    private struct State {
        var manners: [Manner]
        var requests: [Request] = []
        var guests: [Int32] = []
        var isOver = false
    }

    let port: UInt16
    private let socket: LoopbackSocket
    private let state: Mutex<State>

    /// - Parameter manners: the handlers for the first requests; the others are answered with 200.
    init(_ manners: [Manner] = [], port wanted: UInt16 = 0) throws {
        socket = try LoopbackSocket(port: wanted)
        port = socket.port
        state = Mutex(State(manners: manners))
        Thread.detachNewThread { [self] in accept() }
    }

    var address: String { "http://127.0.0.1:\(port)/seen" }
    var requests: [Request] { state.withLock { $0.requests } }
    var taken: [Request] { requests.filter(\.isTaken) }

    /// Call it at the end: the thread holds a reference to this object.
    func stop() {
        let guests = state.withLock { state in
            state.isOver = true
            return state.guests
        }
        for guest in guests { shutdown(guest, Int32(SHUT_RDWR)) }
        shutdown(socket.descriptor, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let guest = Foundation.accept(socket.descriptor, nil, nil)
            guard guest >= 0, !state.withLock({ $0.isOver }) else { break }
            state.withLock { $0.guests.append(guest) }
            serve(guest)
            // Once it is closed, its number may be another file's, which stop() must not shut down.
            state.withLock { $0.guests.removeAll { $0 == guest } }
            close(guest)
        }
        close(socket.descriptor)
    }

    /// Serves one connection, one request after the other.
    private func serve(_ guest: Int32) {
        while let request = read(guest) {
            let manner = state.withLock { state in
                let manner = state.manners.isEmpty ? .answer(200) : state.manners.removeFirst()
                var request = request
                if case .answer(200, _) = manner { request.isTaken = true }
                state.requests.append(request)
                return manner
            }
            switch manner {
            case .close: return
            case .hang:
                // Wait until the client disconnects.
                var byte: UInt8 = 0
                _ = recv(guest, &byte, 1, 0)
                return
            case .answer(let status, let headers):
                let answer = "HTTP/1.1 \(status) X\r\nContent-Length: 2\r\n\(headers)\r\nok"
                guard send(guest, answer, answer.utf8.count, Int32(MSG_NOSIGNAL)) > 0 else { return }
            }
        }
    }

    private func read(_ guest: Int32) -> Request? {
        var data = Data()
        let end = Data("\r\n\r\n".utf8)
        while data.range(of: end) == nil { guard more(guest, &data) else { return nil } }
        guard let head = data.range(of: end) else { return nil }
        let lines = String(decoding: data[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        let length = headers["content-length"].flatMap(Int.init) ?? 0
        while data.count < head.upperBound + length { guard more(guest, &data) else { return nil } }
        let path = lines.first?.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        return Request(headers: headers, body: data[head.upperBound...], path: path, isTaken: false)
    }

    private func more(_ guest: Int32, _ data: inout Data) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(guest, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        data.append(contentsOf: bytes[..<count])
        return true
    }
}
