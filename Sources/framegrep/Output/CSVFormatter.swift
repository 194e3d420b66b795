import Spotter
import TextSpotting

/// Comma-separated values (RFC 4180) with a header line, for spreadsheets.
struct CSVFormatter: SightingFormatter {
    var header: String? { "source,id,pattern,text,line,start,end,score,peak,x,y,width,height" }

    func format(_ sighting: Sighting, source: String) -> String {
        let bounds = sighting.peak.quad.bounds
        let numbers = [sighting.start.seconds, sighting.end.seconds, sighting.score, sighting.peak.time.start.seconds]
            .map { JSONObject.number($0, decimals: 3) }
        let box = [bounds.x, bounds.y, bounds.width, bounds.height].map { JSONObject.number($0, decimals: 1) }
        return
            ([Self.field(source), String(sighting.id)]
            + [sighting.pattern, sighting.text, sighting.line].map(Self.field) + numbers + box)
            .joined(separator: ",")
    }

    func format(text: Sighting, source: String) -> String { format(text, source: source) }

    /// A field that a spreadsheet takes for text: text that was read from a picture must not become a formula.
    static func field(_ text: String) -> String {
        var text = Visible.text(text)
        if let first = text.first, "=+-@\t\r".contains(first) { text = "'" + text }
        guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline || $0 == "'" }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
