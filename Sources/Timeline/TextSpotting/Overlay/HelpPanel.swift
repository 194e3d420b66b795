/// Lays out the list of keys over the middle of the picture, in one column or in more if the picture is low.
struct HelpPanel {
    let style: OverlayStyle
    /// The area available to the panel; the line at the bottom stays visible.
    let area: Rect

    /// The size of the panel for one font size and number of columns, in pixels.
    private struct Plan {
        let fontSize: Double
        let columns: Int
        let rowsInColumn: Int
        let keyWidth: Double
        let columnWidth: Double

        init(_ rows: [OverlayHelp.Row], fontSize: Double, columns: Int) {
            self.fontSize = fontSize
            self.columns = columns
            rowsInColumn = (rows.count + columns - 1) / columns
            // A label has padding of 0.45 em on either side; keys are bold.
            keyWidth = ((rows.map { OverlayText.estimatedWidth($0.key) * 1.2 }.max() ?? 0) + 1) * fontSize
            let meanings = rows.map { OverlayText.estimatedWidth($0.meaning) }.max() ?? 0
            columnWidth = keyWidth + (meanings + 1) * fontSize
        }

        var rowHeight: Double { (fontSize * 1.5).rounded(.up) }
        var inset: Double { fontSize * 0.7 }
        var width: Double { columnWidth * Double(columns) + 2 * inset }
        var height: Double { rowHeight * Double(rowsInColumn) + 2 * inset }
    }

    /// The smallest legible font size, in pixels per em.
    private static let leastFontSize = 8.0

    /// Returns the panel and its rows; nothing if the picture is too small for any form of it.
    func primitives(for help: OverlayHelp) -> [OverlayPrimitive] {
        let rows = help.rows.map {
            OverlayHelp.Row(OverlayText.singleLine($0.key, limit: 12), OverlayText.singleLine($0.meaning, limit: 60))
        }
        guard !rows.isEmpty, let plan = plan(for: rows, in: area) else { return [] }
        let panel = Rect(
            x: (area.center.x - plan.width / 2).rounded(), y: (area.center.y - plan.height / 2).rounded(),
            width: plan.width.rounded(), height: plan.height.rounded())
        var list = [OverlayPrimitive.tab(panel, color: OverlayStyle.panel, cornerRadius: plan.fontSize * 0.6)]
        for (index, row) in rows.enumerated() {
            let x = panel.x + plan.inset + plan.columnWidth * Double(index / plan.rowsInColumn)
            let y = panel.y + plan.inset + plan.rowHeight * Double(index % plan.rowsInColumn)
            list.append(
                cell(
                    row.key, color: OverlayColor.pattern(0), isBold: true, x: x, y: y, width: plan.keyWidth, plan: plan)
            )
            list.append(
                cell(
                    row.meaning, color: .white, isBold: false, x: x + plan.keyWidth, y: y,
                    width: plan.columnWidth - plan.keyWidth,
                    plan: plan)
            )
        }
        return list
    }

    /// Returns the largest font size, and then the fewest columns, with which the rows fit into `area`.
    private func plan(for rows: [OverlayHelp.Row], in area: Rect) -> Plan? {
        var fontSize = style.fontSize
        while fontSize >= Self.leastFontSize {
            for columns in 1...3 {
                let plan = Plan(rows, fontSize: fontSize, columns: columns)
                if plan.width <= area.width, plan.height <= area.height { return plan }
            }
            fontSize -= max(0.5, fontSize * 0.05)
        }
        return nil
    }

    private func cell(
        _ text: String, color: OverlayColor, isBold: Bool, x: Double, y: Double, width: Double, plan: Plan
    ) -> OverlayPrimitive {
        .label(
            OverlayLabel(
                runs: [OverlayLabel.Run(text, color: color, isBold: isBold)],
                slot: Rect(x: x, y: y, width: width, height: plan.rowHeight), preferredX: x, fontSize: plan.fontSize,
                background: OverlayColor.black.faded(to: 0), cornerRadius: 0, opacity: 1))
    }
}

/// Makes text safe to draw: it may have been read from a picture, and so be controlled by an attacker.
public enum OverlayText {
    /// The largest number of scalars in one character; more are noise (stacked accents) rather than writing.
    static let scalarsPerCharacter = 8

    /// Returns `text` as one bounded line: control and line-breaking characters become single spaces, invisible
    /// formatting (including the marks that reverse the direction of what follows) is dropped, unassigned and private
    /// characters become U+FFFD, and text beyond `limit` characters is replaced by an ellipsis.
    ///
    /// The joiners U+200C and U+200D stay: Persian and Indic scripts need them.
    public static func singleLine(_ text: String, limit: Int = 40) -> String {
        var result = ""
        var count = 0
        var endsInSpace = true
        for character in text {
            let safe = printable(character)
            if safe.isEmpty || (safe == " " && endsInSpace) { continue }
            guard count < limit else { return trimmed(result, to: max(0, limit - 1)) + "…" }
            endsInSpace = safe == " "
            result += safe
            count += 1
        }
        return trimmed(result, to: limit)
    }

    private static func trimmed(_ text: String, to count: Int) -> String {
        var result = text.prefix(count)
        while result.last == " " { result.removeLast() }
        return String(result)
    }

    private static func printable(_ character: Character) -> String {
        if character.isNewline || character.isWhitespace { return " " }
        var result = String.UnicodeScalarView()
        for scalar in character.unicodeScalars.prefix(scalarsPerCharacter) {
            switch scalar.properties.generalCategory {
            case .control: return " "
            case .format:
                if scalar == "\u{200C}" || scalar == "\u{200D}" { result.append(scalar) }
            case .lineSeparator, .paragraphSeparator, .spaceSeparator: return " "
            case .unassigned, .privateUse, .surrogate: result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Returns the approximate width of `text` when drawn, in ems, for planning the places of labels: full-width
    /// characters count as one em, all others as 0.62 (the mean advance of bold DejaVu Sans, rounded up).
    public static func estimatedWidth(_ text: String) -> Double {
        text.unicodeScalars.reduce(0) { width, scalar in
            switch scalar.value {
            case 0x0300...0x036F, 0x200C, 0x200D: width
            case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
                0x1F300...0x1FAFF, 0x20000...0x3FFFD:
                width + 1
            default: width + 0.62
            }
        }
    }
}
