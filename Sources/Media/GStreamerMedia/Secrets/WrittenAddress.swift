/// An address (`scheme://…`) as a user or a library writes it, taken apart.
///
/// The grammar is RFC 3986's, but people write passwords unescaped: with `#`, `/`, `?`, `@`, quotes or spaces, which
/// end the host in the grammar, or with a percent sign that escapes nothing. So an `@` after the end of the host counts
/// as the end of the password unless the text before it is a plausible host and path. Hiding a part of a path does less
/// harm than showing a password.
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

    /// The address without user name and password, and without the values of query fields that contain secrets.
    var shown: String { "\(scheme)://\(SecretNames.withoutSecrets(query: rest))" }

    /// The password by itself; nil if there is none.
    var password: String? {
        guard let userInfo, let colon = userInfo.unicodeScalars.firstIndex(of: ":") else { return nil }
        let password = String(userInfo.unicodeScalars[userInfo.unicodeScalars.index(after: colon)...])
        return password.isEmpty ? nil : password
    }

    // MARK: The end of user name and password

    /// Returns how much a text looks like a host and a port.
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

    /// Returns the index of the next `://` from `start` on.
    static func mark(in text: [Unicode.Scalar], from start: Int) -> Int? {
        guard text.count >= 3 else { return nil }
        return (start..<max(start, text.count - 2)).first {
            text[$0] == ":" && text[$0 + 1] == "/" && text[$0 + 2] == "/"
        }
    }

    /// Returns the beginning of the scheme that ends before `mark`; nil if there is none.
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

    /// Returns user name and password with all characters escaped that the grammar does not allow there (RFC 3986, 2.1)
    /// or that some library might mishandle; existing escapes stay.
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

    /// Returns a text with its escapes resolved, as a server gets it.
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

/// Returns a text without passwords, for messages, logs and result files.
///
/// Removes the user information of every address in it (`rtsp://user:secret@camera/` becomes `rtsp://camera/`) and the
/// values of the fields of its query that contain secrets, and everything that is known to be secret because it was in
/// an address or a description before. Other text is unchanged: a file may be called `token=abc.mp4`.
///
/// - Parameter naming: whether to call files by the names that the user gave instead of `file:///…`; false for text
///   that GStreamer must understand.
public func redacted(_ text: String, naming: Bool = true) -> String {
    let known = Array(KnownTexts.replaced(in: text, naming: naming).unicodeScalars)
    var result = String.UnicodeScalarView()
    var index = 0
    while let mark = WrittenAddress.mark(in: known, from: index) {
        guard let start = WrittenAddress.startOfScheme(in: known, before: mark), start >= index else {
            result.append(contentsOf: known[index...mark])
            index = mark + 1
            continue
        }
        // Characters that end an address in a sentence.
        let end = known[mark...].firstIndex { $0.properties.isWhitespace || "\"'`<>“”‘’|".unicodeScalars.contains($0) }
        let address = String(String.UnicodeScalarView(known[start..<(end ?? known.count)]))
        result.append(contentsOf: known[index..<start])
        result.append(contentsOf: (WrittenAddress(address)?.shown ?? address).unicodeScalars)
        index = end ?? known.count
    }
    return String(result) + String(String.UnicodeScalarView(known[index...]))
}

/// Returns a library's message as a full sentence: trimmed, without its passwords, ending in a full stop.
func sentence(_ text: String) -> String {
    let trimmed = redacted(withoutPlacesInCode(text)).trimmingSpace()
    guard let last = trimmed.last else { return "" }
    return ".!?".contains(last) ? trimmed : trimmed + "."
}

/// Returns a message of GStreamer's without the source code locations that some elements include: `… failed:
/// ../ext/soup/gstsouphttpsrc.c(1628): gst_soup_http_src_parse_status (): /GstPipeline:pipeline0/…`.
func withoutPlacesInCode(_ text: String) -> String {
    text.replacing(#/:?\s*(?:\.\./)*[\w./+\-]+\.(?:c|cc|cpp|m)\(\d+\):\s*\w+\s*\(\):?\s*(?:/\S+)?/#, with: "")
        .replacing(#/\s*\n\s*/#, with: " ")
}

extension String {
    /// Returns the text without white space at either end.
    func trimmingSpace() -> String {
        let start = drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}

/// Names of query fields in addresses, and of elements' properties, that have secret values.
enum SecretNames {
    /// Words that mark a secret anywhere in a name, also within a longer word: `user_password`, `authtoken`, `X-Amz-Signature`.
    private static let roots = [
        "password", "passwd", "passphrase", "secret", "token", "signature", "apikey", "accesskey", "credential",
        "authorization",
    ]
    /// Words that mark a secret only by themselves: `user-pw`, `sig`, `my.key`, but not `keyframe` or `author`.
    private static let words: Set<String> = [
        "pass", "pwd", "psw", "pw", "sig", "auth", "hmac", "jwt", "otp", "sid", "session", "sessionid", "cookie",
        "cookies",
        "userpw", "userpwd", "psk",
    ]
    /// Fields that identify a user, which are not shown either.
    private static let identities: Set<String> = ["user-id", "proxy-id", "username"]
    /// Structures and lists that may contain secrets.
    private static let containers: Set<String> = ["extra-headers"]

    /// Returns whether a query field of this name contains a secret.
    static func isSecret(_ name: String) -> Bool {
        let words = words(of: name)
        let letters = words.joined()
        return roots.contains { contains(letters, $0) } || words.contains { Self.words.contains($0) }
            || words.last == "key"
    }

    /// Returns whether an element's property of this name contains a secret, by its name alone.
    static func isSecret(property name: String) -> Bool {
        identities.contains(name) || containers.contains(name) || isSecret(name)
    }

    /// Replaces the values of secret fields in the part of an address after its host: query and fragment.
    static func withoutSecrets(query rest: String) -> String {
        replacing(in: rest) { _ in "***" }
    }

    /// Returns the values of secret fields in an address's query and fragment.
    static func secrets(inQuery rest: String) -> [String] {
        var found: [String] = []
        _ = replacing(in: rest) { value in
            found.append(value)
            return value
        }
        return found
    }

    /// Replaces the values. It works on scalars rather than characters, because a combining mark after an equals sign
    /// would hide it.
    private static func replacing(in rest: String, _ replace: (String) -> String) -> String {
        var fields = [""]
        for scalar in rest.unicodeScalars {
            let isBehindPath = fields.count > 1
            if (isBehindPath ? "?#&;" : "?#").unicodeScalars.contains(scalar) { fields.append("") }
            fields[fields.count - 1].unicodeScalars.append(scalar)
        }
        // The first field is host and path.
        for index in fields.indices.dropFirst() {
            let field = fields[index].unicodeScalars
            guard let mark = field.firstIndex(of: "="), field.index(after: mark) < field.endIndex else { continue }
            let name = String(field[..<mark].dropFirst())
            guard isSecret(WrittenAddress.unescaped(name)) else { continue }
            fields[index] = String(field[...mark]) + replace(String(field[field.index(after: mark)...]))
        }
        return fields.joined()
    }

    /// Returns the words of a name in lowercase, split as in `X-Amz-Security-Token` and `securityToken`.
    private static func words(of name: String) -> [String] {
        var words: [String] = [""]
        var wasSmall = false
        for character in name {
            let isCapital = character.isUppercase
            if !character.isLetter && !character.isNumber {
                words.append("")
            } else {
                if isCapital, wasSmall { words.append("") }
                words[words.count - 1] += character.lowercased()
            }
            wasSmall = character.isLowercase
        }
        return words.filter { !$0.isEmpty }
    }

    private static func contains(_ text: String, _ part: String) -> Bool { text.firstRange(of: part) != nil }
}
