import ArgumentParser
import Foundation
import OverlayDrawing
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
