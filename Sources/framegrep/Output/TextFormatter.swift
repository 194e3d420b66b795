import TextIndex
import TextSpotting

/// One line a sighting, as grep prints a match: `lobby.mp4:00:00:12.367-00:00:15.100: ← EXIT 12`; of a
/// still picture `photo.jpg: ← EXIT 12`, and of what was shown live `rtsp://camera/stream:2026-11-20T14:05:21.367-14:05:24.100: ← EXIT 12`.
struct TextFormatter: SightingFormatter {
    let isColored: Bool
    var showsNames = true

    func format(_ sighting: Sighting, source: String) -> String {
        prefix(sighting, source) + " " + highlighted(sighting.text, in: sighting.line)
    }

    func format(_ sighting: Sighting, source: String, clock: WallClock) -> String {
        guard clock.isLive else { return format(sighting, source: source) }
        let times = clock.text(from: sighting.start, to: sighting.end)
        return name(LiveName(source)?.source ?? source) + colored(times, "32") + colored(":", "36") + " "
            + highlighted(sighting.text, in: sighting.line)
    }

    func format(text: Sighting, source: String) -> String {
        prefix(text, source) + " " + Visible.text(text.line)
    }

    func format(still sighting: Sighting, source: String) -> String {
        name(source, " ") + highlighted(sighting.text, in: sighting.line)
    }

    func format(stillText text: Sighting, source: String) -> String { name(source, " ") + Visible.text(text.line) }

    private func prefix(_ sighting: Sighting, _ source: String) -> String {
        let times = "\(ClockTime.text(sighting.start))-\(ClockTime.text(sighting.end))"
        return name(source) + colored(times, "32") + colored(":", "36")
    }

    private func name(_ source: String, _ gap: String = "") -> String {
        showsNames ? colored(Visible.text(source), "35") + colored(":", "36") + gap : ""
    }

    /// The line with the matched text in grep's color for matches.
    private func highlighted(_ text: String, in line: String) -> String {
        guard isColored, !text.isEmpty, let range = line.firstRange(of: text) else { return Visible.text(line) }
        return Visible.text(String(line[..<range.lowerBound])) + colored(Visible.text(text), "01;31")
            + Visible.text(String(line[range.upperBound...]))
    }

    private func colored(_ text: String, _ color: String) -> String {
        isColored ? "\u{1B}[\(color)m\(text)\u{1B}[m" : text
    }
}
