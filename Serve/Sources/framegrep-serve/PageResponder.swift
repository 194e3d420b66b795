import HTTPTypes
import Hummingbird
import NIOCore
import Page

/// The connection on which a request arrived.
struct PageContext: InitializableFromSource {
    let channel: any Channel

    init(source: ApplicationRequestContextSource) { channel = source.channel }
}

/// Converts HTTP requests to the page's own type, and its answers to HTTP responses.
struct PageResponder: HTTPResponder {
    let service: PageService
    let registry: ConnectionRegistry

    /// The time in which a request's body must arrive.
    private static let patience = TimeAmount.seconds(10)

    func respond(to request: Request, context: PageContext) async throws -> Response {
        let channel = context.channel
        let body = try await body(of: request, on: channel)
        let asked = Self.pageRequest(request, body)
        registry.hear(channel, hasSession: service.hasSession(asked))
        let work = Task { await service.answer(asked) }
        // Cancel the work when its client is gone.
        Self.whenGone(channel) { work.cancel() }
        let answer = await work.value
        Self.whenGone(channel, nil)
        return Self.response(answer, isHead: request.method == .head, on: channel)
    }

    private static func whenGone(_ channel: any Channel, _ action: (@Sendable () -> Void)?) {
        tell(channel) { $0.whenGone(action) }
    }

    private static func tell(_ channel: any Channel, _ body: @escaping @Sendable (ConnectionGuard) -> Void) {
        channel.eventLoop.execute {
            if let guardian = try? channel.pipeline.syncOperations.handler(type: ConnectionGuard.self) {
                body(guardian)
            }
        }
    }

    private func body(of request: Request, on channel: any Channel) async throws -> [UInt8] {
        let watch = channel.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
        defer { watch.cancel() }
        let path = (request.head.path ?? "").prefix { $0 != "?" }
        let most = PageService.mostBody(of: String(path))
        var bytes: [UInt8] = []
        for try await piece in request.body {
            bytes += Array(piece.readableBytesView)
            guard bytes.count > most else { continue }
            // Do not read the rest of a body that is too long.
            Self.tell(channel) { $0.closeWhenAnswered() }
            break
        }
        return bytes
    }

    private static func pageRequest(_ request: Request, _ body: [UInt8]) -> PageRequest {
        let target = request.head.path ?? ""
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var headers = request.headers.map { (name: $0.name.canonicalName, value: $0.value) }
        // The HTTP types store Host separately.
        if let host = request.head.authority { headers.append(("host", host)) }
        return PageRequest(
            method: request.method.rawValue, path: halves[0], query: halves.count > 1 ? halves[1] : "",
            headers: headers, body: body)
    }

    private static func response(_ answer: PageResponse, isHead: Bool, on channel: any Channel) -> Response {
        var fields = HTTPFields()
        for header in answer.headers {
            if let name = HTTPField.Name(header.name) { fields.append(HTTPField(name: name, value: header.value)) }
        }
        let status = HTTPResponse.Status(code: answer.status)
        switch answer.body {
        case .bytes(let bytes):
            if answer.status != 304, answer.status != 204 { fields[.contentLength] = String(bytes.count) }
            return Response(
                status: status, headers: fields,
                body: isHead ? ResponseBody() : .init(byteBuffer: ByteBuffer(bytes: bytes)))
        case .chunks(let chunks, let length):
            if let length { fields[.contentLength] = String(length) }
            guard !isHead else { return Response(status: status, headers: fields) }
            return Response(
                status: status, headers: fields,
                body: ResponseBody(contentLength: length.map { Int($0) }) { writer in
                    while let bytes = try await chunks.next() {
                        try await writer.write(ByteBuffer(bytes: bytes))
                        // Only the event loop knows that the client accepts no data, and lets the writer continue when
                        // it reaches these bytes. Without this wait, the rest would be read into memory.
                        try await channel.eventLoop.submit {}.get()
                    }
                    try await writer.finish(nil)
                })
        }
    }
}
