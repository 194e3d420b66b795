public import Errors
import Foundation

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
