import Foundation
import Spotter
import TextMatching
import TextSpotting

extension ExplanationPrinter {
    /// How close a question is to each line, and what that is made of.
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
