import ArgumentParser
import Foundation
import TextMatching

/// Prints how much processor time matching adds to a frame: 1,000 patterns of each kind against 100 lines.
///
/// Lines are of made-up words, the same each time; one in ten has a searched word in it. Time is the processor's (user and
/// system), so that a busy machine does not change it much.
@main
struct MeasureMatching: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure-matching", abstract: "How much processor time matching adds to a frame.")

    private static let frameCount = 40
    private static let lineCount = 100

    func run() throws {
        var words = Words(seed: 1)
        let vocabulary = (0..<3_000).map { _ in words.word() }
        let wanted = Array(vocabulary.prefix(1_000))
        let frames = (0..<Self.frameCount).map { _ in Self.frame(&words, vocabulary) }
        print(
            "\(Self.lineCount) lines of some 40 characters a frame, \(Self.frameCount) frames; processor time of one thread"
        )
        try Self.measure("1,000 plain words", wanted.map { try Pattern(text: $0) }, frames)
        try Self.measure(
            "1,000 plain phrases of two words", zip(wanted, wanted.reversed()).map { try Pattern(text: "\($0) \($1)") },
            frames)
        try Self.measure("1,000 exact words", wanted.map { try Pattern(text: $0, kind: .exact) }, frames)
        try Self.measure(
            "1,000 expressions: word\\s\\d+", wanted.map { try Pattern(text: "\($0)\\s\\d+", kind: .expression) },
            frames)
        try Self.measure("one word", [Pattern(text: wanted[0])], frames)
        try Self.measure("one expression: [a-z]+ing\\b", [Pattern(text: "[a-z]+ing\\b", kind: .expression)], frames)
        for kind in ContentKind.allCases {
            try Self.measure(kind.notation, [Pattern(typed: kind.notation, as: .plain)], frames)
        }
    }

    private static func measure(_ name: String, _ patterns: [Pattern], _ frames: [[RecognizedText]]) throws {
        let matcher = Matcher(patterns: patterns)
        _ = matcher.matches(in: frames[0], blocks: Self.columns)
        var found = 0
        let begun = clock()
        for frame in frames { found += matcher.matches(in: frame, blocks: Self.columns).count }
        let milliseconds = Double(clock() - begun) / Double(CLOCKS_PER_SEC) * 1000 / Double(frames.count)
        print(String(format: "%7.2f ms a frame  ", milliseconds) + "\(name) (\(found / frames.count) matches a frame)")
    }

    /// The lines stand in four columns, as on a page: each continues in the one below it.
    private static let columns = TextBlocks(
        below: (0..<lineCount).map { $0 + 4 < lineCount ? $0 + 4 : nil },
        beside: [Int?](repeating: nil, count: lineCount))

    private static func frame(_ words: inout Words, _ vocabulary: [String]) -> [RecognizedText] {
        (0..<lineCount).map { index in
            var texts = (0..<5).map { _ in words.word() }
            if index % 10 == 0 { texts[2] = vocabulary[words.number(below: 1_000)] }
            if index % 7 == 0 { texts.append("\(words.number(below: 10_000))") }
            return RecognizedText(texts.joined(separator: " "), confidence: 0.95)
        }
    }
}

/// Makes up words that can be pronounced, the same each time (a linear congruential generator, D. Knuth's constants).
struct Words {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func number(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }

    mutating func word() -> String {
        let syllables = 2 + number(below: 3)
        return (0..<syllables).map { _ in
            let onset = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr"][number(below: 15)]
            return onset + ["a", "e", "i", "o", "u"][number(below: 5)]
        }.joined() + ["", "n", "s", "r", "ng"][number(below: 5)]
    }
}
