import Errors
import Testing

@testable import TextMatching

@Suite("Matching: kinds of content")
struct MatchingContentTests {
    private func find(_ kind: ContentKind, in text: String) throws -> [String] {
        Matcher(patterns: [try Pattern(typed: kind.notation, as: .plain)]).matches(in: line(text)).map(\.text)
    }

    @Test(
        "Internet addresses",
        arguments: [
            ("host 192.168.1.1 up", ["192.168.1.1"]), ("10.0.0.1:8080", ["10.0.0.1:8080"]),
            ("10.0.0.0/8", ["10.0.0.0/8"]),
            ("192.168. 1.1", ["192.168. 1.1"]), ("192 .168.1.1", ["192 .168.1.1"]), ("１９２.１６８.１.１", ["１９２.１６８.１.１"]),
            ("255.255.255.255, 0.0.0.0", ["255.255.255.255", "0.0.0.0"]), ("is 8.8.8.8.", ["8.8.8.8"]),
            ("::1", ["::1"]),
            ("fe80::1c2d/64", ["fe80::1c2d/64"]), ("2001:db8:0:1:1:1:1:1", ["2001:db8:0:1:1:1:1:1"]),
            ("::ffff:192.0.2.1", ["::ffff:192.0.2.1"]), ("[2001:db8::7]", ["2001:db8::7"]),
            // These are rejected.
            ("999.1.1.1", []), ("256.0.0.1", []), ("1.2.3", []), ("1.2.3.4.5", []), ("1.2. 3. 4", []), ("v1.2.3.4", []),
            ("a::b", []), ("std::vector", []), ("00:1a:2b:3c:4d:5e", []), ("12:30:45", []), ("1:2:3:4:5:6:7:8:9", []),
            ("1::2::3", []), ("12345::1", []), ("::", []), ("1920.1.1.1", []), ("10.0.0.1/33", ["10.0.0.1"]),
            ("10.0.0.1:99999", ["10.0.0.1"]),
        ])
    func ip(text: String, expected: [String]) throws {
        #expect(try find(.ip, in: text) == expected)
    }

    @Test(
        "mail addresses",
        arguments: [
            ("Mail bob@example.com now", ["bob@example.com"]),
            ("first.last+tag@mail.example.co.uk,", ["first.last+tag@mail.example.co.uk"]),
            ("info @ example.com", ["info @ example.com"]), ("info@example. com", ["info@example. com"]),
            ("a_b@x-y.io", ["a_b@x-y.io"]),
            ("müller@bücher.de", ["müller@bücher.de"]), ("INFO@EXAMPLE.ORG", ["INFO@EXAMPLE.ORG"]),
            ("<me@home.museum>", ["me@home.museum"]),
            // These are rejected.
            ("bob@example", []), ("@example.com", []), ("bob@", []), ("bob@.com", []), ("bob..x@example.com", []),
            ("3 @ 4.50", []), ("bob@example. Then go", []), ("a@b@c.com", ["b@c.com"]), ("x@1.2", []),
            ("bob@exam_ple.com", []),
        ])
    func email(text: String, expected: [String]) throws {
        #expect(try find(.email, in: text) == expected)
    }

    @Test(
        "addresses of the web",
        arguments: [
            ("see https://example.com/a?b=c#d.", ["https://example.com/a?b=c#d"]),
            ("(http://example.com/x(y))", ["http://example.com/x(y)"]),
            ("www.example.com", ["www.example.com"]), ("www. example.com", ["www. example.com"]),
            ("example.com/path", ["example.com/path"]),
            ("github.io", ["github.io"]), ("rtsp://10.0.0.5:554/stream", ["rtsp://10.0.0.5:554/stream"]),
            ("http://[::1]:8080/", ["http://[::1]:8080/"]),
            ("https: //example.com", ["https: //example.com"]), ("http://localhost:3000", ["http://localhost:3000"]),
            ("ftp://user:secret@host.net/f", ["ftp://user:secret@host.net/f"]),
            ("file:///etc/hosts", ["file:///etc/hosts"]),
            ("Example.COM!", ["Example.COM"]), ("www.straße.museum", ["www.straße.museum"]),
            ("https://ko.wikipedia.org/wiki/한국어", ["https://ko.wikipedia.org/wiki/한국어"]),
            // These are rejected.
            ("http://", []), ("README.md main.rs script.sh", []), ("index.html", []), ("1.5", []), ("e.g. this", []),
            ("bob@example.com", []),
            ("www.", []), ("www.x", []), ("end.Next", []), ("std::vector", []), ("and/or", []), ("https://-x", []),
        ])
    func url(text: String, expected: [String]) throws {
        #expect(try find(.url, in: text) == expected)
    }

    @Test(
        "telephone numbers",
        arguments: [
            ("call +49 30 123456", ["+49 30 123456"]), ("+1-415-555-2671", ["+1-415-555-2671"]),
            ("+821012345678", ["+821012345678"]),
            ("(415) 555-2671", ["(415) 555-2671"]), ("(415)555-2671", ["(415)555-2671"]),
            ("415-555-2671", ["415-555-2671"]), ("415.555.2671", ["415.555.2671"]),
            ("1 800 555 2199", ["1 800 555 2199"]), ("010-1234-5678", ["010-1234-5678"]),
            ("01012345678", ["01012345678"]),
            ("Tel. 030 / 12 34 56 78", ["030 / 12 34 56 78"]), ("+44 (0)20 7946 0958", ["+44 (0)20 7946 0958"]),
            ("02-123-4567", ["02-123-4567"]),
            ("415-555-2671 ext. 12", ["415-555-2671 ext. 12"]), ("Fax:030-1234567", ["030-1234567"]),
            // These are rejected.
            ("12345678", []), ("2026-11-21", []), ("01.02.2026", []), ("08/11/2026", []), ("192.168.100.100", []),
            ("4111 1111 1111 1111", []),
            ("00:00:12.367", []), ("123-456", []), ("+0 30 123456", []), ("978-0-306-40615-7", []), ("+12345", []),
            ("A0123456789", []), ("100-200-3000", []),
        ])
    func phone(text: String, expected: [String]) throws {
        #expect(try find(.phone, in: text) == expected)
    }

    @Test(
        "dates",
        arguments: [
            ("on 2026-11-21 at", ["2026-11-21"]), ("21.11.2026", ["21.11.2026"]), ("11/21/2026", ["11/21/2026"]),
            ("21/11/2026", ["21/11/2026"]),
            ("1/2/26", ["1/2/26"]), ("21.11.26", ["21.11.26"]), ("am 21.11. um", ["21.11."]),
            ("2026. 11. 21.", ["2026. 11. 21."]), ("2026 - 11 - 21", ["2026 - 11 - 21"]),
            ("21 November 2026", ["21 November 2026"]), ("Nov 21, 2026", ["Nov 21, 2026"]),
            ("November 21st", ["November 21st"]), ("21. Nov. 2026", ["21. Nov. 2026"]),
            ("3 de mayo de 2024", ["3 de mayo de 2024"]), ("1er août 2023", ["1er août 2023"]),
            ("12. März 2025", ["12. März 2025"]), ("NOVEMBER 2026", ["NOVEMBER 2026"]),
            ("2026年11月21日", ["2026年11月21日"]), ("11月21日", ["11月21日"]), ("2026년 11월 21일", ["2026년 11월 21일"]),
            ("29.02.2024", ["29.02.2024"]),
            ("2026-11-21T14:30:00", ["2026-11-21"]), ("२०२६-११-२१", ["२०२६-११-२१"]), ("21-Nov-2026", ["21-Nov-2026"]),
            // These are rejected.
            ("31.02.", []), ("Opus 4.6. High", []), ("31.02.2026", []), ("29.02.2025", []), ("2026-13-01", []),
            ("2026-00-10", []),
            ("13/13/2026", []), ("1.2.3", []), ("1.2.10", []),
            ("192.168.1.1", []), ("24/7", []), ("1/2", []), ("12345", []), ("32 May 2024", []), ("2026-11-21-5", []),
            ("May I", []), ("3 marching", []), ("2026年13月1日", []),
        ])
    func date(text: String, expected: [String]) throws {
        #expect(try find(.date, in: text) == expected)
    }

    @Test(
        "times of day",
        arguments: [
            ("at 14:30 sharp", ["14:30"]), ("9:05", ["9:05"]), ("14:30:05.250", ["14:30:05.250"]),
            ("2:30 pm", ["2:30 pm"]), ("3 p.m.", ["3 p.m."]), ("11AM", ["11AM"]),
            ("12 : 30", ["12 : 30"]), ("10:00-12:00", ["10:00", "12:00"]), ("15h30", ["15h30"]),
            ("15.30 Uhr", ["15.30 Uhr"]), ("15 Uhr", ["15 Uhr"]), ("15時30分", ["15時30分"]),
            ("오후 3시 15분", ["오후 3시 15분"]), ("2026-11-21T14:30:00Z", ["14:30:00Z"]), ("24:00", ["24:00"]),
            ("00:00:12", ["00:00:12"]), ("14:30+01:00", ["14:30+01:00"]),
            // These are rejected.
            ("25:00", []), ("12:60", []), ("24:30", []), ("16:9", []), ("1:100", []), ("13:00 pm", []),
            ("12:30:61", []), ("00:1a:2b:3c:4d:5e", []), ("12:34:56:07", []),
            ("fe80::12:34", []), ("12.30", []), ("3 pmx", []), ("0 am", []), ("15 o", []),
        ])
    func time(text: String, expected: [String]) throws {
        #expect(try find(.time, in: text) == expected)
    }

    @Test(
        "numbers",
        arguments: [
            ("total 42 items", ["42"]), ("-3.5 °C", ["-3.5"]), ("1,234,567.89", ["1,234,567.89"]),
            ("1.234.567,89", ["1.234.567,89"]), ("1 234 567", ["1 234 567"]),
            ("12,34,567", ["12,34,567"]), ("99%", ["99%"]), ("6.02e23", ["6.02e23"]),
            ("5A 12V 30mm", ["5", "12", "30"]), ("10-20", ["10", "20"]), (".5", [".5"]), ("٤٢", ["٤٢"]),
            ("100円", ["100"]), ("(7)", ["7"]), ("3, 4", ["3", "4"]),
            // These are rejected.
            ("M3", []), ("abc", []), ("1.2.3", []), ("192.168.1.1", []), ("12:30", []), ("2026-11-21", []),
            ("21/11/2026", []), ("4th", []), ("x86_64", []), ("1,2,3", []), ("3rd", []),
        ])
    func number(text: String, expected: [String]) throws {
        #expect(try find(.number, in: text) == expected)
    }

    @Test(
        "sums of money",
        arguments: [
            ("only $12.50!", ["$12.50"]), ("12,50 €", ["12,50 €"]), ("€ 1.234,56", ["€ 1.234,56"]),
            ("USD 99", ["USD 99"]), ("99 USD", ["99 USD"]), ("US$5", ["US$5"]), ("₩1,000", ["₩1,000"]),
            ("1,000원", ["1,000원"]), ("1000円", ["1000円"]), ("￥500", ["￥500"]), ("$1.5 million", ["$1.5 million"]),
            ("$5M", ["$5M"]), ("12,- €", ["12,- €"]), ("CHF 12.-", ["CHF 12.-"]),
            ("50 kr", ["50 kr"]), ("20 zł", ["20 zł"]), ("Rs. 500", ["Rs. 500"]), ("-$5", ["-$5"]),
            ("£1,234", ["£1,234"]), ("₹12,34,567", ["₹12,34,567"]), ("99 cents", ["99 cents"]),
            // These are rejected.
            ("$PATH", []), ("$", []), ("12.50", []), ("USD", []), ("€uro", []), ("$1.2.3", []), ("5 krill", []),
            ("12:30 €", []), ("USDT 5", []),
        ])
    func money(text: String, expected: [String]) throws {
        #expect(try find(.money, in: text) == expected)
    }

    /// White space does not matter to the search, so a gap between two items may be lost.
    @Test(
        "kinds behind and before a gap that the engine dropped",
        arguments: [
            (ContentKind.date, "2026/03/1408:15:02", ["2026/03/14"]), (.time, "2026/03/1408:15:02", ["08:15:02"]),
            (.date, "14.03.202608:15", ["14.03.2026"]), (.time, "14.03.202608:15", ["08:15"]),
            (.date, "14.03.2608:15", ["14.03.26"]), (.time, "14.03.2608:15", ["08:15"]),
            (.date, "08:15:022026/03/14", ["2026/03/14"]), (.time, "08:15:022026/03/14", ["08:15:02"]),
            (.date, "08:1514.03.2026", ["14.03.2026"]), (.time, "08:1514.03.2026", ["08:15"]),
            (.date, "14March202608:15", ["14March2026"]), (.time, "14March202608:15", ["08:15"]),
            (.date, "on2026-03-14Gate", ["2026-03-14"]), (.date, "Mar14,2026", ["Mar14,2026"]),
            (.date, "NOVEMBER2026", ["NOVEMBER2026"]), (.time, "at14:05Gate", ["14:05"]),
            (.plate, "Plate:B-MW 4021", ["B-MW 4021"]), (.plate, "Plate:B-MW4021", ["B-MW4021"]),
            (.plate, "AA-123-BB,ZH 123456", ["AA-123-BB", "ZH 123456"]),
            (.ip, "Host:192.168.1.1:80", ["192.168.1.1:80"]), (.code, "Part:SN-00123A", ["SN-00123A"]),
            (.phone, "Tel+49 30 123456", ["+49 30 123456"]), (.phone, "call(415)555-2671", ["(415)555-2671"]),
            (.money, "Total$12.50", ["$12.50"]), (.email, "Mail:bob@example.com", ["bob@example.com"]),
            (.url, "Web:www.example.com", ["www.example.com"]), (.number, "Total:42", ["42"]),
            // These are rejected.
            (.date, "2026-11-215", []), (.date, "1.2.2026.5", []), (.date, "v2026.11.21", []), (.date, "DEC1000", []),
            (.date, "Mar14", []), (.time, "ab12:30::1", []), (.time, "x12:30", []), (.time, "12:30x", []),
            (.time, "12:3045", []), (.time, "120:15", []), (.time, "fe80:12:34", []), (.time, "2026031408:15", []),
            (.time, "aa:11:22:33:44:55:66", []), (.plate, "1,234 ABC", []), (.plate, "12:AB12 CDE", []),
            (.plate, "C:AB12 CDE", []), (.ip, "fe80:192.168.1.1", []), (.ip, "ad:1.2.3.4", []),
            (.code, "ad:12cd34ef", []), (.phone, "x+49 30 123456", []),
        ])
    func droppedGaps(kind: ContentKind, text: String, expected: [String]) throws {
        #expect(try find(kind, in: text) == expected)
    }

    @Test("a kind's name is a kind only when it is typed so; behind a backslash it is text")
    func notation() throws {
        #expect(try Pattern(typed: ":url", as: .plain).kind == .content(.url))
        #expect(try Pattern(typed: ":url", as: .exact).kind == .exact)
        #expect(try Pattern(typed: ":url", as: .expression).kind == .expression)
        for kind in [":urls", ":URL", ":foo", ":été"] {
            let error = #expect(throws: FramegrepError.self) { try Pattern(typed: kind, as: .plain) }
            #expect(error?.code == .badPattern && error?.message.contains(":url :email :phone") == true)
            #expect(try Pattern(typed: "\\" + kind, as: .plain).kind == .plain)
            #expect(try Pattern(typed: kind, as: .exact).kind == .exact)
        }
        // White space does not matter, here as elsewhere.
        for text in [":url ", " :url", "\t:url\u{A0}"] {
            #expect(try Pattern(typed: text, as: .plain).kind == .content(.url), "\(text)")
            #expect(throws: FramegrepError.self) { try Pattern(typed: text.replacing("url", with: "urls"), as: .plain) }
        }
        for text in [":-)", ":", "::", ":30", ": url", ":url x", "a:url"] {
            #expect(try Pattern(typed: text, as: .plain).kind == .plain, "\(text)")
        }
        #expect(try Pattern(text: ":url").kind == .plain)
        let literal = try Pattern(typed: "\\:url", as: .plain)
        #expect(literal.kind == .plain && literal.text == "\\:url")
        #expect(Matcher(patterns: [literal]).matches(in: line("type :url here")).map(\.text) == [":url"])
        #expect(Matcher(patterns: [try Pattern(typed: "\\:x", as: .plain)]).matches(in: line("\\:x")).count == 1)
        #expect(
            ContentKind.allCases.map(\.notation) == [
                ":url", ":email", ":phone", ":date", ":time", ":number", ":ip", ":money", ":plate", ":code",
                ":card", ":iban",
            ])
    }

    @Test("bytes that are no text are nothing to be searched for")
    func noText() {
        for kind in [PatternKind.plain, .exact, .expression] {
            for text in ["caf\u{FFFD}", "caf\u{10FFE9}"] {
                let error = #expect(throws: FramegrepError.self) { try Pattern(typed: text, as: kind) }
                #expect(error?.code == .badPattern && error?.message.contains("UTF-8") == true)
            }
        }
    }

    @Test("the place of a date in a line is that of its characters")
    func place() throws {
        let match = try #require(
            Matcher(patterns: [try Pattern(typed: ":date", as: .plain)]).matches(in: line("on 21.11.2026,")).first)
        #expect(match.parts == [TextMatch.Part(line: 0, word: 1, characters: 0..<10)])
        #expect(match.pattern == ":date")
    }

    @Test(
        "plates of vehicles",
        arguments: [
            ("B-MW 1234", ["B-MW 1234"]), ("at RK·115 AN now", ["RK·115 AN"]), ("AB12 CDE", ["AB12 CDE"]),
            ("AA-123-BB, ZH 123456", ["AA-123-BB", "ZH 123456"]), ("1234 ABC", ["1234 ABC"]),
            ("12-AB-34", ["12-AB-34"]),
            ("RK115AN", ["RK115AN"]), ("34 ABC 12", ["34 ABC 12"]), ("MH 12 AB 1234", ["MH 12 AB 1234"]),
            ("A123BC 77", ["A123BC 77"]), ("1A2 3456", ["1A2 3456"]), ("12가 3456", ["12가 3456"]),
            ("123가4567", ["123가4567"]), ("京A·12345", ["京A·12345"]),
            // These have letters where digits must be, and vice versa.
            ("RK-1I5 AN", ["RK-1I5 AN"]), ("RK-1l5 AN", ["RK-1l5 AN"]), ("AA-I23-BB", ["AA-I23-BB"]),
            ("AB12 C0E", ["AB12 C0E"]),
            // These are rejected.
            ("re-form 2", []), ("hello world", []), ("2026-11-21", []), ("0791234567", []), ("12:30 PM", []),
            ("100 MB", []),
            ("NOV 2026", []), ("ISO 9001", []), ("rk-115 an", []), ("GATES 12", []), ("COVID-19", []), ("1.2.3", []),
            ("X-RK-115-AN-Y", []), ("RK-115-ANTS", []), ("BOSS OF IT", []), ("10 KM", []), ("A4 B5 C6", []),
        ])
    func plate(text: String, expected: [String]) throws {
        #expect(try find(.plate, in: text) == expected)
    }

    @Test(
        "codes of letters and digits",
        arguments: [
            ("part SN-00123A, INV-2026-001", ["SN-00123A", "INV-2026-001"]), ("3RT2016-1BB41", ["3RT2016-1BB41"]),
            ("RK115AN", ["RK115AN"]), ("key a1b2c3d4", ["a1b2c3d4"]), ("X12_34.A5", ["X12_34.A5"]),
            ("(AB12/34)", ["AB12/34"]), ("SN-1l3A", ["SN-1l3A"]), ("ＡＢ－１２３", ["ＡＢ－１２３"]),
            // These are rejected.
            ("hello", []), ("12345", []), ("100MB", []), ("1080p", []), ("12PM", []), ("1920x1080", []), ("21st", []),
            ("2026-11-21T14:30", []), ("example1.com22", []), ("bob12@example.com", []), ("v1.2.3", []), ("mp34", []),
            ("Room12", []), ("WINDOWS-11", []), ("http://a1b2.example.com/c3", []), ("EUR12.50", []), ("A1", []),
            ("B2B4 ", ["B2B4"]),
            ("12kWh", []), ("SN 00123", []),
        ])
    func code(text: String, expected: [String]) throws {
        #expect(try find(.code, in: text) == expected)
    }
}
