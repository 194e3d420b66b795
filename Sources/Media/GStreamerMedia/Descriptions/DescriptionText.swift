import CGStreamer
import TextSpotting

/// A pipeline description as gst-launch reads it: the values of the properties in it, and the elements that they belong
/// to.
///
/// The grammar is that of GStreamer's `parse.l` and `grammar.y`: an assignment is a name, an equals sign with or
/// without white space around it, and a value, which is quoted or continues to the next white space that has no
/// backslash before it. An element's assignments follow it.
struct DescriptionText {
    struct Assignment {
        /// The name of the factory of the element; empty if none is before it.
        let element: String
        /// The property without the names of children before it: `user-pw` of `source::user-pw`.
        let property: String
        /// Whether the property is one of a child that the element makes itself.
        let isOfChild: Bool
        /// The value with its quotes and backslashes resolved.
        let value: String
        /// The range of the value as written.
        fileprivate let range: Range<Int>
    }

    private let scalars: [Unicode.Scalar]
    let assignments: [Assignment]
    /// Addresses by themselves, for which gst-launch creates the elements that open them.
    private let addresses: [Range<Int>]

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        var scan = Scan(scalars: scalars)
        scan.run()
        assignments = scan.assignments
        addresses = scan.addresses
    }

    /// The description for display, without its secrets.
    var shown: String {
        var result = ""
        var index = 0
        let values = assignments.map { ($0.range, shown($0)) } + addresses.map { ($0, Self.shown(text($0))) }
        for (range, value) in values.sorted(by: { $0.0.lowerBound < $1.0.lowerBound }) {
            result += text(index..<range.lowerBound) + value
            index = range.upperBound
        }
        return result + text(index..<scalars.count)
    }

    /// The files, addresses and devices of its sources, without secrets.
    var sources: [String] {
        let properties: Set<String> = ["uri", "location", "device"]
        let found = assignments.filter { assignment in
            let isSource =
                assignment.element.hasSuffix("src") || assignment.element.hasPrefix("uri")
                || assignment.element.hasPrefix("playbin")
            return isSource && !assignment.isOfChild && properties.contains(assignment.property)
                && !assignment.value.isEmpty
        }
        return found.map { WrittenAddress($0.value)?.shown ?? $0.value } + addresses.map { Self.shown(text($0)) }
    }

    /// Remembers its secrets, so that they are masked in messages.
    func remember() {
        for assignment in assignments {
            if Self.isSecret(assignment) { KnownTexts.remember(secret: assignment.value) }
            if let address = WrittenAddress(assignment.value) { KnownTexts.remember(address) }
        }
        for range in addresses {
            if let address = WrittenAddress(text(range)) { KnownTexts.remember(address) }
        }
        // Handle an unquoted password that contains a space, which the grammar has split.
        for (mark, end) in tornAddresses() {
            if let address = WrittenAddress(text(mark..<end)) { KnownTexts.remember(address) }
        }
    }

    // MARK: Pieces

    private func shown(_ assignment: Assignment) -> String {
        let written = text(assignment.range)
        if Self.isSecret(assignment) { return "***" }
        let shown = Self.shown(assignment.value)
        return shown == assignment.value ? written : shown
    }

    private static func shown(_ value: String) -> String {
        WrittenAddress(value)?.shown ?? redacted(value, naming: false)
    }

    /// Returns whether an assignment is secret, judging by the name unless the element declares that it is not text:
    /// `pass` of an encoder is a number.
    private static func isSecret(_ assignment: Assignment) -> Bool {
        SecretNames.isSecret(property: assignment.property)
            && (assignment.isOfChild || mayHoldText(assignment.property, of: assignment.element))
    }

    private static func mayHoldText(_ property: String, of element: String) -> Bool {
        guard (try? MediaRuntime.initialize()) != nil, let factory = gst_element_factory_find(element) else {
            return true
        }
        defer { gst_object_unref(UnsafeMutableRawPointer(factory)) }
        // The feature is the factory itself once its plugin is loaded; both are opaque to Swift.
        guard let loaded = gst_plugin_feature_load(factory) else { return true }
        defer { gst_object_unref(UnsafeMutableRawPointer(loaded)) }
        guard let elements = g_type_class_ref(gst_element_factory_get_element_type(loaded)) else { return true }
        defer { g_type_class_unref(elements) }
        guard let found = fgst_class_property(elements, property) else { return true }
        return fgst_is_number(found) == 0
    }

    /// The ranges from a scheme to the next `@` that contain white space.
    private func tornAddresses() -> [(Int, Int)] {
        var found: [(Int, Int)] = []
        var from = 0
        while let mark = WrittenAddress.mark(in: scalars, from: from) {
            from = mark + 3
            guard let start = WrittenAddress.startOfScheme(in: scalars, before: mark) else { continue }
            let rest = scalars[from...].prefix { $0 != "!" }
            guard let at = rest.lastIndex(of: "@"), scalars[from..<at].contains(where: \.properties.isWhitespace) else {
                continue
            }
            let end = scalars[at...].firstIndex { $0.properties.isWhitespace } ?? scalars.count
            found.append((start, end))
        }
        return found
    }

    private func text(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }

    /// One pass through the text.
    private struct Scan {
        let scalars: [Unicode.Scalar]
        var index = 0
        var element = ""
        var assignments: [Assignment] = []
        var addresses: [Range<Int>] = []

        mutating func run() {
            while index < scalars.count {
                if scalars[index].properties.isWhitespace {
                    index += 1
                } else if isWord(scalars[index]) {
                    word()
                } else {
                    // An operator: a link, a bin's parenthesis, quotes around caps.
                    if scalars[index] == "!" { element = "" }
                    index += 1
                }
            }
        }

        private mutating func word() {
            let start = index
            let name = takeName()
            let behind = index
            skipSpace()
            if index < scalars.count, scalars[index] == "=", !name.hasSuffix("://") {
                index += 1
                skipSpace()
                let value = index
                skipValue()
                let parts = name.split(separator: ":", omittingEmptySubsequences: true)
                assignments.append(
                    Assignment(
                        element: element, property: parts.last.map(String.init) ?? name, isOfChild: parts.count > 1,
                        value: Self.resolved(scalars[value..<index]), range: value..<index))
                return
            }
            index = behind
            if isAddress(from: start) {
                index = start
                skipValue()
                addresses.append(start..<index)
            } else {
                element = name
            }
        }

        /// Returns whether a scheme begins here and `://` follows it.
        private func isAddress(from start: Int) -> Bool {
            guard let mark = WrittenAddress.mark(in: scalars, from: start) else { return false }
            return WrittenAddress.startOfScheme(in: scalars, before: mark) == start
        }

        private func isWord(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_"
        }

        private mutating func takeName() -> String {
            let start = index
            while index < scalars.count, isWord(scalars[index]) || "-%:".unicodeScalars.contains(scalars[index]) {
                index += 1
            }
            return String(String.UnicodeScalarView(scalars[start..<index]))
        }

        private mutating func skipSpace() {
            while index < scalars.count, scalars[index].properties.isWhitespace { index += 1 }
        }

        /// Skips to the end of the quotes, or to the next white space.
        private mutating func skipValue() {
            guard index < scalars.count else { return }
            let quote = scalars[index]
            if quote == "\"" || quote == "'", let end = endOfQuotes(quote) {
                index = end
                return
            }
            while index < scalars.count, !scalars[index].properties.isWhitespace {
                index += scalars[index] == "\\" ? 2 : 1
            }
            index = min(index, scalars.count)
        }

        private func endOfQuotes(_ quote: Unicode.Scalar) -> Int? {
            var place = index + 1
            while place < scalars.count {
                if scalars[place] == "\\" { place += 1 } else if scalars[place] == quote { return place + 1 }
                place += 1
            }
            return nil
        }

        /// Returns a value without the quotes around it and without the backslashes.
        private static func resolved(_ value: ArraySlice<Unicode.Scalar>) -> String {
            var value = value
            if let first = value.first, first == "\"" || first == "'", value.count >= 2, value.last == first {
                value = value.dropFirst().dropLast()
            }
            var result = String.UnicodeScalarView()
            var isEscaped = false
            for scalar in value {
                if scalar == "\\", !isEscaped {
                    isEscaped = true
                } else {
                    result.append(scalar)
                    isEscaped = false
                }
            }
            return unwrapped(Array(result))
        }

        /// Undoes the form in which GStreamer itself writes strings (`gst_string_wrap`): in quotes, bytes as `\101`.
        private static func unwrapped(_ value: [Unicode.Scalar]) -> String {
            guard value.count >= 2, value.first == "\"", value.last == "\"" else {
                return String(String.UnicodeScalarView(value))
            }
            var bytes: [UInt8] = []
            var rest = value.dropFirst().dropLast()
            while let scalar = rest.popFirst() {
                let digits = rest.prefix(3)
                if scalar == "\\", digits.count == 3,
                    let byte = UInt8(String(String.UnicodeScalarView(digits)), radix: 8)
                {
                    bytes.append(byte)
                    rest = rest.dropFirst(3)
                } else if scalar != "\\" {
                    bytes += Array(String(Character(scalar)).utf8)
                }
            }
            return FileName.text(of: bytes)
        }
    }
}

/// Returns a pipeline description without its passwords, whether they are values of properties or parts of addresses.
public func redacted(description: String) -> String {
    let text = DescriptionText(description)
    text.remember()
    return text.shown
}

/// Returns the file, address or device of the only source in a pipeline description, for display; nil if no source
/// names one, or there are several.
public func sourceName(inDescription description: String) -> String? {
    let names = DescriptionText(description).sources
    return names.count == 1 ? names[0] : nil
}

/// Remembers the secrets in an argument of the command line, so that they are masked in all messages from now on.
public func rememberSecrets(inArgument argument: String) {
    let scalars = Array(argument.unicodeScalars)
    guard let mark = WrittenAddress.mark(in: scalars, from: 0),
        let start = WrittenAddress.startOfScheme(in: scalars, before: mark)
    else {
        // An argument without an address may still be a description with a secret property.
        if argument.contains("!") { DescriptionText(argument).remember() }
        return
    }
    if argument.contains("!") { DescriptionText(argument).remember() }
    if let address = WrittenAddress(String(String.UnicodeScalarView(scalars[start...]))), !argument.contains(" ! ") {
        KnownTexts.remember(address)
    }
}
