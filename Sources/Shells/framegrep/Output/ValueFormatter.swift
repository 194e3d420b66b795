import Foundation
import Spotter
import TextSpotting

/// Turns the rows of a table of values into lines of one format.
struct ValueFormatter {
    let format: ValueFormat
    /// The name of the source in messages.
    let source: String

    /// The text before the first row; nil for none.
    var header: String? { format == .csv ? "start,end,text,value,score,unit,skipped" : nil }

    /// - Parameter began: the wall-clock time of its beginning, if known.
    func line(_ row: ValueRow, began: Date? = nil) -> String {
        switch format {
        case .csv: csv(row)
        case .jsonl: json(row, began)
        case .text:
            "\(ClockTime.text(row.start))-\(ClockTime.text(row.end)):"
                + (row.text.isEmpty ? "" : " \(Visible.text(row.text))")
                + (row.isAfterSkip ? "  (a value before it may be missing)" : "")
        }
    }

    private func csv(_ row: ValueRow) -> String {
        let text = Self.isNumber(row) ? row.text : CSVFormatter.field(row.text)
        let times = [row.start.seconds, row.end.seconds].map { JSONObject.number($0, decimals: 3) }
        let value = row.value.map(Self.number) ?? ""
        let score = row.text.isEmpty ? "" : JSONObject.number(row.score, decimals: 3)
        let skipped = row.isAfterSkip ? "1" : ""
        return (times + [text, value, score, CSVFormatter.field(row.unit ?? ""), skipped]).joined(separator: ",")
    }

    /// Returns whether the text is a number, alone or before a unit of letters: not a formula, whatever its sign.
    private static func isNumber(_ row: ValueRow) -> Bool {
        guard let unit = row.unit, row.text.hasSuffix(unit) else { return Double(row.text) != nil }
        let isPlain = unit == "%" || unit.allSatisfy { $0.isLetter || "°/".contains($0) } && unit.first != "/"
        return isPlain && Double(row.text.dropLast(unit.count).filter { $0 != " " }) != nil
    }

    /// Returns the current value as the attributes of a state.
    func state(_ row: ValueRow, since began: Date?) -> String {
        var object = JSONObject()
        add(row, to: &object)
        if let began { object.add("since", WallTime.text(began)) }
        return object.text
    }

    private func json(_ row: ValueRow, _ began: Date?) -> String {
        var object = JSONObject(type: "value")
        object.add("source", source)
        object.add("start", row.start.seconds, decimals: 3)
        object.add("end", row.end.seconds, decimals: 3)
        add(row, to: &object)
        if let began { object.add("wall_start", WallTime.text(began)) }
        return object.text
    }

    private func add(_ row: ValueRow, to object: inout JSONObject) {
        object.add("text", row.text)
        if let value = row.value { object.add("value", json: Self.number(value)) }
        if !row.text.isEmpty { object.add("score", row.score, decimals: 3) }
        if let unit = row.unit { object.add("unit", unit) }
        if row.isAfterSkip { object.add("skipped", true) }
    }

    private static func number(_ value: Double) -> String { JSONObject.number(value, decimals: 6) }
}
