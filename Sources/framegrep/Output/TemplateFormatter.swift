import Errors
import Spotter
import TextIndex
import TextSpotting

/// Lines as a user wants them (`--print '{start} {text}'`).
///
/// `{{` and `}}` are braces, `\\t` and `\\n` a tabulator and a line break.
struct TemplateFormatter: SightingFormatter {
    private enum Part {
        case text(String)
        case field(Field)
    }

    /// Named as in CSV and JSON.
    enum Field: String, CaseIterable {
        case source, id, pattern, text, line, start, end
        case startSeconds = "start_seconds"
        case endSeconds = "end_seconds"
        case score, peak, x, y, width, height
    }

    private var parts: [Part] = []

    /// - Throws: ``FramegrepError`` (`badArgument`) for a field that there is none of, or a brace without its other one.
    init(_ template: String) throws(FramegrepError) {
        var rest = template.replacing("\\t", with: "\t").replacing("\\n", with: "\n")[...]
        var plain = ""
        while let character = rest.popFirst() {
            if character == "{" || character == "}", rest.first == character {
                plain.append(character)
                rest.removeFirst()
            } else if character == "{", let end = rest.firstIndex(of: "}") {
                guard let field = Field(rawValue: String(rest[..<end])) else { throw Self.unknown("{\(rest[...end])") }
                parts += [.text(plain), .field(field)]
                plain = ""
                rest = rest[rest.index(after: end)...]
            } else if character == "{" || character == "}" {
                throw Self.unknown(String(character))
            } else {
                plain.append(character)
            }
        }
        parts.append(.text(plain))
    }

    private static func unknown(_ text: String) -> FramegrepError {
        let fields = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
        return FramegrepError(
            .badArgument, "“\(text)” in --print is no field. There are: \(fields). A brace itself is written {{ or }}.")
    }

    func format(_ sighting: Sighting, source: String) -> String {
        line(sighting, source: source, start: ClockTime.text(sighting.start), end: ClockTime.text(sighting.end))
    }

    /// Results of live sources have the times of the clock, as in the lines that are printed without a template.
    func format(_ sighting: Sighting, source: String, clock: WallClock) -> String {
        guard clock.isLive else { return format(sighting, source: source) }
        let name = LiveName(source)?.source ?? source
        return line(
            sighting, source: name, start: WallClock.text(clock.date(at: sighting.start)),
            end: WallClock.text(clock.date(at: sighting.end))
        )
    }

    func format(text: Sighting, source: String) -> String { format(text, source: source) }

    private func line(_ sighting: Sighting, source: String, start: String, end: String) -> String {
        let bounds = sighting.peak.quad.bounds
        func number(_ value: Double, _ decimals: Int) -> String { JSONObject.number(value, decimals: decimals) }
        return parts.map { part in
            switch part {
            case .text(let text): text
            case .field(let field):
                switch field {
                case .source: Visible.text(source)
                case .id: String(sighting.id)
                case .pattern: Visible.text(sighting.pattern)
                case .text: Visible.text(sighting.text)
                case .line: Visible.text(sighting.line)
                case .start: start
                case .end: end
                case .startSeconds: number(sighting.start.seconds, 3)
                case .endSeconds: number(sighting.end.seconds, 3)
                case .score: number(sighting.score, 3)
                case .peak: ClockTime.text(sighting.peak.time.start)
                case .x: number(bounds.x, 1)
                case .y: number(bounds.y, 1)
                case .width: number(bounds.width, 1)
                case .height: number(bounds.height, 1)
                }
            }
        }.joined()
    }
}
