/// Finds keys that a JSON object has more than once. Decoders take one of the values and ignore the others.
enum JSONKeys {
    /// Returns a key that one object has more than once; nil if there is none.
    ///
    /// - Parameter json: a valid text; objects in objects count each for itself. Escaped letters in a key are compared
    ///   as they are written.
    static func repeated(in json: String) -> String? {
        // The keys of each object or list that is open.
        var open: [Set<String>] = []
        var rest = json.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): open.append([])
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
            case UInt8(ascii: "\""):
                let text = string(&rest)
                let isKey = rest.first { ![9, 10, 13, 32].contains($0) } == UInt8(ascii: ":")
                if isKey, !open.isEmpty, !open[open.count - 1].insert(text).inserted { return text }
            default: break
            }
        }
        return nil
    }

    /// Takes the rest of a string with its last quote, and returns it without.
    private static func string(_ rest: inout Substring.UTF8View) -> String {
        let begin = rest
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
        }
        return String(Substring(begin[..<rest.startIndex].dropLast()))
    }
}
