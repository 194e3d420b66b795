/// Reads displays of seven-segment digits by their shape, and leaves everything else to another recognizer.
struct SegmentRecognizer: LineRecognizer {
    let usual: any LineRecognizer

    var pictureFormat: Picture.Format { usual.pictureFormat }

    /// A display has at most this many characters and letters as networks read it.
    private static let mostCharacters = 14
    private static let mostLetters = 3

    func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        try await recognize(quads, in: picture) { _, _ in }
    }

    func recognize(
        _ quads: [Quad], in picture: Picture, _ see: @escaping @Sendable (Int, TextLine) -> Void
    ) async throws -> [TextLine?] {
        let lines = try await usual.recognize(quads, in: picture) { see($0, display(quads[$0], $1, picture) ?? $1) }
        var result = lines
        for index in lines.indices {
            guard let display = display(quads[index], lines[index], picture) else { continue }
            // Detectors may take the parts of a display for several lines.
            let isKnown = result[..<index].contains { $0 == display }
            if lines[index] == nil, !isKnown { see(index, display) }
            result[index] = isKnown ? nil : display
        }
        return result
    }

    /// Returns the display at the place of a line, with what of it lies beside that place; nil if there is none.
    private func display(_ quad: Quad, _ line: TextLine?, _ picture: Picture) -> TextLine? {
        if let line {
            let letters = line.text.count(where: \.isLetter)
            guard line.text.count <= Self.mostCharacters, letters <= Self.mostLetters else { return nil }
            // An S is a 5, and a B nearly an 8.
            if letters == line.text.count, line.confidence >= Self.sure { return nil }
        }
        // Digits lean, and a 1 that stands alone is found as a column, so directions tell nothing.
        let bounds = quad.bounds
        for reach in 0..<4 {
            let beside = (0.7 + 0.5 * Double(reach)) * bounds.height
            let above = (0.2 + 0.2 * Double(reach)) * bounds.height
            let place = Rect(
                x: bounds.x - beside, y: bounds.y - above, width: bounds.width + 2 * beside,
                height: bounds.height + 2 * above)
            if let display = picture.display(in: place) { return display }
        }
        return nil
    }

    /// The confidence from which letters are no digits.
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
    /// Returns the display of seven-segment digits that a place shows; nil unless there is one and nothing else, also
    /// beside it, where more digits would be.
    fileprivate func display(in place: Rect) -> TextLine? {
        let place = place.intersection(bounds)
        guard !place.isEmpty else { return nil }
        let (left, top, width) = (Int(place.minX), Int(place.minY), Int(place.width))
        let levels = brightness(left: left, top: top, width: width, height: Int(place.height))
        guard let digits = SegmentDigits(levels, width: width) else { return nil }
        let margin = Int(SegmentDigits.widestGap * Double(digits.rows.count))
        guard digits.columns.lowerBound >= margin || left == 0,
            digits.columns.upperBound <= width - margin || left + width >= self.width - 1
        else { return nil }
        let quad = Quad(
            Rect(
                x: Double(left + digits.columns.lowerBound), y: Double(top + digits.rows.lowerBound),
                width: Double(digits.columns.count), height: Double(digits.rows.count)))
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
