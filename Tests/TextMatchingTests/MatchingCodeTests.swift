import Testing
import TextMatching

@Suite("Matching: marks in codes and numbers")
struct MatchingCodeTests {
    @Test(
        "marks are free between the letters and digits of a code",
        arguments: [
            ("RK115AN", "RK-115 AN"), ("RK115AN", "RK·115AN"), ("RK115AN", "RK.115.AN"), ("RK115AN", "RK 115-AN"),
            ("RK115AN", "RK • 115 • AN"), ("RK115AN", "RK–115–AN"), ("RK-115 AN", "RK115AN"), ("RK·115AN", "RK-115-AN"),
            ("rk 115 an", "RK-115-AN"), ("0791234567", "079 123 45 67"), ("0791234567", "079-123-45-67"),
            ("0791234567", "079.123.45.67"), ("0791234567", "079/123 45 67"), ("079 123 45 67", "0791234567"),
            ("079-123-45-67", "079 123 45 67"), ("BMW1234", "B-MW 1234"), ("1234AB", "12-34-AB"),
            ("SN00123A", "SN-00123_A"),
            ("18005550199", "1-800-555-0199"), ("RK115AN", "RK-1I5 AN"), ("COVID19", "COVID-19"),
            ("RK115AN", "RK:-115°AN"),
            ("GATE 12", "GATE-12"),
        ])
    func free(pattern: String, text: String) throws {
        #expect(try find(pattern, in: "at \(text) today").map(\.text) == [text])
        #expect(try find(pattern, in: text, wholeWords: true).count == 1)
    }

    @Test(
        "another code, a decimal number, a range and a date are not it",
        arguments: [
            ("RK115AN", "RK-116 AN"), ("RK115AN", "RK-115 AM"), ("RK115AN", "BRK-115 AN"), ("RK115AN", "RK-115 ANT"),
            ("RK115AN", "RK: 115, AN"), ("0791234567", "079 123 45 76"), ("125kg", "12.5kg"), ("12.5kg", "125kg"),
            ("192.168.1.1", "192.16.81.1"), ("123456", "1234.56"), ("123456", "1-2-3-4-5-6"),
            ("24 May 2026", "2-4 May 2026"),
            ("May 2026", "May 20-26"), ("12345", "12-345"), ("1.2.3", "123"), ("12:30", "12-30"),
            ("B12C", "ab-12 chapter"), ("123045", "12:30:45"), ("C6G2SYV", "CG62-SYV"), ("RK115AN", "RK---115AN"),
        ])
    func others(pattern: String, text: String) throws {
        #expect(try find(pattern, in: text).isEmpty)
        #expect(try find(pattern, in: "the \(text) here").isEmpty)
    }

    @Test(
        "words of prose keep their marks",
        arguments: [("reform", "re-form"), ("coop", "co-op"), ("recreate", "re.create")])
    func prose(pattern: String, text: String) throws {
        #expect(try find(pattern, in: text).isEmpty)
        #expect(try find(text, in: pattern).isEmpty)
        #expect(try find(text, in: text).count == 1)
    }

    @Test("an exact search minds them, and says so")
    func exact() throws {
        let matcher = Matcher(patterns: [try Pattern(text: "RK115AN", kind: .exact)])
        #expect(matcher.matches(in: line("RK-115 AN")).isEmpty)
        #expect(matcher.matches(in: line("RK115AN")).count == 1)
    }

    @Test("a code may be parted at the end of a line")
    func overLines() throws {
        let matcher = Matcher(patterns: [try Pattern(text: "RK 115 AN")])
        let lines = [line("plate RK-115"), line("AN and more")]
        let blocks = TextBlocks(below: [1, nil], beside: [nil, nil])
        #expect(matcher.matches(in: lines, blocks: blocks).map(\.text) == ["RK-115 AN"])
    }

    /// License plates of motorcycles, and of some countries, have two lines; a match in one of them is a part of the
    /// plate.
    @Test(arguments: [
        (["WX 69", "JK 3092"], ["WX 69 JK 3092"]), (["AR55", "GBZ"], ["AR55 GBZ"]), (["UGT", "2R82"], ["UGT 2R82"]),
        (["JL", "447 DP"], ["JL 447 DP"]),
        // Words and numbers are not plates, nor are lists of plates, or a part of a longer line.
        (["EXIT", "12"], []), (["GATE", "B 42"], []), (["AB12 CDE", "XY34 FGH"], ["AB12 CDE", "XY34 FGH"]),
        (["AR55", "GBZ", "AR66"], []), (["the AR55", "GBZ"], []),
    ])
    func aPlateOfTwoLinesIsOne(lines: [String], expected: [String]) throws {
        let matcher = Matcher(patterns: [try Pattern(typed: ":plate", as: .plain)])
        let found = matcher.matches(in: lines.map { line($0) }, blocks: .consecutive(lines.count))
        #expect(found.map(\.text) == expected)
        // Unrelated lines are not combined.
        let apart = TextBlocks(
            below: [Int?](repeating: nil, count: lines.count), beside: [Int?](repeating: nil, count: lines.count))
        #expect(matcher.matches(in: lines.map { line($0) }, blocks: apart).allSatisfy { $0.lines.count == 1 })
    }

    /// Typed without a gap it is found if it is broken in two, like `:plate`, but not in a list, in prose or with
    /// another letter.
    @Test(arguments: [
        ("WX69JK3092", ["WX69", "JK3092"], 1), ("wx69jk3092", ["WX 69", "JK 3092"], 1),
        ("WX-69-JK-3092", ["WX69", "JK3092"], 1),
        ("UGT2R82", ["UGT", "2R82"], 1), ("WX69JK3093", ["WX69", "JK3092"], 0),
        ("AR55GBZ", ["AR55", "GBZ", "AR66"], 0),
        ("AR55GBZ", ["the AR55", "GBZ"], 0), ("AR55GBZ", ["GBZ", "AR55"], 0), ("EXIT12", ["EXIT", "12"], 0),
    ])
    func aPlateTypedInOnePieceHasTwoLines(typed: String, lines: [String], count: Int) throws {
        let matcher = Matcher(patterns: [try Pattern(text: typed)])
        let found = matcher.matches(in: lines.map { line($0) }, blocks: .consecutive(lines.count))
        #expect(found.count == count, "\(found)")
        #expect(found.allSatisfy { $0.lines == [0, 1] && $0.text == lines.joined(separator: " ") })
    }

    @Test("a mark costs what a gap costs")
    func score() throws {
        let gap = try #require(try find("RK115AN", in: "RK 115 AN").first)
        let mark = try #require(try find("RK115AN", in: "RK-115-AN").first)
        #expect(gap.score == mark.score)
        #expect(mark.score > 0.9)
    }
}
