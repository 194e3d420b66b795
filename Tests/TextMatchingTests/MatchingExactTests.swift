import Testing
import TextMatching

@Suite("Matching: exact texts")
struct MatchingExactTests {
    private func find(
        _ pattern: String, in text: String, caseSensitive: Bool = false, wholeWords: Bool = false
    ) throws -> [String] {
        let options = MatchOptions(caseSensitive: caseSensitive, wholeWords: wholeWords)
        return Matcher(patterns: [try Pattern(text: pattern, kind: .exact, options: options)])
            .matches(in: line(text)).map(\.text)
    }

    @Test("letters that only look alike are others, and so are gaps")
    func strict() throws {
        #expect(try find("EXIT", in: "EXIT exit Exit") == ["EXIT", "exit", "Exit"])
        #expect(try find("EXIT", in: "EX1T EXlT E X I T").isEmpty)
        #expect(try find("source code", in: "sourcecode source code") == ["source code"])
        #expect(try find("sourcecode", in: "source code").isEmpty)
        #expect(try find("modem", in: "modern").isEmpty)
    }

    @Test("case and accents are folded unless they are minded")
    func folding() throws {
        #expect(try find("São", in: "SAO São") == ["SAO", "São"])
        #expect(try find("São", in: "SAO São", caseSensitive: true) == ["São"])
        #expect(try find("straße", in: "STRASSE") == ["STRASSE"])
        #expect(try find("東京", in: "東 京 大東京") == ["東 京", "東京"])
    }

    @Test("whole words, several places, none overlapping")
    func places() throws {
        #expect(try find("cat", in: "cat concat cats cat", wholeWords: true) == ["cat", "cat"])
        #expect(try find("aa", in: "aaaaa") == ["aa", "aa"])
    }
}
