import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Page

/// Guards one connection: completes the headers of responses, closes the connection if the client accepts no data or
/// does not finish a request's header, and reports when the client is gone. Used on the connection's event loop.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// A client that accepts no data for this long is considered gone; a paused player sends a new request when it
    /// continues.
    private static let patience = TimeAmount.minutes(2)
    /// The time in which the first request's header must arrive completely.
    private static let firstHead = TimeAmount.seconds(10)
    /// The time in which the next header must arrive after a response.
    private static let nextHead = TimeAmount.seconds(60)

    private let registry: ConnectionRegistry
    private let isEncrypted: Bool
    /// The number of requests without a response so far.
    private var asked = 0
    /// The time by which a complete header must have arrived, while no request is being answered.
    private var headIsDue = NIODeadline.now() + firstHead
    private var unsent = 0
    private var lastSent = NIODeadline.now()
    private var watch: RepeatedTask?
    private var gone: (@Sendable () -> Void)?
    private var isGone = false
    private var isLast = false

    /// - Parameter isEncrypted: whether the page is served over TLS only.
    init(_ registry: ConnectionRegistry, isEncrypted: Bool) {
        self.registry = registry
        self.isEncrypted = isEncrypted
    }

    func handlerAdded(context: ChannelHandlerContext) {
        registry.enter(context.channel)
        let (bound, loop) = (NIOLoopBound((self, context), eventLoop: context.eventLoop), context.eventLoop)
        watch = loop.scheduleRepeatedTask(initialDelay: .seconds(5), delay: .seconds(5)) { _ in
            let (guardian, context) = bound.value
            let takesNothing = guardian.unsent > 0 && .now() - guardian.lastSent > Self.patience
            if takesNothing || guardian.asked == 0 && .now() > guardian.headIsDue { context.close(promise: nil) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch?.cancel()
        registry.leave(context.channel)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { asked += 1 }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        watch?.cancel()
        registry.leave(context.channel)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.inputClosed) = event as? ChannelEvent { end() }
        context.fireUserInboundEventTriggered(event)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        if case .head(var head) = part {
            var headers = head.headerFields.map { (name: $0.name.rawName, value: $0.value) }
            let count = headers.count
            SecurityHeaders.complete(&headers, isEncrypted: isEncrypted)
            for header in headers[count...] {
                if let name = HTTPField.Name(header.name) { head.headerFields[name] = header.value }
            }
            part = .head(head)
        }
        if case .end = part {
            asked = max(0, asked - 1)
            headIsDue = .now() + Self.nextHead
        }
        let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
        if unsent == 0 { lastSent = .now() }
        unsent += 1
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in
            bound.value.unsent -= 1
            bound.value.lastSent = .now()
        }
        guard isLast, case .end = part else { return context.write(wrapOutboundOut(part), promise: promise) }
        context.writeAndFlush(wrapOutboundOut(part), promise: promise)
        context.close(promise: nil)
    }

    /// Closes the connection after the next response, even if the client is still sending.
    func closeWhenAnswered() { isLast = true }

    /// Calls `action` when the client is gone, or at once if it already is.
    func whenGone(_ action: (@Sendable () -> Void)?) {
        gone = action
        if isGone { action?() }
    }

    private func end() {
        isGone = true
        gone?()
        gone = nil
    }
}
