import ArgumentParser
import TextSpotting

/// How `find` prints what it found.
enum SightingFormat: String, ExpressibleByArgument, CaseIterable {
    case text, jsonl, csv, srt, vtt
}

/// Turns a sighting into the lines of one format.
protocol SightingFormatter: Sendable {
    /// What stands before the first sighting; nil for nothing.
    var header: String? { get }
    /// The lines for one sighting, without the last line's end.
    mutating func format(_ sighting: Sighting, source: String) -> String
    /// The same for a line of text that matched nothing (`--all-text`).
    mutating func format(text: Sighting, source: String) -> String
}

extension SightingFormatter {
    var header: String? { nil }
}

extension SightingFormat {
    func formatter(coloring: Bool) -> any SightingFormatter {
        switch self {
        case .text: TextFormatter(isColored: coloring)
        case .jsonl: JSONLinesFormatter()
        case .csv: CSVFormatter()
        case .srt: SubtitleFormatter(dialect: .srt)
        case .vtt: SubtitleFormatter(dialect: .vtt)
        }
    }
}
