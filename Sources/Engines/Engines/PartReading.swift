import NeuralOCR
import TextMatching
import TextSpotting

/// What becomes of a part that was read again: the words of either reading.
extension LinePart {
    /// Returns a reading of this part by an engine that knows the script, with the words that the networks know better as they
    /// read them. If there are some, and all other words may be in Latin letters too, the part is in these: it stays as it was read, and
    /// nothing is evidence for the script.
    ///
    /// Of words beside those of its language the engine makes others (`EXIT`: `ЕХТ`, `NASA HQ`: `МАЗА НО`), and is not sure
    /// of them.
    func settled(_ again: TextLine, in script: OtherScript) -> (line: TextLine, isLatin: Bool) {
        guard var line, script.alike != nil, latin.count == line.words.count else { return (again, false) }
        var (settled, isLatin) = (again, false)
        for (word, strength) in zip(line.words, latin).reversed() {
            let places = settled.words.map { (quad.place(of: $0.quad.topLeft) + quad.place(of: $0.quad.topRight)) / 2 }
            let start = places.count { $0 < quad.place(of: word.quad.topLeft) }
            let new = settled.words[start..<max(start, places.count { $0 < quad.place(of: word.quad.topRight) })]
            if let strength, !new.isEmpty, new.allSatisfy({ $0.confidence < Self.ofLanguage }),
                strength <= Self.latin || !OtherScript.areAlike(word.text, new.map(\.text).joined())
            {
                settled.words.replaceSubrange(new.indices, with: [word])
                isLatin = true
            }
        }
        guard isLatin, !isMixed else { return (settled, false) }
        line.evidence[0].otherScripts = []
        return (line, true)
    }

    /// The confidence below which a word is in no dictionary of Tesseract's. In 650 lines it gave 0.94 to 0.97 to almost all words of its
    /// language, and at most 0.936 to others and to some beside them, apart from a few of two to four letters (`ВМХ`: 0.97).
    private static let ofLanguage = 0.936
    /// The evidence up to which a word is Latin although all its letters have the same shapes in the other script: of 45 Russian names
    /// and words that are in no dictionary one had less, of words like `TEXT`, `BOX` and `TOKYO` half.
    private static let latin = -3.5

    /// Returns a line with the new readings of its parts, in order: with all of them, or as it was read if a part that is certainly in
    /// another script has none.
    static func line(_ line: TextLine?, with parts: [(part: LinePart, again: TextLine?)]) -> TextLine? {
        if let only = parts.first, only.part.words == nil { return only.again ?? line }
        guard var line else { return nil }
        if let unread = parts.first(where: { $0.again == nil && $0.part.isCertain }) {
            line.evidence[0].otherScripts = unread.part.line?.evidence.first?.otherScripts ?? []
            return line
        }
        let found = parts.compactMap { part in part.again.flatMap { again in part.part.words.map { ($0, again) } } }
        guard !found.isEmpty else { return line }
        for (words, again) in found.reversed() {
            line.words.replaceSubrange(words, with: again.words)
            line.source = again.source
        }
        let confidences = line.words.flatMap { $0.characters.map(\.confidence) }
        line.confidence = confidences.reduce(0, +) / Double(max(1, confidences.count))
        line.evidence = []
        return line
    }

    /// Whether the line must be left out if this is not read. A word has less evidence than a line, the less the shorter it is, and an
    /// icon beside a label is read as a doubtful letter too.
    private var isCertain: Bool {
        letters > 1 && ScriptEvidence(of: line).strength >= max(2, 15 - 3 * Double(letters))
    }
}

/// A second reading of a part, which may replace the first.
struct PartReading {
    /// The index of the part.
    let place: Int
    let line: TextLine
    /// Whether the part is in Latin letters after all.
    let isLatin: Bool
    /// The confidence of the engine in all that it read.
    private let confidence: Double
    /// The number of letters of the script.
    private let letters: Int
    /// Whether kana may have been read as ideographs, so that the reading says nothing about its script.
    private let mayBeKana: Bool
    /// Whether the line has words in another script, so that this part was divided from them.
    private let isDivided: Bool
    private let strength: Double

    /// - Parameter again: the reading.
    init(_ again: TextLine, of part: LinePart, at place: Int, in script: OtherScript, mayBeKana: Bool) {
        (line, isLatin) = part.settled(again, in: script)
        (self.place, self.mayBeKana, confidence) = (place, mayBeKana, again.confidence)
        letters = script.letterCount(in: again.text)
        isDivided = part.words != nil
        strength = ScriptEvidence(of: part.line).strength
    }

    /// Whether the reading is certain, and the networks' reading is doubted too. Words of few letters are doubted little, and what was
    /// divided from known words hardly is one: `KapTbl` (`Карты`) has odds of e^-0.4 and is read with 0.96.
    var isSure: Bool {
        guard !isLatin else { return false }
        return (strength >= ScriptScreen.doubt && letters >= 4 || mayBeKana && letters >= 2) && confidence >= 0.75
            || strength >= ScriptScreen.sure && confidence >= (letters == 2 ? 0.8 : 0.5) && letters >= 2
            || isDivided && letters >= 3 && confidence >= 0.9
    }

    /// Whether the reading is likely; one or two letters can be read into anything.
    var isLikely: Bool { confidence >= 0.6 && letters > 2 || confidence >= 0.9 && letters == 2 }
}

extension OtherScript {
    /// The capitals of Cyrillic and Greek with the shapes of Latin ones.
    private static let twins = Dictionary(
        uniqueKeysWithValues: zip("АВЕКМНОРСТУХІΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEKMHOPCTYXIABEZHIKMNOPTYX"))

    /// Returns whether two words have the same shapes, apart from their case: small Cyrillic letters have the shapes of capitals.
    fileprivate static func areAlike(_ latin: String, _ other: String) -> Bool {
        latin.uppercased().filter(\.isLetter) == String(other.uppercased().filter(\.isLetter).map { twins[$0] ?? $0 })
    }
}
