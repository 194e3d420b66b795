import Testing
import TextSpotting
import Threads

@testable import Spotter

/// Boxes of lines that are read before the rest of the picture is.
@Suite struct PartialResultTests {
    private let time = FrameTime(index: 3, start: StreamTime(seconds: 0.12), duration: StreamTime(seconds: 0.04))

    private func line(_ text: String, y: Double) -> TextLine {
        let quad = Quad(Rect(x: 10, y: y, width: 100, height: 20))
        return TextLine(quad: quad, words: [TextWord(text: text, quad: quad, confidence: 0.99)], confidence: 0.99)
    }

    @Test func aLineThatMatchesIsThereBeforeTheReadingIs() throws {
        let latestBoxes = LatestBoxes()
        let partialResults = PartialResults(
            words: SearchedWords(try matcher("EXIT")), latestBoxes: latestBoxes, minimumScore: 0.5, bell: WakeEvent())
        partialResults.see(line("NOTHING", y: 0), at: time)
        #expect(latestBoxes.takePartialResult() == nil)
        partialResults.see(line("EXIT", y: 40), at: time)
        partialResults.see(line("EXIT", y: 80), at: time)
        let found = try #require(latestBoxes.takePartialResult()?.found)
        #expect(found.count == 2 && found.allSatisfy { $0.id < 0 })
        #expect(latestBoxes.takePartialResult() == nil, "said once")
        partialResults.see(line("EXIT", y: 120), at: time)
        #expect(latestBoxes.takePartialResult()?.found.count == 3)
    }

    @Test func theWholeReadingTakesItsPlace() throws {
        var boxes = DisplayedBoxes(timing: .tracked, maximumAge: StreamTime(seconds: 2))
        let match = try matcher("EXIT").matches(in: [line("EXIT", y: 40)])[0]
        let partialResult = LatestBoxes.PartialResult(found: [(-1, match)], time: time, revision: 0)
        #expect(boxes.boxes(on: time, nil, partialResult).map(\.id) == [-1])
        let reading = LatestBoxes.Reading(found: [(7, match)], time: time, picture: nil, isNewSearch: false)
        #expect(boxes.boxes(on: time, reading).map(\.id) == [7])
        // A line that is shown already is not shown twice.
        #expect(boxes.boxes(on: time, nil, partialResult).map(\.id) == [7])
    }
}
