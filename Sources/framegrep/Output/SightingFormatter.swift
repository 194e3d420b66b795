import Spotter
import TextSpotting

/// Turns a sighting into the lines of one format.
protocol SightingFormatter: Sendable {
    /// What stands before the first sighting; nil for nothing.
    var header: String? { get }
    /// The lines for one sighting, without the last line's end.
    mutating func format(_ sighting: Sighting, source: String) -> String
    /// The same where the clock on the wall is known.
    mutating func format(_ sighting: Sighting, source: String, clock: WallClock) -> String
    /// The same for a line of text that matched nothing (`--all-text`).
    mutating func format(text: Sighting, source: String) -> String
    /// So many sightings stand there already.
    mutating func skip(_ count: Int)
    /// The same for a sighting in a still picture, where times mean nothing.
    mutating func format(still sighting: Sighting, source: String) -> String
    /// The same for a line of text in one.
    mutating func format(stillText text: Sighting, source: String) -> String
}

extension SightingFormatter {
    var header: String? { nil }

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
}

extension SightingFormat {
    /// - Parameters:
    ///   - naming: with the source before each line, where the format has no place of its own for it.
    ///   - areSeveral: several sources are searched, so subtitles too say which it is.
    func formatter(coloring: Bool, naming: Bool = true, areSeveral: Bool = false) -> any SightingFormatter {
        switch self {
        case .text: TextFormatter(isColored: coloring, showsNames: naming)
        case .jsonl: JSONLinesFormatter()
        case .csv: CSVFormatter()
        case .srt: SubtitleFormatter(dialect: .srt, showsNames: naming && areSeveral)
        case .vtt: SubtitleFormatter(dialect: .vtt, showsNames: naming && areSeveral)
        }
    }
}
