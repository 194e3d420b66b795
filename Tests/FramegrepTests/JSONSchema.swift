import Foundation

/// Validates JSON against the part of JSON Schema (draft 2020-12) that `docs/events.schema.json` uses. A keyword
/// outside that part is an error in the schema, so that nothing goes unchecked.
struct JSONSchema {
    private let root: [String: Any]

    private static let known: Set<String> = [
        "$schema", "$defs", "$ref", "title", "type", "required", "properties", "additionalProperties", "items",
        "minItems",
        "maxItems", "enum", "const", "oneOf", "minimum", "maximum",
    ]

    init(_ text: String) throws {
        root = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }

    /// Returns the faults of a value; empty if there are none.
    func faults(of value: Any) -> [String] { faults(of: value, by: root, at: "$") }

    private func faults(of value: Any, by schema: [String: Any], at place: String) -> [String] {
        var found = schema.keys.filter { !Self.known.contains($0) }.map { "the schema has the unknown keyword \($0)" }
        if let reference = schema["$ref"] as? String {
            guard let target = definition(reference) else { return ["the schema has no \(reference)"] }
            found += faults(of: value, by: target, at: place)
        }
        if let type = schema["type"] as? String, !isOf(type, value) { found.append("\(place) is no \(type)") }
        if let constant = schema["const"], !isSame(constant, value) { found.append("\(place) is not \(constant)") }
        if let cases = schema["enum"] as? [Any], !cases.contains(where: { isSame($0, value) }) {
            found.append("\(place) is none of \(cases)")
        }
        if let choices = schema["oneOf"] as? [[String: Any]] {
            let all = choices.map { faults(of: value, by: $0, at: place) }
            let fitting = all.count(where: \.isEmpty)
            if fitting != 1 {
                found.append("\(place) fits \(fitting) of oneOf: \(all.min { $0.count < $1.count } ?? [])")
            }
        }
        return found + faults(ofNumber: value, by: schema, at: place) + faults(ofArray: value, by: schema, at: place)
            + faults(ofObject: value, by: schema, at: place)
    }

    private func faults(ofNumber value: Any, by schema: [String: Any], at place: String) -> [String] {
        guard isOf("number", value), let number = (value as? NSNumber)?.doubleValue else { return [] }
        let isLow = (schema["minimum"] as? NSNumber).map { number < $0.doubleValue } ?? false
        let isHigh = (schema["maximum"] as? NSNumber).map { number > $0.doubleValue } ?? false
        return isLow || isHigh ? ["\(place) is out of range: \(number)"] : []
    }

    private func faults(ofArray value: Any, by schema: [String: Any], at place: String) -> [String] {
        guard let array = value as? [Any] else { return [] }
        var found: [String] = []
        if let least = schema["minItems"] as? Int, array.count < least { found.append("\(place) is too short") }
        if let most = schema["maxItems"] as? Int, array.count > most { found.append("\(place) is too long") }
        guard let items = schema["items"] as? [String: Any] else { return found }
        return found + array.enumerated().flatMap { faults(of: $1, by: items, at: "\(place)[\($0)]") }
    }

    private func faults(ofObject value: Any, by schema: [String: Any], at place: String) -> [String] {
        guard let object = value as? [String: Any] else { return [] }
        let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
        var found = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }.map { "\(place) lacks \($0)" }
        for (name, part) in object.sorted(by: { $0.key < $1.key }) {
            if let property = properties[name] {
                found += faults(of: part, by: property, at: "\(place).\(name)")
            } else if schema["additionalProperties"] as? Bool == false {
                found.append("\(place) has the unknown field \(name)")
            }
        }
        return found
    }

    /// Returns the definition of `#/$defs/NAME`.
    private func definition(_ reference: String) -> [String: Any]? {
        (root["$defs"] as? [String: [String: Any]])?[String(reference.dropFirst("#/$defs/".count))]
    }

    private func isOf(_ type: String, _ value: Any) -> Bool {
        switch type {
        case "object": value is [String: Any]
        case "array": value is [Any]
        case "string": value is String
        case "null": value is NSNull
        case "number": number(value) != nil
        case "integer": number(value).map { $0 == $0.rounded() } ?? false
        default: false
        }
    }

    /// A Boolean is not a number.
    private func number(_ value: Any) -> Double? {
        guard !(value is String), !(value is Bool && "\(value)" != "0" && "\(value)" != "1") else { return nil }
        return (value as? NSNumber)?.doubleValue
    }

    private func isSame(_ a: Any, _ b: Any) -> Bool {
        if let a = a as? String { return a == b as? String }
        return number(a).map { $0 == number(b) } ?? false
    }
}
