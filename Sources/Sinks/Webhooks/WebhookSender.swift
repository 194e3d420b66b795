import CCurl
import CGStreamer
public import Errors
import Foundation
public import Notices
import Threads

/// Posts the notices of an outbox to one address, one after the other and in their order, until the server has taken each.
///
/// A thread of its own sends and waits. A notice leaves the outbox when the server has answered with 2xx; one that it refuses as wrong
/// (400, 413, 415, 422) after ``mostRefusals`` tries, so that the others get through.
public final class WebhookSender: Sendable {
    /// A server that was just changed may accept it the next time.
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
    ///   - warn: called once when notices do not arrive, and once when they do again; on the sender's thread.
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

    /// Something new is in the outbox.
    public func ring() { bell.ring() }

    /// Sends the remaining notices, as long as the server takes them and for at most `patience`, then stops. Those that are not
    /// acknowledged by then stay in the outbox.
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
            tellDropped()
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
                    tell("A notice was dropped after \(refusals) tries: \(reason).")
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

    private func tellDropped() {
        let dropped = outbox.takeDropped()
        if dropped > 0 { tell("\(dropped) notices were dropped: they waited for too long, or were too many.") }
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
            // An address contains nothing that would end a line of the request.
            !text.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0.value < 32 || $0.value == 127 })
        else {
            throw FramegrepError(
                .badArgument, "--webhook takes an address of HTTP, such as https://host.example/seen; this is not one.")
        }
        guard parts.user == nil, parts.password == nil else {
            throw FramegrepError(
                .badArgument,
                "An address of --webhook cannot contain a user and password, because other users could see them in the list of programs; "
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

/// Posts to one address, over one connection as long as the server keeps it. Used by one thread, which waits meanwhile.
final class CurlPost {
    /// The result of a request.
    enum Outcome {
        /// The server has it.
        case taken
        /// It may take it later.
        case failed(reason: String, asked: Duration?)
        /// It refuses this notice.
        case refused(reason: String)
    }

    /// libcurl's own set-up, once and before any other thread asks for it.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    /// More hops within one server are a circle.
    private static let mostRedirections = 3

    private let address: WebhookAddress
    private let key: [UInt8]?
    private let handle: UnsafeMutableRawPointer

    /// - Parameters:
    ///   - key: signs the bodies; nil for no signature.
    ///   - timeout: for the whole of a request.
    /// - Throws: ``FramegrepError`` (`noticeFailed`) if libcurl cannot be used.
    init(_ address: WebhookAddress, key: [UInt8]?, timeout: Duration) throws(FramegrepError) {
        guard Self.isReady, let handle = curl_easy_init() else {
            throw FramegrepError(.noticeFailed, "libcurl, which sends webhooks, cannot be started.")
        }
        (self.address, self.key, self.handle) = (address, key, handle)
        fcurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        fcurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
        // Signals are the program's.
        fcurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        let (seconds, attoseconds) = timeout.components
        let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        fcurl_set_long(handle, CURLOPT_TIMEOUT_MS, milliseconds)
        fcurl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds)
        fcurl_set_text(handle, CURLOPT_USERAGENT, "framegrep")
        fcurl_pass_over_body(handle)
    }

    deinit { curl_easy_cleanup(handle) }

    /// Sends a notice and waits for the answer.
    func post(_ notice: Notice) -> Outcome {
        var target = address.text
        for _ in 0...Self.mostRedirections {
            let code = request(target, notice)
            guard code == CURLE_OK else {
                return .failed(reason: Self.reason(code), asked: nil)
            }
            switch status {
            case 200..<300: return .taken
            case 307, 308:
                guard let next = redirection, address.isAtSameServer(as: next) else {
                    return .failed(reason: "it redirects to another server, which is not followed", asked: nil)
                }
                target = next
            // Sending it again would not help.
            case 400, 413, 415, 422: return .refused(reason: "it answered with status \(status)")
            default: return .failed(reason: "it answered with status \(status)", asked: retryAfter)
            }
        }
        return .failed(reason: "it redirects in a circle", asked: nil)
    }

    /// Why there is no answer, in words that continue a sentence.
    private static func reason(_ code: CURLcode) -> String {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: "no host of that name is known"
        case CURLE_COULDNT_CONNECT: "no server listens there, or it cannot be reached"
        case CURLE_OPERATION_TIMEDOUT: "it did not answer in time (--webhook-timeout)"
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR: "it closed the connection without an answer"
        case CURLE_PEER_FAILED_VERIFICATION: "its certificate is not to be trusted"
        default: "libcurl says '\(String(cString: curl_easy_strerror(code)))'"
        }
    }

    private func request(_ target: String, _ notice: Notice) -> CURLcode {
        var lines = [
            "Content-Type: application/json", "Idempotency-Key: \(notice.id)",
            // Bodies of this size are sent without asking first.
            "Expect:",
        ]
        if let key {
            lines.append("X-Framegrep-Signature: sha256=\(WebhookSignature.hexadecimal(of: notice.body, key: key))")
        }
        var headers: UnsafeMutablePointer<curl_slist>?
        for line in lines { headers = curl_slist_append(headers, line) }
        defer {
            fcurl_set_pointer(handle, CURLOPT_HTTPHEADER, nil)
            curl_slist_free_all(headers)
        }
        fcurl_set_text(handle, CURLOPT_URL, target)
        fcurl_set_pointer(handle, CURLOPT_HTTPHEADER, headers)
        fcurl_set_long(handle, CURLOPT_POST, 1)
        fcurl_set_long(handle, CURLOPT_POSTFIELDSIZE, notice.body.count)
        // The bytes are lent for as long as the call takes.
        return notice.body.withUnsafeBytes { bytes in
            fcurl_set_pointer(handle, CURLOPT_POSTFIELDS, bytes.baseAddress)
            defer { fcurl_set_pointer(handle, CURLOPT_POSTFIELDS, nil) }
            return curl_easy_perform(handle)
        }
    }

    private var status: Int {
        var status = 0
        fcurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    /// Where the answer sends on to, as a whole address.
    private var redirection: String? {
        var text: UnsafeMutablePointer<CChar>?
        fcurl_get_text(handle, CURLINFO_REDIRECT_URL, &text)
        return text.map { String(cString: $0) }
    }

    private var retryAfter: Duration? {
        var seconds: curl_off_t = 0
        fcurl_get_offset(handle, CURLINFO_RETRY_AFTER, &seconds)
        return seconds > 0 ? .seconds(min(seconds, 86_400)) : nil
    }
}

/// Proves to a receiver that a notice comes from a holder of the key, unchanged: HMAC-SHA256 (RFC 2104) of its body.
public enum WebhookSignature {
    /// - Returns: 64 hexadecimal digits in small letters.
    public static func hexadecimal(of body: [UInt8], key: [UInt8]) -> String {
        let text = g_compute_hmac_for_data(G_CHECKSUM_SHA256, key, gsize(key.count), body, gsize(body.count))
        guard let text else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
}
