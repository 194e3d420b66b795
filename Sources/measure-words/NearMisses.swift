import OverlayDrawing

/// Words that differ from a given one in one or two letters: what a search must not take it for.
struct NearMisses {
    enum Kind: String, CaseIterable {
        case otherLetter = "another letter"
        case alikeLetter = "a similar letter"
        case added = "a letter more"
        case dropped = "a letter less"
        case swapped = "two swapped"
        case two = "two other letters"
    }

    private static let alike: [Character: String] = [
        "a": "oe", "b": "hd", "c": "eo", "d": "bo", "e": "ca", "f": "t", "g": "qy", "h": "bn", "i": "jl", "j": "i",
        "k": "x", "l": "ti", "m": "nw", "n": "mrh", "o": "ac", "p": "q", "q": "gp", "r": "n", "s": "z", "t": "fl",
        "u": "vn", "v": "uy", "w": "v", "x": "k", "y": "vg", "z": "s", "0": "86", "1": "74", "2": "7", "3": "8",
        "4": "1",
        "5": "6", "6": "8", "7": "1", "8": "3", "9": "4",
    ]
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz")
    private static let figures = Array("0123456789")

    /// One word of each kind that can be made of `word`; a word that stands in `line` is none.
    static func of(_ word: String, in line: String, _ random: inout SeededGenerator) -> [(kind: Kind, word: String)] {
        Kind.allCases.compactMap { kind in
            for _ in 0..<8 {
                let made = changed(Array(word), kind, &random)
                if let made, made.lowercased() != word.lowercased(), !line.lowercased().contains(made.lowercased()) {
                    return (kind, made)
                }
            }
            return nil
        }
    }

    private static func changed(_ word: [Character], _ kind: Kind, _ random: inout SeededGenerator) -> String? {
        var word = word
        let place = random.below(word.count)
        guard word[place].isLetter || word[place].isNumber else { return nil }
        switch kind {
        case .otherLetter: word[place] = other(than: word[place], &random)
        case .alikeLetter:
            guard let choices = alike[Character(word[place].lowercased())].map(Array.init) else { return nil }
            word[place] = cased(choices[random.below(choices.count)], as: word[place])
        case .added: word.insert(other(than: word[place], &random), at: place)
        case .dropped:
            guard word.count > 3 else { return nil }
            word.remove(at: place)
        case .swapped:
            guard place + 1 < word.count, word[place + 1].isLetter || word[place + 1].isNumber else { return nil }
            word.swapAt(place, place + 1)
        case .two:
            let second = random.below(word.count)
            guard second != place, word[second].isLetter || word[second].isNumber else { return nil }
            word[place] = other(than: word[place], &random)
            word[second] = other(than: word[second], &random)
        }
        return String(word)
    }

    private static func other(than character: Character, _ random: inout SeededGenerator) -> Character {
        let choices = character.isNumber ? figures : letters
        while true {
            let made = choices[random.below(choices.count)]
            if made != Character(character.lowercased()) { return cased(made, as: character) }
        }
    }

    private static func cased(_ made: Character, as model: Character) -> Character {
        model.isUppercase ? Character(made.uppercased()) : made
    }
}
