import Errors
import Foundation
import Processes
import Synchronization
import Threads

/// The Model Context Protocol on standard input and output: parses messages, answers them, and keeps track of running
/// calls.
///
/// It speaks two forms of the protocol: that of the current revision, in which each request carries its revision in
/// `_meta`, and that of older revisions, which begin with `initialize`. Each request shows which one it uses.
///
/// Thread-safe; ``receive(_:)`` is called on one thread, calls run in tasks.
final class MCPServer: Sendable {
    /// The largest number of calls that run or wait; others are refused.
    private static let mostCalls = 256

    private struct State {
        /// The revision agreed on; nil before `initialize`.
        var revision: String?
        var calls: [JSONValue: Task<Void, Never>] = [:]
        /// The number of calls whose answer is not completely written.
        var open = 0
        var isOver = false
    }

    private let output: MCPStream.Output
    private let tools: MCPTools
    private let state = Mutex(State())
    private let idle = TaskWakeEvent()

    init(_ output: MCPStream.Output, tools: MCPTools) {
        self.output = output
        self.tools = tools
    }

    // MARK: Messages

    /// Answers requests that need no time, and begins the others.
    func receive(_ line: LineReader.Line) {
        guard case .line(let bytes) = line else {
            return refuse(.parse("A message is longer than \(MCPStream.longest >> 20) MiB; it was skipped."))
        }
        // A blank line is not a message.
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return }
        do {
            let value = try JSONParser.value(bytes)
            guard case .array(let messages) = value else { return receive(value) }
            try receiveList(messages)
        } catch let fault as JSONParser.Fault {
            refuse(.parse("This is not JSON: \(fault)."))
        } catch {
            refuse(error as? MCPError ?? .invalidRequest("\(error)"))
        }
    }

    private func refuse(_ error: MCPError) { output.send(error.answer(to: nil)) }

    /// Handles several messages in one, which only one revision allows. Each is answered separately.
    private func receiveList(_ messages: [JSONValue]) throws(MCPError) {
        guard state.withLock({ $0.revision }) == MCPRevision.withLists else {
            throw .invalidRequest("Messages come one by one.")
        }
        guard !messages.isEmpty, messages.count <= 100 else {
            throw .invalidRequest("A list has 1 to 100 messages.")
        }
        for message in messages { receive(message) }
    }

    private func receive(_ value: JSONValue) {
        do throws(MCPError) {
            switch try MCPMessage(value) {
            case .request(let id, let method, let params): answer(method, params, id)
            case .notification(let method, let params): note(method, params)
            case .response: break
            }
        } catch {
            refuse(error)
        }
    }

    private func note(_ method: String, _ params: JSONValue) {
        guard method == "notifications/cancelled", let id = params["requestId"] else { return }
        state.withLock { $0.calls[id] }?.cancel()
    }

    // MARK: Requests

    /// The form in which a request is answered.
    private struct Manner: Sendable {
        /// Whether it uses the current revision, which has no handshake.
        var isCurrent: Bool
    }

    private func answer(_ method: String, _ params: JSONValue, _ id: JSONValue) {
        do throws(MCPError) {
            let manner = try manner(of: method, params)
            switch method {
            case "initialize": send(try initialize(params), to: id, manner)
            case "server/discover" where manner.isCurrent: send(discovery, to: id, manner)
            case "ping" where !manner.isCurrent: send([:], to: id, manner)
            case "tools/list":
                try noCursor(params)
                send(["tools": MCPToolList.tools], to: id, manner, isKept: true)
            case "resources/templates/list":
                try noCursor(params)
                send(["resourceTemplates": MCPToolList.templates], to: id, manner, isKept: true)
            case "tools/call", "resources/list", "resources/read":
                try begin(method, params: params, id: id, manner: manner)
            default: throw .unknownMethod(method)
            }
        } catch {
            output.send(error.answer(to: id))
        }
    }

    /// - Throws: ``MCPError`` for an unknown revision, and for requests before `initialize`.
    private func manner(of method: String, _ params: JSONValue) throws(MCPError) -> Manner {
        if let named = params["_meta"]?[MCPRevision.field], method != "initialize" {
            guard let revision = named.string else { throw .invalidParams("\(MCPRevision.field) is a text.") }
            guard revision == MCPRevision.current else { throw .unsupported(revision) }
            return Manner(isCurrent: true)
        }
        let isKnown = state.withLock { $0.revision != nil }
        guard isKnown || method == "initialize" || method == "ping" else {
            throw .invalidRequest(
                method == "server/discover"
                    ? "A request names its revision in _meta (\(MCPRevision.field)), or follows initialize."
                    : "The first request is initialize, unless each names its revision in _meta (\(MCPRevision.field))."
            )
        }
        return Manner(isCurrent: false)
    }

    private func initialize(_ params: JSONValue) throws(MCPError) -> JSONValue {
        guard let asked = params["protocolVersion"]?.string else {
            throw .invalidParams("initialize names its protocolVersion, such as \(MCPRevision.withHandshake[0]).")
        }
        let revision = MCPRevision.withHandshake.contains(asked) ? asked : MCPRevision.withHandshake[0]
        let isFirst = state.withLock { state in
            defer { state.revision = state.revision ?? revision }
            return state.revision == nil
        }
        guard isFirst else { throw .invalidRequest("initialize was answered already; it comes once.") }
        return [
            "protocolVersion": .string(revision), "capabilities": MCPToolList.capabilities,
            "serverInfo": MCPToolList.server, "instructions": .string(MCPToolList.instructions),
        ]
    }

    private var discovery: JSONValue {
        [
            "supportedVersions": .array(MCPRevision.all.map(JSONValue.string)),
            "capabilities": MCPToolList.capabilities, "instructions": .string(MCPToolList.instructions),
            "ttlMs": 3_600_000, "cacheScope": "private",
        ]
    }

    /// Rejects a cursor, because these lists have one page.
    private func noCursor(_ params: JSONValue) throws(MCPError) {
        if let cursor = params["cursor"], cursor != .null { throw .invalidParams("There is no such cursor.") }
    }

    /// - Parameter isKept: whether the client may cache it for an hour.
    private func send(_ result: JSONValue, to id: JSONValue, _ manner: Manner, isKept: Bool = false) {
        var fields = result.object ?? [:]
        if manner.isCurrent {
            fields["resultType"] = "complete"
            fields["_meta"] = [MCPRevision.serverField: MCPToolList.server]
            if isKept {
                fields["ttlMs"] = 3_600_000
                fields["cacheScope"] = "private"
            }
        } else {
            // Older revisions lack these fields.
            for name in ["ttlMs", "cacheScope"] { fields[name] = nil }
        }
        output.send(["jsonrpc": "2.0", "id": id, "result": .object(fields)])
    }

    // MARK: Calls

    /// Begins a request that may take a while.
    private func begin(_ method: String, params: JSONValue, id: JSONValue, manner: Manner) throws(MCPError) {
        let work = try work(method, params)
        try state.withLock { state throws(MCPError) in
            guard state.open < Self.mostCalls else { throw .busy }
            guard state.calls[id] == nil else {
                throw .invalidRequest("A request with this id is being answered; each has its own.")
            }
            state.open += 1
            state.calls[id] = Task { [self] in
                defer { close() }
                let outcome = await Result { try await work() }
                let isWanted = !Task.isCancelled
                // Do this before the answer, because the id may be used again after it.
                self.state.withLock { $0.calls[id] = nil }
                // Cancelled requests are not answered.
                guard isWanted else { return }
                switch outcome {
                case .success(let result): send(result, to: id, manner)
                case .failure(let error as MCPError): output.send(error.answer(to: id))
                case .failure(let error):
                    let message =
                        (error as? FramegrepError)?.message ?? "An internal error occurred: \(error)."
                    output.send(MCPError(code: -32603, message: PlainText.text(message)).answer(to: id))
                }
            }
        }
    }

    /// Records that a call is answered or cancelled.
    private func close() {
        let isOver = state.withLock { state in
            state.open -= 1
            return state.isOver && state.open == 0
        }
        if isOver { idle.ring() }
    }

    private func work(
        _ method: String, _ params: JSONValue
    ) throws(MCPError) -> @Sendable () async throws -> JSONValue {
        let progress = try progress(params)
        switch method {
        case "resources/list":
            let cursor = try cursor(params)
            return { [tools] in try await tools.resources(after: cursor) }
        case "resources/read":
            guard let uri = params["uri"]?.string else { throw .invalidParams("resources/read names a uri.") }
            let missing = params["_meta"]?[MCPRevision.field] == nil ? -32002 : -32602
            return { [tools] in try await tools.resource(uri, missing: missing) }
        default:
            guard let name = params["name"]?.string else { throw .invalidParams("tools/call names a tool.") }
            guard let tool = MCPToolName(rawValue: name) else {
                throw .invalidParams(
                    "There is no tool '\(PlainText.text(String(name.prefix(100))))'; there are "
                        + MCPToolName.allCases.map(\.rawValue).joined(separator: ", ") + ".")
            }
            let arguments = params["arguments"] ?? [:]
            guard arguments == .null || arguments.object != nil else {
                throw .invalidParams("The arguments are an object.")
            }
            return { [tools] in try await tools.call(tool, arguments, progress) }
        }
    }

    private func cursor(_ params: JSONValue) throws(MCPError) -> String? {
        guard let cursor = params["cursor"], cursor != .null else { return nil }
        guard let text = cursor.string else { throw .invalidParams("A cursor is a text.") }
        return text
    }

    /// Reports the progress of a call; does nothing unless the client asked for it.
    private func progress(_ params: JSONValue) throws(MCPError) -> MCPProgress {
        guard let token = params["_meta"]?["progressToken"] else { return MCPProgress { _ in } }
        guard token.string != nil || token.integer != nil else {
            throw .invalidParams("A progressToken is a text or a whole number.")
        }
        return MCPProgress { [output] fields in
            var fields = fields
            fields["progressToken"] = token
            output.send(["jsonrpc": "2.0", "method": "notifications/progress", "params": .object(fields)])
        }
    }

    // MARK: The end

    /// Handles the end of the input: running calls are answered, or cancelled after a while. Returns when the answers
    /// are written, or cannot be.
    func finish(within patience: Duration) async {
        let isIdle = state.withLock { state in
            state.isOver = true
            return state.open == 0
        }
        let end = ContinuousClock.now + patience
        // The task is cancelled if the client is gone.
        while !isIdle, ContinuousClock.now < end, state.withLock({ $0.open > 0 }), !Task.isCancelled {
            await idle.wait(atMost: end - .now)
        }
        cancelAll()
        // Calls end the programs that they started.
        if state.withLock({ $0.open > 0 }) { await idle.wait(atMost: .seconds(5)) }
        // A client that reads at all gets them quickly, even if the program must end at once.
        await output.flush(within: max(Duration.seconds(1), end - .now))
    }

    func cancelAll() {
        for call in state.withLock({ Array($0.calls.values) }) { call.cancel() }
    }
}

/// Reports the progress of a call to the client. Thread-safe.
final class MCPProgress: Sendable {
    private let send: @Sendable ([String: JSONValue]) -> Void
    private let last = Mutex(-1.0)

    init(_ send: @escaping @Sendable ([String: JSONValue]) -> Void) { self.send = send }

    /// - Parameters:
    ///   - value: must increase; other values are not sent.
    ///   - total: the final value; nil if unknown.
    ///   - message: a text for users.
    func tell(_ value: Double, of total: Double?, _ message: String) {
        let grows = last.withLock { last in
            guard value > last else { return false }
            last = value
            return true
        }
        guard grows else { return }
        var fields: [String: JSONValue] = ["progress": .rounded(value, decimals: 3), "message": .seen(message)]
        if let total { fields["total"] = .rounded(total, decimals: 3) }
        send(fields)
    }
}

extension Result where Failure == any Error {
    /// Creates the outcome of asynchronous work.
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
