/// A known text that may have been said.
public struct VoiceCandidate: Sendable, Hashable {
    /// As it is written where it stands.
    public var text: String
    /// How far it is from what was heard by its sounds, 0 to 1.
    public var distance: Double
    /// How much likelier than what was heard the recognizer takes it to be: 0 for as likely, mostly less.
    public var lead: Double

    public init(text: String, distance: Double, lead: Double) {
        (self.text, self.distance, self.lead) = (text, distance, lead)
    }

    /// Higher for what is likelier to have been said.
    var score: Double { lead - 6 * distance }
}

/// The search that somebody meant who was heard: a word that is there, or the words as they were heard.
public struct VoiceSearch: Sendable, Hashable {
    /// The words as the recognizer wrote them.
    public let heard: String
    /// The text to search for.
    public let text: String
    /// Other texts that may have been meant, likelier ones first; with ``text`` at most nine.
    public let others: [String]

    /// A text that is less likely was not said.
    private static let leastScore = -17.0
    /// The same where what was heard makes no sense.
    private static let leastScoreOfNonsense = -10.0
    private static let mostWords = 10

    /// - Parameters:
    ///   - heard: as the recognizer wrote it.
    ///   - candidates: what is there.
    /// - Returns: nil where nothing was heard that could be searched for.
    public init?(heard: String, _ candidates: [VoiceCandidate]) {
        let heard = heard.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        // Nobody asks for a word in more words, and a recognizer that hears none makes up many, or the same again and again.
        let words = heard.lowercased().split(separator: " ")
        let isOne =
            heard.contains(where: { $0.isLetter || $0.isNumber }) && words.count <= Self.mostWords
            && (words.count < 4 || Set(words).count * 2 > words.count)
        var known: [String] = []
        let least = isOne ? Self.leastScore : Self.leastScoreOfNonsense
        for candidate in candidates.sorted(by: { $0.score > $1.score }) where candidate.score >= least {
            // Nor a part of one that is likelier.
            if !known.contains(where: { Self.holds($0, candidate.text) }) { known.append(candidate.text) }
        }
        guard isOne || !known.isEmpty else { return nil }
        self.heard = heard
        text = known.first ?? heard
        let rest = known.dropFirst() + (known.isEmpty || known.contains { Self.isSame($0, heard) } ? [] : [heard])
        others = Array(rest.prefix(8))
    }

    private static func isSame(_ a: String, _ b: String) -> Bool { a.lowercased() == b.lowercased() }
    private static func holds(_ whole: String, _ part: String) -> Bool {
        whole.lowercased().contains(part.lowercased())
    }

    /// `heard "translators" → TRANSISTORS`, or only what was heard.
    public var sentence: String {
        Self.isSame(heard, text) ? "heard \"\(heard)\"" : "heard \"\(heard)\" → \(text)"
    }
}
