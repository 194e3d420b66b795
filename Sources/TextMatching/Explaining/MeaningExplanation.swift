/// What the closeness of a question and some lines is made of.
public struct MeaningExplanation: Hashable, Sendable {
    /// The lines that are judged together, as one text.
    public var text: String
    public var closeness: MeaningCloseness
    /// How often lines so close are what was meant, 0 to 1.
    public var probability: Double
}

extension MeaningSearch {
    /// How close a question is to each of some lines, and to all of them together.
    func explanation(of number: Int, in texts: [String]) -> Explanation {
        let all = texts.count > 1 ? texts + [texts.joined(separator: " ")] : texts
        var explanation = Explanation()
        for text in all {
            guard let found = closeness(of: text)?.first(where: { $0.number == number }) else {
                explanation.reasons.append("“\(text)” has too few letters to mean anything.")
                continue
            }
            explanation.meanings.append(
                MeaningExplanation(text: text, closeness: found.closeness, probability: found.probability))
        }
        return explanation
    }
}
