import Glibc
import TextMatching

/// Combines the readings of one text by voting character by character.
///
/// The readings are aligned one after the other to a network of slots, in which each of them has a character or
/// nothing, and each slot goes to the candidate with the most weight behind it (J. Fiscus, "A post-processing system to
/// yield reduced word error rates: Recognizer Output Voting Error Reduction (ROVER)", 1997). A character of confidence
/// p weighs -log(1 - p), which adds up as the odds of independent errors do, times the square of the relative sharpness
/// of the picture. Of the weights tried (powers of p, the log of its odds) this one was among the two best on the lines
/// of docs/benchmarks/tables.md. The gap between two words counts as a character. A value.
struct CharacterVote: Sendable {
    /// A character of a reading, or the gap between two words (a space).
    struct Token: Hashable, Sendable {
        var character: Character
        /// The confidence, 0 to 1. In the result of a vote, the mean of those who voted for the character, times their
        /// share of the weight.
        var confidence: Double
        /// The share of the weight that voted for the character.
        var share = 1.0
    }

    /// The characters of one reading.
    struct Ballot: Sendable {
        var tokens: [Token]
        var sharpness: Double
        /// The evidence beyond the characters; its peaks are those of the tokens that are not gaps.
        var evidence: [ReadingEvidence] = []

        var text: String { String(tokens.map(\.character)) }
    }

    /// The largest number of readings that are kept: the blurriest is dropped first, the oldest of equals.
    static let capacity = 9
    /// The confidence of a reading that a character is absent, as a share of its confidence in the neighbors.
    static let absenceShare = 0.8

    private(set) var readings: [Ballot] = []
    /// The number of readings added, including those that are no longer kept.
    private(set) var count = 0

    init() {}

    mutating func add(_ line: TextLine, sharpness: Double) {
        count += 1
        readings.append(Ballot(tokens: Self.tokens(of: line), sharpness: sharpness, evidence: line.evidence))
        if readings.count > Self.capacity,
            let worst = readings.indices.min(by: { (readings[$0].sharpness, $0) < (readings[$1].sharpness, $1) })
        {
            readings.remove(at: worst)
        }
    }

    /// Returns the number of kept readings that equal `text`.
    func agreeing(with text: String) -> Int { readings.count { $0.text == text } }

    static func tokens(of line: TextLine) -> [Token] {
        var tokens: [Token] = []
        for word in line.words {
            if let last = tokens.last {
                let next = word.characters.first?.confidence ?? 0
                tokens.append(Token(character: " ", confidence: min(last.confidence, next)))
            }
            tokens += word.characters.map { Token(character: $0.character, confidence: $0.confidence) }
        }
        return tokens
    }

    /// Returns the result of the vote. The confidence of each token is the mean of those who voted for it, times their
    /// share of the weight.
    func result() -> [Token] {
        guard !readings.isEmpty else { return [] }
        guard readings.count > 1 else { return readings[0].tokens }
        let weights = weights
        // The best reading first: the others are aligned to it.
        let order = bestFirst(weights)
        var slots: [VoteSlot] = []
        var total = 0.0
        for index in order {
            Self.align(readings[index].tokens, weights[index], into: &slots, before: total)
            total += weights[index]
        }
        return slots.compactMap(\.winner)
    }

    /// The weight of each reading, from the sharpness of its picture relative to the others.
    var weights: [Double] {
        guard let sharpest = readings.map(\.sharpness).filter(\.isFinite).max(), sharpest > 0 else {
            return readings.map { _ in 1 }
        }
        return readings.map { $0.sharpness.isFinite ? square($0.sharpness / sharpest) : 1 }
    }

    /// Returns the readings ordered by weight and confidence; the earlier one comes first among equals.
    func bestFirst(_ weights: [Double]) -> [Int] {
        readings.indices.sorted {
            (-weights[$0] * meanConfidence($0), $0) < (-weights[$1] * meanConfidence($1), $1)
        }
    }

    private func square(_ value: Double) -> Double { value * value }

    private func meanConfidence(_ index: Int) -> Double {
        let tokens = readings[index].tokens
        return tokens.isEmpty ? 0 : tokens.reduce(0) { $0 + $1.confidence } / Double(tokens.count)
    }

    /// Adds a reading to the network along the cheapest path: slots that agree with the reading cost little.
    ///
    /// - Parameter total: the weight of all readings in the network so far.
    private static func align(
        _ tokens: [Token], _ weight: Double, into slots: inout [VoteSlot], before total: Double
    ) {
        let columns = slots.count + 1
        var costs = [Double](repeating: 0, count: (tokens.count + 1) * columns)
        for j in 1..<max(1, columns) { costs[j] = costs[j - 1] + slots[j - 1].cost(of: nil) }
        for i in 0..<tokens.count {
            costs[(i + 1) * columns] = costs[i * columns] + 1
            for j in 0..<slots.count {
                costs[(i + 1) * columns + j + 1] = min(
                    costs[i * columns + j] + slots[j].cost(of: tokens[i].character),
                    costs[(i + 1) * columns + j] + slots[j].cost(of: nil), costs[i * columns + j + 1] + 1)
            }
        }
        var merged: [VoteSlot] = []
        var (i, j) = (tokens.count, slots.count)
        while i > 0 || j > 0 {
            let here = costs[i * columns + j]
            if i > 0, j > 0,
                here == costs[(i - 1) * columns + j - 1] + slots[j - 1].cost(of: tokens[i - 1].character)
            {
                (i, j) = (i - 1, j - 1)
                slots[j].add(tokens[i].character, tokens[i].confidence, weight)
                merged.append(slots[j])
            } else if j > 0, here == costs[i * columns + j - 1] + slots[j - 1].cost(of: nil) {
                j -= 1
                slots[j].add(nil, absence(in: tokens, at: i), weight)
                merged.append(slots[j])
            } else {
                i -= 1
                var slot = VoteSlot()
                // The earlier readings had nothing here, with the confidence that this one has in the neighbors.
                if total > 0 { slot.add(nil, absence(in: tokens, at: i), total) }
                slot.add(tokens[i].character, tokens[i].confidence, weight)
                merged.append(slot)
            }
        }
        slots = merged.reversed()
    }

    /// Returns how sure a reading is that nothing precedes its token `index`.
    private static func absence(in tokens: [Token], at index: Int) -> Double {
        let near = [index - 1, index].filter(tokens.indices.contains).map { tokens[$0].confidence }
        return near.isEmpty ? 0.5 : absenceShare * near.reduce(0, +) / Double(near.count)
    }
}

/// One slot of the network, and the votes in it.
private struct VoteSlot {
    private struct Option {
        var character: Character?
        var votes = 0.0
        /// The sum of confidence times the weight of the reading.
        var sure = 0.0
        /// The weight of the readings that voted for the candidate.
        var weight = 0.0
    }

    private var options: [Option] = []
    private var total = 0.0

    mutating func add(_ character: Character?, _ confidence: Double, _ weight: Double) {
        total += weight
        let confidence = min(1, max(0, confidence.isNaN ? 0 : confidence))
        let index = options.firstIndex { $0.character == character } ?? options.endIndex
        if index == options.endIndex { options.append(Option(character: character)) }
        options[index].votes -= log(1 - min(0.995, confidence)) * weight
        options[index].sure += confidence * weight
        options[index].weight += weight
    }

    /// Returns 0 if all votes agree with `character`, 1 if none does.
    func cost(of character: Character?) -> Double {
        guard let option = options.first(where: { $0.character == character }), total > 0 else { return 1 }
        return 1 - option.weight / total
    }

    /// The token with the most votes, the first of equals; nil if that is a gap.
    var winner: CharacterVote.Token? {
        guard var best = options.first else { return nil }
        for option in options.dropFirst() where option.votes > best.votes { best = option }
        return best.character.map {
            CharacterVote.Token(
                character: $0, confidence: total > 0 ? best.sure / total : 0, share: total > 0 ? best.weight / total : 1
            )
        }
    }
}

extension CharacterVote {
    /// The largest number of readings whose evidence is kept for a vote, because each is searched.
    static let mostEvidence = 3

    /// Aligns the evidence of the best readings with the result of the vote.
    ///
    /// - Parameter tokens: the result of the vote.
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

extension CharacterVote {
    /// Returns the tokens in which two readings differ along the cheapest alignment; nil stands for an absent token.
    static func differences(_ a: [Token], _ b: [Token]) -> [(Token?, Token?)] {
        let columns = b.count + 1
        var costs = [Int](repeating: 0, count: (a.count + 1) * columns)
        for j in 0..<columns { costs[j] = j }
        for i in a.indices {
            costs[(i + 1) * columns] = i + 1
            for j in b.indices {
                costs[(i + 1) * columns + j + 1] = min(
                    costs[i * columns + j] + (a[i].character == b[j].character ? 0 : 1),
                    costs[i * columns + j + 1] + 1, costs[(i + 1) * columns + j] + 1)
            }
        }
        var found: [(Token?, Token?)] = []
        var (i, j) = (a.count, b.count)
        while i > 0 || j > 0 {
            let here = costs[i * columns + j]
            if i > 0, j > 0,
                here == costs[(i - 1) * columns + j - 1] + (a[i - 1].character == b[j - 1].character ? 0 : 1)
            {
                (i, j) = (i - 1, j - 1)
                if a[i].character != b[j].character { found.append((a[i], b[j])) }
            } else if i > 0, here == costs[(i - 1) * columns + j] + 1 {
                i -= 1
                found.append((a[i], nil))
            } else {
                j -= 1
                found.append((nil, b[j]))
            }
        }
        return found.reversed()
    }
}
