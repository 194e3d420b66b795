import Testing

@testable import TextSpotting

/// A caption in a box over a longer one is a line of its own; a line with a word in a box is one line.
@Suite struct CoveredLineTests {
    private static let ground: UInt8 = 60
    private static let text = "THE HARBOR IS CLOSED TODAY"
    private static let place = (x: 30, y: 40)

    /// The line of a sheet with a box over some of its columns.
    private func parts(
        _ box: Range<Int>?, of level: UInt8 = 0, text: String = "GATE", rows: Range<Int> = 32..<70,
        beside: String = text, draw: (inout Sheet) -> Void = { _ in }
    ) -> [Range<Double>]? {
        var sheet = Sheet(560, 120, background: Self.ground)
        draw(&sheet)
        sheet.draw(beside, at: Self.place.x, Self.place.y)
        if let box {
            let area = Rect(
                x: Double(box.lowerBound), y: Double(rows.lowerBound), width: Double(box.count),
                height: Double(rows.count))
            sheet.fill(area, brightness: level)
            sheet.draw(text, at: box.lowerBound + 6, Self.place.y)
        }
        let line = Sheet.quad(of: beside, at: Self.place.x, Self.place.y).bounds.grown(by: 4)
        return CoveredLine(Quad(line), in: sheet.picture)?.parts
    }

    @Test(arguments: [0, 110, 160] as [UInt8]) func aBoxOverALineIsApart(level: UInt8) {
        // It cuts the letters at both of its edges.
        let found = parts(206..<292, of: level) ?? []
        #expect(found.count == 3)
        let edges = found.map { 26 + $0.lowerBound * 476 }
        for (edge, place) in zip(edges, [26.0, 206, 292]) { #expect(abs(edge - place) < 2, "\(edges)") }
    }

    @Test func aBoxOverTheBeginningOrTheEndOfALineIsApart() {
        #expect(parts(26..<146)?.count == 2)
        #expect(parts(362..<560)?.count == 2)
    }

    @Test func aLineWithoutABoxIsWhole() { #expect(parts(nil) == nil) }

    /// The gaps beside the box are those between words.
    @Test func aHighlightedWordIsAPartOfItsLine() {
        #expect(parts(95..<225, of: 200, text: "HARBOR", beside: "THE        IS CLOSED") == nil)
        let whole = parts(nil, beside: "THE        IS CLOSED") { sheet in
            sheet.fill(Rect(x: 95, y: 32, width: 130, height: 38), brightness: 200)
        }
        #expect(whole == nil)
    }

    /// A test picture, a wall and a flag have such areas behind captions.
    @Test func aBarBehindALineIsNoBox() {
        let behind = parts(nil) { sheet in
            sheet.fill(Rect(x: 206, y: 0, width: 79, height: 120), brightness: 0)
            sheet.fill(Rect(x: 285, y: 0, width: 79, height: 120), brightness: 140)
        }
        #expect(behind == nil)
    }

    @Test func rulesBesideTextAreNoBox() {
        let ruled = parts(nil) { sheet in
            for x in stride(from: 28, to: 540, by: 126) {
                sheet.fill(Rect(x: Double(x), y: 30, width: 2, height: 42), brightness: 200)
            }
        }
        #expect(ruled == nil)
    }
}
