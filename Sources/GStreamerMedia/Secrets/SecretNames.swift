/// Names whose values are secrets: of query fields in an address, and of properties of elements.
enum SecretNames {
    /// Such a word anywhere in a name, also as a part of a longer one: `user_password`, `authtoken`, `X-Amz-Signature`.
    private static let roots = [
        "password", "passwd", "passphrase", "secret", "token", "signature", "apikey", "accesskey", "credential",
        "authorization",
    ]
    /// Such a word by itself, between other characters: `user-pw`, `sig`, `my.key`, but not `keyframe` or `author`.
    private static let words: Set<String> = [
        "pass", "pwd", "psw", "pw", "sig", "auth", "hmac", "jwt", "otp", "sid", "session", "sessionid", "cookie",
        "cookies",
        "userpw", "userpwd", "psk",
    ]
    /// Fields that identify a user, which are not shown either.
    private static let identities: Set<String> = ["user-id", "proxy-id", "username"]
    /// Structures and lists whose members may be secrets.
    private static let containers: Set<String> = ["extra-headers"]

    /// Whether a query field of this name holds a secret.
    static func isSecret(_ name: String) -> Bool {
        let words = words(of: name)
        let letters = words.joined()
        return roots.contains { contains(letters, $0) } || words.contains { Self.words.contains($0) }
            || words.last == "key"
    }

    /// Whether an element's property of this name holds a secret, by its name alone.
    static func isSecret(property name: String) -> Bool {
        identities.contains(name) || containers.contains(name) || isSecret(name)
    }

    /// Replaces the values of secret fields in the part of an address after its host: query and fragment.
    static func withoutSecrets(query rest: String) -> String {
        replacing(in: rest) { _ in "***" }
    }

    /// The values of secret fields in an address's query and fragment.
    static func secrets(inQuery rest: String) -> [String] {
        var found: [String] = []
        _ = replacing(in: rest) { value in
            found.append(value)
            return value
        }
        return found
    }

    /// Replaces the values. By scalars, not by characters: a combining mark behind an equals sign would hide it.
    private static func replacing(in rest: String, _ replace: (String) -> String) -> String {
        var fields = [""]
        for scalar in rest.unicodeScalars {
            let isBehindPath = fields.count > 1
            if (isBehindPath ? "?#&;" : "?#").unicodeScalars.contains(scalar) { fields.append("") }
            fields[fields.count - 1].unicodeScalars.append(scalar)
        }
        // The first is host and path.
        for index in fields.indices.dropFirst() {
            let field = fields[index].unicodeScalars
            guard let mark = field.firstIndex(of: "="), field.index(after: mark) < field.endIndex else { continue }
            let name = String(field[..<mark].dropFirst())
            guard isSecret(WrittenAddress.unescaped(name)) else { continue }
            fields[index] = String(field[...mark]) + replace(String(field[field.index(after: mark)...]))
        }
        return fields.joined()
    }

    /// The words of a name in small letters: `X-Amz-Security-Token` and `securityToken` have them apart.
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
