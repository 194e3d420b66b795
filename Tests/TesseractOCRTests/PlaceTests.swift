import Testing
import TextSpotting

@testable import TesseractOCR

@Suite("Tesseract: places of words and lines")
struct PlaceTests {
    @Test("a turned word is found again from its bounds")
    func turned() {
        let direction = Point(0.984807753012208, 0.17364817766693033)
        let down = Point(-direction.y, direction.x)
        let corner = Point(50, 60)
        let word = Quad(
            topLeft: corner, topRight: corner + direction * 90, bottomRight: corner + direction * 90 + down * 20,
            bottomLeft: corner + down * 20)
        let found = Quad(inside: word.bounds, along: direction)
        #expect(zip(found.corners, word.corners).allSatisfy { ($0 - $1).length < 1e-9 })
        #expect(Quad(inside: word.bounds, along: Point(1, 0)) == Quad(word.bounds))
        #expect(Quad(inside: word.bounds, along: Point(0, 1)) == Quad(word.bounds))
    }

    @Test("a line leans as its letters do, whatever hangs below it")
    func slope() {
        let feet = (0..<12).map { Point(Double($0) * 20, 100 + Double($0) * 2 + ($0 % 4 == 1 ? 9 : 0)) }
        let direction = TextSlope.direction(ofFeet: feet)
        #expect(abs(direction.y / direction.x - 0.1) < 0.01)
        #expect(TextSlope.direction(ofFeet: Array(feet.prefix(3))) == Point(1, 0))
        #expect(TextSlope.direction(ofFeet: feet.map { Point($0.x, 100) }) == Point(1, 0))
        #expect(TextSlope.direction(ofFeet: feet.map { _ in Point(5, 5) }) == Point(1, 0))
    }

    @Test("marks join the letter before them, ligatures share their width, and nothing visible is no word")
    func symbols() throws {
        let bounds = Rect(x: 0, y: 0, width: 100, height: 20)
        var word = WordInProgress(bounds: bounds, confidence: 0.8)
        word.add("e", bounds: Rect(x: 0, y: 0, width: 40, height: 20), confidence: 1)
        word.add("\u{301}", bounds: nil, confidence: 1)
        word.add("fi", bounds: Rect(x: 50, y: 0, width: 50, height: 20), confidence: 0.6)
        let finished = try #require(word.finished(along: Point(1, 0)))
        #expect(finished.text == "éfi")
        #expect(finished.characters.map(\.start) == [0, 0.5, 0.75])
        #expect(finished.characters.map(\.end) == [0.4, 0.75, 1])
        #expect(abs(finished.characters[1].confidence - 0.7) < 1e-9)
        var blank = WordInProgress(bounds: bounds, confidence: 1)
        blank.add(" ", bounds: bounds, confidence: 1)
        #expect(blank.finished(along: Point(1, 0)) == nil)
    }
}
