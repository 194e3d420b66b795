import TextSpotting

/// Subtitles of the sightings: SubRip (`.srt`) or WebVTT (`.vtt`).
struct SubtitleFormatter: SightingFormatter {
    enum Dialect { case srt, vtt }

    let dialect: Dialect
    let showsNames: Bool
    /// Whether the cue is the matched text instead of its line.
    let printsMatches: Bool
    private var count = 0

    /// - Parameter showsNames: each cue begins with the name of its source, because there are several.
    init(dialect: Dialect, showsNames: Bool = false, printsMatches: Bool = false) {
        self.printsMatches = printsMatches
        self.dialect = dialect
        self.showsNames = showsNames
    }

    var header: String? { dialect == .vtt ? "WEBVTT\n" : nil }

    private mutating func cue(_ text: String, _ sighting: Sighting, _ source: String) -> String {
        count += 1
        let name = showsNames ? escaped(source) + ": " : ""
        return "\(count)\n\(time(sighting.start)) --> \(time(sighting.end))\n\(name)\(escaped(text))\n"
    }

    mutating func format(_ sighting: Sighting, source: String) -> String {
        cue(printsMatches ? sighting.text : sighting.line, sighting, source)
    }

    mutating func format(text: Sighting, source: String) -> String { cue(text.line, text, source) }

    mutating func skip(_ count: Int) { self.count += count }

    private func time(_ time: StreamTime) -> String {
        let text = ClockTime.text(time)
        return dialect == .vtt ? text : text.replacing(".", with: ",")
    }

    /// The line as cue text: no markup, no line break, and no `-->`, which would begin a cue.
    private func escaped(_ line: String) -> String {
        let visible = Visible.text(line)
        if dialect == .vtt {
            return visible.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        }
        return visible.replacing("-->", with: "→").replacing("<", with: "‹").replacing("{", with: "(")
    }
}
