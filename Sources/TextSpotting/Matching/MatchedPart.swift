/// The part of a line that a match covers, word by word.
struct MatchedPart {
    /// Where it stands, in pixels of the picture that was read.
    let quad: Quad

    /// - Parameter places: the matched characters in reading order; not empty.
    init(_ places: ArraySlice<FoldedLine.Place>, of line: TextLine) {
        var parts: [Quad] = []
        var rest = places
        while let first = rest.first {
            let inWord = rest.prefix { $0.word == first.word }
            parts.append(Self.part(of: line.words[first.word], inWord))
            rest = rest.dropFirst(inWord.count)
        }
        quad = Quad.spanning(parts, along: line.quad.direction) ?? line.quad
    }

    /// The whole word's quad, or the slice of it that the characters' spans give. In text that runs from right to left
    /// the spans fall as reading goes on, hence least and greatest.
    private static func part(of word: TextWord, _ places: ArraySlice<FoldedLine.Place>) -> Quad {
        guard places.count < word.characters.count else { return word.quad }
        var start = 1.0
        var end = 0.0
        for place in places {
            let span = word.characters[place.character]
            start = min(start, span.start)
            end = max(end, span.end)
        }
        guard start < end else { return word.quad }
        return word.quad.slice(from: max(0, start), to: min(1, end))
    }
}
