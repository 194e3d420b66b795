/// One character of a read word, and where it stands along it.
public struct CharacterSpan: Hashable, Sendable {
    public var character: Character
    /// Fractions of the way along the word's quad, 0 (its left edge) to 1 (its right); `start <= end`.
    public var start: Double
    public var end: Double
    /// How sure the engine is of this character, 0 to 1.
    public var confidence: Double

    public init(character: Character, start: Double, end: Double, confidence: Double) {
        self.character = character
        self.start = start
        self.end = end
        self.confidence = confidence
    }
}
