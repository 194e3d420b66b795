import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Page

/// Watches over one connection: completes the headers of what is sent on it, closes it where the other side takes nothing or does not
/// come to the end of a request's head, and tells when the other side is gone. Belongs to its event loop.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// A client that takes nothing for this long is gone; a paused player asks again when it continues.
    private static let patience = TimeAmount.minutes(2)
    /// How long the first head may take to arrive, however its bytes are spread.
    private static let firstHead = TimeAmount.seconds(10)
    /// How long the next head may take after an answer.
    private static let nextHead = TimeAmount.seconds(60)

    private let registry: ConnectionRegistry
    private let isEncrypted: Bool
    /// Requests that are not answered yet.
    private var asked = 0
    /// When a whole head must have come, while nothing is being answered.
    private var headIsDue = NIODeadline.now() + firstHead
    private var unsent = 0
    private var lastSent = NIODeadline.now()
    private var watch: RepeatedTask?
    private var gone: (@Sendable () -> Void)?
    private var isGone = false
    private var isLast = false

    /// - Parameter isEncrypted: the page is reached by TLS only.
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

    /// Closes the connection behind the next answer, whatever is still being sent on it.
    func closeWhenAnswered() { isLast = true }

    /// Has something done when the other side is gone; at once where it is.
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
