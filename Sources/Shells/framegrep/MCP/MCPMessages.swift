import Errors
import Foundation
import Processes
import Synchronization
import Threads

/// A message of JSON-RPC 2.0, as used by the Model Context Protocol.
enum MCPMessage: Sendable {
    /// A request to be answered under its `id`, a text or an integer.
    case request(id: JSONValue, method: String, params: JSONValue)
    case notification(method: String, params: JSONValue)
    /// A response, which is ignored because this server sends no requests.
    case response

    /// - Throws: ``MCPError`` (`invalidRequest`) with the `id` if there is one.
    init(_ value: JSONValue) throws(MCPError) {
        guard let fields = value.object else { throw .invalidRequest("A message is an object.") }
        let id = fields["id"]
        var isID = false
        switch id {
        case .string(let text): isID = text.utf8.count <= 1000
        case .integer: isID = true
        default: break
        }
        let answered = isID ? id : nil
        func refuse(_ reason: String) -> MCPError { .invalidRequest(reason, answering: answered) }
        guard fields["jsonrpc"]?.string == "2.0" else { throw refuse("A message says \"jsonrpc\": \"2.0\".") }
        guard let method = fields["method"] else {
            guard id != nil, fields["result"] != nil || fields["error"] != nil else {
                throw refuse("A message has a method.")
            }
            self = .response
            return
        }
        guard let name = method.string else { throw refuse("The method is a text.") }
        let params = fields["params"] ?? [:]
        guard params.object != nil else { throw refuse("The params are an object.") }
        guard let id else {
            self = .notification(method: name, params: params)
            return
        }
        guard isID else { throw refuse("The id is a text or a whole number.") }
        self = .request(id: id, method: name, params: params)
    }
}

/// An error of the protocol: a code of JSON-RPC and a sentence.
///
/// A failure inside a tool is not a protocol error: the tool's result reports it, so that a model can correct itself.
struct MCPError: Error, Sendable {
    var code: Int
    var message: String
    var data: JSONValue?
    /// The request that it answers, if nothing else was understood.
    var id: JSONValue?

    static func parse(_ reason: String) -> MCPError { MCPError(code: -32700, message: reason) }
    static func invalidRequest(_ reason: String, answering id: JSONValue? = nil) -> MCPError {
        MCPError(code: -32600, message: reason, id: id)
    }
    static func unknownMethod(_ name: String) -> MCPError {
        MCPError(code: -32601, message: "There is no method '\(PlainText.text(String(name.prefix(100))))'.")
    }
    static func invalidParams(_ reason: String) -> MCPError { MCPError(code: -32602, message: reason) }
    /// One of the codes that a server may define: too many requests at once.
    static let busy = MCPError(code: -32000, message: "Too many requests at once; ask again when some are answered.")
    static func unsupported(_ version: String) -> MCPError {
        MCPError(
            code: -32022, message: "This revision of the protocol is not supported.",
            data: [
                "supported": .array(MCPRevision.all.map(JSONValue.string)),
                "requested": .string(PlainText.text(String(version.prefix(100)))),
            ])
    }

    /// Returns the message that answers a request with this error.
    func answer(to id: JSONValue?) -> JSONValue {
        var error: [String: JSONValue] = ["code": .integer(code), "message": .string(message)]
        if let data { error["data"] = data }
        return ["jsonrpc": "2.0", "id": id ?? self.id ?? .null, "error": .object(error)]
    }
}

/// Revisions of the protocol, by date.
enum MCPRevision {
    /// The current one: there is no handshake, and each request states its revision.
    static let current = "2026-07-28"
    /// Revisions that begin with `initialize`, the newest first.
    static let withHandshake = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    /// The only revision in which several messages may come as a list.
    static let withLists = "2025-03-26"
    static let all = [current] + withHandshake

    /// The field of `_meta` in which a request of the current revision states it.
    static let field = "io.modelcontextprotocol/protocolVersion"
    /// The field in which a result of the current revision identifies the server.
    static let serverField = "io.modelcontextprotocol/serverInfo"
}

/// Messages on standard input and output, one per line.
enum MCPStream {
    /// The largest length of a message, in bytes.
    static let longest = 1 << 20

    /// Standard output. Thread-safe: messages are written whole, one after the other, in the order in which they were
    /// sent.
    ///
    /// A thread of its own writes them, because the client determines how long a write takes. Buffering: if more bytes
    /// wait than allowed, the client counts as gone, as if it had closed its end, and nothing more is written to it.
    final class Output: Sendable {
        private struct State {
            var isGone = false
            var failure: FramegrepError?
        }

        private let descriptor: Int32
        private let limit: Int
        private let queue = OutputQueue(endsWithProgram: false)
        private let state = Mutex(State())
        private let left = TaskWakeEvent()

        /// - Parameter limit: the number of bytes that may wait; a single message may be longer.
        init(_ descriptor: Int32, limit: Int = 64 << 20) { (self.descriptor, self.limit) = (descriptor, limit) }

        /// Whether the client reads, as far as is known.
        var hasReader: Bool { !state.withLock { $0.isGone } }

        /// The reason nothing can be written, unless the client has closed its end.
        var failure: FramegrepError? { state.withLock { $0.failure } }

        /// Returns when the client has stopped reading, nothing can be written, or the task is cancelled. For one task.
        func readerLeft() async {
            // The system reports this without a write. The thread is abandoned if the reader stays.
            try? DedicatedThread.start(named: "mcp reader") { [self, descriptor] in
                while !Self.isClosed(descriptor) {}
                leave()
            }
            await left.wait()
        }

        /// Waits until its other end is closed; false if something else woke it.
        private static func isClosed(_ descriptor: Int32) -> Bool {
            var wanted = pollfd(fd: descriptor, events: 0, revents: 0)
            return poll(&wanted, 1, -1) > 0 && wanted.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
        }

        /// Sends a message when it is its turn; returns at once.
        func send(_ message: JSONValue) {
            guard !state.withLock({ $0.isGone }) else { return }
            let line = Array((message.text + "\n").utf8)
            if !queue.add(line.count, upTo: limit, { [self] in write(line) }) { leave() }
        }

        private func write(_ line: [UInt8]) {
            guard !state.withLock({ $0.isGone }), let reason = PipeBytes.failure(writing: line, to: descriptor) else {
                return
            }
            let text = "Writing to standard output failed: \(String(cString: strerror(reason)))."
            leave(because: reason == EPIPE ? nil : FramegrepError(.outputFailed, text))
        }

        private func leave(because failure: FramegrepError? = nil) {
            state.withLock { ($0.isGone, $0.failure) = (true, $0.failure ?? failure) }
            left.ring()
        }

        /// Returns when everything is written, when the client is gone, or after this time.
        func flush(within patience: Duration) async {
            if !state.withLock({ $0.isGone }) { await queue.settled(within: patience) }
        }
    }
}
