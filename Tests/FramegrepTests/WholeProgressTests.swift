import Testing
import TextSpotting

@testable import framegrep

/// The remaining time of several inputs, by their sizes.
@Suite struct WholeProgressTests {
    @Test func itIsThatOfTheBytesThatAreLeft() throws {
        let whole = try #require(WholeProgress(sizes: [1000, 3000]))
        #expect(whole.remaining(after: .seconds(10)) == nil)
        whole.part(0).update(0.5)
        #expect(whole.remaining(after: .seconds(1)) == nil, "the engine is loaded then")
        #expect(whole.remaining(after: .seconds(10)) == 70)
        // A part does not go back, and a value that is not a number is ignored.
        whole.part(0).update(0.25)
        whole.part(0).update(.nan)
        #expect(whole.remaining(after: .seconds(10)) == 70)
        whole.part(0).end()
        whole.part(1).update(7)
        #expect(whole.remaining(after: .seconds(10)) == 0)
    }

    @Test(arguments: [[], [1000], [1000, nil], [0, 0]] as [[Int64?]]) func whatHasNoSizeSaysNothing(sizes: [Int64?]) {
        #expect(WholeProgress(sizes: sizes) == nil)
    }

    @Test func itStandsBehindThatOfTheInputWhereThereIsRoom() {
        var text = ProgressText(
            place: "2 of 3  ", name: "lobby.mp4", position: StreamTime(seconds: 30), total: StreamTime(seconds: 60),
            elapsed: 10)
        #expect(text.line(columns: 100).hasSuffix("50%  00:00:30.000  3.0× real time  0:10 left"))
        text.wholeRemaining = 754.2
        #expect(text.line(columns: 120).hasSuffix("3.0× real time  0:10 left  12:35 in all"))
        #expect(text.line(columns: 70).hasSuffix("─  50%  0:10 left  12:35 in all"))
        #expect(text.line(columns: 45).hasSuffix("50%  0:10 left"))
        // All parts never take less time than one of them.
        text.wholeRemaining = 3
        #expect(text.line(columns: 120).hasSuffix("0:10 left  0:10 in all"))
    }
}
