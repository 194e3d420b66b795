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
}
