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
        ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), display-capture=()"),
    ]

    /// Adds those that an answer does not have; nothing is kept by the browser where the answer does not say so.
    public static func complete(_ headers: inout [(name: String, value: String)]) {
        for header in all + [("Cache-Control", "no-store")]
        where !headers.contains(where: { $0.name.lowercased() == header.name.lowercased() }) {
            headers.append(header)
        }
    }
}
