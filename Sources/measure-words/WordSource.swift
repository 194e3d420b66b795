import OverlayDrawing

/// Draws words by lot: of the vocabulary with prefixes and suffixes, made-up ones, numbers and codes.
struct WordSource {
    private var random: SeededGenerator
    private let training: Bool
    private var used = Set<String>()

    init(seed: UInt64, training: Bool) {
        random = SeededGenerator(seed: seed)
        self.training = training
    }

    /// A word that was not drawn before.
    mutating func next() -> String {
        while true {
            let word = draw()
            let key = word.lowercased()
            guard (3...14).contains(word.count), Vocabulary.isForTraining(key) == training, !used.contains(key) else {
                continue
            }
            used.insert(key)
            return word
        }
    }

    private mutating func draw() -> String {
        switch random.nextFraction() {
        case ..<0.5: cased(inflected())
        case ..<0.82: cased(madeUp())
        default: code()
        }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[random.below(values.count)]
    }

    private mutating func cased(_ word: String) -> String {
        switch random.nextFraction() {
        case ..<0.6: word
        case ..<0.8: word.prefix(1).uppercased() + word.dropFirst()
        default: word.uppercased()
        }
    }

    private mutating func inflected() -> String {
        pick(Vocabulary.prefixes) + pick(Vocabulary.common) + pick(Vocabulary.suffixes)
    }

    private mutating func madeUp() -> String {
        let onsets = [
            "b", "br", "c", "ch", "cl", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "pl", "qu",
            "r", "s", "sh", "st", "t", "tr", "v", "w", "x", "y", "z",
        ]
        let middles = ["a", "e", "i", "o", "u", "ai", "ea", "ou", "io", "ee"]
        let codas = ["", "", "n", "r", "l", "s", "t", "m", "nd", "rn", "ck", "x", "v", "ll", "mp"]
        return (0..<random.below(3) + 1).map { _ in pick(onsets) + pick(middles) + pick(codas) }.joined()
    }

    private mutating func code() -> String {
        func digits(_ count: Int, _ random: inout SeededGenerator) -> String {
            (0..<count).map { _ in String(random.below(10)) }.joined()
        }
        let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ").map(String.init)
        switch random.below(6) {
        case 0: return digits(3, &random) + " " + pick(Vocabulary.units)
        case 1: return digits(2, &random) + ":" + digits(2, &random)
        case 2: return pick(letters) + pick(letters) + "-" + digits(3, &random)
        case 3: return digits(random.below(4) + 4, &random)
        case 4: return digits(2, &random) + "." + digits(2, &random) + "." + digits(4, &random)
        default: return pick(letters) + digits(2, &random) + pick(letters) + digits(1, &random)
        }
    }
}

extension SeededGenerator {
    /// A number from 0 up to but not including `bound`.
    mutating func below(_ bound: Int) -> Int { Int(nextFraction() * Double(bound)) }
}
