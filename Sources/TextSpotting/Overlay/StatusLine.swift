/// Lays out the line at the bottom of the picture, `● EXIT  2 matches  8.3 readings/s, 0.1 s old`, and the sentences above it.
struct StatusLine {
    let style: OverlayStyle

    /// The label at the picture's bottom left; nil where the picture is too small for one.
    func label(for status: OverlayStatus) -> OverlayLabel? {
        guard let slot = slot(above: 0) else { return nil }
        let fontSize = style.fontSize * 0.9
        let full = runs(for: status, isShort: false)
        let width = OverlayText.estimatedWidth(full.map(\.text).joined()) * fontSize
        // Where not all of it fits, the figures are written shorter.
        return label(width < slot.width ? full : runs(for: status, isShort: true), slot)
    }

    /// The labels of sentences above the status line, the last one directly above it; as many as there is room for.
    func labels(for notices: [OverlayNotice]) -> [OverlayLabel] {
        notices.reversed().enumerated().compactMap { index, notice in
            let color =
                switch notice.kind {
                case .done: OverlayColor.white
                case .advice: OverlayStyle.warning
                case .failure: OverlayStyle.failure
                }
            let text = OverlayText.singleLine(notice.text, limit: 160)
            guard !text.isEmpty, let slot = slot(above: index + 1) else { return nil }
            return label([OverlayLabel.Run(text, color: color, isBold: notice.kind != .done)], slot)
        }
    }

    /// The row so many rows above the bottom one.
    private func slot(above rows: Int) -> Rect? {
        let area = style.labelArea
        let height = style.labelHeight
        let y = area.maxY - height - Double(rows) * (height + style.margin * 0.4)
        guard area.height >= height * 3, area.width >= height * 4, y >= area.minY + height else { return nil }
        return Rect(x: area.minX, y: y, width: area.width, height: height)
    }

    private func label(_ runs: [OverlayLabel.Run], _ slot: Rect) -> OverlayLabel {
        OverlayLabel(
            runs: runs, slot: slot, preferredX: slot.minX, fontSize: style.fontSize * 0.9,
            background: OverlayStyle.tab, cornerRadius: slot.height / 2, opacity: 1)
    }

    private func runs(for status: OverlayStatus, isShort: Bool) -> [OverlayLabel.Run] {
        var runs = [OverlayLabel.Run("●  ", color: stateColor(status))]
        if let typed = status.typed { return runs + typing(typed, status.offered) }
        runs += searched(status)
        if let activity = status.activity {
            runs.append(
                OverlayLabel.Run(
                    "   \(OverlayText.singleLine(activity))", color: OverlayStyle.warning, isBold: true))
        } else if status.state != .running {
            runs.append(OverlayLabel.Run("   \(status.state.rawValue)", color: stateColor(status), isBold: true))
        }
        let matches = status.matches == 1 ? "1 match" : "\(status.matches) matches"
        runs.append(OverlayLabel.Run("   \(matches)", color: status.matches > 0 ? .white : OverlayStyle.faint))
        runs.append(OverlayLabel.Run(figures(of: status, isShort: isShort), color: OverlayStyle.faint))
        return runs.filter { !$0.text.isEmpty }
    }

    private func searched(_ status: OverlayStatus) -> [OverlayLabel.Run] {
        let patterns = status.searched.prefix(4).enumerated().flatMap { index, pattern in
            [
                OverlayLabel.Run(index == 0 ? "" : " · ", color: OverlayStyle.faint),
                OverlayLabel.Run(
                    OverlayText.singleLine(pattern, limit: 24), color: OverlayColor.pattern(index), isBold: true),
            ]
        }
        let more = status.searched.count > 4 ? "  +\(status.searched.count - 4)" : ""
        return patterns + [OverlayLabel.Run(more, color: OverlayStyle.faint)]
    }

    /// What has been typed, its end first where it is long.
    private func typing(_ typed: String, _ offered: String?) -> [OverlayLabel.Run] {
        let safe = OverlayText.singleLine(typed, limit: 400)
        // A space at the end is dropped from what is drawn, but a person who types one wants to see it.
        let space = typed.last == " " && !safe.isEmpty ? " " : ""
        let shown = safe.count > 28 ? "…" + safe.suffix(27) : safe
        var runs = [OverlayLabel.Run("/\(shown)\(space)▏", color: .white, isBold: true)]
        if let offered {
            let text = OverlayText.singleLine(offered, limit: 20)
            runs.append(OverlayLabel.Run("   ↑ \(text)", color: OverlayStyle.faint))
        }
        return runs
    }

    private func figures(of status: OverlayStatus, isShort: Bool) -> String {
        // A picture that stands still is as it is.
        guard status.state != .paused else { return "" }
        var text = ""
        // Nothing is read anew where nothing changes.
        if let rate = status.readingsPerSecond, rate < 0.05, let age = status.readingAge, age < 1 {
            return "   unchanged"
        }
        if let rate = status.readingsPerSecond, rate.isFinite, rate >= 0 {
            let (number, unit) = (Self.short(min(rate, 9999)), isShort ? "/s" : " readings/s")
            text += "   \(number)\(unit)"
        }
        if let age = status.readingAge, age.isFinite, age >= 0 {
            let number = Self.short(min(age, 9999))
            text += (text.isEmpty ? "   read " : ", ") + "\(number) s" + (isShort ? "" : " old")
        }
        return text
    }

    /// With one digit behind the point where there is one before it.
    private static func short(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(tenths / 10)"
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
