import Errors
import TextSpotting

/// The arguments of a tool, checked one by one. Errors are sentences that a model can follow.
struct MCPArguments: Sendable {
    let fields: [String: JSONValue]

    /// - Parameter names: the names of the tool's arguments.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) for others.
    init(_ value: JSONValue, of names: [String]) throws(FramegrepError) {
        fields = (value.object ?? [:]).filter { $0.value != .null }
        guard let unknown = fields.keys.sorted().first(where: { !names.contains($0) }) else { return }
        throw Self.bad(
            "There is no argument '\(PlainText.text(String(unknown.prefix(100))))'; there are \(names.joined(separator: ", "))."
        )
    }

    private static func bad(_ sentence: String) -> FramegrepError { FramegrepError(.badArgument, sentence) }

    func text(_ name: String, most: Int = 4096) throws(FramegrepError) -> String? {
        guard let value = fields[name] else { return nil }
        guard let text = value.string, text.utf8.count <= most else {
            throw Self.bad("\(name) is a text of at most \(most) bytes.")
        }
        return text
    }

    func neededText(_ name: String, most: Int = 4096) throws(FramegrepError) -> String {
        guard let text = try text(name, most: most), !text.isEmpty else { throw Self.bad("\(name) is missing.") }
        return text
    }

    /// Returns one text, or a list of them.
    func texts(_ name: String, most: Int, each: Int = 4096) throws(FramegrepError) -> [String]? {
        guard let value = fields[name] else { return nil }
        let values = value.string != nil ? [value] : value.array
        let texts = values?.compactMap(\.string) ?? []
        guard let values, texts.count == values.count, (1...most).contains(texts.count),
            texts.allSatisfy({ $0.utf8.count <= each })
        else { throw Self.bad("\(name) is a list of 1 to \(most) texts of at most \(each) bytes each.") }
        return texts
    }

    func neededTexts(_ name: String, most: Int, each: Int = 4096) throws(FramegrepError) -> [String] {
        guard let texts = try texts(name, most: most, each: each) else { throw Self.bad("\(name) is missing.") }
        return texts
    }

    func number(_ name: String, in range: ClosedRange<Double>) throws(FramegrepError) -> Double? {
        guard let value = fields[name] else { return nil }
        guard let number = value.number, range.contains(number) else {
            throw Self.bad("\(name) is a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// Returns seconds from the beginning of a recording.
    func seconds(_ name: String) throws(FramegrepError) -> Double? { try number(name, in: 0...1_000_000) }

    func whole(_ name: String, in range: ClosedRange<Int>) throws(FramegrepError) -> Int? {
        guard let value = fields[name] else { return nil }
        guard let number = value.integer, range.contains(number) else {
            throw Self.bad("\(name) is a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// Returns places in a picture, in its pixels.
    func quads(_ name: String, most: Int) throws(FramegrepError) -> [Quad]? {
        guard let value = fields[name] else { return nil }
        let quads = value.array?.map { place -> Quad? in
            let corners = place.array?.compactMap { corner -> Point? in
                guard let pair = corner.array, pair.count == 2, let x = pair[0].number, let y = pair[1].number,
                    abs(x) < 100_000, abs(y) < 100_000
                else { return nil }
                return Point(x, y)
            }
            guard let corners, corners.count == 4 else { return nil }
            return Quad(topLeft: corners[0], topRight: corners[1], bottomRight: corners[2], bottomLeft: corners[3])
        }
        guard let quads, quads.count <= most, !quads.contains(nil) else {
            throw Self.bad("\(name) is a list of at most \(most) places, each of four corners [x, y] in pixels.")
        }
        return quads.compactMap(\.self)
    }

    func flag(_ name: String) throws(FramegrepError) -> Bool {
        guard let value = fields[name] else { return false }
        guard let flag = value.bool else { throw Self.bad("\(name) is true or false.") }
        return flag
    }

    /// Identifies a question, whichever page of its answer is requested.
    var question: String { JSONValue.object(fields.filter { $0.key != "cursor" && $0.key != "limit" }).text }
}

/// Pages of a long list. A cursor is opaque to clients: it contains the beginning of the page and a checksum of the
/// question, so that a cursor of another question is refused.
enum MCPPage {
    /// - Parameters:
    ///   - cursor: nil for the first page.
    ///   - question: the question that was asked.
    ///
    /// - Returns: the items of the page, and the cursor of the next one; nil at the end.
    /// - Throws: ``FramegrepError`` (`badArgument`) for a cursor of another question.
    static func cut<Item>(
        _ items: [Item], after cursor: String?, most: Int, of question: String
    ) throws(FramegrepError) -> (items: ArraySlice<Item>, next: String?) {
        let sum = String(
            question.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 36)
        var first = 0
        if let cursor {
            let parts = cursor.split(separator: ".")
            guard parts.count == 2, parts[1] == sum, let place = Int(parts[0]), place > 0 else {
                throw FramegrepError(
                    .badArgument,
                    "This cursor does not belong to this request: send the same arguments as before with it, or no cursor."
                )
            }
            // The list may have become shorter.
            first = min(place, items.count)
        }
        let end = min(items.count, first + most)
        return (items[first..<end], end < items.count ? "\(end).\(sum)" : nil)
    }
}
