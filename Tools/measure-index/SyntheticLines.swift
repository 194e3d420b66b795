import TextMatching
import TextSpotting

/// Lines as readers give them, made of a list of words: the frequent ones often, some letters misread, and most of these with
/// the truth among what the reader thought probable.
struct SyntheticLines {
    /// A line and what truly stands there.
    struct Line {
        var truth: String
        var line: TextLine
    }

    private let words: [String]
    private let errorRate: Double
    private let knownShare: Double
    private var random: SeededNumbers

    /// - Parameters:
    ///   - words: the most frequent first.
    ///   - errorRate: how many letters are misread.
    ///   - knownShare: how many of these have the truth among their alternatives.
    init(words: [String], errorRate: Double, knownShare: Double, seed: UInt64) {
        self.words = words
        self.errorRate = errorRate
        self.knownShare = knownShare
        random = SeededNumbers(state: seed)
    }

    mutating func next() -> Line {
        let count = 3 + Int(random.unit() * 8)
        var truth: [String] = []
        for _ in 0..<count {
            // Zipf's law: the n-th word is about 1/n as frequent as the first.
            let rank = Int(Double(words.count).power(random.unit())) - 1
            truth.append(words[max(0, min(words.count - 1, rank))])
        }
        if random.unit() < 0.5 { truth.append(String(Int(random.unit() * 100_000))) }
        return Line(truth: truth.joined(separator: " "), line: read(truth))
    }

    private mutating func read(_ words: [String]) -> TextLine {
        var evidence = ReadingEvidence()
        var x = 10.0
        var result: [TextWord] = []
        for word in words {
            var spans: [CharacterSpan] = []
            for (index, truth) in word.enumerated() {
                let isWrong = random.unit() < errorRate
                let letter = isWrong ? misread(truth) : truth
                let isDoubtful = isWrong || random.unit() < 0.05
                let confidence = isDoubtful ? 0.5 + 0.45 * random.unit() : 0.995 + 0.005 * random.unit()
                add(
                    letter, truth: truth, confidence: confidence,
                    hasOther: isDoubtful && (!isWrong || random.unit() < knownShare), to: &evidence)
                let step = 1 / Double(word.count)
                spans.append(
                    CharacterSpan(
                        character: letter, start: Double(index) * step, end: Double(index + 1) * step,
                        confidence: confidence))
            }
            let width = 12 * Double(word.count)
            result.append(
                TextWord(quad: Quad(Rect(x: x, y: 40, width: width, height: 24)), characters: spans, confidence: 0.97))
            x += width + 8
        }
        return TextLine(
            quad: Quad(Rect(x: 10, y: 40, width: x - 18, height: 24)), words: result, confidence: 0.97,
            evidence: [evidence], source: .neuralFast)
    }

    private mutating func add(
        _ letter: Character, truth: Character, confidence: Double, hasOther: Bool,
        to evidence: inout ReadingEvidence
    ) {
        evidence.peaks.append(Float(evidence.count))
        var candidates = [candidate(letter, confidence)]
        if hasOther {
            candidates.append(candidate(letter == truth ? misread(truth) : truth, 0.8 * (1 - confidence)))
        }
        evidence.append(blank: confidence > 0.99 ? -7 : -3, candidates)
        evidence.append(blank: -0.001, [])
    }

    private func candidate(_ letter: Character, _ probability: Double) -> ReadingEvidence.Candidate {
        .init(scalar: letter.unicodeScalars.first?.value ?? 0, logarithm: Float(probability.logarithm))
    }

    private mutating func misread(_ letter: Character) -> Character {
        let letters = Array("etaoinshrdlucmfwypvbgkjqxz0123456789")
        return letters[Int(random.unit() * Double(letters.count)) % letters.count]
    }
}

/// Numbers that are the same in each run (SplitMix64).
struct SeededNumbers {
    var state: UInt64

    /// From 0 up to 1.
    mutating func unit() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((value ^ (value >> 31)) >> 11) / Double(1 << 53)
    }
}
