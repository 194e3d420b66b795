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

    /// Returns the reports of lines that end one after the other, in the order of their ends.
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

    /// A caption in a box over a longer one, which comes back: it is as certain as the other and not a part of it.
    @Test func aTextOverALongerOneIsALineOfItsOwn() {
        let long = "HER BROTHER FIXES CLOCKS"
        let lines = [
            Self.line(1, long, 0, 4, score: 0.99), Self.line(2, "NO WAY", 1, 3, x: 180, score: 0.98),
        ]
        #expect(told(lines) == ["\(long) 0.0-4.0", "NO WAY 1.0-3.0"])
        #expect(told([lines[0], Self.line(2, "YES", 1, 3, x: 180, score: 0.98)]).count == 2)
        // A misread part of it is not a line.
        #expect(told([lines[0], Self.line(2, "BRATHEP", 1, 3, x: 140, score: 0.98)]) == ["\(long) 0.0-4.0"])
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
        // These were gone for longer than a blink, at another place at the same time, beside each other, or had other
        // words.
        [line(1, "STARRING", 0, 2), line(2, "STARRING", 3, 4)],
        [line(1, "EXIT", 0, 4), line(2, "EXIT", 0, 4, y: 300)],
        [line(1, "B", 0, 4, x: 500), line(2, "ABCD", 0, 4)],
        [line(1, "GATE 1", 0, 2), line(2, "GATE 2", 2, 4)],
        [line(1, "EXIT", 0, 2), line(2, "EXIT", 2, 4, x: 500, y: 500)],
    ])
    func whatIsNotOneStaysTwo(lines: [Sighting]) {
        #expect(told(lines).count == 2)
    }

    // MARK: Pieces

    /// Returns a line that moves to the left, read best in the middle of its time, with the letters of one width.
    private static func passing(
        _ id: Int, _ text: String, _ start: Double, _ end: Double, left: Double, cut: ClosedRange<Double> = 0...640
    ) -> Sighting {
        var line = line(id, text, start, end, score: 0.97)
        func quad(_ time: Double) -> Quad {
            // 100 pixels a second, from the right edge on.
            let x = left - 100 * time
            let (from, to) = (max(cut.lowerBound, x), min(cut.upperBound, x + Double(text.count) * 10))
            return Quad(Rect(x: from, y: 100, width: max(10, to - from), height: 20))
        }
        let middle = (start + end) / 2
        line.peak = .init(
            time: FrameTime(index: Int(middle * 25), start: seconds(middle), duration: seconds(0.04)),
            quad: quad(middle))
        line.course = Sighting.Course(readTimes: seconds(start)...seconds(end), first: quad(start), last: quad(end))
        return line
    }

    /// What comes in or goes out at an edge is read in part, with its last letters cut.
    @Test func piecesOfALineThatPassesAreThatLine() {
        let text = "Museum free on Sunday"
        let lines = [
            Self.passing(1, "Mus", 0.3, 0.8, left: 640), Self.passing(2, "Museum frt", 1, 2.1, left: 640),
            Self.passing(3, text, 2.6, 6.2, left: 640), Self.passing(4, "inday", 7, 7.6, left: 800),
        ]
        let all = told(lines)
        #expect(all.count == 1 && all.first?.hasPrefix(text) == true, "\(all)")
        // Other words in the row, and the same ones elsewhere in it, are lines of their own.
        #expect(told([lines[2], Self.passing(2, "Breaking", 1, 2.1, left: 640)]).count == 2)
        #expect(told([lines[2], Self.passing(2, "Museum", 1, 2.1, left: 300)]).count == 2)
        // Where nothing moves they are, too.
        #expect(
            told([Self.read(1, "Museum", 0, 2, read: 0...2), Self.read(2, text, 2.6, 4, read: 2.6...4)]).count == 2)
    }

    /// A cursor after the first letter is read as a letter.
    @Test func theFirstLetterWithACursorIsTheLineThatIsTyped() {
        let typed = Self.read(2, "Storm warning", 0.6, 5, read: 0.6...5)
        for text in ["SI", "Stl", "S|"] {
            let all = told([Self.read(1, text, 0.2, 0.5, read: 0.2...0.4), typed])
            #expect(all.count == 1 && all.first?.hasPrefix("Storm warning") == true, "\(text): \(all)")
        }
        #expect(told([Self.read(1, "SA", 0.2, 0.5, read: 0.2...0.4), typed]).count == 2)
    }

    /// A caption of a third of a second that more words replaced; one of some frames may be a
    /// misreading, and one at whose place the line begins may be typed.
    @Test(arguments: [(0.3, 60.0, 2), (0.12, 60, 1), (0.3, 100, 1)])
    func aShortCaptionInItsSuccessorIsALine(length: Double, x: Double, count: Int) {
        var lines = [
            Self.read(1, "Wait", 1, 1 + length, read: 1...1 + length),
            Self.read(2, "Wait for it", 1 + length, 2, read: 1 + length...2, x: x),
        ]
        let end = lines[0].end
        lines[0].course?.replacedAt = end
        lines[1].course?.replaced = [1]
        #expect(told(lines).count == count)
    }

    // MARK: One text at a place

    /// Returns a line with the frames in which it was read, and the places from which and to which it moved.
    private static func read(
        _ id: Int, _ text: String, _ start: Double, _ end: Double, read: ClosedRange<Double>, from: Double = 100,
        to: Double = 100, x: Double = 100, score: Double = 0.99
    ) -> Sighting {
        var line = line(id, text, start, end, x: x, score: score)
        func quad(_ y: Double) -> Quad { Quad(Rect(x: x, y: y, width: Double(text.count) * 10, height: 20)) }
        line.peak.quad = quad(from)
        line.course = Sighting.Course(
            readTimes: seconds(read.lowerBound)...seconds(read.upperBound), first: quad(from), last: quad(to))
        return line
    }

    @Test(arguments: [
        // These are half faded; disturbed by motion behind them; a state whose last letter was misread; or nothing
        // separate.
        [
            read(1, "Most of t#hese brds", 0, 0.2, read: 0...0, score: 0.88),
            read(2, "Most of these birds", 0.2, 4, read: 0.2...4),
        ],
        [
            read(1, "Press the green buttor", 0, 4, read: 1...4, score: 0.98),
            read(2, "Press the green button", 1, 2, read: 2...2),
        ],
        [
            read(1, "Everyone clapped I", 0, 1, read: 0...1, score: 0.97),
            read(2, "Everyone clapped loudly", 1.1, 4, read: 1.1...4),
        ],
        [
            read(1, "ocl", 0, 4, read: 2...2, x: 200, score: 0.8),
            read(2, "Her brother fixes clocks", 0, 4, read: 0...4),
        ],
        // Readers miss gaps, between numbers too.
        [
            read(1, "The harbor is closed today", 0, 2, read: 0...1.8, score: 0.99),
            read(2, "The harbor isclosed today", 2, 4, read: 2.2...4),
        ],
        [
            read(1, "2026-11-23 19:41:15", 0, 2, read: 0...1.8, score: 0.99),
            read(2, "2026-11-2319:41:15", 1, 2, read: 1.2...1.9),
        ],
        [read(1, "lhase mdg", 1, 4, read: 1...1, score: 0.66), read(2, "Keep the receipt", 2, 6, read: 2...6)],
    ])
    func readingsOfOneTextAreOne(lines: [Sighting]) {
        let best = lines.max { $0.score < $1.score }
        let all = told(lines)
        #expect(all.count == 1 && all.first?.hasPrefix(best?.line ?? "-") == true)
    }

    @Test(arguments: [
        [read(1, "Part A", 0, 2, read: 0...1.8), read(2, "Part B", 2, 4, read: 2...4)],
        [read(1, "The gate is open", 0, 2, read: 0...1.8), read(2, "The gate is shut", 2.1, 4, read: 2.2...4)],
        [read(1, "10:40:01", 0, 1, read: 0...0.8), read(2, "10:40:02", 1, 2, read: 1.2...1.8)],
    ])
    func textsThatFollowEachOtherAreTwo(lines: [Sighting]) {
        #expect(told(lines).count == 2)
    }

    /// Pictures showed that the second is another text, so nothing is joined across it with the first again.
    @Test func whatPicturesShowToBeAnotherTextIsTwo() {
        var lines = [
            Self.read(1, "What?", 1, 2, read: 1...1.8), Self.read(2, "What? No!", 2, 2.4, read: 2...2.2),
            Self.read(3, "What?", 2.4, 4, read: 2.4...3.8),
        ]
        for index in lines.indices {
            let end = lines[index].end
            lines[index].course?.replacedAt = index < 2 ? end : nil
            lines[index].course?.replaced = index > 0 ? [index] : []
        }
        #expect(told(lines) == ["What? 1.0-2.0", "What? No! 2.0-2.4", "What? 2.4-4.0"])
        // With nothing in between it blinked; half a second later it is a new line.
        #expect(told([Self.line(1, "OK.", 1, 2), Self.line(2, "OK.", 2.4, 3)]) == ["OK. 1.0-3.0"])
        #expect(told([Self.line(1, "OK.", 13, 15), Self.line(2, "OK.", 15.5, 17.5)]).count == 2)
    }

    /// However short: another number is no misreading of the one before, nor are both of its neighbors one.
    @Test(arguments: [
        ["5", "-5", "5"], ["-4", "4", "-4"], ["12.5 V", "-12.5 V", "12.5 V"], ["Lap 5", "Lap 6", "Lap 5"],
        ["7", "8", "7"], ["Room 20", "Room 201", "Room 20"], ["1.11.0", "11.1.0", "1.11.0"],
    ])
    func numbersThatPicturesShowForAMomentAreNotJoined(texts: [String]) {
        let lines = texts.enumerated().map { index, text in
            let start = 0.32 * Double(index)
            var line = Self.read(index + 1, text, start, start + 0.32, read: start...start + 0.2)
            if index > 0 { line.course?.replaced = [index] }
            if index < 2 { line.course?.replacedAt = Self.seconds(start + 0.32) }
            return line
        }
        #expect(told(lines).count == 3, "\(texts)")
    }

    /// The first was lost before another text came: until then the text read there is the same.
    @Test func whatCameBeforeTheOtherTextIsTheSame() {
        var lines = [
            Self.read(1, "It was buil", 1, 2, read: 1...1.5), Self.read(2, "It was bui", 2, 3, read: 2...3),
            Self.read(3, "It", 3, 4, read: 3...4),
        ]
        lines[0].course?.replacedAt = StreamTime(seconds: 3)
        lines[2].course?.replaced = [1, 2]
        #expect(told(lines) == ["It was buil 1.0-3.0", "It 3.0-4.0"])
    }

    /// Between two readings of the same letters there was nothing, whatever one of them was joined with.
    @Test func theSameLettersWithNothingInBetweenAreOne() {
        for second in [2.0, 1.2] {
            var lines = [
                Self.read(1, "Keep the receipt", 1, 2, read: 1...2),
                Self.read(2, "Keep thereceipt", second, 3, read: second...3),
            ]
            lines[0].course?.replacedAt = StreamTime(seconds: 2)
            lines[1].course?.replaced = [1]
            #expect(told(lines) == ["Keep the receipt 1.0-3.0"])
        }
    }

    @Test func theCleanLineWinsOverTheOneWithACursor() {
        let lines = [Self.line(1, "close of dayl", 0, 1, score: 0.95), Self.line(2, "close of day", 1, 60)]
        #expect(told(lines) == ["close of day 0.0-60.0"])
    }

    /// Even if they were read badly: pictures have shown that one replaced the other.
    @Test func numbersThatDifferInAMarkAreNotJoined() {
        for (one, other) in [("15 °C", "-15 °C"), ("12.8 V", "-12.8 V"), ("12.8 V", "128 V"), ("+7 m", "-7 m")] {
            for texts in [[one, other, one], [other, one, other]] {
                let lines = texts.enumerated().map { index, text in
                    let start = Double(index)
                    var line = Self.read(index + 1, text, start, start + 1, read: start...start + 0.9, score: 0.86)
                    if index > 0 { line.course?.replaced = [index] }
                    if index < 2 { line.course?.replacedAt = Self.seconds(start + 1) }
                    return line
                }
                #expect(told(lines) == texts.enumerated().map { "\($1) \(Double($0))-\(Double($0 + 1))" })
            }
        }
    }

    /// A point that was read badly at another place was there; one that was not read may have been.
    @Test(arguments: [
        ("2.71 °C", "27.1 °C", 3), ("12.5", "1.25", 3), ("2.71 °C", "271 °C", 1), ("12:30 h", "12.30 h", 1),
    ])
    func aPointThatMovesMakesAnotherNumberHoweverItWasRead(one: String, other: String, count: Int) {
        let lines = [one, other, one].enumerated().map { index, text in
            Self.line(index + 1, text, 0.4 * Double(index), 0.4 * Double(index + 1), score: 0.86)
        }
        #expect(told(lines).count == count, "\(one), \(other)")
    }

    /// The first letter of a line that is typed, read before the others came, or one in its middle.
    @Test func aLetterReadAsADigitBelongsToTheLineThatShowsIt() {
        for (mark, text) in [("1", "link not found"), ("l", "If it rains"), ("0", "Open today")] {
            let lines = [
                Self.line(1, mark, 0.4, 3.6, score: 0.91), Self.line(2, text, 0.6, 3.6, score: 0.99),
            ]
            #expect(told(lines) == ["\(text) 0.4-3.6"])
        }
        let middle = [
            Self.line(1, "ls -la /home", 0.4, 3.6, score: 0.99), Self.line(2, "1", 0.8, 3.6, x: 140, score: 0.91),
        ]
        #expect(told(middle) == ["ls -la /home 0.4-3.6"])
        // Digits that were over before the line came are texts of their own.
        #expect(told([Self.line(1, "1", 0, 1, score: 0.99), Self.line(2, "lift off", 1, 3)]).count == 2)
    }

    @Test func valuesOfOnePlaceShareNoTime() {
        let clock = [
            Self.read(1, "10:40:02", 1, 3.2, read: 2.2...2.8), Self.read(2, "10:40:03", 2.4, 4, read: 3...3.8),
            Self.read(3, "10:40:04", 1.6, 7, read: 4.2...4.8), Self.read(4, "10:40:05", 5, 6, read: 5...5.8),
            Self.read(5, "10:40", 0.5, 6, read: 1...5.6),
        ]
        #expect(
            told(clock) == [
                "10:40:02 1.0-3.0", "10:40:03 3.0-4.0", "10:40:04 4.0-5.0", "10:40:05 5.0-6.0",
            ])
    }

    /// The lower line moves up when the next one appears: they were never at one place at the same time.
    @Test func linesThatRollUpKeepTheirTimes() {
        let rolling = [
            Self.read(1, "The museum opens at nine", 0, 3.2, read: 0...0.4, from: 130, to: 100),
            Self.read(2, "as a young child", 1.6, 4.8, read: 1.8...2, from: 130, to: 100),
        ]
        #expect(told(rolling) == ["The museum opens at nine 0.0-3.2", "as a young child 1.6-4.8"])
    }

    /// Lines that resemble each other, each read best in the lower row.
    @Test(arguments: [
        ["First line here", "second line here", "third line here", "fourth line here"],
        ["He was the first", "She was the first", "It was the first", "I was the first"],
    ])
    func linesThatRollUpAreNotReadingsOfEachOther(texts: [String]) {
        let rolling = texts.enumerated().map { index, text in
            let start = 1.2 * Double(index)
            return Self.read(index + 1, text, start, start + 2.4, read: start...start + 1.4, from: 135, to: 100)
        }
        #expect(told(rolling).map { String($0.prefix { !$0.isNumber }) } == texts.map { $0 + " " })
    }

    @Test func twoHalvesOfALineAreOne() {
        let halves = [
            Self.read(1, "fixes clocks", 2, 4, read: 2...4, x: 215), Self.read(2, "Her brother", 2, 4, read: 2.4...4),
        ]
        #expect(told(halves) == ["Her brother fixes clocks 2.0-4.0"])
        let columns = [
            Self.read(1, "Total", 2, 4, read: 2...4, x: 240), Self.read(2, "Her brother", 2, 4, read: 2.4...4),
        ]
        #expect(told(columns).count == 2)
    }

    /// Letters that a reader sees in the background after a caption do not make the caption last longer.
    @Test func shapesThatLookLikeLettersOfALineDoNotProlongIt() {
        for text in ["L", "go", "口"] {
            let lines = [
                Self.read(1, "Let's go 口", 1, 2, read: 1...1.9),
                Self.read(2, text, 1.2, 3, read: 2.2...2.8, score: 0.69),
            ]
            #expect(told(lines) == ["Let's go 口 1.0-2.0"])
        }
    }

    @Test func shapesThatLookLikeLettersAreLeftOutOfRecordings() {
        let noise = [Self.line(1, "口", 0, 9, score: 0.89), Self.line(2, "ID", 1, 3, y: 300, score: 0.56)]
        #expect(told(noise).isEmpty)
        #expect(told(noise, keepsStates: true).count == 2)
        var still = WholeLines(keepsStates: false)
        #expect(still.take(noise, open: [], at: .zero).isEmpty)
        #expect(still.finish(isStill: true).count == 2)
    }

    /// A word of two Hangul letters is read as one or two doubtful letters. It stays, so that it is counted as left out.
    @Test(arguments: [(Float(29), true), (9, true), (8, false), (-6, false)])
    func shortWordsInOtherScriptsAreNoShapes(evidence: Float, stays: Bool) {
        for (text, score) in [("I", 0.23), ("%子", 0.66), ("对竺", 0.49), ("!", 0.4)] {
            var line = Self.line(1, text, 1, 3, score: score)
            line.otherScripts = [-20, evidence, -20]
            #expect(told([line]).isEmpty != stays, "\(text)")
        }
    }
}
