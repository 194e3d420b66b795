import Testing

@testable import TextMatching

/// Kinds of content as searched for hiding: incomplete content counts too.
@Suite("Matching: kinds for hiding")
struct HidingKindsTests {
    private func matcher(_ pattern: String, as kind: PatternKind = .plain, hides: Bool = true) throws -> Matcher {
        var manner = SearchMode(kind: kind)
        manner.leansToRecall = hides
        return try manner.matcher(for: [pattern])
    }

    private func find(_ kind: ContentKind, in text: String, hides: Bool = true) throws -> [String] {
        try matcher(kind.notation, hides: hides).matches(in: line(text)).map(\.text)
    }

    /// In a line that is set wide any gap may be missed, and any point may seem raised.
    @Test("letters set wide are one text", arguments: [" ", ""], [".", "·", "•"]) func wide(gap: String, point: String)
        throws
    {
        let parts = ["j", "d@", "e", "xa", "m", "p", "l", "e", point + gap + "c", "o", "m"]
        #expect(try find(.email, in: parts.joined(separator: " ")).count == 1)
        #expect(try find(.email, in: parts.joined(separator: " "), hides: false).isEmpty)
    }

    /// A plate of each country of the table, as people write it.
    private static let plates = [
        "W 12345 A", "1-ABC-123", "CB 1234 AB", "ZH 123456", "ABC 123", "1A2 3456", "2AB 3456", "M-AB 1234E", "HH-A 1",
        "B-MW 4H",
        "AB 12 345", "123 ABC", "1234 BCD", "M-1234-AB", "ABC-123", "AB-123-CD", "123 ABC 75", "ABC-1234", "ZG 1234-AB",
        "AA BB-123",
        "12-D-12345", "131-D-1234", "AB 123 CD", "MI 123456", "AB-1234", "XS-23-45", "12-34-XS", "12-XS-34", "XS-12-SX",
        "XS-SX-12",
        "96-ND-JB", "12-XSX-3", "1-XSX-23", "XS-123-S", "X-123-SX", "XSX-12-S", "X-12-SXS", "1-XS-234", "123-XS-4",
        "AB 12345",
        "WX 12345", "WX 1234A", "WX 123AB", "WX 1A234", "WWL 12AB", "AA-01-AA", "B 123 ABC", "CJ 12 ABC", "BG 1234-AB",
        "ABC 12A",
        "LJ 12-ABC", "BA 123 AB", "AB12 CDE", "A123 BCD", "ABC 123D", "AA 1234 BB", "A123BC 77", "1234 AB-7",
        "34 ABC 123", "7ABC123",
        "AB1 2CD", "ABCD 123", "A12 BCD", "ABC-12-34", "ABC1D23", "BC-DF-12", "1AB 2CD", "AB1234", "CA 123-456",
        "MH 12 AB 1234",
        "品川 300 あ 12-34", "12가 3456", "京A·12345", "粤BD12345", "SBA 1234 A", "B 1234 ABC", "51F-123.45", "12-345-67",
        "A 12345",
    ]

    @Test("a plate of each country is hidden, whatever marks and gaps are read", arguments: plates)
    func plate(text: String) throws {
        #expect(try find(.plate, in: text) == [text])
        let bare = text.replacing("-", with: "").replacing(" ", with: "").replacing("·", with: "").replacing(
            ".", with: "")
        let parted = text.replacing("-", with: " ").replacing("·", with: ".")
        for other in [bare, parted, "NL " + text] where !bare.allSatisfy(\.isNumber) && !bare.contains("品") {
            #expect(!(try find(.plate, in: other)).isEmpty, "\(other)")
        }
    }

    @Test("orders that are no ordinary words are found among other text too")
    func findingKnowsTheOrders() throws {
        let ordinary = ["HH-A 1", "ABCD 123", "12-345-67", "A 12345", "品川 300 あ 12-34", "B-MW 4H"]
        for text in Self.plates where !ordinary.contains(text) {
            #expect(try find(.plate, in: "at \(text) now", hides: false) == [text], "\(text)")
        }
    }

    @Test(
        "what is left of a plate is hidden, what is no plate is not",
        arguments: [
            ("96-ND-", true), ("GG-ND-JB", true), ("96-NO-J8", true), ("xs-23-45", true), ("6-ND-JB", true),
            ("12-34", true), ("あ 12-34", true),
            ("品川 300", true), ("HH-A 1", true), ("M AB 1234 E", true), ("TX 5KD", true), ("AB12", true),
            // These are not plates.
            ("EXIT", false), ("hello world", false), ("Room 12", false), ("12:30", false), ("100 MB", false),
            ("NOV 2026", false), ("12345678", false),
            ("GOOGLE", false), ("G00GLE", false), ("B00TS", false), ("12.50 €", false), ("50%", false),
            ("a1@b2.com", false), ("1.5", false),
            ("2019-2020", false), ("7 7306", false), ("1920x1080", false), ("1234567", false), ("123.4567", false),
            ("4111 1111 1111 1111", false),
            ("Chapter 2", false), ("2026-11-21", false), ("the AB12 of it", false),
        ])
    func plateOrNot(text: String, isOne: Bool) throws {
        let found = try find(.plate, in: text)
        #expect(!found.isEmpty == isOne, "\(text): \(found)")
    }

    @Test(
        "a word that was read with digits is no plate, for finding either",
        arguments: ["G00GLE", "B00TS", "G00D", "S0N1A", "G0LD5"])
    func wordsReadAsDigits(text: String) throws { #expect(try find(.plate, in: text, hides: false).isEmpty) }

    private static let wordsWithNumbers = [
        "OSLO 2026", "TOKYO 2020", "SOFIA 24", "ROOM 101", "LEVEL 2", "ISO 9001", "SOLO 500", "LOGO 24", "BUS 42",
        "DOOR 7", "BOOK 2", "GOLD 999", "FLOOR 12", "BOSS 80", "OTTO 1", "ECHO 5", "COCO 30", "BOOST 365", "HOTEL 16",
        "EPISODE 4", "NOV 2026", "OCT 2026", "2026 OSLO", "101 ROOM", "500 SOLO",
    ]

    @Test("a word and a number are no plate, with every O read as a zero or not", arguments: wordsWithNumbers)
    func wordsBesideNumbers(text: String) throws {
        for read in [text, text.replacing("O", with: "0"), text.replacing("O", with: "0", maxReplacements: 1)]
        where !["FL0OR 12", "B0OST 365"].contains(read) {
            #expect(try find(.plate, in: "at \(read) now", hides: false).isEmpty, "\(read)")
        }
    }

    /// Letters among a plate's digits, and digits among its letters, one of them misread.
    @Test(
        "a misread plate is found",
        arguments: [
            "B-MW 4O21", "AB12 CD0", "A0B 123", "12-X5X-3", "BV O1 LLL", "34 A8C 123", "7A8C123",
            "MH I2 AB 1234", "WX 12O45", "O1 ABC 123", "KR 0AB12", "ABC 1O3", "1A2 3O56", "RO0 123", "AB-1O3-CD",
        ])
    func misreadPlates(text: String) throws {
        #expect(try find(.plate, in: "at \(text) now", hides: false) == [text])
        #expect(try find(.plate, in: "at \(text) now") == [text])
    }

    /// A bar too many costs less than a plate.
    @Test("a word and a number that may be a plate are hidden", arguments: ["0SL0 2026", "L0GO 24", "R00M 101"])
    func doubtfulWordsAreHidden(text: String) throws { #expect(try find(.plate, in: "at \(text) now") == [text]) }

    @Test(
        "addresses that are not all there",
        arguments: [
            ("jane.doe@", ["jane.doe@"]), ("to jane.doe@exam", ["jane.doe@exam"]),
            ("jane.doe@example.", ["jane.doe@example."]),
            ("@example.com", ["@example.com"]), ("example.com", ["example.com"]),
            ("iane doe@example com", ["doe@example"]),
            ("jane.doe©example.com", ["jane.doe©example.com"]), ("jane.doeQexample.com", ["jane.doeQexample.com"]),
            ("jane.doe@e mple.com", ["jane.doe@e", "mple.com"]), ("jane.doe@example.com", ["jane.doe@example.com"]),
            // These are not addresses.
            ("3 @ 4.50", []), ("www.example.com", []), ("https://example.com/a", []), ("hello world", []),
            ("README.md", []), ("R&D", []), ("1.5", []),
            ("e.g. this", []),
        ])
    func email(text: String, expected: [String]) throws { #expect(try find(.email, in: text) == expected) }

    @Test(
        "numbers that are not all there",
        arguments: [
            (ContentKind.phone, "+49 30 12", true), (.phone, "+1 415 55", true), (.phone, "(415) 55", true),
            (.phone, "415-555-2", true),
            (.phone, "030 1234", true), (.phone, "+49 3O l2345", true), (.phone, "12", false),
            (.phone, "2026-11-21", false), (.phone, "12345", false),
            (.phone, "192.168.100.100", false), (.phone, "12:30:45", false), (.phone, "1,234.50", false),
            (.phone, "12 34 56 78", true), (.phone, "1588-1234", true), (.phone, "22 345 67 89", true),
            (.phone, "11 95550-1234", true), (.phone, "55 11 95550 1234", true), (.phone, "98765 43210", true),
            (.phone, "87 123 45678", true), (.phone, "12345 678", false), (.phone, "12345 67 890 12", false),
            (.phone, "call 4155550132 now", true), (.phone, "0032 2 345 67 89", true), (.phone, "1800 123 456", true),
            (.phone, "2026-11-21 12:30:45", false), (.phone, "2024-2025", false), (.phone, "1234.5678", false),
            (.phone, "22 23 24 25 26 27 28", false), (.phone, "20261121", false), (.phone, "1234/5678", false),
            (.card, "4111 1111", true), (.card, "4111 1111 1111 1111", true), (.card, "4111 1111 1111 1112", true),
            (.card, "4l11 1111 1111 1111", true), (.card, "4111 111L1111 1111", true),
            (.card, "4111T1111 1111 1111", true), (.card, "4111T1111 1x11 1111", true), (.card, "4111 1111x", true),
            (.card, "Room 1204A 2026B", false),
            (.card, "1111", false), (.card, "2026", false), (.card, "hello", false),
            (.iban, "DE89 3704 0044", true), (.iban, "DE88 3704 0044 0532 0130 00", true),
            (.iban, "NL91 ABNA 0417", true), (.iban, "DE89-3704-0044-0532-0130-00", true), (.iban, "DE89", false),
            (.iban, "DEAR 1234 5678", false),
            (.ip, "192.168.1.", true), (.ip, "10.0.0", true), (.ip, "1.2.3", false), (.url, "https://", true),
            (.url, "www.exam", true),
            (.url, "http: //ex", true), (.url, "and/or", false),
        ])
    func incomplete(kind: ContentKind, text: String, isOne: Bool) throws {
        let found = try find(kind, in: text)
        #expect(!found.isEmpty == isOne, "\(text): \(found)")
    }

    @Test(
        "cards and accounts are what their check digits say, for finding",
        arguments: [
            (ContentKind.card, "4111 1111 1111 1111", true), (.card, "4111-1111-1111-1111", true),
            (.card, "378282246310005", true),
            (.card, "3782 822463 10005", true), (.card, "5555555555554444", true),
            (.card, "4111 1111 1111 1112", false), (.card, "1234 5678", false),
            (.card, "1234567890123456", false), (.iban, "DE89 3704 0044 0532 0130 00", true),
            (.iban, "GB82WEST12345698765432", true),
            (.iban, "NL91 ABNA 0417 1643 00", true), (.iban, "FR14 2004 1010 0505 0001 3M02 606", true),
            (.iban, "DE89 3704 0044 0532 0130 01", false),
            (.iban, "DE89 3704 0044", false), (.iban, "XX89 3704 0044 0532 0130 00", false),
        ])
    func checkDigits(kind: ContentKind, text: String, isOne: Bool) throws {
        #expect(try find(kind, in: "no. \(text) is", hides: false) == (isOne ? [text] : []))
    }

    @Test(
        "what goes on in the next line is found",
        arguments: [
            (":email", PatternKind.plain, ["jane.doe@exam", "ple.com"]),
            (":email", .plain, ["jane.doe@", "example.com"]),
            (":email", .plain, ["jane.doe", "@example.com"]), (":phone", .plain, ["+49 30", "1234567"]),
            (":card", .plain, ["4111 1111", "1111 1111"]),
            (":iban", .plain, ["DE89 3704 0044", "0532 0130 00"]), (":ip", .plain, ["192.168.", "100.17"]),
            (#"\d{4} \d{4} \d{4} \d{4}"#, .expression, ["4111 1111", "1111 1111"]),
            (#"\d{4} \d{4} \d{4} \d{4}"#, .expression, ["4111", "1111", "1111", "1111"]),
            (#"sk-\w{12}"#, .expression, ["sk-abcdef", "ghijkl"]),
            (":plate", .plain, ["品川 300", "あ 12-34"]),
        ])
    func overLines(pattern: String, kind: PatternKind, lines: [String]) throws {
        let found = try matcher(pattern, as: kind).matches(
            in: lines.map { line($0) }, blocks: .consecutive(lines.count))
        let covered = Set(found.flatMap(\.lines))
        #expect(covered == Set(lines.indices), "\(found)")
        let apart = TextBlocks(
            below: [Int?](repeating: nil, count: lines.count), beside: [Int?](repeating: nil, count: lines.count))
        #expect(
            try matcher(pattern, as: kind).matches(in: lines.map { line($0) }, blocks: apart).allSatisfy {
                $0.lines.count == 1
            })
    }

    @Test(
        "letters that stand far apart are one word",
        arguments: [
            ("Jane Doe", "Ja n e Do e"), (":email", "jan e .do e @ e xam ple .com"), (":plate", "96 - N D - JB"),
            ("SECRET", "S E C R E T"),
            (":phone", "+ 4 9 3 0 1 2 3 4 5 6 7"), (":card", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"),
        ])
    func setWide(pattern: String, text: String) throws {
        #expect(try !matcher(pattern).matches(in: line(text)).isEmpty)
    }

    /// With or without a gap at the break, it is one item.
    @Test("what goes on in the next line is found once") func onceOverLines() throws {
        let lines = [line("jane.doe@"), line("example.com")]
        let found = try matcher(":email").matches(in: lines, blocks: .consecutive(2)).filter { $0.lines.count == 2 }
        #expect(found.count == 1, "\(found)")
    }

    /// Without a line that continues, the hidden parts are in order and at the reported places.
    @Test("the parts of a match over two lines are in these lines")
    func parts() throws {
        let lines = [line("mail jane.doe@exam"), line("ple.com or call")]
        let found = try matcher(":email").matches(in: lines, blocks: .consecutive(2)).filter { $0.lines == [0, 1] }
        let match = try #require(found.first)
        #expect(match.parts.map(\.line) == [0, 1] && match.parts.map(\.word) == [1, 0], "\(match)")
        #expect(match.parts.map(\.characters) == [0..<13, 0..<7])
    }
}
