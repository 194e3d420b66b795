import Foundation
import Testing

@testable import TextSpotting

/// From texts over time to the table of a place.
@Suite struct ValueTableTests {
    private func text(
        _ line: String, _ start: Double, _ end: Double, x: Double = 40, y: Double = 20, width: Double? = nil,
        height: Double = 20,
        score: Double = 0.9
    ) -> Sighting {
        let quad = Quad(Rect(x: x, y: y, width: width ?? Double(line.count) * 12, height: height))
        let time = FrameTime(index: 0, start: StreamTime(seconds: start), duration: StreamTime(seconds: end - start))
        return Sighting(
            id: 1, patternIndex: 0, pattern: "", text: line, line: line, start: StreamTime(seconds: start),
            end: StreamTime(seconds: end), score: score, peak: Sighting.Box(time: time, quad: quad))
    }

    private func rows(_ texts: [Sighting], _ kind: ValueKind? = nil) -> [String] {
        ValueTable(of: ValueRegion(all: texts), kind: kind, minimumScore: 0.5).rows.map {
            "\($0.start.seconds)-\($0.end.seconds) \($0.text)"
        }
    }

    @Test func eachValueIsARowAndGapsAreGaps() {
        let table = [text("42 km/h", 0, 1), text("43 km/h", 1, 2), text("44 km/h", 4, 5), text("9", 6, 7, score: 0.2)]
        #expect(rows(table) == ["0.0-1.0 42 km/h", "1.0-2.0 43 km/h", "4.0-5.0 44 km/h"])
        let row = ValueTable(of: ValueRegion(all: table), kind: .number, minimumScore: 0.5).rows.first
        #expect(row?.value == 42 && row?.unit == "km/h")
    }

    /// The number was not read in the first frames of a value.
    @Test func aUnitAloneForAMomentBelongsToTheNextValue() {
        let table = [text("56 km/h", 0, 0.12), text("km/h", 0.12, 0.2), text("57 km/h", 0.2, 0.24)]
        #expect(rows(table) == ["0.0-0.12 56 km/h", "0.12-0.24 57 km/h"])
        #expect(rows(table, .number) == ["0.0-0.12 56 km/h", "0.12-0.24 57 km/h"])
        let standing = [text("56 km/h", 0, 1), text("km/h", 1, 2), text("57 km/h", 2, 3)]
        #expect(rows(standing) == ["0.0-1.0 56 km/h", "1.0-2.0 km/h", "2.0-3.0 57 km/h"])
    }

    /// The first reading of a number that gained a digit is made in the box of the number before.
    @Test(arguments: [("9", "10", "1"), ("99", "100", "10"), ("9.9", "10.0", "0.0"), ("-9", "-10", "-1")])
    func aPartOfAValueIsNoValue(before: String, value: String, part: String) {
        let other = text(part, 1, 1.28, x: value.hasPrefix(part) ? 40 : 52)
        let expected = ["0.0-1.0 \(before)", "1.0-2.0 \(value)"]
        #expect(rows([text(before, 0, 1), other, text(value, 1, 2)], .number) == expected)
        // One that was there before is a value of its own.
        let values = [text(part, 0, 1), text(value, 1, 2)]
        #expect(rows(values, .number).count == 2)
    }

    @Test func theSameValueAgainIsOneRow() {
        #expect(rows([text("7", 0, 1), text("7", 1.1, 2), text("7", 3, 4)]) == ["0.0-2.0 7", "3.0-4.0 7"])
        #expect(rows([text("7.5", 0, 1), text("75", 1, 1.4), text("7.6", 1.4, 3)]) == ["0.0-1.4 7.5", "1.4-3.0 7.6"])
    }

    @Test func aPointThatStaysAwayMakesAnotherNumber() {
        #expect(rows([text("12.5 mg", 0, 1), text("125 mg", 1, 2)]) == ["0.0-1.0 12.5 mg", "1.0-2.0 125 mg"])
        let rising = [text("7.5", 0, 1), text("75", 1, 2), text("80", 2, 3)]
        #expect(rows(rising) == ["0.0-1.0 7.5", "1.0-2.0 75", "2.0-3.0 80"])
        #expect(rows([text("7.5", 0, 1), text("75", 1, 1.2), text("7.5", 1.2, 3)]) == ["0.0-3.0 7.5"])
    }

    /// Pictures have told them apart: the same digits with the point elsewhere are another number, however near the next value is.
    @Test(arguments: [("12.5", "1.25"), ("125", "12.5"), ("12.5", "125"), ("3.14", "31.4"), ("-4", "4"), ("1,5", "15")])
    func aPointThatMovesMakesAnotherNumber(one: String, other: String) {
        #expect(
            rows([text(one, 0, 1), text(other, 1, 2), text(one, 2, 3)], .number)
                == ["0.0-1.0 \(one)", "1.0-2.0 \(other)", "2.0-3.0 \(one)"])
    }

    /// Versions, addresses and dates are no numbers, so only the marks tell them apart.
    @Test(arguments: [
        ("1.11.0", "11.1.0"), ("v1.11.0", "v11.1.0"), ("10.0.11.1", "10.0.1.11"), ("1/11", "11/1"),
    ])
    func aMarkThatMovesMakesAnotherCode(one: String, other: String) {
        #expect(rows([text(one, 0, 1), text(other, 1, 2)]) == ["0.0-1.0 \(one)", "1.0-2.0 \(other)"])
        // Readers miss marks, and gaps.
        let missed = String(one.filter { $0.isLetter || $0.isNumber })
        #expect(rows([text(one, 0, 1), text(missed, 1, 1.2), text(one, 1.2, 2)]) == ["0.0-2.0 \(one)"])
    }

    @Test func ofACounterWhatGoesBackForAMomentIsADrum() {
        let drum = [
            ("17", 0, 1), ("18", 1, 2), ("13", 2, 2.3), ("19", 2.3, 3.2), ("20", 3.2, 4), ("21", 4, 5), ("22", 5, 6),
        ]
        let texts = drum.map { text($0.0, $0.1, $0.2) }
        #expect(rows(texts, .number).map { $0.split(separator: " ")[1] } == ["17", "18", "19", "20", "21", "22"])
        // A value that rises and falls is not a counter.
        let speeds = [
            ("17", 0, 1), ("18", 1, 2), ("13", 2, 2.3), ("19", 2.3, 3.2), ("16", 3.2, 4), ("21", 4, 5), ("22", 5, 6),
        ]
        #expect(rows(speeds.map { text($0.0, $0.1, $0.2) }, .number).count == 7)
    }

    @Test func aStrokeOfTheGroundIsNoSignOfACounter() {
        let rising = [
            ("47", 0, 1), ("48", 1, 2), ("49", 2, 2.6), ("-49", 2.6, 3), ("50", 3, 4), ("-51", 4, 4.4), ("51", 4.4, 5),
            ("52", 5, 6),
        ]
        #expect(
            rows(rising.map { text($0.0, $0.1, $0.2) }, .number) == [
                "0.0-1.0 47", "1.0-2.0 48", "2.0-3.0 49", "3.0-4.0 50", "4.0-5.0 51", "5.0-6.0 52",
            ])
        // What stays for longer was there.
        let long = [("47", 0, 1), ("48", 1, 2), ("-48", 2, 3), ("49", 3, 4), ("50", 4, 5), ("51", 5, 6)]
        #expect(rows(long.map { text($0.0, Double($0.1), Double($0.2)) }, .number).count == 6)
        // A counter that passes zero has signs.
        let falling = ["3", "2", "1", "-1", "-2", "-3"].enumerated()
        #expect(rows(falling.map { text($1, Double($0), Double($0) + 1) }, .number).count == 6)
    }

    @Test func rowsAtWhichAValueMayBeMissingAreMarked() {
        var table = ValueTable(
            of: ValueRegion(all: [text("1", 0, 1), text("2", 1, 2), text("3", 3, 4)]), kind: .number, minimumScore: 0)
        table.mark(skippedAt: [StreamTime(seconds: 1.5), StreamTime(seconds: 2.5)])
        #expect(table.rows.map(\.isAfterSkip) == [false, true, true])
    }

    @Test func whereTheWordIsTheLastOfItsLineNothingStandsBehindIt() {
        var label = text("HOME 1 - 0 AWAY", 0, 1, width: 180)
        (label.text, label.peak.quad) = ("AWAY", Quad(Rect(x: 172, y: 20, width: 48, height: 20)))
        let texts = [text("HOME 1 - 0 AWAY", 0, 1, width: 180), text("HOME 1 - 0 AWAV", 1, 2, width: 180)]
        #expect(ValueRegion.near([label], in: texts) { ReadValue.likelyKind(of: $0) != nil } == nil)
    }

    @Test func blinkingColonsBreakNoValue() {
        let clock = [
            text("12:30", 0, 0.5), text("12 30", 0.5, 1), text("12:30", 1, 1.5), text("1231", 1.5, 2),
            text("12:31", 2, 2.5),
        ]
        #expect(rows(clock) == ["0.0-1.5 12:30", "1.5-2.5 12:31"])
        // Two pieces while the colon is off.
        let pieces = [text("12:30", 0, 1), text("12", 1, 2, width: 24), text("30", 1, 2, x: 76, width: 24)]
        #expect(rows(pieces) == ["0.0-2.0 12:30"])
    }

    @Test func ofALineItIsWhatChanges() {
        let camera = (0..<4).map { text("CAM 01 2026-11-23 19:41:1\($0) 25 fps", Double($0), Double($0 + 1)) }
        #expect(rows(camera).first == "0.0-1.0 19:41:10")
        let counters = (0..<4).map { text("LAP 3 \(70 + $0) PIT 2", Double($0), Double($0 + 1)) }
        #expect(rows(counters, .number) == (0..<4).map { "\(Double($0))-\(Double($0 + 1)) \(70 + $0)" })
    }

    @Test func otherTextsThanTheKindAreLeftOutOnlyWhenItIsAskedFor() {
        let texts = [text("41", 0, 1), text("ERR", 1, 2), text("43", 2, 3)]
        #expect(rows(texts) == ["0.0-1.0 41", "1.0-2.0 ERR", "2.0-3.0 43"])
        #expect(rows(texts, .number) == ["0.0-1.0 41", "2.0-3.0 43"])
    }

    @Test func stepsSayWhatWasThereThen() {
        let table = ValueTable(
            of: ValueRegion(all: [text("1", 0, 1.5), text("2", 2.5, 4)]), kind: .number, minimumScore: 0)
        let steps = table.stepped(every: StreamTime(seconds: 1), from: .zero, to: StreamTime(seconds: 4.5))
        #expect(steps.map(\.text) == ["1", "1", "", "2", ""])
        #expect(steps.map(\.end.seconds) == [1, 2, 3, 4, 4.5])
        #expect(steps[2].value == nil)
    }

    // MARK: Places

    private var telemetry: [Sighting] {
        (0..<6).flatMap { step -> [Sighting] in
            let (start, end) = (Double(step), Double(step + 1))
            return [
                text("Speed", start, end, x: 20, y: 20), text("\(40 + step)", start, end, x: 100, y: 18),
                text("km/h", start, end, x: 128, y: 20), text("ALT \(110 + step / 3) m", start, end, x: 400, y: 20),
                text("HOME", start, end, x: 20, y: 100), text("\(step / 2)", start, end, x: 30, y: 126, height: 30),
            ]
        }
    }

    private func near(_ word: String) -> [String]? {
        let labels = telemetry.filter { $0.line.contains(word) }.map { sighting -> Sighting in
            var label = sighting
            label.text = word
            label.peak.quad = Quad(
                Rect(
                    x: sighting.peak.quad.bounds.minX, y: sighting.peak.quad.bounds.minY,
                    width: Double(word.count) * 12, height: 20))
            return label
        }
        return ValueRegion.near(labels, in: telemetry) { ReadValue.likelyKind(of: $0) != nil }.map {
            ValueTable(of: $0, kind: .number, minimumScore: 0).rows.map(\.text)
        }
    }

    @Test func theValueStandsBesideItsWordOrBelow() {
        #expect(near("Speed") == (40..<46).map { "\($0) km/h" })
        #expect(near("ALT") == ["110 m", "111 m"])
        #expect(near("HOME") == ["0", "1", "2"])
        #expect(near("km/h") == ["110 m", "111 m"] || near("km/h") == nil)
    }

    @Test func aLineReadWithItsValueAtTimesIsNotTheValue() {
        let label = text("UPTIME", 1, 6, x: 20)
        let texts =
            [text("UPTIME 09:59:58", 0, 1, x: 20), label]
            + (1..<6).map { text("09:59:5\($0)", Double($0), Double($0 + 1), x: 104) }
        let place = ValueRegion.near([label], in: texts) { ReadValue.likelyKind(of: $0) != nil }
        let rows = place.map { ValueTable(of: $0, kind: nil, minimumScore: 0).rows } ?? []
        #expect(rows.map(\.start.seconds) == [0, 1, 2, 3, 4, 5])
    }

    @Test func withoutAWordItIsThePlaceThatChangesMost() throws {
        guard case .one(let place, let others) = ValueRegion.choose(from: telemetry) else {
            Issue.record("there is one")
            return
        }
        #expect(ValueTable(of: place, kind: nil, minimumScore: 0).rows.map(\.text) == (40..<46).map(String.init))
        #expect(others.count == 2)
        guard case .nothing = ValueRegion.choose(from: []) else {
            Issue.record("nothing was read")
            return
        }
        guard case .several(let places) = ValueRegion.choose(from: [text("1", 0, 1), text("2", 0, 1, x: 300)]) else {
            Issue.record("none changes")
            return
        }
        #expect(places.count == 2)
    }

    @Test func aPlaceWithoutAValueOfTheKindIsNotChosen() throws {
        let clock = [text("09:59", 0, 3, x: 20, y: 200), text("10:00", 3, 6, x: 20, y: 200)]
        let texts = telemetry + clock + [text("EXIT", 0, 6, x: 500, y: 200)]
        guard case .one(let place, let others) = ValueRegion.choose(from: texts, kind: .time) else {
            Issue.record("there is one")
            return
        }
        #expect(place.texts.map(\.line) == clock.map(\.line) && others.isEmpty)
        guard case .nothing = ValueRegion.choose(from: texts, kind: .money) else {
            Issue.record("there is no amount of money")
            return
        }
    }

    @Test func aLineThatWasReadTogetherGivesEachPlaceItsWords() {
        var texts: [Sighting] = []
        for step in 0..<5 {
            let (start, end) = (Double(step), Double(step + 1))
            texts += [text("\(10 + step)", start, end, x: 40), text("\(90 - step)", start, end, x: 240)]
        }
        texts.removeLast(2)
        texts.append(text("14                86", 4, 5, x: 40, width: 224))
        let tables = ValueRegion.all(of: texts).map {
            ValueTable(of: $0, kind: .number, minimumScore: 0).rows.map(\.text)
        }
        #expect(tables.contains((10..<15).map(String.init)))
        #expect(tables.contains((86...90).reversed().map(String.init)))
    }

    /// The value that was there longest is the narrowest.
    @Test(arguments: [
        ["7", "77", "777"], ["9", "10", "100"], ["5", "-5", "-555"], ["9 m", "10 m", "1000 m"], ["9%", "100%", "9%"],
        ["$9", "$99", "$999.99"],
    ])
    func aValueThatOutgrowsItsPlaceIsReadWhole(values: [String]) throws {
        for share in [0, 0.5, 1] {
            let texts = values.enumerated().map { index, value in
                let start = index == 0 ? 0 : Double(index) + 8
                return text(value, start, Double(index) + 9, x: 200 - share * 12 * Double(value.count))
            }
            let place = try #require(ValueRegion.all(of: texts).first)
            #expect(ValueTable(of: place, kind: nil, minimumScore: 0).rows.map(\.text) == values, "\(share)")
            #expect(texts.allSatisfy { place.bounds.union($0.peak.quad.bounds) == place.bounds }, "\(share)")
        }
    }

    // MARK: The picture

    @Test func thePictureIsXMLWithStepsAndTicks() throws {
        let rows = [
            ValueRow(start: .zero, end: StreamTime(seconds: 1), text: "1", value: 1, unit: "<V>", score: 1),
            ValueRow(
                start: StreamTime(seconds: 1), end: StreamTime(seconds: 2), text: "3", value: 3, unit: "<V>", score: 1),
            ValueRow(
                start: StreamTime(seconds: 3), end: StreamTime(seconds: 4), text: "2", value: 2, unit: "<V>", score: 1),
        ]
        let svg = ValuePlot(rows, title: "a & b\u{1B}<script>.mp4", from: .zero, to: StreamTime(seconds: 4)).text
        #expect(svg.contains("<title>a &amp; b&lt;script&gt;.mp4</title>"))
        #expect(svg.contains("&lt;V&gt;") && !svg.contains("<V>") && !svg.contains("\u{1B}"))
        let path = try #require(svg.firstMatch(of: #/<path d="(M72 [^"]*)" fill="none" stroke="steelblue"/#)?.1)
        // Two pieces: the second value follows at once, the third does not.
        #expect(path.filter { $0 == "M" }.count == 2 && path.filter { $0 == "V" }.count == 1, "\(path)")
    }

    @Test func ticksAreRoundNumbers() {
        #expect(ValuePlot.ticks(0...10) == [0, 2, 4, 6, 8, 10])
        #expect(ValuePlot.ticks(-0.4...0.4).allSatisfy { abs($0 * 10 - ($0 * 10).rounded()) < 1e-9 })
        #expect(ValuePlot.ticks(5...5) == [5])
        #expect(ValuePlot.ticks(1e300...1.1e300).count < 21)
    }

    @Test func aPictureOfNothingIsAPictureToo() {
        let svg = ValuePlot([], title: "", from: .zero, to: .zero).text
        #expect(svg.hasPrefix("<?xml") && svg.hasSuffix("</svg>"))
    }
}
