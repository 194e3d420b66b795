import Testing

@testable import TextMatching

/// Words that a renderer broke over two or more lines, as searched for hiding.
@Suite("Matching: broken words")
struct BrokenWordsTests {
    private static let secrets = [
        "anna.k@posteo.de", "https://example.com/a?token=9f8e7d", "DE89370400440532013000",
        "DE89 3704 0044 0532 0130 00",
        "/home/anna/.ssh/id_ed25519", "sk-proj-a1B2c3D4e5F6", "AKIAIOSFODNN7EXAMPLE", "hunter2", "192.168.100.17",
        "+49 30 1234567", "Jane Doe", "B-MW 4021", "Geheimrat", "パスワード", "비밀번호입니다",
    ]

    private func found(
        _ pattern: String, in lines: [String], as kind: PatternKind = .plain, hides: Bool = true
    ) throws -> [TextMatch] {
        var manner = SearchMode(kind: kind)
        manner.leansToRecall = hides
        return try manner.matcher(for: [pattern]).matches(in: lines.map { line($0) }, blocks: .consecutive(lines.count))
    }

    /// The lines with all characters of a text that are not matched.
    private func left(of lines: [String], _ matches: [TextMatch]) -> [String] {
        let parts = Set(
            matches.flatMap(\.parts).flatMap { part in part.characters.map { [part.line, part.word, $0] } })
        return lines.enumerated().map { number, text in
            text.split(separator: " ").enumerated().flatMap { word, letters in
                letters.enumerated().filter { !parts.contains([number, word, $0.offset]) }.map { String($0.element) }
            }.joined()
        }
    }

    @Test("a secret that is broken at any letter is hidden whole, and nothing else is", arguments: secrets)
    func anyBreak(secret: String) throws {
        for place in secret.indices.dropFirst() {
            let lines = ["my: \(secret[..<place])", "\(secret[place...]) ok"]
            #expect(left(of: lines, try found(secret, in: lines)) == ["my:", "ok"], "\(lines)")
        }
    }

    @Test("a secret that fills more than two lines is hidden whole", arguments: secrets.filter { $0.count >= 12 })
    func severalBreaks(secret: String) throws {
        for first in 3...5 {
            let rest = secret.dropFirst(first)
            let lines = ["my: \(secret.prefix(first))", "\(rest.prefix(5))", "\(rest.dropFirst(5)) ok"]
            #expect(left(of: lines, try found(secret, in: lines)) == ["my:", "", "ok"], "\(lines)")
        }
    }

    @Test("every letter and gap counts for an exact pattern, and it may be broken too")
    func exact() throws {
        #expect(try !found("Hunter-2", in: ["a Hun", "ter-2 b"], as: .exact).isEmpty)
        #expect(try found("Hunter-2", in: ["a Hun", "tar-2 b"], as: .exact).isEmpty)
        #expect(try found("Jane Doe", in: ["a Ja", "neDoe b"], as: .exact).isEmpty)
    }

    @Test("a short word that is broken consists of whole words")
    func shortWords() throws {
        #expect(try !found("Anna", in: ["say An", "na now"]).isEmpty)
        #expect(try !found("4711", in: ["PIN:47", "11."]).isEmpty)
        for lines in [["a man", "nature"], ["to", "tally"], ["we do", "every day"], ["in", "on"]] {
            for pattern in ["Anna", "total", "doe", "ino"] {
                #expect(try found(pattern, in: lines).isEmpty, "\(pattern): \(lines)")
            }
        }
    }

    @Test("a match over a break ends one line and begins the next")
    func besideTheBreak() throws {
        for lines in [
            ["anna.k@ or", "posteo.de"], ["anna.k@", "at posteo.de"], ["posteo.de", "anna.k@"],
            ["anna.k", "posteo.de"],
        ] {
            #expect(try found("anna.k@posteo.de", in: lines).allSatisfy { $0.lines.count == 1 }, "\(lines)")
        }
    }

    /// People type a name or an address with other marks than it is shown with, and an address on an envelope has a line
    /// break in place of its comma.
    @Test(
        "marks may be missing, others or added",
        arguments: [
            ("Anna-Lena Voß", ["ANNA LENA VOSS"]), ("Anna Lena Voss", ["Anna-Lena Voß"]),
            ("Dr. Jane Doe", ["Dr Jane Doe"]),
            ("Dr Jane Doe", ["Dr. Jane Doe"]), ("Jane M. Doe", ["Jane M Doe"]), ("O'Brien, Pat", ["OBrien Pat"]),
            ("+49 171 2345678", ["+49 (171) 234-5678"]),
            ("Lindenallee 48, 22041 Hamburg", ["Lindenallee 48", "22041 Hamburg"]),
            ("Lindenallee 48 22041 Hamburg", ["Lindenallee 48,", "22041 Hamburg"]),
        ])
    func freeMarks(pattern: String, lines: [String]) throws {
        let lines = ["of \(lines[0])"] + lines.dropFirst()
        let letters = left(of: lines, try found(pattern, in: lines)).map { $0.filter { $0.isLetter || $0.isNumber } }
        #expect(letters == ["of"] + lines.dropFirst().map { _ in "" }, "\(lines)")
        #expect(try found(pattern, in: lines, as: .exact).isEmpty)
    }

    @Test("too little is left of some patterns without their marks", arguments: [("12.34", "1234"), ("a-b-c", "ab c")])
    func marksThatCount(pattern: String, line: String) throws {
        #expect(try found(pattern, in: [line]).isEmpty)
    }

    @Test("finding compares the marks in names")
    func marksInFinding() throws {
        #expect(try found("Anna-Lena Voß", in: ["ANNA LENA VOSS"], hides: false).isEmpty)
    }

    /// An index could not look up the two parts.
    @Test("finding breaks words at hyphens only")
    func finding() throws {
        #expect(try found("anna.k@posteo.de", in: ["anna.k@", "posteo.de"], hides: false).isEmpty)
        #expect(try !found("recognition", in: ["recog-", "nition"], hides: false).isEmpty)
    }

    @Test("an address or a key of several full lines is hidden whole")
    func fullLines() throws {
        let part = String(repeating: "eyJhbGciOiJIUzI1NiIs", count: 6)
        let lines = ["see https://example.com/a?t=\(part)", part, part, "end now"]
        #expect(Set(try found(":url", in: lines).flatMap(\.lines)).isSuperset(of: [0, 1, 2]))
        let keys = ["key sk-\(part)", part, "\(part.prefix(40)) ok"]
        #expect(Set(try found(#"sk-\w{200,}"#, in: keys, as: .expression).flatMap(\.lines)) == [0, 1, 2])
        #expect(left(of: keys, try found("sk-\(part)\(part)\(part.prefix(40))", in: keys)) == ["key", "", "ok"])
    }
}
