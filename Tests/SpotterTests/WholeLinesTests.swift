import Testing
import TextSpotting

@testable import Spotter

/// Lines of `--all-text` in the order of time, each once.
@Suite struct WholeLinesTests {
    private static func seconds(_ seconds: Double) -> StreamTime {
        StreamTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    private static func line(
        _ id: Int, _ text: String, _ start: Double, _ end: Double, x: Double = 100, y: Double = 100, score: Double = 0.9
    ) -> Sighting {
        let time = FrameTime(index: Int(start * 25), start: seconds(start), duration: seconds(0.04))
        return Sighting(
            id: id, patternIndex: 0, pattern: "", text: text, line: text, start: seconds(start), end: seconds(end),
            score: score,
            peak: .init(time: time, quad: Quad(Rect(x: x, y: y, width: Double(text.count) * 10, height: 20))))
    }

    /// What is told of lines that are over one after the other, in the order of their ends.
    private func told(_ lines: [Sighting], keepsStates: Bool = false) -> [String] {
        var whole = WholeLines(keepsStates: keepsStates)
        var told: [Sighting] = []
        let ordered = lines.sorted { ($0.end, $0.id) < ($1.end, $1.id) }
        for (index, line) in ordered.enumerated() {
            let open = ordered[(index + 1)...].filter { $0.start <= line.end }
            told += whole.take([line], open: Array(open), at: line.end + Self.seconds(0.6))
        }
        told += whole.finish()
        #expect(told.map(\.start) == told.map(\.start).sorted())
        return told.map { "\($0.line) \($0.start.seconds)-\($0.end.seconds)" }
    }

    @Test func linesComeInTheOrderInWhichTheyBegan() {
        let lines = [
            Self.line(1, "TITLE", 0, 60), Self.line(2, "SECOND", 1, 3, y: 200), Self.line(3, "THIRD", 2, 2.5, y: 300),
        ]
        #expect(told(lines) == ["TITLE 0.0-60.0", "SECOND 1.0-3.0", "THIRD 2.0-2.5"])
    }

    @Test func aLineIsToldWhenNothingBeforeItGoesOn() {
        var whole = WholeLines(keepsStates: false)
        let first = Self.line(1, "FIRST", 0, 1)
        #expect(whole.take([first], open: [], at: Self.seconds(2)).isEmpty)
        #expect(whole.take([], open: [Self.line(2, "NEXT", 1, 8, y: 200)], at: Self.seconds(8)).map(\.id) == [1])
        #expect(whole.finish().isEmpty)
    }

    @Test func whatIsTypedIsToldOnceAndWhole() {
        let typed = [
            Self.line(1, "B", 0, 0.4, x: 130), Self.line(2, "CD", 0.2, 0.9, x: 150), Self.line(3, "A BCDE", 0.8, 9),
        ]
        #expect(told(typed) == ["A BCDE 0.0-9.0"])
        #expect(told(typed, keepsStates: true).count == 3)
    }

    @Test func whatScrollsAndIsFoundAgainIsOne() {
        let lines = [Self.line(1, "STARRING", 0, 2, y: 400), Self.line(2, "STARRING", 2.2, 4, y: 200)]
        #expect(told(lines) == ["STARRING 0.0-4.0"])
    }

    @Test(arguments: [
        // Gone for longer than the blink of an eye; at another place at the same time; beside each other; other words.
        [line(1, "STARRING", 0, 2), line(2, "STARRING", 3, 4)],
        [line(1, "EXIT", 0, 4), line(2, "EXIT", 0, 4, y: 300)],
        [line(1, "B", 0, 4, x: 500), line(2, "ABCD", 0, 4)],
        [line(1, "GATE 1", 0, 2), line(2, "GATE 2", 2, 4)],
        [line(1, "EXIT", 0, 2), line(2, "EXIT", 2, 4, x: 500, y: 500)],
    ])
    func whatIsNotOneStaysTwo(lines: [Sighting]) {
        #expect(told(lines).count == 2)
    }
}
