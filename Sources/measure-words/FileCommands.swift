import ArgumentParser
import Foundation

/// Learns what is taken for what.
struct LearnCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learn", abstract: "Print LearntConfusions.swift, learnt from readings that were kept.")

    @Argument(help: "Files that 'read --training' wrote.")
    var readings: [String]

    func run() throws {
        print(
            try Generated.confusions(StoredReading.load(readings), command: "scripts/learn-confusions"), terminator: "")
    }
}

/// Fits scores; the matcher must have been built with what was learnt before.
struct FitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fit", abstract: "Print LearntScores.swift, fitted to readings that were kept.")

    @Argument(help: "Files that 'read --training' wrote.")
    var readings: [String]

    func run() throws {
        print(try Generated.scores(StoredReading.load(readings), command: "scripts/learn-confusions"), terminator: "")
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
