import Testing
import TextMatching
import TextSpotting

@Suite("Matching: over line breaks")
struct MatchingLinesTests {
    /// Lines of one block, one below the other.
    private func block(_ texts: String..., indent: Double = 0) -> [TextLine] {
        texts.enumerated().map { line($1, at: Point(100 + Double($0) * indent, 50 + Double($0) * 40)) }
    }

    private func find(_ pattern: String, in lines: [TextLine], _ kind: PatternKind = .plain) throws -> [String] {
        Matcher(patterns: [try Pattern(text: pattern, kind: kind)]).matches(in: lines).map(\.text)
    }

    @Test("a phrase goes on in the next line, and in the next but one")
    func phrases() throws {
        let lines = block("the quick brown", "fox", "jumps over the lazy dog")
        #expect(try find("brown fox", in: lines) == ["brown fox"])
        #expect(try find("brown fox jumps", in: lines) == ["brown fox jumps"])
        #expect(try find("quick dog", in: lines).isEmpty)
        #expect(try find("fox brown", in: lines).isEmpty)
        #expect(try find("brown fox", in: lines, .exact) == ["brown fox"])
    }

    /// Japanese and Chinese go on in the next line, or in the next column to the left, without anything between.
    @Test(arguments: [("実戦剣術も", "一流です"), ("ポイ捨ては", "やめてください"), ("中央图书", "馆入口")])
    func withoutSpaces(first: String, second: String) throws {
        let rows = block(first, second)
        func column(_ text: String, _ x: Double) -> TextLine {
            let quad = Quad(Rect(x: x, y: 0, width: 40, height: 44 * Double(text.count))).turnedRight
            return TextLine(quad: quad, words: [TextWord(text: text, quad: quad, confidence: 0.98)], confidence: 0.98)
        }
        let columns = [column(second, 0), column(first, 64)]
        let over = String(first.suffix(2) + second.prefix(2))
        for lines in [rows, columns] {
            #expect(try find(first + second, in: lines) == [first + second])
            #expect(try find(over, in: lines) == [over])
            #expect(try find(String(second.suffix(2) + first.prefix(2)), in: lines) == [])
        }
        // Words of other scripts do not run together.
        #expect(try find("ONEWAY", in: block("ONE", "WAY")) == [])
    }

    @Test("a long phrase runs over as many lines as it needs, up to a bound")
    func longPhrases() throws {
        let lines = block("to be or", "not to be", "that is", "the question")
        #expect(try find("or not to be that is the", in: lines) == ["or not to be that is the"])
        let many = (0..<9).map { line("word\($0)", at: Point(0, Double($0) * 40)) }
        #expect(try find("word0 word1 word2 word3 word4 word5", in: many).count == 1)
        #expect(try find("word0 word1 word2 word3 word4 word5 word6", in: many).isEmpty)
    }

    @Test("lines that do not belong together are not joined")
    func apart() throws {
        #expect(try find("brown fox", in: [line("brown"), line("fox", at: Point(0, 200))]).isEmpty)
        #expect(try find("brown fox", in: [line("brown"), line("fox", at: Point(500, 40))]).isEmpty)
        #expect(try find("brown fox", in: [line("brown"), line("fox", at: Point(70, 0))]) == ["brown fox"])
    }

    @Test("a word that a hyphen parts at the end of a line is found, with the hyphen as it was read")
    func hyphens() throws {
        let lines = block("text recog-", "nition works")
        #expect(try find("recognition", in: lines) == ["recog- nition"])
        #expect(try find("text recognition works", in: lines) == ["text recog- nition works"])
        #expect(try find("recognition", in: lines, .exact) == ["recog- nition"])
        #expect(try find("recog", in: lines) == ["recog"])
        #expect(try find("recognitions", in: lines).isEmpty)
        #expect(try find("recognition", in: block("recog\u{AD}", "nition")).count == 1)
        #expect(try find("recognition", in: block("recog‐", "nition")).count == 1)
    }

    @Test("a hyphen that belongs to the word may end a line too")
    func compounds() throws {
        #expect(try find("well-known", in: block("a well-", "known fact")) == ["well- known"])
        #expect(try find("well-known", in: block("a well-", "known fact"), .exact) == ["well- known"])
    }

    @Test("without a hyphen, or before a figure, words stay apart")
    func noHyphen() throws {
        #expect(try find("recognition", in: block("recog", "nition"), .exact).isEmpty)
        #expect(try find("recog12", in: block("recog-", "12"), .exact).isEmpty)
        #expect(try find("recognition", in: block("recog -", "nition"), .exact).isEmpty)
    }

    @Test("a match over lines is placed in the whole of them, however long they are")
    func places() throws {
        let first = (0..<60).map { "w\($0)" }.joined(separator: " ")
        let lines = block("\(first) brown", "fox \(first)")
        let match = try #require(Matcher(patterns: [try Pattern(text: "brown fox")]).matches(in: lines).first)
        #expect(match.line == "\(first) brown fox \(first)")
        let range = match.characterRange
        #expect(String(Array(match.line)[range]) == "brown fox")
        #expect(match.quad.bounds.minY == 50 && match.quad.bounds.maxY == 120)
    }

    @Test("expressions and kinds of content stay within a line")
    func within() throws {
        #expect(try find("brown.fox", in: block("brown", "fox"), .expression).isEmpty)
        #expect(try find("brown.*", in: block("brown", "fox"), .expression) == ["brown"])
    }
}
