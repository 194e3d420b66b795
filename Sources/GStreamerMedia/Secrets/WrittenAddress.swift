/// An address (`scheme://…`) as a user or a library writes it, taken apart.
///
/// The grammar is RFC 3986's, but passwords stand in addresses as they are: with `#`, `/`, `?`, `@`, quotes or spaces, where
/// the grammar ends the host, or with a percent sign that escapes nothing. So an `@` behind the end of the host is taken for
/// the end of the password where the rest is no plausible host and path otherwise: a part of a path that is not shown is a
/// smaller harm than a password that is.
struct WrittenAddress: Hashable {
    /// As written, without `://`.
    let scheme: String
    /// User name and password as written, without the `@`; nil if there are none.
    let userInfo: String?
    /// Host, port, path, query and fragment as written.
    let rest: String

    /// Nil for a text that does not begin with a scheme and `://`.
    init?(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        guard let mark = Self.mark(in: scalars, from: 0), mark > 0, Self.isScheme(scalars[..<mark]) else { return nil }
        scheme = Self.text(scalars[..<mark])
        let after = scalars[(mark + 3)...]
        if let at = scheme.lowercased() == "file" ? nil : Self.endOfUserInfo(after) {
            userInfo = Self.text(after[..<at])
            rest = Self.text(after[(at + 1)...])
        } else {
            userInfo = nil
            rest = Self.text(after)
        }
    }

    /// Whether characters of the user information had to be escaped for the grammar.
    var normalized: String {
        guard let userInfo else { return "\(scheme)://\(rest)" }
        return "\(scheme)://\(Self.escaped(userInfo))@\(rest)"
    }

    /// With the port, if there is one.
    var host: String { Self.text(Self.host(Array(rest.unicodeScalars)[...])) }

    /// Without user name and password, and without the values of query fields that hold secrets.
    var shown: String { "\(scheme)://\(SecretNames.withoutSecrets(query: rest))" }

    /// The password by itself; nil if there is none.
    var password: String? {
        guard let userInfo, let colon = userInfo.unicodeScalars.firstIndex(of: ":") else { return nil }
        let password = String(userInfo.unicodeScalars[userInfo.unicodeScalars.index(after: colon)...])
        return password.isEmpty ? nil : password
    }

    // MARK: Where user name and password end

    /// How much a text looks like a host and a port.
    private enum HostLikeness {
        /// It cannot be one.
        case none
        /// One word, which a password may be too.
        case weak
        /// An address in numbers, `localhost`, or a name with dots.
        case strong
    }

    private static func endOfUserInfo(_ text: ArraySlice<Unicode.Scalar>) -> Int? {
        guard let last = text.lastIndex(of: "@") else { return nil }
        let end = text.firstIndex { "/?#".unicodeScalars.contains($0) } ?? text.endIndex
        let authority = text[..<end]
        guard last >= end else { return last }
        let tail = likeness(host(text[(last + 1)...]))
        if let at = authority.lastIndex(of: "@") {
            return likeness(authority[(at + 1)...]) == .strong && tail != .strong ? at : last
        }
        guard let colon = authority.lastIndex(of: ":"), authority.first != "[" else { return nil }
        let port = authority[(colon + 1)...]
        guard !port.isEmpty, port.count <= 5, port.allSatisfy(isDigit) else { return last }
        let name = authority[..<colon]
        if isNumeric(name) || Self.text(name).lowercased() == "localhost" { return nil }
        switch likeness(name) {
        case .strong: return tail == .strong ? last : nil
        case .weak: return tail == .none ? nil : last
        case .none: return last
        }
    }

    private static func host(_ text: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
        text.prefix { !"/?#".unicodeScalars.contains($0) }
    }

    private static func likeness(_ text: ArraySlice<Unicode.Scalar>) -> HostLikeness {
        if text.first == "[" { return text.contains("]") ? .strong : .none }
        var name = text
        if let colon = text.lastIndex(of: ":") {
            guard text[(colon + 1)...].allSatisfy(isDigit) else { return .none }
            name = text[..<colon]
        }
        guard !name.isEmpty,
            name.allSatisfy({ $0.properties.isAlphabetic || isDigit($0) || "-._".unicodeScalars.contains($0) })
        else { return .none }
        return name.contains(".") || Self.text(name).lowercased() == "localhost" ? .strong : .weak
    }

    /// `192.168.1.4`: not a user name.
    private static func isNumeric(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        text.contains(".") && text.allSatisfy { isDigit($0) || $0 == "." }
    }

    // MARK: Pieces

    /// Where `://` begins, from `start` on.
    static func mark(in text: [Unicode.Scalar], from start: Int) -> Int? {
        guard text.count >= 3 else { return nil }
        return (start..<max(start, text.count - 2)).first {
            text[$0] == ":" && text[$0 + 1] == "/" && text[$0 + 2] == "/"
        }
    }

    /// Where the scheme begins that ends before `mark`; nil if there is none.
    static func startOfScheme(in text: [Unicode.Scalar], before mark: Int) -> Int? {
        var start = mark
        while start > 0, isSchemeScalar(text[start - 1]) { start -= 1 }
        // A scheme begins with a letter.
        while start < mark, !isLetter(text[start]) { start += 1 }
        return start < mark ? start : nil
    }

    private static func isScheme(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        text.first.map(isLetter) == true && text.allSatisfy(isSchemeScalar)
    }

    private static func isSchemeScalar(_ scalar: Unicode.Scalar) -> Bool {
        isLetter(scalar) || isDigit(scalar) || "+-.".unicodeScalars.contains(scalar)
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    /// User name and password with everything escaped that the grammar does not allow there (RFC 3986, 2.1), and that some
    /// library might stumble over; escapes that are there already stay.
    static func escaped(_ userInfo: String) -> String {
        let bytes = Array(userInfo.utf8)
        var result = ""
        var hasColon = false
        for (index, byte) in bytes.enumerated() {
            let scalar = Unicode.Scalar(byte)
            if byte == UInt8(ascii: ":"), !hasColon {
                hasColon = true
                result.append(":")
            } else if isLetter(scalar) || isDigit(scalar) || "-._~".utf8.contains(byte) || isEscape(bytes, at: index) {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }

    /// With its escapes resolved, as a server gets it.
    static func unescaped(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if isEscape(bytes, at: index),
                let value = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            {
                result.append(value)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isEscape(_ bytes: [UInt8], at index: Int) -> Bool {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count else { return false }
        return bytes[(index + 1)...(index + 2)].allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }
}
