import ArgumentParser
import Foundation
import OverlayDrawing
import TextMatching
import TextSpotting

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
