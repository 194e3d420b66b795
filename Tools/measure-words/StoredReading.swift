import ArgumentParser
import Foundation
import Glibc
import OverlayDrawing
import Painting
import TextMatching
import TextSpotting

/// A rendered line and what one engine read, as it is kept in a file so that matching can be measured without reading again.
struct StoredReading: Codable {
    var line: String
    var word: String
    /// Words that are not in the line, by what was done to ``word`` to make them.
    var nearMisses: [[String]]
    /// The searched word's left and right edge, in pixels.
    var ink: [Double]
    var engine: String
    /// Nil if nothing readable was found.
    var read: Read?
    /// Where it was read in its picture: x and y of four corners.
    var quad: [Double]?

    struct Read: Codable {
        var words: [Word]
        var confidence: Double
        var evidence: Evidence?
    }

    struct Word: Codable {
        /// Left, top, right and bottom, in pixels.
        var place: [Double]
        var text: [String]
        /// Start, end and confidence of each character.
        var spans: [[Double]]
        var confidence: Double
    }

    struct Evidence: Codable {
        var blanks: [Float]
        /// Scalars and their logarithms, step by step.
        var scalars: [[UInt32]]
        var logarithms: [[Float]]
        var peaks: [Float]
    }

    /// The line as the engine gave it.
    var textLine: TextLine? {
        guard let read, let first = read.words.first, let last = read.words.last else { return nil }
        let words = read.words.map { word in
            TextWord(
                quad: Self.quad(word.place),
                characters: zip(word.text, word.spans).map {
                    CharacterSpan(character: Character($0), start: $1[0], end: $1[1], confidence: $1[2])
                }, confidence: word.confidence)
        }
        var evidence: [ReadingEvidence] = []
        if let stored = read.evidence {
            var made = ReadingEvidence()
            for step in stored.blanks.indices {
                let candidates = zip(stored.scalars[step], stored.logarithms[step]).map {
                    ReadingEvidence.Candidate(scalar: $0, logarithm: $1)
                }
                made.append(blank: stored.blanks[step], candidates)
            }
            made.peaks = stored.peaks
            evidence = [made]
        }
        let quad = Self.quad([first.place[0], first.place[1], last.place[2], first.place[3]])
        return TextLine(quad: quad, words: words, confidence: read.confidence, evidence: evidence, source: source)
    }

    var source: ReadingSource {
        switch engine {
        case "fast": .neuralFast
        case "accurate": .neuralAccurate
        default: .tesseract
        }
    }

    /// Simulates `find` when this word and its near misses are searched for, and `again` is how the careful recognizer
    /// reads the line: its reading where this one is in doubt and that one is surer.
    func readAgain(as again: StoredReading) throws -> (reading: StoredReading, isAgain: Bool) {
        let matcher = Matcher(patterns: try ([word] + nearMisses.map { $0[1] }).map { try Pattern(text: $0) })
        guard let line = textLine, NearMatches(matcher).isDoubtful(line) else { return (self, false) }
        return ((again.textLine?.confidence ?? 0) > line.confidence ? again : self, true)
    }

    private static func quad(_ place: [Double]) -> Quad {
        Quad(Rect(x: place[0], y: place[1], width: place[2] - place[0], height: place[3] - place[1]))
    }

    /// - Throws: if the file cannot be read or is not such a file.
    static func load(_ paths: [String]) throws -> [StoredReading] {
        try paths.flatMap { path in
            try JSONDecoder().decode([StoredReading].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        }
    }
}

/// Reads rendered words and keeps the readings in a file.
struct ReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read rendered words and keep the readings in a file.")

    @OptionGroup var options: SampleOptions

    @Option(help: "What reads: fast, accurate or tesseract.")
    var engine = Engine.fast

    @Option(help: "The file to write.")
    var to: String

    @Option(help: "Write the picture of each line into this folder, named by its number.")
    var pictures: String?

    func run() async throws {
        let samples = try options.samples()
        if let pictures {
            for (index, sample) in samples.enumerated() {
                try PNGWriter.write(try Canvas(sample.picture), to: "\(pictures)/\(index).png")
            }
        }
        let lines = try await engine.read(samples)
        let readings = zip(samples, lines).map { StoredReading($0, $1, engine: engine) }
        try JSONEncoder().encode(readings).write(to: URL(fileURLWithPath: to))
    }
}

extension StoredReading {
    init(_ sample: WordSample, _ line: TextLine?, engine: Engine) {
        let read = line.map { line in
            Read(
                words: line.words.map { word in
                    let bounds = word.quad.bounds
                    return Word(
                        place: [bounds.minX, bounds.minY, bounds.maxX, bounds.maxY],
                        text: word.characters.map { String($0.character) },
                        spans: word.characters.map { [$0.start, $0.end, $0.confidence] }, confidence: word.confidence)
                }, confidence: line.confidence,
                evidence: line.evidence.first.map { evidence in
                    let steps = (0..<evidence.count).map { evidence.candidates(at: $0) }
                    return Evidence(
                        blanks: evidence.blanks, scalars: steps.map { $0.map(\.scalar) },
                        logarithms: steps.map { $0.map(\.logarithm) }, peaks: evidence.peaks)
                })
        }
        self.init(
            line: sample.line, word: sample.word, nearMisses: sample.nearMisses.map { [$0.kind.rawValue, $0.word] },
            ink: [sample.ink.bounds.minX, sample.ink.bounds.maxX], engine: engine.rawValue, read: read,
            quad: sample.quad.corners.flatMap { [$0.x, $0.y] })
    }
}

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
