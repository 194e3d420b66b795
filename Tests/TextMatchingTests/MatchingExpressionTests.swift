import Errors
import Testing

@testable import TextMatching

@Suite("Matching: regular expressions")
struct MatchingExpressionTests {
    private func find(
        _ expression: String, in text: String, caseSensitive: Bool = false, wholeWords: Bool = false
    ) throws -> [String] {
        let options = MatchOptions(caseSensitive: caseSensitive, wholeWords: wholeWords)
        return Matcher(patterns: [try Pattern(text: expression, kind: .expression, options: options)])
            .matches(in: line(text)).map(\.text)
    }

    @Test(
        "what they take",
        arguments: [
            ("GATE \\d+", "to GATE 12 now", ["GATE 12"]), ("gate", "Gate GATE", ["Gate", "GATE"]),
            ("colou?r", "color colour colouur", ["color", "colour"]), ("^to", "to go to", ["to"]),
            ("to$", "to go to", ["to"]), ("a|ab", "ab", ["a"]), ("ab|a", "ab", ["ab"]),
            ("a+?", "aaa", ["a", "a", "a"]),
            ("a{2}", "aaaaa", ["aa", "aa"]), ("a{2,3}", "aaaaa", ["aaa", "aa"]), ("a{2,}", "aaaaa", ["aaaaa"]),
            ("x{,2}y", "xxxy", ["xxy"]), ("a{", "a{ a", ["a{"]), ("[a-c]+", "xabcabx", ["abcab"]),
            ("[^a-c ]+", "ab xyz", ["xyz"]),
            ("[]x]+", "a]x]", ["]x]"]), ("[a-]+", "b-a-", ["-a-"]), ("\\bcat\\b", "cat concat cat.", ["cat", "cat"]),
            ("\\Bcat", "cat concat", ["cat"]), ("(?:ab)+", "ababx", ["abab"]), ("(?<n>a)b", "ab", ["ab"]),
            ("h.t", "hat h t hit", ["hat", "h t", "hit"]), ("\\w+@\\w+", "me@home, you", ["me@home"]),
            ("\\$\\d+\\.\\d\\d", "cost $12.50!", ["$12.50"]), ("\\Qa.b\\E", "a.b axb", ["a.b"]),
            ("\\x41\\u00e9", "Aé", ["Aé"]), ("\\u{41}", "A", ["A"]), ("[[:digit:]]+", "ab12", ["12"]),
            ("\\p{Lu}\\d", "a1 B2", ["B2"]),
            ("[\\d.]+", "v1.2.3", ["1.2.3"]), ("a.*z", "a b z c z d", ["a b z c z"]), ("a.*?z", "a b z c z", ["a b z"]),
            ("(a|b)*c", "ababc", ["ababc"]), ("x*", "axxb", ["xx"]), ("(?#why)ab", "ab", ["ab"]),
            ("a||b", "ab", ["a", "b"]),
            ("E X I T", "E X I T", ["E X I T"]), ("E  X", "E X", ["E X"]), ("\\s\\d", "a 1", ["1"]),
        ])
    func takes(expression: String, text: String, expected: [String]) throws {
        #expect(try find(expression, in: text) == expected)
    }

    @Test(
        "letters are folded as everywhere, in expressions and in what is read",
        arguments: [
            ("São", "SAO"), ("sao", "São"), ("straße", "STRASSE"), ("STRASSE", "Straße"), ("[é]t", "ET"),
            ("[à-ü]b", "ab"),
            ("ﬁn", "FIN"), ("fin", "ﬁn"), ("\\d{3}", "１２３"), ("한.어", "한국어"), ("東.", "東京"), ("é", "e\u{301}"),
            ("कि", "कि"), ("^.$", "कि"), ("γλώσσα", "ΓΛΩΣΣΑ"), ("ё", "Е"), ("שלום", "שָׁלוֹם"), ("ｶﾞ", "ガ"),
        ])
    func folds(expression: String, text: String) throws {
        #expect(try !find(expression, in: text).isEmpty)
    }

    @Test("case is told apart where it is asked for, also in a part of an expression")
    func cases() throws {
        #expect(try find("[A-Z]+", in: "abCD", caseSensitive: true) == ["CD"])
        #expect(try find("[A-Z]+", in: "abCD") == ["abCD"])
        #expect(try find("é", in: "e", caseSensitive: true).isEmpty)
        #expect(try find("(?i)abc", in: "ABC", caseSensitive: true) == ["ABC"])
        #expect(try find("(?-i)abc", in: "ABC abc") == ["abc"])
        #expect(try find("a(?-i:b)c", in: "ABC AbC") == ["AbC"])
        #expect(try find("a(?i)b|c", in: "aB C", caseSensitive: true) == ["aB", "C"])
        #expect(try find("(a(?i)b)c", in: "aBc aBC", caseSensitive: true) == ["aBc"])
    }

    @Test("whole words: what is found begins and ends where words do")
    func wholeWords() throws {
        #expect(try find("cat|concat", in: "cat concat cats", wholeWords: true) == ["cat", "concat"])
        #expect(try find("\\d+", in: "12 a34 56b 78", wholeWords: true) == ["12", "78"])
        #expect(try find(".", in: "大東京", wholeWords: true) == ["大", "東", "京"])
    }

    @Test("nothing is taken for something else: expressions know no misreadings")
    func strict() throws {
        #expect(try find("EXIT", in: "EX1T").isEmpty)
        #expect(try find("source code", in: "sourcecode").isEmpty)
    }

    @Test(
        "what is wrong is said, with the place and the reason",
        arguments: [
            ("a(b", "character 2", "not closed"), ("a)b", "character 2", "closes no group"),
            ("[ab", "character 1", "not closed"), ("a[b-a]", "character 3", "end comes before"),
            ("*a", "character 1", "nothing before"),
            ("a**", "character 3", "quantifier"), ("a++", "character 3", "possessive"),
            ("(?=a)", "character 1", "look-ahead"),
            ("b(?!a)", "character 2", "look-ahead"), ("(?<=a)b", "character 1", "look-behind"),
            ("(?<!a)b", "character 1", "look-behind"),
            ("(a)\\1", "character 4", "back-reference"), ("\\k<a>", "character 1", "back-reference"),
            ("(?>a)", "character 1", "atomic"),
            ("a\\", "character 2", "after the backslash"), ("\\y", "character 1", "not known"),
            ("a{3,2}", "character 2", "greatest count"),
            ("a{1001}", "character 2", "1000"), ("a{99999999999999999999}", "character 2", "1000"),
            ("\\p{Foo}", "character 1", "category"),
            ("[[:foo:]]", "character 2", "named class"), ("[a&&b]", "character 3", "operations"),
            ("\\x4", "character 1", "no character"),
            ("\\u{110000}", "character 1", "no character"), ("(?q)a", "character 3", "option"),
            ("(?<n", "character 1", "name"), ("[a", "character 1", "not closed"), ("[", "character 1", "closed"),
            ("((a{1000}){1000}){1000}", "character 2", "multiply"), ("(?", "character 1", "not closed"),
        ])
    func refused(expression: String, place: String, reason: String) throws {
        let error = try #require(throws: FramegrepError.self) { try Pattern(text: expression, kind: .expression) }
        #expect(error.code == .badPattern)
        #expect(error.message.contains(place) && error.message.contains(reason), "\(error.message)")
        #expect(error.message.hasSuffix("."))
    }

    @Test(
        "what takes no character is refused", arguments: ["^", "$", "\\b", "()", "(?:)", "a{0}", "^$", "(?i)", "(|)"])
    func empty(expression: String) throws {
        let error = try #require(throws: FramegrepError.self) { try Pattern(text: expression, kind: .expression) }
        #expect(error.message.contains("no character"))
    }

    @Test("the place is exactly what matched")
    func place() throws {
        let found = Matcher(patterns: [try Pattern(text: "a.e", kind: .expression)]).matches(in: line("gum skate"))
        #expect(found.first?.parts == [TextMatch.Part(line: 0, word: 1, characters: 2..<5)])
        #expect(found.first?.characterRange == 6..<9)
        #expect(found.first?.score == 1)
    }
}
