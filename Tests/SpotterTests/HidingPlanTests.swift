import Errors
import Foundation
import GStreamerMedia
import Testing
import TextMatching
import TextSpotting

@testable import Spotter

/// Plans as files, and pixels that are hidden.
@Suite struct HidingPlanTests {
    private func time(_ seconds: Double) -> StreamTime { StreamTime(seconds: seconds) }

    @Test func aPlanIsReadAsItWasWritten() throws {
        let quads = [Rect(x: 10.5, y: 20, width: 100, height: 30), Rect(x: 60, y: 25.5, width: 100, height: 30)].map {
            Quad($0)
        }
        let plan = HidingPlan([
            HiddenThing(
                id: 1, reason: ":email", text: "a\"b", start: time(1.25), end: time(3.5),
                places: [.init(time: time(1.25), quad: quads[0]), .init(time: time(3), quad: quads[1])])
        ])
        for showsText in [true, false] {
            let lines = plan.lines(source: "a.mp4", width: 640, height: 360, showsText: showsText)
            #expect(lines.joined().contains("a\\\"b") == showsText)
            var again = try HidingPlan(parsing: lines.joined(separator: "\n"), name: "p", width: 640, height: 360)
            again.things[0].text = "a\"b"
            #expect(again == plan)
        }
        let lines = plan.lines(source: "a.mp4", width: 640, height: 360, showsText: false).joined(separator: "\n")
        let error = #expect(throws: FramegrepError.self) {
            try HidingPlan(parsing: lines, name: "p", width: 1280, height: 720)
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
    ])
    func nonsenseIsRefusedWithItsLine(line: String) {
        let error = #expect(throws: FramegrepError.self) {
            try HidingPlan(parsing: "# mine\n\(line)", name: "plan.jsonl", width: 640, height: 360)
        }
        #expect(error?.code == .badArgument && error?.message.contains("plan.jsonl, line 2") == true)
    }

    /// What is left of a plan that could not be written must not make a copy that shows everything.
    @Test(arguments: ["", "\n\n", "# mine\n"]) func anEmptyFileIsNoPlan(text: String) {
        #expect(throws: FramegrepError.self) {
            try HidingPlan(parsing: text, name: "plan.jsonl", width: 640, height: 360)
        }
    }

    /// As editors of other systems end lines.
    @Test(arguments: ["\n", "\r\n", "\r"]) func linesEndAsTheyLike(newline: String) throws {
        let lines = [
            "# mine", "{\"start\":0,\"end\":1,\"box\":[0,0,9,9]}", "{\"start\":1,\"end\":2,\"box\":[0,0,9,9]}",
        ]
        let plan = try HidingPlan(parsing: lines.joined(separator: newline), name: "p", width: 640, height: 360)
        #expect(plan.things.map(\.start) == [.zero, time(1)])
    }

    /// A plan of a long recording is a file of many lines.
    @Test(.timeLimit(.minutes(1))) func manyThingsAreNumberedOneAfterTheOther() throws {
        let line = "{\"start\":0,\"end\":1,\"box\":[0,0,9,9]}\n"
        var plan = try HidingPlan(
            parsing: String(repeating: line, count: 40_000), name: "p", width: 640, height: 360)
        plan.add([plan.things[0]])
        #expect(plan.things.map(\.id) == Array(1...40_001))
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

    @Test func whatTheEdgeCutsOffIsTakenForWhatItMayBe() throws {
        let picture = Rect(x: 0, y: 0, width: 640, height: 360)
        let texts = [":email", ":ip", ":phone", "Jane Doe", ":url"]
        let cut = CutLines(
            matcher: try SearchMode(kind: .plain, options: MatchOptions()).matcher(for: texts))
        func found(_ text: String, x: Double) -> [String] {
            let quad = Quad(Rect(x: x, y: 100, width: 200, height: 30))
            let words = text.split(separator: " ").map { TextWord(text: String($0), quad: quad, confidence: 0.9) }
            return cut.patterns(in: TextLine(quad: quad, words: words, confidence: 0.9), of: picture).map { texts[$0] }
        }
        #expect(found("peter.abernathy@exa", x: 442) == [":email"])
        #expect(found("peter.abernathy@exa", x: 300).isEmpty)
        #expect(found("192.168.1", x: 442).contains(":ip"))
        #expect(found("Jane D", x: 442) == ["Jane Doe"] && found("ane Doe", x: -3) == ["Jane Doe"])
        #expect(found("https:/intra.example.com/doe/124", x: 300) == [":url"])
        #expect(found("jane @ example.org", x: 300) == [":email"])
        #expect(found("Jan", x: 442).isEmpty && found("Settings", x: 442).isEmpty)
    }
}
