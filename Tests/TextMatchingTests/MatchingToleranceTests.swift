import Testing
import TextMatching

@Suite("Matching: what counts as the same text")
struct MatchingToleranceTests {
    @Test(
        "near-miss words are other words, both ways round",
        arguments: [
            ("OSCAR", "OMAR"), ("CARLA", "CARLO"), ("RUE DE LONDON", "RUE DE LONDRES"),
            ("Software Engines", "Software Engineer"), ("Middle West", "Middle East"), ("LOURDES", "LONDRES"),
            ("bubblen", "bubbles"), ("babbles", "bubbles"), ("fish", "wish"), ("118 FPS", "181 FPS"),
            ("structured auction plan", "structured action plan"), ("Source Code Reads", "Source Code Ready"),
            ("User enters promo", "User enters prompt"), ("glove", "glow"), ("lipstick", "lipgloss"),
            ("Converted to OpenVIDEO", "Converted to OpenVINO"), ("Application Terrified", "Application Verified"),
            ("mail", "mall"), ("FAIL", "FALL"), ("fiat", "flat"), ("modern", "modem"), ("clear", "dear"),
            ("burn", "bum"),
        ])
    func nearMisses(one: String, other: String) throws {
        #expect(try find(one, in: other).isEmpty)
        #expect(try find(other, in: one).isEmpty)
        #expect(try find(one, in: "the \(other) here").isEmpty)
    }

    @Test("a longer word holds a shorter one, as in grep, unless whole words are asked for")
    func insideWords() throws {
        #expect(try find("skater", in: "gum skate glow").isEmpty)
        #expect(try find("skate", in: "the skater").map(\.text) == ["skate"])
        #expect(try find("skate", in: "the skater", wholeWords: true).isEmpty)
        #expect(try find("kate", in: "skate", wholeWords: true).isEmpty)
        #expect(try find("skate", in: "a skate, then", wholeWords: true).map(\.text) == ["skate"])
        #expect(try find("skate", in: "skate_1", wholeWords: true).isEmpty)
        #expect(try find("glow", in: "glowing").count == 1)
    }

    @Test(
        "look-alikes are accepted and lower the score",
        arguments: [
            ("LONDRES", "L0NDRE5"), ("OpenVINO", "0penVIN0"), ("181 FPS", "I8l FPS"), ("Middle", "Midd1e"),
            ("lipgloss", "Iipgloss"), ("EXIT", "EX|T"), ("EXIT", "EXlT"), ("Ice", "lce"), ("window", "vvindow"),
            ("WINDOW", "VVINDOW"), ("Zebra", "2ebra"), ("Hello!", "Hellol"), ("B12", "812"), ("Gate 9", "6ate 9"),
        ])
    func confusables(pattern: String, read: String) throws {
        let match = try #require(try find(pattern, in: "see \(read) now").first)
        #expect(match.text == read)
        #expect(match.score < 1)
        #expect(match.score > 0.6)
        #expect(try find(pattern, in: pattern).map(\.score) == [1])
    }

    @Test("rn for m is believed only of an engine in doubt")
    func doubt() throws {
        #expect(try find("modem", in: "modern", confidence: 0.95).allSatisfy { $0.score < 0.3 })
        let match = try #require(try find("modem", in: "rnodern modern", confidence: 0.6).first)
        #expect(match.text == "modern")
        #expect(match.score < 0.6)
        #expect(try find("corner", in: "comer", confidence: 0.5).count == 1)
    }

    @Test("short patterns must be read exactly, and long ones mostly")
    func misreadingsAreFew() throws {
        #expect(try find("SO", in: "50").isEmpty)
        #expect(try find("SOLO", in: "50lo").isEmpty)
        #expect(try find("ISO", in: "150").isEmpty)
        #expect(try find("SOS", in: "S0S").count == 1)
        #expect(try find("SOLSOLISSO", in: "5015011550").isEmpty)
    }

    @Test(
        "engines split and join words wrongly",
        arguments: ["SourceCode", "Source  Code", "sou rce code", "Source Co de"])
    func whiteSpace(read: String) throws {
        #expect(try find("source code", in: read).count == 1)
        #expect(try find("source code", in: read, wholeWords: true).count == 1)
        #expect(try find("  source\tcode\n", in: read).count == 1)
    }

    @Test("a wrong gap costs a little, and does not make a word of parts of two")
    func gaps() throws {
        let whole = try #require(try find("source code", in: "Source Code").first)
        let joined = try #require(try find("source code", in: "SourceCode").first)
        #expect(whole.score == 1)
        #expect(joined.score < 1 && joined.score > 0.95)
        #expect(try find("glow", in: "big low").isEmpty)
        #expect(try find("glow", in: "g low").count == 1)
        #expect(try find("source code", in: "resource code").map(\.text) == ["source code"])
        #expect(try find("source code", in: "resource code", wholeWords: true).isEmpty)
    }

    @Test("the engine's confidence in the matched characters is the score of an exact match")
    func confidence() throws {
        #expect(try find("glow", in: "gum glow", confidence: 0.5).map(\.score) == [0.5])
        #expect(try find("glow", in: "gum glow", confidence: .nan).map(\.score) == [0])
        #expect(try find("glow", in: "gum glow", confidence: 7).map(\.score) == [1])
    }

    @Test("several places, several patterns")
    func several() throws {
        let patterns = try ["o", "glow", "low", "GLOW"].map { try Pattern(text: $0) }
        let found = Matcher(patterns: patterns).matches(in: line("glow so low"))
        #expect(found.map(\.patternIndex) == [1, 3, 2, 0, 0, 2, 0])
        #expect(found.map(\.characterRange.lowerBound) == [0, 0, 1, 2, 6, 8, 9])
        #expect(found.allSatisfy { $0.lines == [0] && $0.pattern == patterns[$0.patternIndex].text })
        #expect(try find("aa", in: "aaaaa").map(\.characterRange) == [0..<2, 2..<4])
    }

    @Test("case counts when asked to")
    func caseSensitive() throws {
        #expect(try find("Google", in: "GOOGLE google Google", caseSensitive: true).map(\.characterRange) == [14..<20])
        #expect(try find("Google", in: "G00gle", caseSensitive: true).count == 1)
        #expect(try find("Sao", in: "São", caseSensitive: true).isEmpty)
        let both = [
            try Pattern(text: "glow"), try Pattern(text: "glow", options: MatchOptions(caseSensitive: true)),
        ]
        #expect(Matcher(patterns: both).matches(in: line("GLOW glow")).map(\.patternIndex) == [0, 0, 1])
    }
}
