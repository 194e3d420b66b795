import ArgumentParser
import Foundation
import NeuralOCR
import OverlayDrawing
import Painting
import TesseractOCR
import TextMatching
import TextSpotting

/// Renders codes as plates, parts and telephones show them, with five kinds of marks, and searches for them without any.
struct CodesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "codes",
        abstract: "Print how many rendered codes are found in five styles of marks, and how many near misses.")

    @Option(help: "How many codes, each in every style.")
    var count = 60

    @Option(help: "What decides all that is by lot.")
    var seed: UInt64 = 1

    @Option(help: "How hard to read; 0 is clear, 1 is usual.")
    var strain = 0.4

    @Option(
        help: ArgumentHelp("What reads: fast, accurate or tesseract; several times for several.", valueName: "engine"))
    var engine: [Engine] = [.fast, .tesseract]

    @Flag(help: "Print what was not found, and what was found wrongly.")
    var verbose = false

    /// Least score, as find has it.
    private static let leastScore = 0.3

    func run() async throws {
        print("| engine | written | read as written | found | near misses found |")
        print("| --- | --- | --- | --- | --- |")
        for engine in engine {
            for style in CodeStyle.allCases { print(try await row(engine, style)) }
        }
    }

    private func row(_ engine: Engine, _ style: CodeStyle) async throws -> String {
        var random = SeededGenerator(seed: seed)
        var sampler = WordSampler(seed: seed, training: false)
        let samples = try (0..<count).map { _ in
            let groups = CodeStyle.groups(&random)
            return try sampler.next(code: groups.joined(), written: style.written(groups), strain: strain)
        }
        let lines = try await engine.read(samples)
        var (read, found, wrong, others) = (0, 0, 0, 0)
        for (sample, line) in zip(samples, lines) {
            others += sample.nearMisses.count
            guard let line else { continue }
            if line.text == sample.line { read += 1 }
            let texts = [sample.word] + sample.nearMisses.map(\.word)
            let matches = try SearchMode().matcher(for: texts).matches(in: line).filter {
                $0.score >= Self.leastScore
            }
            let numbers = Set(matches.map(\.patternIndex))
            if numbers.contains(0) { found += 1 }
            wrong += numbers.subtracting([0]).count
            if verbose, numbers != [0] { print("# \(sample.line): \(line.text): \(numbers.map { texts[$0] })") }
        }
        return "| \(engine) | \(style.rawValue) | \(read) of \(count) | \(found) of \(count) | \(wrong) of \(others) |"
    }
}

/// How the groups of a code are set apart.
enum CodeStyle: String, CaseIterable {
    case together, spaces, hyphens, dots = "dots in the middle", mixed = "hyphen and space"

    func written(_ groups: [String]) -> String {
        switch self {
        case .together: groups.joined()
        case .spaces: groups.joined(separator: " ")
        case .hyphens: groups.joined(separator: "-")
        case .dots: groups.joined(separator: "·")
        case .mixed: groups.prefix(2).joined(separator: "-") + groups.dropFirst(2).map { " " + $0 }.joined()
        }
    }

    /// The groups of one code: of a plate, of a part's number, of a telephone.
    static func groups(_ random: inout SeededGenerator) -> [String] {
        let letters = Array("ABCDEFGHJKLMNPRSTUVWXYZ")
        func some(_ characters: [Character], _ count: Int, _ random: inout SeededGenerator) -> String {
            String((0..<count).map { _ in characters[random.below(characters.count)] })
        }
        func l(_ count: Int) -> String { some(letters, count, &random) }
        func d(_ count: Int) -> String { some(Array("0123456789"), count, &random) }
        switch random.below(6) {
        case 0: return [l(2), d(3), l(2)]
        case 1: return [l(2) + d(2), l(3)]
        case 2: return [d(2), l(2), d(2)]
        case 3: return [l(3), d(4)]
        case 4: return [l(1), l(2), d(4)]
        default: return ["0" + d(2), d(3), d(2), d(2)]
        }
    }
}

/// The reader of the rendered lines.
enum Engine: String, CaseIterable, ExpressibleByArgument {
    case fast, accurate, tesseract

    func recognizer() async throws -> any LineRecognizer {
        switch self {
        case .fast, .accurate:
            var settings = NeuralEngine.Settings()
            settings.level = self == .fast ? .fast : .accurate
            return try await NeuralEngine.load(settings: settings).recognizer
        case .tesseract:
            let engine = try TesseractEngine.load(TesseractSettings(languages: "eng", threads: 2))
            return TesseractLineRecognizer(engine, pictureFormat: .rgb)
        }
    }

    /// Reads every sample; one that holds nothing readable gives nil.
    func read(_ samples: [WordSample]) async throws -> [TextLine?] {
        let recognizer = try await recognizer()
        return try await withThrowingTaskGroup(of: (Int, TextLine?).self) { group in
            var lines = [TextLine?](repeating: nil, count: samples.count)
            var next = 0
            func addOne() {
                guard next < samples.count else { return }
                let (index, sample) = (next, samples[next])
                next += 1
                group.addTask { (index, try await recognizer.recognize([sample.quad], in: sample.picture)[0]) }
            }
            for _ in 0..<4 { addOne() }
            for try await (index, line) in group {
                lines[index] = line
                addOne()
            }
            return lines
        }
    }
}
