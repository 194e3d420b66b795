import Errors
import Foundation
import GStreamerMedia
import TestSupport
import Testing
import TextMatching
import TextSpotting

@testable import Spotter

/// Plans as files, and pixels that are hidden.
@Suite struct HidingPlanTests {
    private func time(_ seconds: Double) -> StreamTime { StreamTime(seconds: seconds) }

    private func subject(
        width: Int = 640, height: Int = 360, duration: Double? = nil, file: HidingPlan.FileSum? = nil
    ) -> HidingPlan.Subject {
        HidingPlan.Subject(
            source: "a.mp4", width: width, height: height, duration: duration.map { StreamTime(seconds: $0) },
            file: file)
    }

    @Test func aPlanIsReadAsItWasWritten() throws {
        let quads = [Rect(x: 10.5, y: 20, width: 100, height: 30), Rect(x: 60, y: 25.5, width: 100, height: 30)].map {
            Quad($0)
        }
        var thing = HiddenThing(
            id: 1, reason: ":email", text: "a\"b", start: time(1.25), end: time(3.5),
            places: [.init(time: time(1.25), quad: quads[0]), .init(time: time(3), quad: quads[1])])
        thing.paths.append(
            HiddenPath(start: time(0.5), end: time(1.25), places: [.init(time: time(0.5), quad: quads[0])]))
        let plan = HidingPlan([thing])
        #expect(thing.start == time(0.5) && thing.end == time(3.5))
        for showsText in [true, false] {
            let lines = plan.lines(of: subject(), showsText: showsText)
            #expect(lines.joined().contains("a\\\"b") == showsText)
            var again = try HidingPlan(parsing: lines.joined(separator: "\n"), name: "p", for: subject())
            again.things[0].text = "a\"b"
            #expect(again == plan)
        }
        let lines = plan.lines(of: subject(), showsText: false).joined(separator: "\n")
        let error = #expect(throws: FramegrepError.self) {
            try HidingPlan(parsing: lines, name: "p", for: subject(width: 1280, height: 720))
        }
        #expect(error?.message.contains("640×360") == true)
    }

    @Test(arguments: [
        "[]", "7", "{\"start\":0}", "{\"start\":-1,\"end\":1,\"box\":[0,0,1,1]}",
        "{\"start\":0,\"end\":1e999,\"box\":[0,0,1,1]}",
        "{\"start\":0,\"end\":1,\"box\":[0,0,1]}", "{\"start\":0,\"end\":1,\"box\":[0,0,1e300,1]}",
        "{\"start\":0,\"end\":1,\"places\":[]}",
        "{\"start\":0,\"end\":1,\"places\":[{\"t\":0,\"quad\":[[0,0],[1,0],[1,1]]}]}",
        "{\"start\":0,\"end\":1,\"places\":[{\"t\":0,\"quad\":[[0,0],[1,0],[1,1],[0]]}]}",
        "{\"type\":\"hidden\",\"version\":99}", "{\"start\":0,\"end\":1,\"box\":[640,0,50,50]}",
        "{\"start\":0,\"end\":1,\"box\":[10,-50,50,50]}", "{\"start\":1e300,\"end\":1.7e308,\"box\":[0,0,9,9]}",
        "{\"start\":1,\"end\":1e300,\"box\":[0,0,9,9]}",
        "{\"start\":0,\"end\":1,\"places\":[{\"t\":1e300,\"quad\":[[0,0],[1,0],[1,1],[0,1]]}]}",
        "{\"start\":0,\"end\":1,\"places\":[{\"t\":0,\"quad\":[[5,5],[5,5],[5,5],[5,5]]}]}",
        "{\"start\":0,\"end\":1,\"places\":[{\"t\":0,\"quad\":[[0,0],[90,0],[0,40],[90,40]]}]}",
        "{\"start\":0,\"end\":1,\"places\":[{\"t\":1,\"quad\":[[0,0],[1,0],[1,1],[0,1]]},{\"t\":0,\"quad\":[[0,0],[1,0],[1,1],[0,1]]}]}",
        // Either would be passed over: what is hidden must be certain.
        "{\"start\":0,\"end\":1,\"box\":[0,0,9,9],\"places\":[{\"t\":0,\"quad\":[[0,0],[9,0],[9,9],[0,9]]}]}",
        // It turns by 180°, by which there is nothing of it halfway; and by a quarter with its corners the other way round.
        "{\"start\":0,\"end\":1,\"places\":[{\"t\":0,\"quad\":[[0,0],[90,0],[90,40],[0,40]]},{\"t\":1,\"quad\":[[90,40],[0,40],[0,0],[90,0]]}]}",
        "{\"start\":0,\"end\":1,\"places\":[{\"t\":0,\"quad\":[[0,0],[90,0],[90,40],[0,40]]},{\"t\":1,\"quad\":[[90,0],[0,0],[0,40],[90,40]]}]}",
    ])
    func nonsenseIsRefusedWithItsLine(line: String) {
        let error = #expect(throws: FramegrepError.self) {
            try HidingPlan(parsing: "# mine\n\(line)", name: "plan.jsonl", for: subject())
        }
        #expect(error?.code == .badArgument && error?.message.contains("plan.jsonl, line 2") == true)
    }

    /// Each of these would be passed over in whole or in part, while the copy looks as if the line had been followed.
    @Test(arguments: [
        // A share of the picture in place of pixels; a line; a point in between; less than a pixel of it in the picture.
        ("{\"start\":0,\"end\":1,\"box\":[0.1,0.1,0.2,0.2]}", "smaller than a pixel"),
        ("{\"start\":0,\"end\":1,\"box\":[10,10,300,0.5]}", "smaller than a pixel"),
        (
            "{\"start\":0,\"end\":2,\"places\":[{\"t\":0,\"quad\":[[0,0],[9,0],[9,9],[0,9]]},{\"t\":1,\"quad\":[[5,5],[5,5],[5,5],[5,5]]}]}",
            "smaller than a pixel"
        ),
        (
            "{\"start\":0,\"end\":2,\"places\":[{\"t\":0,\"quad\":[[0,0],[90,90],[90,90],[0,0]]}]}",
            "smaller than a pixel"
        ),
        ("{\"start\":0,\"end\":1,\"box\":[639.5,0,50,50]}", "nothing of the picture"),
        ("{\"type\":\"sighting\",\"start\":0,\"end\":1,\"box\":[0,0,9,9]}", "\"sighting\""),
        ("{\"type\":\"Hidden\",\"start\":0,\"end\":1,\"box\":[0,0,9,9]}", "\"Hidden\""),
        ("{\"type\":\"\",\"start\":0,\"end\":1,\"box\":[0,0,9,9]}", "its type"),
        ("{\"type\":\"plan\",\"start\":0,\"end\":1,\"box\":[0,0,9,9]}", "nothing is hidden"),
        ("{\"start\":0,\"end\":1,\"box\":[0,0,9,9],\"box\":[50,50,9,9]}", "\"box\" twice"),
        ("{\"start\":0, \"start\" :5,\"end\":9,\"box\":[0,0,9,9]}", "\"start\" twice"),
        (
            "{\"start\":0,\"end\":1,\"places\":[{\"t\":0,\"t\":1,\"quad\":[[0,0],[9,0],[9,9],[0,9]]}]}", "\"t\" twice"
        ),
        ("{\"type\":\"plan\",\"width\":1280}", "1280"), ("{\"type\":\"plan\",\"height\":720}", "720"),
    ])
    func whatWouldBePassedOverIsRefusedWithItsReason(line: String, reason: String) {
        let error = #expect(throws: FramegrepError.self) {
            try HidingPlan(parsing: "{\"type\":\"plan\"}\n\n\(line)", name: "plan.jsonl", for: subject())
        }
        let message = error?.message ?? ""
        #expect(message.contains("plan.jsonl, line 3") && message.contains(reason), "\(message)")
    }

    /// Texts that people write, with everything that JSON uses in it, are no keys.
    @Test(arguments: [
        "\"reason\":\"start\",\"text\":\"\\\"start\\\": \\\\\"", "\"text\":\"{\\\"box\\\":1,\\\"box\\\":2}\"",
        "\"type\":\"hidden\"",
        "\"text\":\"\u{301}e\",\"reason\":\"\u{301}e\"", "\"note\":{\"start\":1,\"end\":2}",
    ])
    func whatPeopleWriteBesideAPlaceIsTheirs(text: String) throws {
        let line = "{\(text),\"start\":0,\"end\":1,\"box\":[0,0,9,9]}"
        #expect(try HidingPlan(parsing: line, name: "p", for: subject()).things.count == 1)
    }

    /// Text that turns or comes nearer stays hidden on its way.
    @Test func whatTurnsAQuarterIsHiddenOnItsWay() throws {
        let quads =
            "[[0,0],[90,0],[90,40],[0,40]]},{\"t\":1,\"quad\":[[80,0],[80,90],[40,90],[40,0]]},{\"t\":2,\"quad\":[[0,0],[300,0],[300,120],[0,120]]}]}"
        let line = "{\"start\":0,\"end\":2,\"places\":[{\"t\":0,\"quad\":" + quads
        #expect(try HidingPlan(parsing: line, name: "p", for: subject()).things.count == 1)
    }

    @Test func aPlanOfAnotherRecordingIsRefused() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("one", to: "a")
        _ = try folder.write("two", to: "b")
        _ = try folder.write("longer", to: "c")
        let (a, b, c) = (
            HidingPlan.FileSum(ofFileAt: folder.file("a")), HidingPlan.FileSum(ofFileAt: folder.file("b")),
            HidingPlan.FileSum(ofFileAt: folder.file("c"))
        )
        let text = HidingPlan().lines(of: subject(duration: 3, file: a), showsText: false).joined()
        #expect(try HidingPlan(parsing: text, name: "p", for: subject(duration: 3, file: a)).isEmpty)
        for (other, reason) in [
            (subject(duration: 4, file: a), "4.0 s"), (subject(duration: 3, file: b), "another file"),
            (subject(duration: 3, file: c), "6"), (subject(width: 641, duration: 3, file: a), "641"),
        ] {
            let error = #expect(throws: FramegrepError.self) { try HidingPlan(parsing: text, name: "p", for: other) }
            #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
        }
        // An unknown value is not a difference.
        #expect(try HidingPlan(parsing: text, name: "p", for: subject()).isEmpty)
        #expect(HidingPlan.FileSum(ofFileAt: folder.file("none")) == nil)
    }

    /// The rest of a plan that could not be written must not make a copy that shows everything.
    @Test(arguments: ["", "\n\n", "# mine\n"]) func anEmptyFileIsNoPlan(text: String) {
        #expect(throws: FramegrepError.self) {
            try HidingPlan(parsing: text, name: "plan.jsonl", for: subject())
        }
    }

    /// As editors of other systems end lines.
    @Test(arguments: ["\n", "\r\n", "\r"]) func linesEndAsTheyLike(newline: String) throws {
        let lines = [
            "# mine", "{\"start\":0,\"end\":1,\"box\":[0,0,9,9]}", "{\"start\":1,\"end\":2,\"box\":[0,0,9,9]}",
        ]
        let plan = try HidingPlan(parsing: lines.joined(separator: newline), name: "p", for: subject())
        #expect(plan.things.map(\.start) == [.zero, time(1)])
    }

    /// A plan of a long recording is a file of many lines.
    @Test(.timeLimit(.minutes(1))) func manyThingsAreNumberedOneAfterTheOther() throws {
        let line = "{\"start\":0,\"end\":1,\"box\":[0,0,9,9]}\n"
        var plan = try HidingPlan(
            parsing: String(repeating: line, count: 40_000), name: "p", for: subject())
        plan.add([plan.things[0]])
        #expect(plan.things.map(\.id) == Array(1...40_001))
    }

    /// Only lines behind one another are one thing: a number that somebody wrote twice does not make a place less.
    @Test func linesOfOneNumberAreOneThing() throws {
        let lines = [1, 1, 2, 1, 0, 0].map { "{\"id\":\($0),\"start\":0,\"end\":1,\"box\":[0,0,9,9]}" }
        let plan = try HidingPlan(parsing: lines.joined(separator: "\n"), name: "p", for: subject())
        #expect(plan.things.map(\.paths.count) == [2, 1, 1, 1, 1] && plan.things.map(\.id) == [1, 2, 3, 4, 5])
    }

    @Test(arguments: HidingStyle.allCases) func nothingOfALetterIsLeft(style: HidingStyle) {
        // Stripes of two pixels, as strokes of letters are.
        let bytes = (0..<60).flatMap { _ in
            (0..<80).flatMap { x in Array(repeating: UInt8(x % 4 < 2 ? 230 : 20), count: 3) }
        }
        var picture = Picture(format: .rgb, width: 80, height: 60, bytes: bytes)
        let before = picture
        picture.hide([Quad(Rect(x: 20, y: 15, width: 40, height: 24))], style)
        for y in 0..<60 {
            for x in 0..<80 {
                let (was, now) = (before.bytes[(y * 80 + x) * 3], picture.bytes[(y * 80 + x) * 3])
                let isInside = (20..<60).contains(x) && (15..<39).contains(y)
                guard isInside else {
                    #expect(was == now)
                    continue
                }
                switch style {
                case .black: #expect(now == 0)
                case .pixelate, .blur: #expect(abs(Int(now) - 125) < 45, "\(style) \(x) \(y): \(now)")
                }
            }
        }
    }

    /// A bar that sits too high, or too low, leaves strokes of the letters bare: it goes on to where they end, and no further. Strokes that go on all around are no text.
    @Test(arguments: [(20, 50), (6, 40)]) func strokesThatReachOutOfABarAreHidden(top: Int, bottom: Int) {
        func picture(_ rows: Range<Int>) -> Picture {
            let bytes = (0..<80).flatMap { y in
                (0..<200).flatMap { x in
                    Array(
                        repeating: UInt8(rows.contains(y) && (40..<160).contains(x) && x % 10 < 4 ? 20 : 200), count: 3)
                }
            }
            return Picture(format: .rgb, width: 200, height: 80, bytes: bytes)
        }
        func hidden(_ picture: Picture) -> [Int] {
            var picture = picture
            picture.hide([Quad(Rect(x: 36, y: 14, width: 128, height: 28))], .black)
            return (0..<80).filter { y in (36..<164).allSatisfy { picture.bytes[(y * 200 + $0) * 3] == 0 } }
        }
        let text = hidden(picture(top..<bottom))
        #expect(text.contains(max(14, top)) && text.contains(top) && text.contains(bottom - 1), "\(text)")
        #expect(text.count <= max(42, bottom) - min(14, top) + 8, "\(text)")
        #expect(hidden(picture(0..<80)) == Array(14..<42))
    }

    @Test func whatTheEdgeCutsOffIsTakenForWhatItMayBe() throws {
        let picture = Rect(x: 0, y: 0, width: 640, height: 360)
        let texts = [":email", ":ip", ":phone", "Jane Doe", ":url"]
        let cut = CutLines(
            matcher: try SearchMode(kind: .plain, options: MatchOptions()).matcher(for: texts))
        func found(_ text: String, x: Double) -> [String] {
            let quad = Quad(Rect(x: x, y: 100, width: 200, height: 30))
            let words = text.split(separator: " ").map { TextWord(text: String($0), quad: quad, confidence: 0.9) }
            return cut.judgement(of: TextLine(quad: quad, words: words, confidence: 0.9), in: picture).patterns.map {
                texts[$0]
            }
        }
        #expect(found("peter.abernathy@exa", x: 442) == [":email"])
        #expect(found("peter.abernathy@exa", x: 300).isEmpty)
        #expect(found("192.168.1", x: 442).contains(":ip"))
        #expect(found("Jane D", x: 442) == ["Jane Doe"] && found("ane Doe", x: -3) == ["Jane Doe"])
        #expect(found("https:/intra.example.com/doe/124", x: 300) == [":url"])
        #expect(found("jane @ example.org", x: 300) == [":email"])
        #expect(found("Jan", x: 442).isEmpty && found("Settings", x: 442).isEmpty)
        #expect(found("+49", x: 442) == [":phone"] && found("4567", x: -3).contains(":phone"))
        #expect(found("567", x: 300).isEmpty && found("12:30", x: 442).isEmpty && found("$ 123", x: 442).isEmpty)
    }

    /// Text that is typed in a running picture is hidden from the first letter that may become a match.
    @Test(arguments: [
        ("j", [":email", "Jane Doe"]), ("mail to Ja", [":email", "Jane Doe"]), ("Jane D", [":email", "Jane Doe"]),
        ("4", [":email", ":card"]),
        ("hello", [":email"]), ("", []),
    ]) func aBeginningIsTakenForWhatItMayBecome(text: String, expected: [String]) throws {
        let texts = [":email", "Jane Doe", ":card"]
        let cut = CutLines(matcher: try SearchMode(kind: .plain).matcher(for: texts))
        let quad = Quad(Rect(x: 10, y: 10, width: 100, height: 20))
        let words = text.split(separator: " ").map { TextWord(text: String($0), quad: quad, confidence: 1) }
        let line = TextLine(quad: quad, words: words, confidence: 1)
        #expect(Set(cut.beginnings(in: line).map { texts[$0] }) == Set(expected))
    }

    /// The foot or the head of a line is cut off: its letters are read as others, so that what is not read surely is hidden.
    @Test(arguments: [342.0, -12, 334]) func whatTheEdgeCutsThroughIsHiddenUnlessItIsSure(y: Double) throws {
        let picture = Rect(x: 0, y: 0, width: 640, height: 360)
        let texts = [":email", ":plate", "Jane Doe"]
        let cut = CutLines(matcher: try SearchMode(kind: .plain).matcher(for: texts))
        func found(_ text: String, _ confidence: Double) -> [String] {
            let quad = Quad(Rect(x: 200, y: y, width: 200, height: 24))
            let words = text.split(separator: " ").map {
                TextWord(text: String($0), quad: quad, confidence: confidence)
            }
            let judgement = cut.judgement(of: TextLine(quad: quad, words: words, confidence: confidence), in: picture)
            return (judgement.patterns + judgement.doubtful).sorted().map { texts[$0] }
        }
        #expect(found("lana Doa", 0.72) == texts && found("innn donmn nmnin nmm", 0.77) == [":email", ":plate"])
        #expect(found("Settings", 0.99).isEmpty && found("lo", 0.7).isEmpty)
    }
}
