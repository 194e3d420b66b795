import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Page

/// Watches over one connection: completes the headers of what is sent on it, closes it where the other side takes nothing, and tells
/// when the other side is gone. Belongs to its event loop, but for ``whenGone(_:)``.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Whoever takes nothing for so long is not there any more; a player that stands still asks again when it goes on.
    private static let patience = TimeAmount.minutes(2)

    private var unsent = 0
    private var lastSent = NIODeadline.now()
    private var watch: RepeatedTask?
    private var gone: (@Sendable () -> Void)?
    private var isGone = false
    private var isLast = false

    func handlerAdded(context: ChannelHandlerContext) {
        let (bound, loop) = (NIOLoopBound((self, context), eventLoop: context.eventLoop), context.eventLoop)
        watch = loop.scheduleRepeatedTask(initialDelay: .seconds(10), delay: .seconds(10)) { _ in
            let (guardian, context) = bound.value
            if guardian.unsent > 0, .now() - guardian.lastSent > Self.patience { context.close(promise: nil) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { watch?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        watch?.cancel()
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
            SecurityHeaders.complete(&headers)
            for header in headers[count...] {
                if let name = HTTPField.Name(header.name) { head.headerFields[name] = header.value }
            }
            part = .head(head)
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
