import Spotter
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
