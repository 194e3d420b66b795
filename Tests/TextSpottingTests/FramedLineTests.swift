import Testing
import TextSpotting

/// The right edge of a frame is read as a mark at the end of the text in it.
@Suite struct FramedLineTests {
    /// Returns a gray picture with bright bars of two pixels in some rows, from column 40 to column 160.
    private static func picture(barsAt rows: [Int]) -> Picture {
        var bytes = [UInt8](repeating: 40, count: 200 * 120)
        for row in rows {
            for y in row..<row + 2 { for x in 40..<160 { bytes[y * 200 + x] = 230 } }
        }
        return Picture(format: .luma, width: 200, height: 120, bytes: bytes)
    }

    /// Above and below the line at row 50, which is 30 pixels high.
    private static let frame = [42, 86]

    @Test(arguments: [("Next]", "Next"), ("Save as |", "Save as"), ("Next", "Next"), ("[Next]", "[Next]"), ("]", "]")])
    func itsEdgeIsNoMark(text: String, expected: String) {
        let line = line(text, at: Point(60, 50))
        #expect(line.withoutFrame(in: Self.picture(barsAt: Self.frame)).text == expected)
    }

    @Test(arguments: [[], [42], [86], [62]]) func withoutAFrameMarksStay(bars: [Int]) {
        #expect(line("Next]", at: Point(60, 50)).withoutFrame(in: Self.picture(barsAt: bars)).text == "Next]")
    }
}
