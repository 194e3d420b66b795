import Errors
import Synchronization
import Testing

@testable import TextMatching

/// Knows a few words: texts that share one of a group have the same direction. Records the texts that it gets.
private final class WordModel: MeaningModel {
    let name = "words"
    private static let groups = [
        ["exit", "way", "out"], ["fire", "flames"], ["lift", "elevator"], ["platform"], ["do", "not", "use"],
    ]
    let background = [Float](repeating: 0, count: 8)
    let asked = Mutex<[String]>([])

    func vectors(of texts: [String]) -> [[Float]] {
        asked.withLock { $0 += texts }
        return texts.map { text in
            let words = Set(text.split { !$0.isLetter }.map(String.init))
            // A text in no group has its own direction.
            var vector = [Float](repeating: 0, count: 8)
            vector[7] = 0.2
            for (place, group) in Self.groups.enumerated() where !words.isDisjoint(with: group) { vector[place] = 1 }
            let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
            return vector.map { $0 / length }
        }
    }

    func probability(ofCloseness closeness: Double) -> Double { closeness < 0.3 ? 0 : min(1, closeness) }
}

struct MatchingMeaningTests {
    private let model = WordModel()

    private func matcher(_ patterns: String...) throws -> Matcher {
        try SearchMode(meaning: MeaningSource { [model] in model }).matcher(for: patterns)
    }

    @Test("~ and a space ask for what means it; without the space, and behind a backslash, it is text")
    func notation() throws {
        for (typed, question) in [("~ way out", "way out"), ("  ~  way out ", "way out"), ("~\tway", "way")] {
            #expect(try Pattern(typed: typed, as: .plain).question == question)
        }
        for typed in ["~/src", "~", "~ ", "a ~ b", "\\~ way out", "~way"] {
            let pattern = try Pattern(typed: typed, as: .plain)
            #expect(pattern.question == nil && pattern.isText, "\(typed)")
        }
        // Expressions and exact texts are unchanged.
        #expect(try Pattern(typed: "~ [a-z]+", as: .expression).question == nil)
        #expect(try Pattern(typed: "~ a", as: .exact).question == nil)
        #expect(try !find("~ way out", in: "cd ~ way out").isEmpty, "a text like any other where no kind is told")
        let text = try matcher("\\~ way out").matches(in: [line("cd ~ way out")], blocks: .consecutive(1))
        #expect(text.map(\.text) == ["~ way out"] && !text[0].isByMeaning)
    }

    @Test("the whole line is the match, behind those of words, with a score of its own")
    func wholeLine() throws {
        let found = try matcher("~ way out", "door").matches(
            in: [line("EXIT door 12", confidence: 0.5), line("nothing here")], blocks: .consecutive(2))
        #expect(found.map(\.text) == ["door", "EXIT door 12"])
        #expect(found.map(\.isByMeaning) == [false, true])
        #expect(found[1].parts.map(\.word) == [0, 1, 2])
        #expect(found[1].characterRange == 0..<12)
        // The score is half of that of the same line read with certainty.
        #expect(abs(found[1].score - 0.5 * 0.981) < 0.02)
        #expect(found[1].pattern == "~ way out")
    }

    @Test("lines that read on from one to the next are judged together, each line once")
    func block() throws {
        let lines = [line("IN CASE OF FIRE"), line("DO NOT USE"), line("THE LIFT")]
        let found = try matcher("~ in flames do not use the elevator").matches(in: lines, blocks: .consecutive(3))
        #expect(found.count == 1)
        #expect(found.first?.lines == [0, 1, 2])
        #expect(found.first?.text == "IN CASE OF FIRE DO NOT USE THE LIFT")
        let apart = try matcher("~ elevator").matches(in: lines, blocks: .consecutive(3))
        #expect(apart.map(\.lines) == [[2]], "of lines that overlap the closest")
    }

    @Test("numbers do not pull apart what is the same otherwise, and mean nothing alone")
    func numbers() throws {
        _ = try matcher("~ platform 4").matches(
            in: [line("Platform 17"), line("17"), line("12:30"), line("x")], blocks: .consecutive(4))
        let asked = model.asked.withLock { $0 }
        #expect(asked.contains("platform 0?"))
        #expect(asked.contains("platform?"), "EXIT 12 is an exit: a line counts without its numbers too")
        #expect(!asked.contains { !$0.contains("platform") && $0.count < 3 })
        #expect(try matcher("~ platform 4").matches(in: [line("17")], blocks: .consecutive(1)).isEmpty)
    }

    @Test("each text goes through the model once, and of many at most so much with each reading")
    func allowance() throws {
        let matcher = try matcher("~ way out")
        let before = model.asked.withLock { $0.count }
        let lines = (0..<20).map { line("WAY \(String(repeating: "x", count: $0 + 20))") }
        let apart = TextBlocks(below: [Int?](repeating: nil, count: 20), beside: [Int?](repeating: nil, count: 20))
        var found: [Int] = []
        for _ in 0..<20 { found.append(matcher.matches(in: lines, blocks: apart, meaningAllowance: 100).count) }
        #expect(found[0] > 0 && found[0] < 6, "a few of the first reading")
        #expect(found == found.sorted() && found.last == 20, "and all in the end")
        #expect(model.asked.withLock { $0.count } - before == 20)
        #expect(matcher.matches(in: [line("OUT")], blocks: apart, meaningAllowance: 1).count == 1, "one at least")
    }

    @Test(
        "what cannot be asked for is one sentence",
        arguments: ["~ 12345", "~ 🙂", "~ ...", "~ a", "~ " + String(repeating: "word ", count: 41)])
    func refused(_ typed: String) throws {
        let error = #expect(throws: FramegrepError.self) { try matcher(typed) }
        #expect(error?.code == .badPattern)
        #expect(error?.message.contains("meaning") == true)
    }

    @Test("where no meanings can be told it is said, and how to search for the text")
    func unavailable() {
        let error = #expect(throws: FramegrepError.self) { try SearchMode().matcher(for: ["~ way out"]) }
        #expect(error?.message.contains("\\~") == true)
    }

    @Test("lines without letters, endless lines and no lines at all find nothing")
    func oddLines() throws {
        let matcher = try matcher("~ fire")
        for text in ["", "12", "🙂", String(repeating: "y", count: 10_000)] {
            #expect(matcher.matches(in: [line(text)], blocks: .consecutive(1)).isEmpty, "\(text.prefix(9))")
        }
        #expect(matcher.matches(in: [], blocks: .consecutive(0)).isEmpty)
    }

    @Test("an explanation says what the closeness is made of")
    func explanation() throws {
        let explanation = try matcher("~ way out").explanations(
            in: [line("EXIT"), line("fire")], blocks: .consecutive(2))[0]
        #expect(explanation.meanings.map(\.text) == ["EXIT", "fire", "EXIT fire"])
        #expect(explanation.meanings[0].closeness.value > explanation.meanings[1].closeness.value)
        #expect(!explanation.matches.isEmpty)
    }
}
