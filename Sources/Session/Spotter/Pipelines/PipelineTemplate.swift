import Errors
import TextSpotting

/// A pipeline description with `#` comments and `${name:-default}` placeholders, as in the files of `pipelines/`.
///
/// The text that fills a placeholder is always one value of the description, whatever characters it has: it is escaped,
/// so a file name with a space or a `!` stays a file name.
public struct PipelineTemplate: Sendable, Hashable {
    /// The text as written.
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// The names of the placeholders, in order of appearance.
    public var holes: [String] {
        var names: [String] = []
        _ = try? expand { name, fallback in
            if !names.contains(name) { names.append(name) }
            return fallback ?? ""
        }
        return names
    }

    /// Returns the description for GStreamer.
    ///
    /// - Throws: `FramegrepError` (`badPipeline`) that names a placeholder without a value, a value without a
    ///   placeholder, or a placeholder that is not closed.
    public func filled(with values: [String: String]) throws -> String {
        let known = holes
        if let unknown = values.keys.sorted().first(where: { !known.contains($0) }) {
            let list = known.isEmpty ? "it has none" : "it has " + known.joined(separator: ", ")
            throw FramegrepError(.badPipeline, "The pipeline has no placeholder named '\(unknown)'; \(list).")
        }
        return try expand { name, fallback in
            if let value = values[name] { return Self.escaped(value) }
            guard let fallback else {
                throw FramegrepError(
                    .badPipeline, "The pipeline needs a value for '\(name)': add \(name)=VALUE to the command.")
            }
            return fallback
        }
    }

    /// Replaces each placeholder by the result of `value` for its name and default, after removing the comments.
    private func expand(_ value: (_ name: String, _ fallback: String?) throws -> String) throws -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
            .filter { !($0.drop(while: \.isWhitespace).first == "#") }
        var rest = Substring(lines.joined(separator: "\n"))
        var result = ""
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            let after = rest.index(after: dollar)
            guard after < rest.endIndex, rest[after] == "{" else {
                result += "$"
                rest = rest[after...]
                continue
            }
            guard let close = rest[after...].firstIndex(of: "}") else {
                throw FramegrepError(
                    .badPipeline, "The pipeline has a placeholder that is not closed: '\(rest[dollar...].prefix(40))'.")
            }
            let hole = rest[rest.index(after: after)..<close]
            let name: Substring
            let fallback: String?
            if let mark = hole.firstRange(of: ":-") {
                name = hole[..<mark.lowerBound]
                fallback = String(hole[mark.upperBound...])
            } else {
                name = hole
                fallback = nil
            }
            guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }) else {
                throw FramegrepError(.badPipeline, "The pipeline has a placeholder with an invalid name: '${\(hole)}'.")
            }
            result += try value(String(name), fallback)
            rest = rest[rest.index(after: close)...]
        }
        result += rest
        return result
    }

    /// Returns `value` as one word of a description, with special characters escaped by a backslash.
    public static func escaped(_ value: String) -> String {
        guard !value.isEmpty else { return "\"\"" }
        if needsOctal(value) { return octal(value) }
        var result = ""
        for character in value {
            let isPlain = character.isLetter || character.isNumber || "_-+/.:,=@%?&~[]*".contains(character)
            if !isPlain { result.append("\\") }
            result.append(character)
        }
        return result
    }

    /// Returns whether octal escapes are needed. A byte of a file name that is not UTF-8 has no other form. For other
    /// characters backslashes alone do not survive GStreamer's parser: it takes the last one as the escape of what
    /// follows, loses line ends, and removes quotes around a value even if they were escaped.
    private static func needsOctal(_ value: String) -> Bool {
        value.hasPrefix("\"") || value.hasSuffix("\\")
            || value.unicodeScalars.contains { $0.value < 0x20 || FileName.byte(of: $0) != nil }
    }

    /// Returns the form in which GStreamer writes strings itself (`gst_string_wrap`), escaped for the parser.
    private static func octal(_ value: String) -> String {
        let bytes = FileName.bytes(of: value).map { byte -> String in
            let character = Character(Unicode.Scalar(byte))
            guard byte < 0x80, character.isLetter || character.isNumber || "_-+/:.".contains(character) else {
                let digits = String(byte, radix: 8)
                return "\\\\" + String(repeating: "0", count: 3 - digits.count) + digits
            }
            return String(character)
        }
        return "\\\"" + bytes.joined() + "\\\""
    }
}
