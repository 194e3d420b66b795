import Synchronization

/// Texts that are replaced wherever they appear in a message: known secrets, and GStreamer's names of files that the
/// user has named differently.
///
/// Libraries put addresses and parts of addresses into messages of all kinds. Known secrets are found in them whatever
/// surrounds them. Thread-safe.
enum KnownTexts {
    private struct Entry {
        let bytes: [UInt8]
        let shown: [UInt8]
        let neighbors: Neighbors
    }

    /// Characters that must not be beside an entry, because it would then be part of something else.
    private enum Neighbors {
        /// Letters and digits, if the entry itself begins or ends with one.
        case letters
        /// The characters of file names.
        case names
        case any
    }

    private struct State {
        var secrets: [Entry] = []
        var names: [Entry] = []
        var known: Set<[UInt8]> = []
    }

    private static let state = Mutex(State())
    /// The length below which a secret is masked only together with its surroundings, because by itself it would be
    /// found in many words.
    private static let shortest = 4
    /// The number of file names to remember: files are searched one after the other, so messages are about the last
    /// ones.
    private static let nameLimit = 64

    static func remember(_ address: WrittenAddress) {
        for value in SecretNames.secrets(inQuery: address.rest) { remember(secret: value) }
        guard let userInfo = address.userInfo else { return }
        let forms = [userInfo, WrittenAddress.escaped(userInfo), WrittenAddress.unescaped(userInfo)]
        for form in forms {
            let host = address.host
            add("\(address.scheme)://\(form)@\(address.rest)", shownAs: address.shown)
            add("\(form)@\(host)", shownAs: host)
            add("\(form)@", shownAs: "")
            for piece in pieces(of: form, before: host) { add(piece.text, shownAs: piece.shown) }
        }
        if let password = address.password { remember(secret: password) }
    }

    /// Remembers a secret by itself, in all the forms in which libraries write it.
    static func remember(secret: String) {
        let forms = [
            secret, WrittenAddress.escaped(secret), WrittenAddress.unescaped(secret), backslashed(secret),
            WrittenAddress.escaped(secret).lowercased(),
        ]
        for form in forms where form.utf8.count >= shortest { add(form, shownAs: "***", .letters) }
    }

    /// Remembers the name under which the user knows a file.
    static func remember(file text: String, shownAs name: String) {
        guard text != name, text.utf8.count >= shortest else { return }
        let entry = Entry(bytes: Array(text.utf8), shown: Array(name.utf8), neighbors: .names)
        state.withLock { state in
            state.names.removeAll { $0.bytes == entry.bytes }
            state.names.append(entry)
            if state.names.count > nameLimit { state.names.removeFirst(2) }
        }
    }

    /// Returns a text with all known texts in it replaced.
    ///
    /// - Parameter naming: whether to replace names of files by those that the user gave, too.
    static func replaced(in text: String, naming: Bool) -> String {
        let entries = state.withLock { naming ? $0.secrets + $0.names : $0.secrets }
        guard !entries.isEmpty else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let entry = entries.first(where: { stands($0, in: bytes, at: index) }) {
                result += entry.shown
                index += entry.bytes.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    // MARK: Pieces

    /// Returns the parts of an address that a library may quote if it takes a delimiter inside a password for its end:
    /// `p#ss` makes `user:p` a host and a port, `p@ss` makes `ss@host` a host.
    private static func pieces(of userInfo: String, before host: String) -> [(text: String, shown: String)] {
        let scalars = userInfo.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":") else { return [] }
        var found: [(text: String, shown: String)] = []
        for index in scalars.indices where index > colon && !isPlain(scalars[index]) {
            let tail = String(scalars[scalars.index(after: index)...])
            if index > scalars.index(after: colon) { found.append((String(scalars[..<index]), "***")) }
            if !tail.isEmpty { found.append(("\(tail)@\(host)", host)) }
        }
        return found
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }

    /// Returns the form with backslashes that GStreamer and shells write.
    private static func backslashed(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            if !isPlain(scalar) { result.append("\\") }
            result.unicodeScalars.append(scalar)
        }
    }

    private static func add(_ text: String, shownAs shown: String, _ neighbors: Neighbors = .any) {
        let bytes = Array(text.utf8)
        guard bytes.count >= shortest else { return }
        state.withLock { state in
            guard state.known.insert(bytes).inserted else { return }
            let entry = Entry(bytes: bytes, shown: Array(shown.utf8), neighbors: neighbors)
            // The longest first, so that a whole address is replaced rather than a part in its middle.
            let place = state.secrets.firstIndex { $0.bytes.count < bytes.count } ?? state.secrets.endIndex
            state.secrets.insert(entry, at: place)
        }
    }

    private static func stands(_ entry: Entry, in text: [UInt8], at index: Int) -> Bool {
        let end = index + entry.bytes.count
        guard end <= text.count, text[index] == entry.bytes[0], text[index..<end].elementsEqual(entry.bytes) else {
            return false
        }
        let before = index > 0 ? text[index - 1] : nil
        let after = end < text.count ? text[end] : nil
        switch entry.neighbors {
        case .any: return true
        case .letters:
            let first = entry.bytes[0]
            let last = entry.bytes[entry.bytes.count - 1]
            return !(isLetter(first) && before.map(isLetter) == true)
                && !(isLetter(last) && after.map(isLetter) == true)
        case .names:
            // A full stop may end the sentence.
            let next = end + 1 < text.count ? text[end + 1] : nil
            let goesOn = after.map { isNamePart($0) || ($0 == UInt8(ascii: ".") && next.map(isNamePart) == true) }
            return !(before.map { isNamePart($0) || $0 == UInt8(ascii: ".") } ?? false) && goesOn != true
        }
    }

    /// Considers ASCII only: a byte above may also belong to a quotation mark.
    private static func isLetter(_ byte: UInt8) -> Bool {
        let scalar = Unicode.Scalar(byte)
        return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool { isLetter(byte) || "/%_-~".utf8.contains(byte) }
}
