/// The headers that every answer has, errors too.
public enum SecurityHeaders {
    /// The page loads its own scripts, styles, pictures and recordings and nothing else, and no text becomes markup or script.
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "media-src 'self'",
        "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    public static let all: [(name: String, value: String)] = [
        ("Content-Security-Policy", policy),
        ("X-Content-Type-Options", "nosniff"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"),
        ("Permissions-Policy", "camera=(), microphone=(self), geolocation=(), display-capture=()"),
    ]

    /// The header by which an encrypted page asks the browser never to ask without encryption again, for 30 days. Browsers obey it for
    /// names, not for bare addresses, and only if they trust the certificate.
    private static let encrypted = [(name: "Strict-Transport-Security", value: "max-age=2592000")]

    /// Adds those that an answer does not have; nothing is kept by the browser where the answer does not say so.
    ///
    /// - Parameter isEncrypted: the page is reached by TLS only.
    public static func complete(_ headers: inout [(name: String, value: String)], isEncrypted: Bool) {
        for header in all + (isEncrypted ? encrypted : []) + [("Cache-Control", "no-store")]
        where !headers.contains(where: { $0.name.lowercased() == header.name.lowercased() }) {
            headers.append(header)
        }
    }
}
