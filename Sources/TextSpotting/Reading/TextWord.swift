/// A run of characters without white space, as an engine read it.
public struct TextWord: Hashable, Sendable {
    /// Where the word stands, in pixels of the picture that was read.
    public var quad: Quad
    /// The word's characters in reading order; never empty.
    public var characters: [CharacterSpan]
    /// How sure the engine is of the whole word, 0 to 1.
    public var confidence: Double

    public init(quad: Quad, characters: [CharacterSpan], confidence: Double) {
        self.quad = quad
        self.characters = characters
        self.confidence = confidence
    }

    /// A word whose characters are taken to be equally wide, for engines that give no closer places.
    public init(text: String, quad: Quad, confidence: Double) {
        let step = 1 / Double(max(1, text.count))
        let characters = text.enumerated().map { index, character in
            CharacterSpan(
                character: character, start: Double(index) * step, end: Double(index + 1) * step, confidence: confidence
            )
        }
        self.init(quad: quad, characters: characters, confidence: confidence)
    }

    public var text: String { String(characters.map(\.character)) }
}
