import Glibc
import OverlayDrawing
import TextSpotting

/// A line to be rendered and what stands in it: a word that is searched for, perhaps among others.
struct WordSample {
    let line: String
    let word: String
    let nearMisses: [(kind: NearMisses.Kind, word: String)]
    let picture: Picture
    /// The line's place as a detector gives it: grown beyond its ink.
    let quad: Quad
    /// The ink of the word.
    let ink: Quad
}

/// Renders lines of words, small, blurred and noisy, the same ones for the same seed.
struct WordSampler {
    private var random: SeededGenerator
    private var words: WordSource
    private var others: WordSource

    static let fonts = [
        FontFace("DejaVu Sans"), FontFace("DejaVu Sans", weight: 700), FontFace("DejaVu Serif"),
        FontFace("DejaVu Sans Mono"), FontFace("Liberation Sans"), FontFace("Liberation Sans", weight: 700),
        FontFace("Liberation Serif"), FontFace("Liberation Serif", isItalic: true), FontFace("Liberation Mono"),
        FontFace("Liberation Sans Narrow"),
    ]

    init(seed: UInt64, training: Bool) {
        random = SeededGenerator(seed: seed)
        words = WordSource(seed: seed &+ 1, training: training)
        others = WordSource(seed: seed &+ 2, training: training)
    }

    private mutating func between(_ least: Double, _ most: Double) -> Double {
        least + (most - least) * random.nextFraction()
    }

    /// - Parameter strain: how hard to read: 1 is what the numbers in docs/MATCHING.md are measured with, 0 is clear.
    mutating func next(strain: Double) throws -> WordSample {
        let word = words.next()
        let before = random.nextFraction() < 0.4 ? others.next() + " " : ""
        let after = random.nextFraction() < 0.4 ? " " + others.next() : ""
        let line = before + word + after
        return try render(
            word, in: line, from: before.count, nearMisses: NearMisses.of(word, in: line, &random), strain: strain)
    }

    /// A code as it is searched for, rendered as it is written.
    mutating func next(code: String, written: String, strain: Double) throws -> WordSample {
        try render(
            code, as: written, in: written, from: 0, nearMisses: NearMisses.of(code, in: code, &random), strain: strain)
    }

    private mutating func render(
        _ word: String, as written: String? = nil, in line: String, from start: Int,
        nearMisses: [(kind: NearMisses.Kind, word: String)], strain: Double
    ) throws -> WordSample {
        let font = Self.fonts[random.below(Self.fonts.count)]
        let size = strain == 0 ? between(18, 40) : between(9.5, 22)
        // Blur in proportion to the letters, so that large ones are no easier.
        let blur = strain * size * between(0.02, 0.105)
        let noise = strain * between(0, 26)
        let contrast = strain == 0 ? between(0.6, 1) : between(0.25, 0.9)
        let dark = random.nextFraction() < 0.5

        let text = CanvasText(line, font: font, size: size, color: gray(contrast, dark), anchor: .topLeft)
        let measured = Canvas.size(of: text)
        let margin = size
        let width = Int(measured.width + 2 * margin) + 1
        let height = Int(measured.height + 2 * margin) + 1
        let canvas = try Canvas(width: width, height: height, color: gray(0, dark))
        let drawn = canvas.draw(
            text,
            at: .place(Point(margin + random.nextFraction(), margin + random.nextFraction()), degrees: between(-1, 1)))
        try canvas.blur(sigma: blur)
        var picture = canvas.picture(.rgb)
        addNoise(noise, to: &picture)

        let whole = (drawn.ink ?? Quad(Rect(x: 0, y: 0, width: 1, height: 1))).bounds
        let grow = whole.height * between(0.22, 0.42)
        let range = start..<start + (written ?? word).count
        return WordSample(
            line: line, word: word, nearMisses: nearMisses, picture: picture, quad: Quad(whole.grown(by: grow)),
            ink: drawn.ink(ofCharacters: range) ?? Quad(whole))
    }

    /// The ground (contrast 0) or the letters on it.
    private func gray(_ contrast: Double, _ dark: Bool) -> OverlayColor {
        let value = dark ? 0.08 + 0.9 * contrast : 0.95 - 0.93 * contrast
        return OverlayColor(red: value, green: value, blue: value)
    }

    /// Noise of each pixel by itself, nearly Gaussian, of a standard deviation in levels of 255.
    private mutating func addNoise(_ deviation: Double, to picture: inout Picture) {
        guard deviation > 0 else { return }
        var bytes = picture.bytes
        for pixel in 0..<picture.width * picture.height {
            var sum = 0.0
            for _ in 0..<4 { sum += random.nextFraction() - 0.5 }
            let added = sum * deviation * 1.732
            for channel in 0..<3 {
                let value = Double(bytes[3 * pixel + channel]) + added
                bytes[3 * pixel + channel] = UInt8(min(255, max(0, value)))
            }
        }
        picture = Picture(format: .rgb, width: picture.width, height: picture.height, bytes: bytes)
    }
}

extension Canvas {
    /// How large the ink of `text` is, in pixels.
    fileprivate static func size(of text: CanvasText) -> (width: Double, height: Double) {
        guard let ink = (try? Canvas(width: 1, height: 1))?.measure(text).ink else { return (1, 1) }
        return (ink.width, ink.height)
    }
}

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
