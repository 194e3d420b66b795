import Spotter
import TextIndex
import TextSpotting

/// Turns a sighting into the lines of one format.
protocol SightingFormatter: Sendable {
    /// The text before the first sighting; nil for none.
    var header: String? { get }
    /// The lines for one sighting, without the last line's end.
    mutating func format(_ sighting: Sighting, source: String) -> String
    /// The same where the clock on the wall is known.
    mutating func format(_ sighting: Sighting, source: String, clock: WallClock) -> String
    /// The same for a line of text that matched nothing (`--all-text`).
    mutating func format(text: Sighting, source: String) -> String
    /// The lines for several sightings in one line of text, which all were there at the same time.
    mutating func format(together sightings: [Sighting], source: String, isStill: Bool, clock: WallClock?) -> String
    /// Several sightings in one line of text are one result.
    var joinsLines: Bool { get }
    /// The lines for a time in which nothing was in view (`--invert`).
    mutating func format(_ absence: Absence, source: String, isStill: Bool) -> String
    /// Skips this many sightings, which are written already.
    mutating func skip(_ count: Int)
    /// The same for a sighting in a still picture, where times mean nothing.
    mutating func format(still sighting: Sighting, source: String) -> String
    /// The same for a line of text in one.
    mutating func format(stillText text: Sighting, source: String) -> String
}

extension SightingFormatter {
    var header: String? { nil }
    var joinsLines: Bool { false }

    mutating func format(together sightings: [Sighting], source: String, isStill: Bool, clock: WallClock?) -> String {
        sightings.map { sighting in
            if isStill { return format(still: sighting, source: source) }
            guard let clock else { return format(sighting, source: source) }
            return format(sighting, source: source, clock: clock)
        }.joined(separator: "\n")
    }

    mutating func format(_ absence: Absence, source: String, isStill: Bool) -> String {
        isStill ? format(stillText: absence.asLine, source: source) : format(text: absence.asLine, source: source)
    }

    mutating func skip(_ count: Int) {}
    mutating func format(_ sighting: Sighting, source: String, clock: WallClock) -> String {
        format(sighting, source: source)
    }
    // Programs get the same fields, whatever the source is.
    mutating func format(still sighting: Sighting, source: String) -> String { format(sighting, source: source) }
    mutating func format(stillText text: Sighting, source: String) -> String { format(text: text, source: source) }
}

extension JSONLinesFormatter: SightingFormatter {
    func format(_ sighting: Sighting, source: String, clock: WallClock) -> String {
        format(sighting, source: source, wallStart: clock.date(at: sighting.start))
    }

    func format(_ absence: Absence, source: String, isStill: Bool) -> String { format(absence, source: source) }
}

extension SightingFormat {
    /// - Parameters:
    ///   - naming: with the source before each line, where the format has no place of its own for it.
    ///   - areSeveral: several sources are searched, so subtitles too say which it is.
    ///   - onlyMatching: in formats with one text for each sighting, that is the matched text and not its line.
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

/// One line a sighting, as grep prints a match: `lobby.mp4:00:00:12.367-00:00:15.100: ← EXIT 12`; for a still picture `photo.jpg: ← EXIT
/// 12`; for several matches in one line `labels.mp4:00:00:00.000-00:00:01.300: FUSES 5A  [FUSES, 5A]`; and for live sources
/// `rtsp://camera/stream:2026-11-20T14:05:21.367-14:05:24.100: ← EXIT 12`.
struct TextFormatter: SightingFormatter {
    let isColored: Bool
    var showsNames = true
    /// Whether the matched text is printed instead of its line.
    var printsMatches = false

    var joinsLines: Bool { !printsMatches }

    func format(_ sighting: Sighting, source: String) -> String {
        prefix(sighting, source) + " " + shown(sighting)
    }

    func format(_ sighting: Sighting, source: String, clock: WallClock) -> String {
        prefix(sighting, source, clock) + " " + shown(sighting)
    }

    func format(together sightings: [Sighting], source: String, isStill: Bool, clock: WallClock?) -> String {
        guard let first = sightings.first else { return "" }
        let before =
            isStill
            ? name(source, " ") : (clock.map { prefix(first, source, $0) } ?? prefix(first, source)) + " "
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
        return before + Self.mark(sightings) + highlighted(sightings.map(\.text), in: first.line) + "  "
            + colored("[\(mark)]", "36")
    }

    func format(text: Sighting, source: String) -> String {
        prefix(text, source) + " " + Visible.text(text.line)
    }

    func format(still sighting: Sighting, source: String) -> String {
        name(source, " ") + shown(sighting)
    }

    func format(stillText text: Sighting, source: String) -> String { name(source, " ") + Visible.text(text.line) }

    private func shown(_ sighting: Sighting) -> String {
        Self.mark([sighting]) + highlighted([sighting.text], in: printsMatches ? sighting.text : sighting.line)
    }

    /// What stands before a line of which no word was searched for, but which means what was.
    private static func mark(_ sightings: [Sighting]) -> String { sightings.allSatisfy(\.isByMeaning) ? "≈ " : "" }

    private func prefix(_ sighting: Sighting, _ source: String, _ clock: WallClock) -> String {
        guard clock.isLive else { return prefix(sighting, source) }
        let times = clock.text(from: sighting.start, to: sighting.end)
        return name(LiveName(source)?.source ?? source) + colored(times, "32") + colored(":", "36")
    }

    private func prefix(_ sighting: Sighting, _ source: String) -> String {
        let times = "\(ClockTime.text(sighting.start))-\(ClockTime.text(sighting.end))"
        return name(source) + colored(times, "32") + colored(":", "36")
    }

    private func name(_ source: String, _ gap: String = "") -> String {
        showsNames ? colored(Visible.text(source), "35") + colored(":", "36") + gap : ""
    }

    /// The line with the matched texts in grep's color for matches.
    private func highlighted(_ texts: [String], in line: String) -> String {
        guard isColored else { return Visible.text(line) }
        var ranges: [Range<String.Index>] = []
        for text in texts where !text.isEmpty {
            // One that stands there several times is each time another.
            let places = line.ranges(of: text)
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

    private func colored(_ text: String, _ color: String) -> String {
        isColored ? "\u{1B}[\(color)m\(text)\u{1B}[m" : text
    }
}
