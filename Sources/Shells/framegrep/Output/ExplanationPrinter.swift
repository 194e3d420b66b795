import Foundation
import TextMatching
import TextSpotting

/// Prints why a pattern matches a text or does not: for a user, or as one JSON object.
struct ExplanationPrinter {
    let format: ExplanationFormat
    let minimumScore: Double
    let isColored: Bool

    func text(_ pattern: Pattern, _ text: String, _ explanation: Explanation) -> String {
        if format == .json { return json(pattern, text, explanation) }
        if pattern.question != nil { return meaning(pattern, explanation) }
        let isMissed = pattern.isText && explanation.matches.isEmpty
        return isMissed ? miss(pattern, text, explanation) : table(pattern, text, explanation)
    }

    /// Returns a sentence with the reason a piece of text is not found, and the two texts side by side.
    private func miss(_ pattern: Pattern, _ text: String, _ explanation: Explanation) -> String {
        var lines = [row("pattern", "\(pattern.text)   (\(Self.description(of: pattern)))")]
        lines += text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
            row($0 == 0 ? "text" : "", String($1))
        }
        lines += ["", row("no match", "", false)]
        let steps = explanation.steps
        let others = steps.filter { $0.cost >= 1 }
        guard !steps.isEmpty, 2 * others.count <= explanation.comparedPattern.count else {
            lines.append("  The text contains nothing like the pattern.")
            return lines.joined(separator: "\n")
        }
        let nearest = steps.map(\.read).joined()
        if !others.isEmpty {
            let differences = others.map(Self.difference).joined(separator: ", ")
            lines.append(Visible.text("  The nearest is '\(nearest)': \(differences)."))
        }
        lines += explanation.reasons.map { "  " + Visible.text($0) }
        if let uncertain = explanation.uncertain { lines.append("  " + Visible.text(Self.doubt(uncertain))) }
        guard explanation.cost > 0 else { return lines.joined(separator: "\n") }
        lines.append("")
        for (name, side) in [("searched", \Explanation.Step.searched), ("read", \Explanation.Step.read)] {
            let letters = steps.map { step in
                let width = max(step.searched.count, step.read.count)
                let text = step[keyPath: side]
                return text + String(repeating: " ", count: width - text.count)
            }
            lines.append(row(name, letters.joined(separator: " ")))
        }
        return lines.joined(separator: "\n")
    }

    /// Returns `'M' in place of 's'`.
    private static func difference(_ step: Explanation.Step) -> String {
        if step.read.isEmpty { return "'\(step.searched)' is missing" }
        if step.searched.isEmpty { return "'\(step.read)' is extra" }
        return "'\(step.read)' in place of '\(step.searched)'"
    }

    /// Returns the reason it is not assumed to be a misreading.
    private static func doubt(_ uncertain: UncertainExplanation) -> String {
        guard uncertain.edits > uncertain.mostEdits else {
            return
                "It is not taken for misread: it was read too surely for that, or its first or last letter is missing."
        }
        return uncertain.mostEdits == 0
            ? "In so short a word, only look-alike letters count as misread; with any other letter it is another word."
            : "In a word of this length \(uncertain.mostEdits == 1 ? "one letter" : "\(uncertain.mostEdits) letters") may be misread "
                + "beyond what looks alike, and here it would be \(uncertain.edits)."
    }

    private func table(_ pattern: Pattern, _ text: String, _ explanation: Explanation) -> String {
        var lines = [row("pattern", "\(pattern.text)   (\(Self.description(of: pattern)))")]
        if pattern.isText { lines.append(row("compared", explanation.comparedPattern)) }
        lines += text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
            row($0 == 0 ? "text" : "", String($1))
        }
        lines.append(row("compared", explanation.comparedText))
        if !explanation.steps.isEmpty {
            lines.append("")
            lines += explanation.steps.map(step)
            let cost = JSONObject.number(explanation.cost, decimals: 2)
            lines.append("  difference in total: \(cost) \(cost == "1" ? "character" : "characters")")
        }
        lines.append("")
        for match in explanation.matches {
            let isGood = match.score >= minimumScore
            let places = "characters \(match.characterRange.lowerBound + 1) to \(match.characterRange.upperBound)"
            let score = "score \(JSONObject.number(match.score, decimals: 3))"
            let verdict = isGood ? "" : ", below --min-score \(JSONObject.number(minimumScore, decimals: 3))"
            lines.append(row(isGood ? "match" : "too weak", "'\(match.text)', \(places), \(score)\(verdict)", isGood))
        }
        if explanation.matches.isEmpty { lines.append(row("no match", "", false)) }
        lines += explanation.reasons.map { "  " + Visible.text($0) }
        if let uncertain = explanation.uncertain { lines += doubt(uncertain) }
        return lines.joined(separator: "\n")
    }

    /// Returns the costs of assuming misreadings, without those that are zero.
    private func doubt(_ uncertain: UncertainExplanation) -> [String] {
        let confidence = JSONObject.number(uncertain.confidence, decimals: 2)
        var lines = ["", "If it was misread, each letter read with confidence \(confidence) and nothing else known:"]
        lines += uncertain.steps.filter { $0.cost > 0.005 }.map(step)
        let letters =
            "\(uncertain.edits) \(uncertain.edits == 1 ? "letter" : "letters") of at most \(uncertain.mostEdits)"
        let cost = JSONObject.number(uncertain.cost, decimals: 2)
        lines.append("  \(cost) in all, of at most \(JSONObject.number(uncertain.mostCost, decimals: 2)); \(letters)")
        lines.append("  " + Visible.text(uncertain.verdict))
        return lines
    }

    private func row(_ name: String, _ value: String, _ isGood: Bool? = nil) -> String {
        guard !value.isEmpty || isGood != nil else { return name }
        let padded = value.isEmpty ? name : name + String(repeating: " ", count: max(1, 10 - name.count))
        let safe = Visible.text(value)
        guard isColored, let isGood else { return padded + safe }
        return "\u{1B}[\(isGood ? "01;32" : "01;31")m\(padded)\u{1B}[m" + safe
    }

    private func step(_ step: Explanation.Step) -> String {
        let cost = step.cost > 0 ? JSONObject.number(step.cost, decimals: 2) : ""
        let columns = [(step.searched, 4), (step.read, 4), (cost, 6)].map { text, width in
            Visible.text(text) + String(repeating: " ", count: max(1, width - text.count))
        }
        let line = "  " + columns.joined() + step.reason
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    private static func description(of pattern: Pattern) -> String {
        let kind =
            switch pattern.kind {
            case .plain: "plain text, known misreadings allowed"
            case .exact: "exact text"
            case .expression: "regular expression"
            case .content: "a kind of content"
            case .meaning: "whatever means this"
            }
        let options = [
            pattern.options.caseSensitive ? "case matters" : nil, pattern.options.wholeWords ? "whole words" : nil,
        ]
        return ([kind] + options.compactMap { $0 }).joined(separator: ", ")
    }

    private func json(_ pattern: Pattern, _ text: String, _ explanation: Explanation) -> String {
        var object = JSONObject()
        object.add("type", "explanation")
        object.add("pattern", pattern.text)
        object.add("text", text)
        object.add("compared_pattern", explanation.comparedPattern)
        object.add("compared_text", explanation.comparedText)
        object.add("matches", list: explanation.matches.map(Self.json))
        object.add("steps", list: explanation.steps.map(Self.json))
        object.add("cost", explanation.cost, decimals: 3)
        object.add("reasons", list: explanation.reasons.map(JSONObject.quoted))
        if let uncertain = explanation.uncertain { object.add("doubted", json: Self.json(uncertain)) }
        if pattern.question != nil {
            object.add("kind", "meaning")
            object.add("meanings", list: explanation.meanings.map(Self.json))
        }
        return object.text
    }

    private static func json(_ uncertain: UncertainExplanation) -> String {
        var object = JSONObject()
        object.add("confidence", uncertain.confidence, decimals: 3)
        object.add("steps", list: uncertain.steps.map(json))
        object.add("cost", uncertain.cost, decimals: 3)
        object.add("most_cost", uncertain.mostCost, decimals: 3)
        object.add("edits", uncertain.edits)
        object.add("most_edits", uncertain.mostEdits)
        object.add("verdict", uncertain.verdict)
        return object.text
    }

    private static func json(_ match: TextMatch) -> String {
        var object = JSONObject()
        object.add("text", match.text)
        object.add("from", match.characterRange.lowerBound)
        object.add("to", match.characterRange.upperBound)
        object.add("score", match.score, decimals: 3)
        return object.text
    }

    private static func json(_ step: Explanation.Step) -> String {
        var object = JSONObject()
        object.add("searched", step.searched)
        object.add("read", step.read)
        object.add("cost", step.cost, decimals: 3)
        object.add("reason", step.reason)
        return object.text
    }
}

extension ExplanationPrinter {
    /// Returns how close a question is to each line, and the components of that.
    func meaning(_ pattern: Pattern, _ explanation: Explanation) -> String {
        var lines = ["meaning   " + Visible.text(pattern.question ?? "")]
        for meaning in explanation.meanings {
            let closeness = meaning.closeness
            lines += ["text      " + Visible.text(meaning.text), ""]
            lines += [
                row(closeness.likeness, "how alike the two are"),
                row(-closeness.lineCommonness / 2, "half of how near the text is to everyday lines, whatever they say"),
                row(-closeness.questionCommonness / 4, "a quarter of how near the question is to them"),
                row(
                    closeness.value, "together; of lines so close \(Self.share(meaning.probability)) are what was meant"
                ),
                "",
            ]
        }
        for match in explanation.matches {
            let score = "score \(JSONObject.number(match.score, decimals: 3))"
            lines.append(
                match.score >= minimumScore
                    ? "match     ≈ " + Visible.text("'\(match.text)', \(score)")
                    : "too weak  "
                        + Visible.text(
                            "'\(match.text)', \(score), below --min-score \(JSONObject.number(minimumScore, decimals: 3))"
                        ))
        }
        if explanation.matches.isEmpty { lines.append("no match") }
        return (lines + explanation.reasons.map { "  " + Visible.text($0) }).joined(separator: "\n")
    }

    private func row(_ value: Double, _ meaning: String) -> String {
        String(format: "  %6.3f  ", value) + meaning
    }

    private static func share(_ probability: Double) -> String { "\(Int((100 * probability).rounded())) of 100" }

    static func json(_ meaning: MeaningExplanation) -> String {
        var object = JSONObject()
        object.add("text", meaning.text)
        object.add("likeness", meaning.closeness.likeness, decimals: 3)
        object.add("line_commonness", meaning.closeness.lineCommonness, decimals: 3)
        object.add("question_commonness", meaning.closeness.questionCommonness, decimals: 3)
        object.add("closeness", meaning.closeness.value, decimals: 3)
        object.add("probability", meaning.probability, decimals: 3)
        return object.text
    }
}
