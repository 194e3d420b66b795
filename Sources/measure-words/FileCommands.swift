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

    func run() throws { print(try Measurement.report(StoredReading.load(readings))) }
}
