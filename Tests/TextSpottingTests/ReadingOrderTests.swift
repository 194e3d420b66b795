import Testing
import TextSpotting

@Suite("The order in which people read")
struct ReadingOrderTests {
    private func sorted(_ places: [(String, x: Double, y: Double)]) -> [String] {
        ReadingOrder.sorted(places) { Quad(Rect(x: $0.x, y: $0.y, width: 50, height: 20)) }.map(\.0)
    }

    @Test("rows from the top, each from left to right")
    func rows() {
        #expect(sorted([("d", 10, 80), ("b", 200, 6), ("c", 90, 45), ("a", 10, 10)]) == ["a", "b", "c", "d"])
        #expect(sorted([("c", 200, 12), ("d", 0, 60), ("a", 10, 15), ("b", 100, 10)]) == ["a", "b", "c", "d"])
        #expect(sorted([]).isEmpty)
    }

    @Test("a row ends below the middle of its first, not of its lowest")
    func steps() {
        #expect(sorted([("c", 0, 18), ("b", 50, 9), ("a", 100, 0)]) == ["b", "a", "c"])
    }

    @Test("columns beside each other come from the right, whatever stands above and below them")
    func columns() {
        func column(_ x: Double, _ y: Double = 40, tall: Double = 200) -> Quad {
            Quad(Rect(x: x, y: y, width: 40, height: tall))
        }
        let title = Quad(Rect(x: 0, y: 0, width: 300, height: 30)),
            foot = Quad(Rect(x: 0, y: 260, width: 300, height: 30))
        let things = [
            ("foot", foot), ("left", column(0)), ("middle", column(60, 44, tall: 180)), ("right", column(120)),
            ("title", title),
        ]
        #expect(ReadingOrder.sorted(things) { $0.1 }.map(\.0) == ["title", "right", "middle", "left", "foot"])
        // Read ones have a direction, however short they are.
        let short = [60.0, 0, 120].map { Quad(Rect(x: $0, y: 0, width: 40, height: 44)).turnedRight }
        #expect(ReadingOrder.sorted(short) { $0 }.map(\.center.x) == [140, 80, 20])
        // Lines that must not change places do not.
        #expect(ReadingOrder.turningColumns(things, by: \.1) { _, _ in false }.map(\.0) == things.map(\.0))
    }
}
