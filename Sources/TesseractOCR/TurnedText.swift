import TextMatching
internal import TextSpotting

extension Quad {
    /// The quad of a word whose baseline runs along `direction` and whose axis-aligned bounds are `bounds`.
    ///
    /// A rectangle of w by h turned by an angle a has bounds of w cos a + h sin a by w sin a + h cos a; solved for w
    /// and h. Where that has no sensible solution, from about 30 degrees on or where the letters leave corners empty,
    /// the bounds themselves are returned.
    init(inside bounds: Rect, along direction: Point) {
        let cosine = abs(direction.x)
        let sine = abs(direction.y)
        let determinant = cosine * cosine - sine * sine
        let width = (bounds.width * cosine - bounds.height * sine) / determinant
        let height = (bounds.height * cosine - bounds.width * sine) / determinant
        guard sine > 0, determinant > 0.5, width > 0.3 * bounds.width, height > 0.3 * bounds.height else {
            self.init(bounds)
            return
        }
        let right = direction * (width / 2)
        let down = Point(-direction.y, direction.x) * (height / 2)
        let center = bounds.center
        self.init(
            topLeft: center - right - down, topRight: center + right - down,
            bottomRight: center + right + down, bottomLeft: center - right + down)
    }
}

extension TextLine {
    /// A line of words along `direction`: what holds all their quads, and their mean confidence, each character
    /// counting once. Nil if there are no words.
    init?(_ words: [TextWord], along direction: Point) {
        guard let quad = Quad.spanning(words.map(\.quad), along: direction) else { return nil }
        let count = words.reduce(0) { $0 + $1.characters.count }
        let sum = words.reduce(0) { $0 + $1.confidence * Double($1.characters.count) }
        self.init(quad: quad, words: words, confidence: sum / Double(max(1, count)), source: .tesseract)
    }

    /// The line with all its places moved by `transform`.
    func mapped(_ transform: (Point) -> Point) -> TextLine {
        TextLine(
            quad: quad.mapped(transform),
            words: words.map {
                TextWord(quad: $0.quad.mapped(transform), characters: $0.characters, confidence: $0.confidence)
            }, confidence: confidence, source: source)
    }
}
