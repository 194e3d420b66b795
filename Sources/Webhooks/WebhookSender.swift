public import Errors
public import Notices
import Threads

/// Posts the notices of an outbox to one address, one after the other and in their order, until the server has taken each.
///
/// A thread of its own sends and waits. A notice leaves the outbox when the server has answered with 2xx; one that it refuses as wrong
/// (400, 413, 415, 422) after ``mostRefusals`` tries, so that the others get through.
public final class WebhookSender: NoticeSender {
    /// A server that was changed a moment ago may know better the next time.
    static let mostRefusals = 5

    private let address: WebhookAddress
    private let shownName: String
    private let outbox: Outbox
    private let warn: NoticeWarning
    private let bell = WakeEvent()
    private let end = SenderEnd()

    /// Begins to send at once.
    ///
    /// - Parameters:
    ///   - key: signs the bodies; nil for no signature.
    ///   - timeout: for each request.
    ///   - shownName: the address as messages show it.
    ///   - warn: told once when notices do not arrive, and once when they do again; from the sender's thread.
    /// - Throws: ``FramegrepError`` (`noticeFailed`).
    public init(
        to address: WebhookAddress, key: [UInt8]?, timeout: Duration, outbox: Outbox, shownName: String,
        warn: @escaping NoticeWarning
    ) throws(FramegrepError) {
        (self.address, self.outbox, self.shownName, self.warn) = (address, outbox, shownName, warn)
        do {
            try DedicatedThread.start(named: "framegrep-hook") { [self] in
                defer { end.reach() }
                do throws(FramegrepError) {
                    run(try CurlPost(address, key: key, timeout: timeout))
                } catch {
                    warn(error)
                }
            }
        } catch {
            throw FramegrepError(.noticeFailed, error.description)
        }
    }

    public func ring() { bell.ring() }

    public func finish(within patience: Duration) async {
        end.ask()
        bell.ring()
        await end.wait(within: patience)
    }

    /// The thread's life.
    private func run(_ curl: CurlPost) {
        var pauses = Backoff.server
        var refusals = 0
        var outage: String?
        while true {
            let dropped = outbox.takeDropped()
            if dropped > 0 { tell("\(dropped) notices were dropped: they waited for too long, or were too many.") }
            guard let entry = outbox.next().first else {
                if end.isAsked { return }
                // There is nothing to poll: adding a notice rings.
                bell.wait(atMost: .seconds(3600))
                continue
            }
            var asked: Duration?
            switch curl.post(entry.notice) {
            case .taken:
                outbox.remove([entry.number])
                if outage != nil { tell("Notices arrive again.") }
                outage = nil
                refusals = 0
                pauses.reset()
                continue
            case .refused(let reason):
                refusals += 1
                if refusals >= Self.mostRefusals {
                    tell("A notice was given up after \(refusals) tries: \(reason).")
                    outbox.remove([entry.number])
                    refusals = 0
                    continue
                }
            case .failed(let reason, let wish):
                asked = wish
                if outage == nil {
                    tell("Notices do not arrive: \(reason). They wait, and are sent when it answers again.")
                }
                outage = reason
            }
            if end.isAsked { return }
            rest(pauses.nextJittered(asked: asked))
        }
    }

    /// Waits, whatever is added meanwhile, but not while the program ends.
    private func rest(_ pause: Duration) {
        let over = ContinuousClock.now + pause
        while !end.isAsked, ContinuousClock.now < over { bell.wait(atMost: over - .now) }
    }

    private func tell(_ text: String) {
        warn(FramegrepError(.noticeFailed, "\(shownName): \(text)"))
    }
}
