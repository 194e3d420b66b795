import ArgumentParser
import Foundation
import OverlayDrawing
import Painting
import TextSpotting

/// Renders words, has them read, and learns from or measures what comes of it: docs/MATCHING.md.
@main
struct MeasureWords: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure-words",
        abstract: "Render words, read them with the engines, and learn or measure what the matcher makes of it.",
        subcommands: [
            ReadingsCommand.self, ReadCommand.self, LearnCommand.self, FitCommand.self, MeasureCommand.self,
            CodesCommand.self, GramsCommand.self,
        ])
}

/// How many words are rendered and how.
struct SampleOptions: ParsableArguments {
    @Option(help: "How many words.")
    var count = 2_000

    @Option(help: "What decides all that is by lot.")
    var seed: UInt64 = 1

    @Option(help: "How hard to read; 0 is clear, 1 is usual.")
    var strain = 1.0

    @Flag(help: "Take the words for learning, which are others than those for measuring.")
    var training = false

    func samples() throws -> [WordSample] {
        var sampler = WordSampler(seed: seed, training: training)
        return try (0..<count).map { _ in try sampler.next(strain: strain) }
    }
}

/// Prints what was rendered and what was read.
struct ReadingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readings", abstract: "Print each line's text, and how it was read, separated by tabs.")

    @OptionGroup var options: SampleOptions

    @Option(help: "What reads: fast, accurate or tesseract.")
    var engine = Engine.fast

    @Option(help: "Write the first pictures into this folder.")
    var pictures: String?

    func run() async throws {
        let samples = try options.samples()
        if let pictures {
            for (index, sample) in samples.prefix(60).enumerated() {
                try PNGWriter.write(try Canvas(sample.picture), to: "\(pictures)/\(index).png")
            }
        }
        let lines = try await engine.read(samples)
        for (sample, line) in zip(samples, lines) {
            let confidences = line?.words.flatMap(\.characters).map { String(Int(100 * $0.confidence)) } ?? []
            print([sample.line, line?.text ?? "", confidences.joined(separator: ",")].joined(separator: "\t"))
        }
        let right = zip(samples, lines).count { $0.line == ($1?.text ?? "") }
        let words = zip(samples, lines).count { sample, line in line?.text.contains(sample.word) ?? false }
        print("# \(right) of \(samples.count) lines exactly, \(words) words")
    }
}

/// Learns what is taken for what.
struct LearnCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learn", abstract: "Print LearntConfusions.swift, learnt from readings that were kept.")

    @Argument(help: "Files that 'read --training' wrote.")
    var readings: [String]

    func run() throws {
        print(
            try Generated.confusions(StoredReading.load(readings), command: "scripts/learn confusions"), terminator: "")
    }
}

/// Fits scores; the matcher must have been built with what was learnt before.
struct FitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fit", abstract: "Print LearntScores.swift, fitted to readings that were kept.")

    @Argument(help: "Files that 'read --training' wrote.")
    var readings: [String]

    func run() throws {
        print(try Generated.scores(StoredReading.load(readings), command: "scripts/learn confusions"), terminator: "")
    }
}

/// Measures matching on readings that were kept.
struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure", abstract: "Print how many words are found, and how many that are not there.")

    @Argument(help: "Files that 'read' wrote.")
    var readings: [String]

    @Option(
        help: ArgumentHelp(
            "Another engine's readings of the same words, for lines that find would have it read again.",
            valueName: "readings"))
    var careful: String?

    func run() throws {
        let first = try StoredReading.load(readings)
        guard let careful else { return print(try Measurement.report(first)) }
        let again = try StoredReading.load([careful])
        guard again.map(\.line) == first.map(\.line) else {
            throw ValidationError("Both engines must have read the same words.")
        }
        let chosen = try zip(first, again).map { try $0.readAgain(as: $1) }
        print("\(chosen.count { $0.isAgain }) lines read again\n")
        print(try Measurement.table(chosen.map(\.reading), "with a second look"))
    }
}
