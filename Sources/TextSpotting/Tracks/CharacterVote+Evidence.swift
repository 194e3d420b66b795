import TextMatching

extension CharacterVote {
    /// The evidence of a vote is that of this many readings at most: each is searched.
    static let mostEvidence = 3

    /// Aligns the evidence of the best readings with the result of the vote.
    ///
    /// - Parameter tokens: of the vote.
    func evidence(for tokens: [Token]) -> [ReadingEvidence] {
        var found: [ReadingEvidence] = []
        for index in bestFirst(weights) where found.count < Self.mostEvidence {
            let reading = readings[index]
            guard !reading.evidence.isEmpty else { continue }
            let from = reading.tokens.map(\.character)
            found += reading.evidence.compactMap { $0.laid(from: from, along: tokens.map(\.character)) }
        }
        return Array(found.prefix(Self.mostEvidence))
    }
}
