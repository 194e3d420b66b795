import TextMatching

/// Returns a line as an engine would, read with confidence 1.
func line(_ text: String, confidence: Double = 1) -> RecognizedText {
    line(text.split(separator: " ").map { word in word.map { ($0, confidence) } })
}

/// Returns a line of words whose characters are read with these confidences.
func line(_ words: [[(Character, Double)]], evidence: [ReadingEvidence] = [], source: ReadingSource = .other)
    -> RecognizedText
{
    var text = RecognizedText(evidence: evidence, source: source)
    for word in words {
        text.beginWord()
        for (character, confidence) in word { text.append(character, confidence: confidence) }
    }
    return text
}

func find(
    _ pattern: String, in text: String, caseSensitive: Bool = false, wholeWords: Bool = false, confidence: Double = 1
) throws -> [TextMatch] {
    let options = MatchOptions(caseSensitive: caseSensitive, wholeWords: wholeWords)
    return Matcher(patterns: [try Pattern(text: pattern, options: options)])
        .matches(in: line(text, confidence: confidence))
}
