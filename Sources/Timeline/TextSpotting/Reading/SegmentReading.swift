/// Reads displays of seven-segment digits by their shape, and leaves everything else to another recognizer.
struct SegmentRecognizer: LineRecognizer {
    let usual: any LineRecognizer

    var pictureFormat: Picture.Format { usual.pictureFormat }

    /// A display has at most this many characters and letters as networks read it.
    private static let mostCharacters = 14
    private static let mostLetters = 3

    func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        try withDisplays(try await usual.recognize(quads, in: picture), at: quads, in: picture)
    }

    /// Reports lines that may be displays last.
    func recognize(
        _ quads: [Quad], in picture: Picture, _ see: @escaping @Sendable (Int, TextLine) -> Void
    ) async throws -> [TextLine?] {
        let lines = try await usual.recognize(quads, in: picture) { if !Self.mayBeDisplay($1) { see($0, $1) } }
        let read = try withDisplays(lines, at: quads, in: picture)
        for case (let index, let line?) in read.enumerated() where Self.mayBeDisplay(lines[index]) { see(index, line) }
        return read
    }

    /// Replaces lines by the displays at their places. Each display is returned once, because a detector may take its
    /// parts for several lines.
    private func withDisplays(
        _ lines: [TextLine?], at quads: [Quad], in picture: Picture
    ) throws -> [TextLine?] {
        var known: Set<TextLine> = []
        return try lines.indices.map { index in
            guard Self.mayBeDisplay(lines[index]) else { return lines[index] }
            try Task.checkCancellation()
            guard let display = display(at: quads[index].bounds, picture) else { return lines[index] }
            return known.insert(display).inserted ? display : nil
        }
    }

    /// Returns whether a line is short and the networks are not sure of all of it: an S has the shape of a 5.
    private static func mayBeDisplay(_ line: TextLine?) -> Bool {
        guard let line else { return true }
        return line.text.count <= mostCharacters && line.text.count(where: \.isLetter) <= mostLetters
            && line.words.contains { $0.characters.contains { $0.confidence < sure } }
    }

    /// Returns the display at the place of a line, which may extend beyond that place; nil if there is none.
    private func display(at place: Rect, _ picture: Picture) -> TextLine? {
        (0..<4).lazy.compactMap { reach -> TextLine? in
            let beside = (0.7 + 0.5 * Double(reach)) * place.height
            let above = (0.2 + 0.2 * Double(reach)) * place.height
            return picture.display(
                in: Rect(
                    x: place.x - beside, y: place.y - above, width: place.width + 2 * beside,
                    height: place.height + 2 * above))
        }.first
    }

    /// The confidence from which a character stays as it was read.
    private static let sure = 0.97
}

/// Finds what another detector finds, and a display of seven-segment digits in a small picture where that finds nothing.
struct SegmentDetector: TextDetector {
    let usual: any TextDetector

    /// The most pixels of a picture in which a display is searched for: a part that somebody chose, or a small frame.
    private static let mostPixels = 400_000

    var pictureFormat: Picture.Format { usual.pictureFormat }

    func prepare(forWidth width: Int, height: Int) { usual.prepare(forWidth: width, height: height) }

    func detect(in picture: Picture) async throws -> [TextRegion] {
        display(instead: try await usual.detect(in: picture), in: picture)
    }

    func detect(in picture: Picture, atWidth width: Int, height: Int) async throws -> [TextRegion] {
        display(instead: try await usual.detect(in: picture, atWidth: width, height: height), in: picture)
    }

    private func display(instead found: [TextRegion], in picture: Picture) -> [TextRegion] {
        guard found.isEmpty, picture.width * picture.height <= Self.mostPixels else { return found }
        // Two bars in line may be anything where nothing else speaks for a 1.
        guard let display = picture.display(in: picture.bounds),
            display.text.contains(where: { $0.isNumber && $0 != "1" })
        else { return found }
        return [TextRegion(quad: display.quad, score: 1)]
    }
}

extension Picture {
    /// The approximate number of pixels that are examined: of larger places only some rows and columns are.
    private static let mostExamined = 120_000.0

    /// Returns the seven-segment display at a place; nil if there is none, if something else is there, or if there is
    /// too little room beside it to be sure that no digit is missing.
    fileprivate func display(in place: Rect) -> TextLine? {
        let place = place.intersection(bounds)
        guard !place.isEmpty else { return nil }
        let step = max(1, Int((place.area / Self.mostExamined).squareRoot()))
        let (left, top, wide) = (Int(place.minX), Int(place.minY), Int(place.width))
        let (width, height) = (wide / step, Int(place.height) / step)
        var levels = brightness(left: left, top: top, width: wide, height: height * step)
        if step > 1 {
            levels = (0..<height).flatMap { row in (0..<width).map { levels[row * step * wide + $0 * step] } }
        }
        guard let digits = SegmentDigits(levels, width: width) else { return nil }
        let margin = Int(SegmentDigits.widestGap * Double(digits.rows.count))
        guard digits.columns.lowerBound >= margin || left == 0,
            digits.columns.upperBound <= width - margin || left + wide >= self.width - 1
        else { return nil }
        let quad = Quad(
            Rect(
                x: Double(left + step * digits.columns.lowerBound), y: Double(top + step * digits.rows.lowerBound),
                width: Double(step * digits.columns.count), height: Double(step * digits.rows.count)))
        func share(_ column: Int) -> Double {
            min(1, max(0, Double(column - digits.columns.lowerBound) / Double(digits.columns.count)))
        }
        let characters = digits.characters.map {
            CharacterSpan(
                character: $0.character, start: share($0.columns.lowerBound), end: share($0.columns.upperBound),
                confidence: SegmentDigits.confidence)
        }
        let word = TextWord(quad: quad, characters: characters, confidence: SegmentDigits.confidence)
        return TextLine(quad: quad, words: [word], confidence: SegmentDigits.confidence)
    }
}
