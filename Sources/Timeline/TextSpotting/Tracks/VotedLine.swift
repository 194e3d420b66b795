import TextMatching

extension TextLine {
    /// Returns the line with the text that a vote gave it and with its own places: a character that others read
    /// differently is placed where this line's own was, and a character that this reading lacks between its neighbors.
    ///
    /// - Parameters:
    ///   - tokens: the result of the vote; if they contain no character the line stays as it is.
    ///   - evidence: the evidence of the readings that voted, aligned with the tokens.
    func corrected(to tokens: [CharacterVote.Token], evidence: [ReadingEvidence] = []) -> TextLine {
        let mine = CharacterVote.tokens(of: self)
        guard tokens.contains(where: { $0.character != " " }) else { return self }
        if mine.map(\.character) == tokens.map(\.character) {
            var line = withConfidences(tokens.filter { $0.character != " " }.map(\.confidence))
            line.evidence = evidence
            return line
        }
        let sources = CharacterAlignment.sources(of: tokens.map(\.character), in: mine.map(\.character))
        let placed = PlacedCharacters(of: self)
        var words: [TextWord] = []
        var start = 0
        for end in 0...tokens.count where end == tokens.count || tokens[end].character == " " {
            if start < end {
                words.append(placed.word(Array(tokens[start..<end]), sources: Array(sources[start..<end])))
            }
            start = end + 1
        }
        let confidence = words.reduce(0) { $0 + $1.confidence } / Double(max(1, words.count))
        let whole = Quad.spanning(words.map(\.quad) + [quad], along: quad.direction) ?? quad
        return TextLine(
            quad: words.count == 1 ? quad : whole, words: words, confidence: confidence,
            evidence: evidence, source: source)
    }

    /// - Parameter confidences: one for each character.
    private func withConfidences(_ confidences: [Double]) -> TextLine {
        var line = self
        var rest = confidences[...]
        for word in line.words.indices {
            for index in line.words[word].characters.indices {
                guard let next = rest.popFirst() else { return line }
                line.words[word].characters[index].confidence = next
            }
            let characters = line.words[word].characters
            line.words[word].confidence = characters.reduce(0) { $0 + $1.confidence } / Double(max(1, characters.count))
        }
        line.confidence = confidences.reduce(0, +) / Double(max(1, confidences.count))
        return line
    }
}

extension TextLine {
    /// Returns the line without the empty parts of its quad before the first and after the last word, but covering at
    /// least `place`.
    func withoutEmptyEnds(atLeast place: Quad) -> TextLine {
        guard let said = Quad.spanning(words.map(\.quad), along: quad.direction) else { return self }
        let margin = Self.margin * said.height / max(1, said.width)
        var line = self
        line.quad = Quad.spanning([said.slice(from: -margin, to: 1 + margin), place], along: quad.direction) ?? quad
        return line
    }

    /// The margin that a detector leaves at either end, in heights of the line.
    private static let margin = 0.15
}

/// The place of each character of a line, where other characters can be substituted.
private struct PlacedCharacters {
    private struct Place {
        var word: Int
        var index: Int
        /// The start along the line, in pixels from its left edge.
        var start: Double
        var end: Double
    }

    private let line: TextLine
    /// The place of each token of the line; nil for gaps.
    private var places: [Place?] = []

    init(of line: TextLine) {
        self.line = line
        let direction = line.quad.direction
        func along(_ point: Point) -> Double {
            (point.x - line.quad.topLeft.x) * direction.x + (point.y - line.quad.topLeft.y) * direction.y
        }
        for (number, word) in line.words.enumerated() {
            if number > 0 { places.append(nil) }
            let (left, right) = (along(word.quad.topLeft), along(word.quad.topRight))
            for (index, span) in word.characters.enumerated() {
                places.append(
                    Place(
                        word: number, index: index, start: left + (right - left) * span.start,
                        end: left + (right - left) * span.end))
            }
        }
    }

    /// Returns a word of the voted text, whose characters correspond to these tokens of the line.
    func word(_ tokens: [CharacterVote.Token], sources: [Int?]) -> TextWord {
        let known = sources.map { $0.flatMap { places[$0] } }
        let confidence = tokens.reduce(0) { $0 + $1.confidence } / Double(max(1, tokens.count))
        // Use the slices of the words that its characters come from; without any, use the beginning of the line.
        var slices: [Quad] = []
        for number in Set(known.compactMap { $0?.word }).sorted() {
            let spans = known.compactMap { $0 }.filter { $0.word == number }.map {
                line.words[number].characters[$0.index]
            }
            let whole = spans.count == line.words[number].characters.count
            let (from, to) = (spans.map(\.start).min() ?? 0, spans.map(\.end).max() ?? 1)
            slices.append(
                whole || to <= from ? line.words[number].quad : line.words[number].quad.slice(from: from, to: to))
        }
        let quad = Quad.spanning(slices, along: line.quad.direction) ?? line.quad.slice(from: 0, to: 0.05)
        let spans = spans(known, in: quad)
        let characters = zip(tokens, spans).map {
            CharacterSpan(character: $0.character, start: $1.start, end: $1.end, confidence: $0.confidence)
        }
        return TextWord(quad: quad, characters: characters, confidence: confidence)
    }

    /// Returns the spans as fractions of `quad`; characters without a place share the space between their neighbors.
    private func spans(_ known: [Place?], in quad: Quad) -> [(start: Double, end: Double)] {
        let direction = line.quad.direction
        let left =
            (quad.topLeft.x - line.quad.topLeft.x) * direction.x
            + (quad.topLeft.y - line.quad.topLeft.y) * direction.y
        let width = max(quad.width, .leastNonzeroMagnitude)
        func fraction(_ place: Double) -> Double { min(1, max(0, (place - left) / width)) }
        var spans = known.map { $0.map { (start: fraction($0.start), end: fraction($0.end)) } }
        var index = 0
        while index < spans.count {
            guard spans[index] == nil else {
                index += 1
                continue
            }
            let end = spans[index...].firstIndex { $0 != nil } ?? spans.count
            let from = index > 0 ? spans[index - 1]?.end ?? 0 : 0
            let to = end < spans.count ? spans[end]?.start ?? 1 : 1
            let (low, high) = (min(from, to), max(from, to))
            for missing in index..<end {
                let share = (high - low) / Double(end - index)
                let begin = low + share * Double(missing - index)
                spans[missing] = (begin, begin + share)
            }
            index = end
        }
        return spans.map { span in span.map { (min($0.start, $0.end), max($0.start, $0.end)) } ?? (0, 1) }
    }
}

/// Maps the characters of one reading to those of another reading of the same line.
enum CharacterAlignment {
    /// Returns for each character of `wanted` the index in `had` that it corresponds to along the cheapest alignment;
    /// nil if there is none.
    static func sources(of wanted: [Character], in had: [Character]) -> [Int?] {
        let columns = had.count + 1
        var costs = [Double](repeating: 0, count: (wanted.count + 1) * columns)
        // A gap never corresponds to a letter.
        func replacing(_ a: Character, _ b: Character) -> Double { a == b ? 0 : a == " " || b == " " ? 2.5 : 1.1 }
        for j in 0..<columns { costs[j] = Double(j) }
        for i in wanted.indices {
            costs[(i + 1) * columns] = Double(i + 1)
            for j in had.indices {
                costs[(i + 1) * columns + j + 1] = min(
                    costs[i * columns + j] + replacing(wanted[i], had[j]), costs[i * columns + j + 1] + 1,
                    costs[(i + 1) * columns + j] + 1)
            }
        }
        var sources = [Int?](repeating: nil, count: wanted.count)
        var (i, j) = (wanted.count, had.count)
        while i > 0, j > 0 {
            let here = costs[i * columns + j]
            if here == costs[(i - 1) * columns + j - 1] + replacing(wanted[i - 1], had[j - 1]) {
                (i, j) = (i - 1, j - 1)
                sources[i] = j
            } else if here == costs[(i - 1) * columns + j] + 1 {
                i -= 1
            } else {
                j -= 1
            }
        }
        return sources
    }
}

extension ReadingEvidence {
    /// Returns the same evidence for another reading of the line. Each of its characters gets the peak of the character
    /// that it corresponds to, or one between those of its neighbors if there is none.
    ///
    /// - Parameters:
    ///   - had: the characters that this evidence is of, with a space for each gap.
    ///   - wanted: the characters to align it with, likewise.
    /// - Returns: nil if the evidence is not of `had`.
    func laid(from had: [Character], along wanted: [Character]) -> ReadingEvidence? {
        if had == wanted { return had.count { $0 != " " } == peaks.count ? self : nil }
        var number = 0
        let peakOf = had.map { character -> Float? in
            guard character != " " else { return nil }
            defer { number += 1 }
            return number < peaks.count ? peaks[number] : nil
        }
        guard number == peaks.count else { return nil }
        var found = zip(wanted, CharacterAlignment.sources(of: wanted, in: had)).filter { $0.0 != " " }.map { pair in
            pair.1.flatMap { peakOf[$0] }
        }
        var index = 0
        while index < found.count {
            let end = found[index...].firstIndex { $0 != nil } ?? found.count
            let before = index > 0 ? found[index - 1] ?? 0 : 0
            let after = end < found.count ? found[end] ?? 0 : Float(count)
            for (place, missing) in (index..<end).enumerated() {
                found[missing] = before + (after - before) * Float(place + 1) / Float(end - index + 1)
            }
            index = end + 1
        }
        var result = self
        result.peaks = found.compactMap { $0 }
        return result
    }
}
