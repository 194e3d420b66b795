/// Lays out the line at the bottom of the picture, `● EXIT  2 matches  8.3 readings/s, 0.1 s old`, and the sentences above it.
struct StatusLine {
    let style: OverlayStyle
    /// Where it may be; it stands at the bottom of that.
    let area: Rect

    /// The label at the picture's bottom left; nil if the picture is too small for one.
    func label(for status: OverlayStatus) -> OverlayLabel? {
        guard let slot = slot(above: 0) else { return nil }
        let fontSize = style.fontSize * 0.9
        // Where not all of it fits, the figures are written shorter, then left out.
        let forms = Form.allCases.map { runs(for: status, $0) }
        let fitting = forms.first { runs in
            OverlayText.estimatedWidth(runs.map(\.text).joined()) * fontSize < slot.width
        }
        return (fitting ?? forms.last).map { label($0, slot) }
    }

    /// How much of it is said.
    private enum Form: CaseIterable { case full, short, bare }

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

    /// The row this many rows above the bottom one.
    private func slot(above rows: Int) -> Rect? {
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

    private func runs(for status: OverlayStatus, _ form: Form) -> [OverlayLabel.Run] {
        var runs = [OverlayLabel.Run("●  ", color: stateColor(status))]
        if let typed = status.typed { return runs + typing(typed, status, form) }
        runs += searched(status)
        if let activity = status.activity {
            runs.append(
                OverlayLabel.Run(
                    "   \(OverlayText.singleLine(activity))", color: OverlayStyle.warning, isBold: true))
        } else if status.state != .running {
            runs.append(OverlayLabel.Run("   \(status.state.rawValue)", color: stateColor(status), isBold: true))
        }
        runs += matches(in: status)
        if form != .bare {
            runs.append(OverlayLabel.Run(figures(of: status, isShort: form == .short), color: OverlayStyle.faint))
        }
        return runs.filter { !$0.text.isEmpty }
    }

    /// The number of matches; nothing before the first reading, when it is still unknown.
    private func matches(in status: OverlayStatus) -> [OverlayLabel.Run] {
        let reading = OverlayLabel.Run("   reading…", color: OverlayStyle.faint)
        guard status.matches > 0 || !status.isFirstReading else {
            return status.state == .running || status.state == .paused ? [reading] : []
        }
        let text = status.matches == 1 ? "1 match" : "\(status.matches) matches"
        let count = OverlayLabel.Run("   \(text)", color: status.matches > 0 ? .white : OverlayStyle.faint)
        return status.isFirstReading ? [count, reading] : [count]
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

    /// The text that is being typed, around the cursor; with hints where there is room.
    private func typing(_ typed: String, _ status: OverlayStatus, _ form: Form) -> [OverlayLabel.Run] {
        let letters = Array(typed)
        let cursor = max(0, min(letters.count, status.cursor ?? letters.count))
        // A long line is shown around the cursor.
        let reach = form == .full ? 40 : form == .short ? 24 : 12
        let first = letters.count <= reach ? 0 : max(0, min(letters.count - reach, cursor - reach * 3 / 4))
        let last = min(letters.count, first + reach)
        let color = status.isAllChosen ? OverlayColor.pattern(2) : .white
        func run(_ range: Range<Int>) -> OverlayLabel.Run {
            OverlayLabel.Run(Self.visible(String(letters[range])), color: color, isBold: true)
        }
        var runs = [
            OverlayLabel.Run(first > 0 ? "/…" : "/", color: OverlayStyle.faint), run(first..<max(first, cursor)),
            OverlayLabel.Run("▏", color: OverlayColor.pattern(0), isBold: true), run(min(last, cursor)..<last),
            OverlayLabel.Run(last < letters.count ? "…" : "", color: OverlayStyle.faint),
        ]
        if let offered = status.offered, form != .bare {
            let text = OverlayText.singleLine(offered, limit: 20)
            runs.append(OverlayLabel.Run("   ↑ \(text)", color: OverlayStyle.faint))
        }
        return runs.filter { !$0.text.isEmpty }
    }

    /// As it is safe to be drawn, with the spaces at its ends, which a user who types them wants to see.
    private static func visible(_ text: String) -> String {
        let safe = OverlayText.singleLine(text, limit: 400)
        guard !safe.isEmpty else { return text.isEmpty ? "" : " " }
        return (text.first == " " ? " " : "") + safe + (text.last == " " ? " " : "")
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
