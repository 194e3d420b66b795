public import Errors
import Foundation
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

/// The address of a webhook, checked.
public struct WebhookAddress: Sendable, Hashable {
    public let text: String

    /// - Throws: ``FramegrepError`` (`badArgument`) if it is not an address of HTTP, or has a password in it.
    public init(_ text: String) throws(FramegrepError) {
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased()),
            let host = parts.host, !host.isEmpty,
            // What would end a line of a request is no part of an address.
            !text.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0.value < 32 || $0.value == 127 })
        else {
            throw FramegrepError(
                .badArgument, "--webhook takes an address of HTTP, such as https://host.example/seen; this is none.")
        }
        guard parts.user == nil, parts.password == nil else {
            throw FramegrepError(
                .badArgument,
                "An address of --webhook takes no user and password, which others would see in the list of programs; "
                    + "set FRAMEGREP_WEBHOOK_KEY, and the receiver knows by the signature who sent a notice.")
        }
        self.text = text
    }

    /// An address as messages show it: without its query, in which keys stand, and no more of its path than a user needs.
    public static func shown(_ text: String) -> String {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme, let host = parts.host else {
            return "a webhook"
        }
        return "\(scheme)://\(host)\(parts.port.map { ":\($0)" } ?? "")"
    }

    /// Whether another address is at the same server: same scheme, host and port.
    func isAtSameServer(as other: String) -> Bool {
        guard let mine = Self.server(text), let theirs = Self.server(other) else { return false }
        return mine == theirs
    }

    private static func server(_ address: String) -> [String]? {
        guard let parts = URLComponents(string: address), let scheme = parts.scheme?.lowercased(),
            let host = parts.host?.lowercased()
        else { return nil }
        return [scheme, host, String(parts.port ?? (scheme == "https" ? 443 : 80))]
    }
}
