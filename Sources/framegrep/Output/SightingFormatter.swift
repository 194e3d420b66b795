import TextSpotting

/// Turns a sighting into the lines of one format.
protocol SightingFormatter: Sendable {
    /// What stands before the first sighting; nil for nothing.
    var header: String? { get }
    /// The lines for one sighting, without the last line's end.
    mutating func format(_ sighting: Sighting, source: String) -> String
    /// The same for a line of text that matched nothing (`--all-text`).
    mutating func format(text: Sighting, source: String) -> String
    /// So many sightings stand there already.
    mutating func skip(_ count: Int)
}

extension SightingFormatter {
    var header: String? { nil }

    mutating func skip(_ count: Int) {}
}

extension SightingFormat {
    /// - Parameter naming: with the source before each line, where the format has no place of its own for it.
    func formatter(coloring: Bool, naming: Bool = true) -> any SightingFormatter {
        switch self {
        case .text: TextFormatter(isColored: coloring, showsNames: naming)
        case .jsonl: JSONLinesFormatter()
        case .csv: CSVFormatter()
        case .srt: SubtitleFormatter(dialect: .srt)
        case .vtt: SubtitleFormatter(dialect: .vtt)
        }
    }
}
