import Testing
import TextSpotting

/// Joins lines over time into paragraphs.
@Suite struct TranscriptTests {
    private func line(
        _ text: String, _ start: Double, _ end: Double, x: Double = 100, y: Double = 100, width: Double = 300
    ) -> Sighting {
        let quad = Quad(Rect(x: x, y: y, width: width, height: 20))
        let frame = FrameTime(
            index: Int(start * 25), start: StreamTime(seconds: start), duration: StreamTime(seconds: 0.04))
        return Sighting(
            id: 1, patternIndex: 0, pattern: "", text: text, line: text, start: StreamTime(seconds: start),
            end: StreamTime(seconds: end), score: 1, peak: .init(time: frame, quad: quad))
    }

    private func texts(_ lines: [Sighting]) -> [String] { Transcript(lines).paragraphs.map(\.text) }

    @Test func linesThatGoOnInOneAnotherAreOneParagraph() throws {
        let lines = [
            line("ing to the second floor.", 0, 4, y: 124), line("Take the stairs lead-", 0, 4, y: 100),
            line("Lunch is at noon.", 0, 4, y: 400),
        ]
        #expect(texts(lines) == ["Take the stairs leading to the second floor.", "Lunch is at noon."])
        let first = try #require(Transcript(lines).paragraphs.first)
        #expect(first.start == .zero && first.end == StreamTime(seconds: 4))
    }

    @Test func columnsAreReadOneAfterTheOther() {
        let lines = [
            line("left one", 0, 4, x: 0, y: 100), line("right one", 0, 4, x: 600, y: 100),
            line("left two", 0, 4, x: 0, y: 124), line("right two", 0, 4, x: 600, y: 124),
        ]
        #expect(texts(lines) == ["left one left two", "right one right two"])
    }

    /// Lines that roll up are in reading order, whatever the heights at which they were read best.
    @Test(arguments: [[300, 100, 200], [100, 300, 200], [200, 100, 300], [100, 200, 300]])
    func linesThatRollUpAreInTheOrderOfTheirRows(readAt heights: [Double]) {
        let names = ["Written by", "Peter Okafor", "Music"]
        let lines = zip(names, heights).enumerated().map { number, row -> Sighting in
            let start = 0.3 * Double(number)
            // A hundred pixels a second, from the lower edge to the upper one.
            var line = self.line(row.0, start, start + 4, y: row.1)
            line.peak.time = FrameTime(
                index: 0, start: StreamTime(seconds: start + (400 - row.1) / 100), duration: StreamTime(seconds: 0.04))
            func quad(_ y: Double) -> Quad { Quad(Rect(x: 100, y: y, width: 300, height: 20)) }
            line.course = Sighting.Course(readTimes: line.start...line.end, first: quad(400), last: quad(0))
            return line
        }
        #expect(texts(lines).joined(separator: " ") == names.joined(separator: " "))
    }

    @Test func chineseLinesAreJoinedWithoutASpace() {
        #expect(texts([line("紧急出口", 0, 2), line("在左边", 0, 2, y: 124)]) == ["紧急出口在左边"])
    }

    @Test func whatIsReadTwiceIsSaidOnce() throws {
        let lines = [line("> gum choose", 1.5, 4, width: 150), line("> gum choose", 4.2, 5)]
        let paragraph = try #require(Transcript(lines).paragraphs.first)
        #expect(texts(lines) == ["> gum choose"])
        #expect(paragraph.start == StreamTime(seconds: 1.5) && paragraph.end == StreamTime(seconds: 5))
        // A text that comes back later is printed again.
        #expect(texts([line("Hello", 0, 2), line("Hello", 8, 9)]) == ["Hello", "Hello"])
        #expect(texts([line("OK.", 13, 15), line("OK.", 15.5, 17.5)]) == ["OK.", "OK."])
        // Typed text has been joined before; a text that contains the one before it is another.
        #expect(texts([line("What?", 1, 2), line("What? No!", 2, 4)]) == ["What?", "What? No!"])
    }

    @Test func whatStandsThereAllTheTimeIsLeftOutUnlessItIsAll() {
        let logo = line("ACME TV", 0, 60, x: 900, y: 20)
        #expect(
            texts([logo, line("Good evening", 2, 5), line("And now the weather", 30, 34)]) == [
                "Good evening", "And now the weather",
            ])
        let said = [logo, line("Good evening", 2, 5), line("And now the weather", 30, 34)]
        #expect(Transcript(said).leftOut.map(\.line) == ["ACME TV"])
        #expect(Transcript(said, of: .all).leftOut.isEmpty)
        #expect(texts([logo]) == ["ACME TV"] && Transcript([logo]).leftOut.isEmpty)
        // In a short recording everything stands there for most of it.
        #expect(texts([line("Good evening", 0, 5)]) == ["Good evening"])
    }

    @Test func whatIsCoveredFromTimeToTimeAndClocksStandThereToo() throws {
        let logo = [line("ACME TV", 0, 14, x: 900, y: 20), line("ACME TV", 20, 40, x: 900, y: 20)]
        let clock = (0..<40).map { line("At 10:\(10 + $0)", Double($0), Double($0 + 1), x: 20, y: 20, width: 80) }
        let said = line("Good evening", 2, 5)
        #expect(texts(logo + clock + [said]) == ["Good evening"])
        // Each place once, however many values a clock has had.
        #expect(Set(Transcript(logo + clock + [said]).leftOut.map { $0.line.prefix(2) }) == ["AC", "At"])
        #expect(Transcript(logo + clock + [said]).leftOut.count == 2)
        let all = Transcript(logo + clock + [said], of: .all).paragraphs
        let station = try #require(all.first { $0.text == "ACME TV" })
        #expect(station.start == .zero && station.end == StreamTime(seconds: 40))
        #expect(all.count == 42)
    }

    /// Does the same in a picture of 1280 by 720 pixels.
    private func placed(
        _ text: String, _ start: Double, _ end: Double, x: Double, y: Double, width: Double = 300, height: Double = 34
    ) -> Sighting {
        var line = line(text, start, end)
        line.peak.quad = Quad(Rect(x: x, y: y, width: width, height: height))
        line.picture = Point(1280, 720)
        return line
    }

    @Test func aSlideDoesNotStandThereAsALogoDoes() {
        let slide = [
            placed("Photosynthesis", 1, 15, x: 90, y: 90), placed("Light is turned into sugar", 1, 15, x: 90, y: 220),
            placed("Thank you", 16, 20, x: 90, y: 320),
        ]
        #expect(texts(slide) == ["Photosynthesis", "Light is turned into sugar", "Thank you"])
        // Large, or in the middle, or not to the end.
        let logo = placed("ACME TV", 0, 60, x: 1100, y: 30, width: 140)
        let others = [
            placed("HEADLINE", 0, 60, x: 100, y: 20, width: 900, height: 120), placed("DRAFT", 0, 60, x: 500, y: 340),
            placed("Monday", 0, 40, x: 1100, y: 660, width: 120),
        ]
        #expect(texts([logo] + others) == ["HEADLINE", "DRAFT", "Monday"])
    }

    @Test func thePoemIsSaidWhole() {
        let poem = (0..<9).map {
            placed("Line number \($0)", Double(3 * $0), 40, x: 60, y: 40 + 60 * Double($0), width: 200)
        }
        #expect(texts(poem) == poem.map(\.line))
    }

    @Test func lineBreaksOfThePictureAreKept() throws {
        let lines = [
            line("- Where were", 0, 4, x: 100, width: 140), line("you?", 0, 4, x: 250, width: 50),
            line("- At home.", 0, 4, y: 124),
        ]
        let paragraph = try #require(Transcript(lines).paragraphs.first)
        #expect(paragraph.text == "- Where were you? - At home." && paragraph.rows == "- Where were you?\n- At home.")
    }

    @Test func captionsAreWhatComesAndGoesInOneBand() {
        let captions = (0..<8).flatMap { number -> [Sighting] in
            let (start, end) = (3 * Double(number), 3 * Double(number) + 2.4)
            return [
                placed("This is said first \(number)", start, end, x: 450, y: 600, width: 380),
                placed("and this below it", start, end, x: 480, y: 645, width: 320),
            ]
        }
        let others = [
            placed("ACME TV", 0, 24, x: 1100, y: 30, width: 140), placed("BAKERY", 2, 9, x: 300, y: 200),
            placed("loud noise", 5, 5.3, x: 500, y: 600), placed("A sign that stands", 0, 24, x: 500, y: 640),
        ]
        let paragraphs = Transcript(others + captions, of: .captions).paragraphs
        #expect(paragraphs.map(\.rows) == (0..<8).map { "This is said first \($0)\nand this below it" })
        #expect(Transcript([], of: .captions).paragraphs.isEmpty)
    }

    @Test func whatIsShownLongerThanItStoodIsNotInTheWayOfTheNext() {
        let flashes = [
            line("ONE OF", 1, 1.04), line("MANY", 1.04, 1.08), line("WORDS", 1.08, 2), line("BELOW", 1.04, 2, y: 400),
        ]
        let paragraphs = Transcript(flashes).paragraphs.sorted { $0.start < $1.start }
        #expect(paragraphs.map(\.text) == ["ONE OF", "BELOW", "WORDS"])
        #expect(paragraphs.map(\.start.seconds) == [1, 1.04, 1.3] && paragraphs.map(\.end.seconds) == [1.3, 2, 2])
    }

    @Test func noiseIsLeftOutAndFlashesAreLongEnoughToBeShown() throws {
        let lines = [line("Y", 0, 3), line("—", 0, 3, y: 300), line("FLASH", 5, 5.04)]
        let paragraph = try #require(Transcript(lines).paragraphs.first)
        #expect(texts(lines) == ["FLASH"] && paragraph.end == StreamTime(seconds: 5.3))
        #expect(Transcript([]).paragraphs.isEmpty)
    }

    /// A page of text is joined in bounded time, however its lines come.
    @Test func theOrderOfTheLinesDoesNotMatter() {
        let lines = (0..<40).map { line("line number \($0)", 0, 4, y: 100 + 24 * Double($0)) }
        let expected = lines.map(\.line).joined(separator: " ")
        #expect(texts(lines) == [expected] && texts(lines.reversed()) == [expected])
    }
}
