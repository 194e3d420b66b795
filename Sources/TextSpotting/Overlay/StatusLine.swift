/// Lays out the line at the bottom of the picture: `● EXIT  2 matches  8.3 readings/s`.
struct StatusLine {
    let style: OverlayStyle

    /// The label at the picture's bottom left; nil where the picture is too small for one.
    func label(for status: OverlayStatus) -> OverlayLabel? {
        let area = style.labelArea
        let height = style.labelHeight
        guard area.height >= height * 3, area.width >= height * 4 else { return nil }
        return OverlayLabel(
            runs: runs(for: status),
            slot: Rect(x: area.minX, y: area.maxY - height, width: area.width, height: height),
            preferredX: area.minX, fontSize: style.fontSize * 0.9, background: OverlayStyle.tab,
            cornerRadius: height / 2, opacity: 1)
    }

    private func runs(for status: OverlayStatus) -> [OverlayLabel.Run] {
        let patterns = status.searched.prefix(4).enumerated().flatMap { index, pattern in
            [
                OverlayLabel.Run(index == 0 ? "" : " · ", color: OverlayStyle.faint),
                OverlayLabel.Run(
                    OverlayText.singleLine(pattern, limit: 24), color: OverlayColor.pattern(index), isBold: true),
            ]
        }
        let more = status.searched.count > 4 ? "  +\(status.searched.count - 4)" : ""
        let matches = status.matches == 1 ? "1 match" : "\(status.matches) matches"
        var runs = [OverlayLabel.Run("●  ", color: stateColor(status))] + patterns
        runs.append(OverlayLabel.Run(more, color: OverlayStyle.faint))
        if status.state != .running {
            runs.append(OverlayLabel.Run("   \(status.state.rawValue)", color: stateColor(status), isBold: true))
        }
        runs.append(OverlayLabel.Run("   \(matches)", color: status.matches > 0 ? .white : OverlayStyle.faint))
        if let rate = status.readingsPerSecond, rate.isFinite, rate >= 0 {
            let tenths = Int((min(rate, 9999) * 10).rounded())
            let number = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(tenths / 10)"
            runs.append(OverlayLabel.Run("   \(number) readings/s", color: OverlayStyle.faint))
        }
        return runs.filter { !$0.text.isEmpty }
    }

    private func stateColor(_ status: OverlayStatus) -> OverlayColor {
        switch status.state {
        case .running: status.matches > 0 ? OverlayColor.pattern(0) : OverlayStyle.faint
        case .opening, .stalled, .reconnecting: OverlayStyle.warning
        case .failed: OverlayStyle.failure
        case .paused, .ended: OverlayStyle.faint
        }
    }
}
