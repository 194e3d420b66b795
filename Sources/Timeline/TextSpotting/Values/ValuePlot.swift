import Foundation

/// A plot of a table's numbers over time, as SVG 1.1: steps, with gaps where nothing was read.
public struct ValuePlot: Sendable {
    private let rows: [ValueRow]
    private let title: String
    private let times: ClosedRange<Double>
    private let values: ClosedRange<Double>
    private let unit: String?

    private static let width = 960.0
    private static let height = 360.0
    private static let left = 72.0
    private static let right = 24.0
    private static let top = 40.0
    private static let bottom = 44.0

    /// - Parameters:
    ///   - rows: the rows in order; those without a number are left out.
    ///   - title: the text above the plot.
    ///   - end: the end of the part that was read.
    public init(_ rows: [ValueRow], title: String, from: StreamTime, to end: StreamTime) {
        self.rows = rows.filter { $0.value?.isFinite ?? false }
        self.title = title
        times = from.seconds...max(from.seconds + 0.001, end.seconds)
        let numbers = self.rows.compactMap(\.value)
        let (least, most) = (numbers.min() ?? 0, numbers.max() ?? 1)
        let margin = most > least ? 0.05 * (most - least) : max(1, abs(most) * 0.05)
        values = (least - margin)...(most + margin)
        let units = Set(self.rows.compactMap(\.unit))
        unit = units.count == 1 ? units.first : nil
    }

    /// The whole document.
    public var text: String {
        let (w, h) = (Self.number(Self.width), Self.number(Self.height))
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<svg xmlns="http://www.w3.org/2000/svg" width="\#(w)" height="\#(h)" viewBox="0 0 \#(w) \#(h)" font-family="sans-serif" font-size="12">"#,
            "<title>\(Self.escaped(title))</title>",
            #"<rect width="\#(w)" height="\#(h)" fill="white"/>"#,
            #"<text x="\#(Self.number(Self.left))" y="24" font-size="14">\#(Self.escaped(title))</text>"#,
        ]
        lines += axes
        lines.append(#"<path d="\#(path)" fill="none" stroke="steelblue" stroke-width="2"/>"#)
        lines.append("</svg>")
        return lines.joined(separator: "\n")
    }

    private var axes: [String] {
        let (bottom, right) = (Self.height - Self.bottom, Self.width - Self.right)
        var lines: [String] = []
        for value in Self.ticks(values) {
            let y = Self.number(self.y(value))
            lines.append(
                #"<path d="M\#(Self.number(Self.left)) \#(y)H\#(Self.number(right))" stroke="gainsboro"/>"#)
            lines.append(
                #"<text x="\#(Self.number(Self.left - 8))" y="\#(y)" text-anchor="end" dominant-baseline="middle">\#(Self.label(value))</text>"#
            )
        }
        for time in Self.ticks(times) {
            let x = Self.number(self.x(time))
            lines.append(
                #"<path d="M\#(x) \#(Self.number(bottom))v5" stroke="dimgray"/>"#)
            lines.append(
                #"<text x="\#(x)" y="\#(Self.number(bottom + 18))" text-anchor="middle">\#(Self.label(time))</text>"#)
        }
        lines.append(
            #"<path d="M\#(Self.number(Self.left)) \#(Self.number(Self.top))V\#(Self.number(bottom))H\#(Self.number(right))" fill="none" stroke="dimgray"/>"#
        )
        lines.append(
            #"<text x="\#(Self.number(right))" y="\#(Self.number(Self.height - 8))" text-anchor="end">seconds</text>"#)
        if let unit {
            lines.append(
                #"<text x="\#(Self.number(Self.left - 8))" y="\#(Self.number(Self.top - 8))" text-anchor="end">\#(Self.escaped(unit))</text>"#
            )
        }
        return lines
    }

    /// The path along each value, and up or down to the next one if it follows immediately.
    private var path: String {
        var text = ""
        var before: StreamTime?
        for row in rows {
            guard let value = row.value else { continue }
            let (x, y) = (Self.number(self.x(row.start.seconds)), Self.number(self.y(value)))
            if let before, row.start - before < ValueTable.shortGap {
                text += "H\(x)V\(y)"
            } else {
                text += "M\(x) \(y)"
            }
            text += "H\(Self.number(self.x(row.end.seconds)))"
            before = row.end
        }
        return text
    }

    private func x(_ seconds: Double) -> Double {
        let share = (seconds - times.lowerBound) / (times.upperBound - times.lowerBound)
        return Self.left + share * (Self.width - Self.left - Self.right)
    }

    private func y(_ value: Double) -> Double {
        let share = (value - values.lowerBound) / (values.upperBound - values.lowerBound)
        return Self.height - Self.bottom - share * (Self.height - Self.top - Self.bottom)
    }

    /// Returns about five round numbers in a range: steps of 1, 2 or 5 times a power of ten.
    static func ticks(_ range: ClosedRange<Double>) -> [Double] {
        let length = range.upperBound - range.lowerBound
        guard length > 0, length.isFinite else { return [range.lowerBound] }
        let power = pow(10, (log10(length / 5)).rounded(.down))
        let step = [1, 2, 5, 10].map { $0 * power }.first { length / $0 <= 7 } ?? 10 * power
        let (first, last) = ((range.lowerBound / step).rounded(.up), (range.upperBound / step).rounded(.down))
        guard abs(first) < 1e15, last >= first else { return [range.lowerBound] }
        return (0...Int(min(20, last - first))).map { (first + Double($0)) * step }
    }

    private static func label(_ value: Double) -> String { escaped(JSONObject.number(value, decimals: 6)) }
    private static func number(_ value: Double) -> String { JSONObject.number(value, decimals: 2) }

    /// Returns text escaped for XML; characters that XML cannot represent are left out.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default:
                let isHidden = [.control, .format, .surrogate, .privateUse, .unassigned].contains(
                    scalar.properties.generalCategory)
                if !isHidden { result.unicodeScalars.append(scalar) }
            }
        }
        return result
    }
}
