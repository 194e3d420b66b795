import Errors
import Spotter
import TextIndex
import TextSpotting

/// The input that results are printed of.
struct ShownSource: Sendable {
    let name: String
    /// It is one picture, which has no times.
    var isStill = false
    /// Nil if it is unknown when the source was made.
    var clock: WallClock? = nil
}

/// Turns a sighting into the lines of one format.
protocol SightingFormatter: Sendable {
    /// The text before the first sighting; nil for none.
    var header: String? { get }
    /// The lines for one sighting, without the last line's end.
    mutating func format(_ sighting: Sighting, of source: ShownSource) -> String
    /// The same for a line of text that matched nothing (`--all-text`).
    mutating func format(text: Sighting, of source: ShownSource) -> String
    /// The lines for several sightings in one line of text, which all were there at the same time.
    mutating func format(together sightings: [Sighting], of source: ShownSource) -> String
    /// The lines for a time in which nothing was in view (`--invert`).
    mutating func format(_ absence: Absence, of source: ShownSource) -> String
    /// Several sightings in one line of text are one result.
    var joinsLines: Bool { get }
    /// Whether results are printed in the order of their starts, when their input has ended, because players of the
    /// format require that.
    var ordersByStart: Bool { get }
    /// Whether a paragraph is printed with the line breaks of the picture.
    var keepsBreaks: Bool { get }
    /// Skips this many sightings, which are written already.
    mutating func skip(_ count: Int)
}

extension SightingFormatter {
    var header: String? { nil }
    var joinsLines: Bool { false }
    var ordersByStart: Bool { false }
    var keepsBreaks: Bool { false }

    mutating func format(together sightings: [Sighting], of source: ShownSource) -> String {
        sightings.map { format($0, of: source) }.joined(separator: "\n")
    }

    mutating func format(_ absence: Absence, of source: ShownSource) -> String {
        format(text: absence.asLine, of: source)
    }

    mutating func skip(_ count: Int) {}
}

extension JSONLinesFormatter: SightingFormatter {
    func format(_ sighting: Sighting, of source: ShownSource) -> String {
        format(sighting, source: source.name, wallStart: source.clock?.date(at: sighting.start))
    }

    func format(text: Sighting, of source: ShownSource) -> String { format(text: text, source: source.name) }

    func format(_ absence: Absence, of source: ShownSource) -> String { format(absence, source: source.name) }
}

extension SightingFormat {
    /// - Parameters:
    ///   - naming: whether the source precedes each line, in formats without a field for it.
    ///   - areSeveral: whether several sources are searched, so that subtitles name the source too.
    ///   - onlyMatching: in formats with one text for each sighting, whether that is the matched text rather than its
    ///     line.
    func formatter(
        coloring: Bool, naming: Bool = true, areSeveral: Bool = false, onlyMatching: Bool = false
    ) -> any SightingFormatter {
        switch self {
        case .text: TextFormatter(isColored: coloring, showsNames: naming, printsMatches: onlyMatching)
        case .jsonl: JSONLinesFormatter()
        case .csv: CSVFormatter()
        case .srt:
            SubtitleFormatter(dialect: .srt, showsNames: naming && areSeveral, printsMatches: onlyMatching)
        case .vtt:
            SubtitleFormatter(dialect: .vtt, showsNames: naming && areSeveral, printsMatches: onlyMatching)
        }
    }
}

/// One line per sighting, as grep prints a match: `lobby.mp4:00:00:12.367-00:00:15.100: ← EXIT 12`; for a still picture
/// `photo.jpg: ← EXIT 12`; for several matches in one line `labels.mp4:00:00:00.000-00:00:01.300: FUSES 5A  [FUSES,
/// 5A]`; and for live sources `rtsp://camera/stream:2026-11-20T14:05:21.367-14:05:24.100: ← EXIT 12`.
struct TextFormatter: SightingFormatter {
    let isColored: Bool
    var showsNames = true
    /// Whether the matched text is printed instead of its line.
    var printsMatches = false

    var joinsLines: Bool { !printsMatches }

    func format(_ sighting: Sighting, of source: ShownSource) -> String { prefix(sighting, source) + shown(sighting) }

    func format(text: Sighting, of source: ShownSource) -> String { prefix(text, source) + Visible.text(text.line) }

    func format(together sightings: [Sighting], of source: ShownSource) -> String {
        guard let first = sightings.first else { return "" }
        let before = prefix(first, source)
        guard sightings.count > 1 else { return before + shown(first) }
        var counts: [(pattern: String, count: Int)] = []
        for pattern in sightings.map(\.pattern) {
            if let index = counts.firstIndex(where: { $0.pattern == pattern }) {
                counts[index].count += 1
            } else {
                counts.append((pattern, 1))
            }
        }
        let mark = counts.map { Visible.text($0.pattern) + ($0.count > 1 ? " ×\($0.count)" : "") }.joined(
            separator: ", ")
        return before + Self.mark(sightings) + highlighted(sightings, in: first.line) + "  "
            + colored("[\(mark)]", "36")
    }

    private func shown(_ sighting: Sighting) -> String {
        Self.mark([sighting])
            + (printsMatches
                ? colored(Visible.text(sighting.text), "01;31") : highlighted([sighting], in: sighting.line))
    }

    /// Returns the mark before a line that was found only by its meaning.
    private static func mark(_ sightings: [Sighting]) -> String { sightings.allSatisfy(\.isByMeaning) ? "≈ " : "" }

    private func prefix(_ sighting: Sighting, _ source: ShownSource) -> String {
        if source.isStill { return name(source.name, " ") }
        guard let clock = source.clock, clock.isLive else {
            let times = "\(ClockTime.text(sighting.start))-\(ClockTime.text(sighting.end))"
            return name(source.name) + colored(times, "32") + colored(":", "36") + " "
        }
        let times = clock.text(from: sighting.start, to: sighting.end)
        return name(LiveName(source.name)?.source ?? source.name) + colored(times, "32") + colored(":", "36") + " "
    }

    private func name(_ source: String, _ gap: String = "") -> String {
        showsNames ? colored(Visible.text(source), "35") + colored(":", "36") + gap : ""
    }

    /// Returns the line with the matched texts in grep's color for matches.
    private func highlighted(_ sightings: [Sighting], in line: String) -> String {
        guard isColored else { return Visible.text(line) }
        var ranges: [Range<String.Index>] = []
        for sighting in sightings where !sighting.text.isEmpty {
            let places = Self.places(of: sighting, in: line)
            if let free = places.first(where: { place in !ranges.contains { $0.overlaps(place) } }) {
                ranges.append(free)
            }
        }
        var result = ""
        var place = line.startIndex
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            result += Visible.text(String(line[place..<range.lowerBound]))
            result += colored(Visible.text(String(line[range])), "01;31")
            place = range.upperBound
        }
        return result + Visible.text(String(line[place...]))
    }

    /// Returns the places of a sighting's words in their line; if these are not known, all places with the same words.
    private static func places(of sighting: Sighting, in line: String) -> [Range<String.Index>] {
        if let place = sighting.place, place.upperBound <= line.count {
            let start = line.index(line.startIndex, offsetBy: place.lowerBound)
            let range = start..<line.index(start, offsetBy: place.count)
            if line[range] == sighting.text { return [range] }
        }
        return line.ranges(of: sighting.text)
    }

    private func colored(_ text: String, _ color: String) -> String {
        isColored ? "\u{1B}[\(color)m\(text)\u{1B}[m" : text
    }
}

/// Comma-separated values (RFC 4180) with a header line, for spreadsheets.
struct CSVFormatter: SightingFormatter {
    var header: String? { "source,id,pattern,text,line,start,end,score,peak,x,y,width,height" }

    func format(_ sighting: Sighting, of source: ShownSource) -> String {
        let bounds = sighting.peak.quad.bounds
        let numbers = [sighting.start.seconds, sighting.end.seconds, sighting.score, sighting.peak.time.start.seconds]
            .map { JSONObject.number($0, decimals: 3) }
        let box = [bounds.x, bounds.y, bounds.width, bounds.height].map { JSONObject.number($0, decimals: 1) }
        return
            ([Self.field(source.name), String(sighting.id)]
            + [sighting.pattern, sighting.text, sighting.line].map(Self.field) + numbers + box)
            .joined(separator: ",")
    }

    func format(text: Sighting, of source: ShownSource) -> String { format(text, of: source) }

    /// Returns a field that a spreadsheet treats as text, because text from a picture must not become a formula.
    static func field(_ text: String) -> String {
        var text = Visible.text(text)
        if let first = text.first, "=+-@\t\r".contains(first) { text = "'" + text }
        guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline || $0 == "'" }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

/// Subtitles of the sightings: SubRip (`.srt`) or WebVTT (`.vtt`).
struct SubtitleFormatter: SightingFormatter {
    enum Dialect { case srt, vtt }

    /// WebVTT allows no cue to begin before the one above it, and players of SubRip may skip it.
    var ordersByStart: Bool { true }
    var keepsBreaks: Bool { true }

    let dialect: Dialect
    /// Whether each cue begins with the name of its source, because there are several.
    let showsNames: Bool
    /// Whether the cue is the matched text rather than its line.
    let printsMatches: Bool
    private(set) var count = 0

    var header: String? { dialect == .vtt ? "WEBVTT\n" : nil }

    private mutating func cue(_ text: String, _ sighting: Sighting, _ source: String) -> String {
        count += 1
        let name = showsNames ? escaped(source) + ": " : ""
        return "\(count)\n\(time(sighting.start)) --> \(time(sighting.end))\n\(name)\(escaped(text))\n"
    }

    mutating func format(_ sighting: Sighting, of source: ShownSource) -> String {
        cue(printsMatches ? sighting.text : sighting.line, sighting, source.name)
    }

    mutating func format(text: Sighting, of source: ShownSource) -> String { cue(text.line, text, source.name) }

    mutating func skip(_ count: Int) { self.count += count }

    private func time(_ time: StreamTime) -> String {
        let text = ClockTime.text(time)
        return dialect == .vtt ? text : text.replacing(".", with: ",")
    }

    /// Returns the lines of a paragraph as cue text; an empty one would end the cue.
    private func escaped(_ text: String) -> String {
        text.split(separator: "\n").map { escaped(line: String($0)) }.joined(separator: "\n")
    }

    /// Returns a line as cue text: without markup, and without `-->`, which would begin a cue.
    private func escaped(line: String) -> String {
        let visible = Visible.text(line)
        if dialect == .vtt {
            return visible.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        }
        return visible.replacing("-->", with: "→").replacing("<", with: "‹").replacing("{", with: "(")
    }
}

/// Lines in a form that the user defines (`--print '{start} {text}'`).
///
/// `{{` and `}}` are braces, `\\t` and `\
/// ` a tabulator and a line break.
struct TemplateFormatter: SightingFormatter {
    private enum Part {
        case text(String)
        case field(Field)
    }

    /// The fields, named as in CSV and JSON.
    enum Field: String, CaseIterable {
        case source, id, pattern, text, line, start, end
        case startSeconds = "start_seconds"
        case endSeconds = "end_seconds"
        case score, peak, x, y, width, height
    }

    private var parts: [Part] = []

    /// - Throws: ``FramegrepError`` (`badArgument`) for an unknown field, or an unmatched brace.
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
            .badArgument,
            "'\(text)' in --print is not a field. The fields are: \(fields). A brace itself is written {{ or }}.")
    }

    /// Results of live sources have the times of the clock, as in the lines that are printed without a template.
    func format(_ sighting: Sighting, of source: ShownSource) -> String {
        guard let clock = source.clock, clock.isLive else {
            return line(
                sighting, source: source.name, start: ClockTime.text(sighting.start), end: ClockTime.text(sighting.end))
        }
        return line(
            sighting, source: LiveName(source.name)?.source ?? source.name,
            start: WallClock.text(clock.date(at: sighting.start)), end: WallClock.text(clock.date(at: sighting.end)))
    }

    func format(text: Sighting, of source: ShownSource) -> String { format(text, of: source) }

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
