public import TextMatching

extension TextLine {
    /// The text that is compared with patterns: the line without its places.
    public var recognized: RecognizedText {
        var text = RecognizedText(evidence: evidence, source: source)
        text.reserve(letters: words.reduce(0) { $0 + $1.characters.count })
        for word in words {
            text.beginWord()
            for span in word.characters { text.append(span.character, confidence: span.confidence) }
        }
        return text
    }
}
