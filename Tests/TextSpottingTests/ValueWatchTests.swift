import Testing
import TextMatching

@testable import TextSpotting

/// The values of a place while it is being read.
struct ValueWatchTests {
    /// Returns a line of these words, as a reader does.
    private func line(_ text: String, x: Double, y: Double, confidence: Double = 0.98) -> TextLine {
        let width = Double(text.count) * 12
        let quad = Quad(Rect(x: x, y: y, width: width, height: 20))
        let words = text.split(separator: " ")
        let spans = words.map { word -> TextWord in
            let start = Double(text.distance(from: text.startIndex, to: word.startIndex))
            return TextWord(
                text: String(word),
                quad: Quad(Rect(x: x + start * 12, y: y, width: Double(word.count) * 12, height: 20)),
                confidence: confidence)
        }
        return TextLine(quad: quad, words: spans, confidence: confidence)
    }

    /// Feeds readings ten times a second, each with the lines of its moment; without pictures.
    private func changes(
        _ watch: inout ValueWatch, _ seconds: Range<Double>, tracker: inout TextTracker, _ lines: (Double) -> [TextLine]
    ) -> [ValueWatch.Change] {
        var all: [ValueWatch.Change] = []
        for number in Int((seconds.lowerBound * 10).rounded())..<Int((seconds.upperBound * 10).rounded()) {
            let time = FrameTime(
                index: number, start: StreamTime(seconds: Double(number) / 10), duration: StreamTime(seconds: 0.1))
            tracker.add(lines(Double(number) / 10), in: nil, at: time)
            all += watch.take(tracker.visible, at: time, frames: [])
        }
        return all
    }

    private func matcher(_ word: String) throws -> Matcher { Matcher(patterns: [try Pattern(text: word)]) }

    private func now(_ changes: [ValueWatch.Change]) -> [String] {
        changes.compactMap { if case .now(let row) = $0 { row.text } else { nil } }
    }

    private func over(_ changes: [ValueWatch.Change]) -> [ValueRow] {
        changes.compactMap { if case .over(let row) = $0 { row } else { nil } }
    }

    @Test func aValueIsToldWhenItStandsThereAndWhenItIsOver() throws {
        var tracker = TextTracker()
        var watch = ValueWatch(ValueWatch.Settings(label: try matcher("SPEED")), scale: 1)
        let told = changes(&watch, 0..<9, tracker: &tracker) { second in
            [line("SPEED", x: 20, y: 20), line("\(40 + Int(second / 3)) km/h", x: 120, y: 20)]
        }
        #expect(now(told) == ["40 km/h", "41 km/h", "42 km/h"], "\(told)")
        let rows = over(told + watch.finish())
        #expect(rows.map(\.text) == ["40 km/h", "41 km/h", "42 km/h"], "\(rows)")
        #expect(rows.map(\.value) == [40, 41, 42] && rows.allSatisfy { $0.unit == "km/h" })
        // Rows follow each other and share no time.
        for (one, next) in zip(rows, rows.dropFirst()) { #expect(one.end <= next.start) }
    }

    @Test func anHourOfTheSameValueIsToldOnce() throws {
        var tracker = TextTracker()
        var watch = ValueWatch(ValueWatch.Settings(kind: .number), scale: 1)
        let told = changes(&watch, 0..<60, tracker: &tracker) { _ in [line("1234.5", x: 20, y: 20)] }
        #expect(told.count == 1 && now(told) == ["1234.5"], "\(told)")
        let rows = over(watch.finish())
        #expect(rows.count == 1 && rows[0].start == .zero && rows[0].end >= StreamTime(seconds: 59.9), "\(rows)")
    }

    @Test func whatIsGoneIsSaidOnceAndComesBack() throws {
        var tracker = TextTracker()
        var watch = ValueWatch(ValueWatch.Settings(kind: .number), scale: 1)
        let told = changes(&watch, 0..<12, tracker: &tracker) { second in
            (3..<8).contains(second) ? [] : [line("17", x: 20, y: 20)]
        }
        #expect(told.count { $0 == .gone } == 1 && now(told) == ["17", "17"], "\(told)")
        #expect(over(told + watch.finish()).count == 2)
        // There was never anything, so nothing is reported.
        var idle = ValueWatch(ValueWatch.Settings(kind: .number), scale: 1)
        var other = TextTracker()
        #expect(changes(&idle, 0..<9, tracker: &other) { _ in [] }.isEmpty && idle.finish().isEmpty)
    }

    @Test func whereTheWordIsNotThereNothingIsTold() throws {
        var tracker = TextTracker()
        var watch = ValueWatch(ValueWatch.Settings(label: try matcher("SPEED")), scale: 1)
        let told = changes(&watch, 0..<4, tracker: &tracker) { _ in [line("42 km/h", x: 120, y: 20)] }
        #expect(told.isEmpty && watch.finish().isEmpty, "\(told)")
    }

    /// A busy picture keeps no more than is needed.
    @Test func manyLinesTakeBoundedTime() throws {
        var tracker = TextTracker()
        var watch = ValueWatch(ValueWatch.Settings(label: try matcher("SPEED")), scale: 1)
        _ = changes(&watch, 0..<6, tracker: &tracker) { second in
            [line("SPEED", x: 20, y: 20), line("40 km/h", x: 120, y: 20)]
                + (0..<60).map { line("row \($0) \(Int(second * 10))", x: 400, y: 60 + Double($0) * 30) }
        }
        #expect(watch.keptTexts <= 200)
    }
}
