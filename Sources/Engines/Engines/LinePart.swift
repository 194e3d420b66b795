import NeuralOCR
import TextMatching
import TextSpotting

/// A part of a line that is read again: all of it, or neighboring words that are in another script than the rest (`출구 EXIT`).
///
/// The evidence for a whole line is that of its letters together, and most of them may be in one script. A line is divided only if
/// some of its words cannot be in the script of the others.
struct LinePart {
    /// The index of the line.
    let number: Int
    /// The words; nil for the whole line.
    let words: Range<Int>?
    /// The part as the networks read it; nil if they read nothing.
    let line: TextLine?
    let quad: Quad
    /// The number of letters of the word whose evidence counts; 0 for the whole line.
    private var letters = 0
    /// The evidence of each word that the networks may have read rightly; nil for the others.
    private var latin: [Double?] = []
    /// Whether some of the words are hardly in Latin letters.
    private var isMixed = true

    /// The evidence from which a word is tried, as for whole lines, and the evidence up to which it may be known. Of 441 different words
    /// in Latin letters, codes and ideographs 6 had more than -2; of 112 words in Cyrillic 12 had less, all of letters with the shapes
    /// of Latin ones. Of other words and sizes some more had: `ВХОД` -2.8, `КИНО` -3.9.
    private static let (foreign, known) = (OtherScriptReading.worthTrying, -2.0)

    /// Returns the evidence up to which a word of so many letters is known whatever its letters are (`EXIT`: -4.7 to -9.3).
    private static func certain(letters: Int) -> Double {
        letters < 4 ? -.infinity : min(known, Double(letters) / 2 - 7.5)
    }

    /// Returns the parts of a line that are in another script than its other words; the whole line if there are none.
    static func parts(of line: TextLine?, numbered number: Int, at quad: Quad) -> [LinePart] {
        var whole = [LinePart(number: number, words: nil, line: line, quad: quad)]
        guard let line, let own = line.evidence.first, !quad.isColumn else { return whole }
        let odds = line.words.count == 1 ? [own.otherScripts] : own.otherScriptsOfWords
        guard odds.count == line.words.count else { return whole }
        let evidence = zip(line.words, odds).map { ScriptEvidence($1, of: $0.text) }
        let isForeign = zip(line.words, evidence).map(isForeign)
        let latin = zip(line.words, evidence).map { $0.isSure && $1.strength < foreign ? $1.strength : nil }
        (whole[0].latin, whole[0].isMixed) = (
            latin, isForeign.contains(true) || evidence.contains { $0.strength >= clear }
        )
        guard let strongest = zip(evidence, isForeign).filter(\.1).map(\.0).max(by: { $0.strength < $1.strength })
        else { return whole }
        let isKnown = zip(line.words, evidence).map { word, evidence in
            evidence.strength <= known
                && (evidence.strength <= certain(letters: word.characters.count)
                    || strongest.script.differs(from: word.text))
        }
        guard isKnown.contains(true) else { return whole }
        return runs(of: isKnown.map { !$0 }).compactMap { run -> LinePart? in
            // Numbers at its ends stay as they were read.
            let own = run.filter { isForeign[$0] || line.words[$0].hasLetter }
            guard let most = own.filter({ isForeign[$0] }).max(by: { evidence[$0].strength < evidence[$1].strength })
            else { return nil }
            let words = own[0]..<own[own.count - 1] + 1
            var part = LinePart(words, of: line, numbered: number, judgedBy: most, evidence[most])
            part.latin = Array(latin[words])
            return part
        }
    }

    /// Returns whether a word may be in another script: one of strokes (`I'll`) looks like Arabic and Hangul, and of few letters the
    /// reading tells more than the evidence (`hope`: e^0.6, read with 1).
    private static func isForeign(_ word: TextWord, _ evidence: ScriptEvidence) -> Bool {
        evidence.strength >= (word.confidence < sure ? foreign : clear) && !evidence.script.mayBeLatin(word.text)
            && !word.characters.allSatisfy { strokes.contains($0.character) }
    }

    private static let strokes = Set<Character>("lIi1jtrJ|!'’.,:;[](){}/\\-")
    /// The confidence from which a word needs this evidence. Foreign ones are read with less, apart from known look-alikes.
    private static let (sure, clear) = (0.99, 2.0)

    private static func runs(of isIn: [Bool]) -> [Range<Int>] {
        isIn.indices.filter { isIn[$0] && ($0 == 0 || !isIn[$0 - 1]) }
            .map { start in start..<(isIn[start...].firstIndex(of: false) ?? isIn.count) }
    }

    private init(number: Int, words: Range<Int>?, line: TextLine?, quad: Quad) {
        (self.number, self.words, self.line, self.quad) = (number, words, line, quad)
    }

    private init(
        _ words: Range<Int>, of line: TextLine, numbered number: Int, judgedBy word: Int, _ scripts: ScriptEvidence
    ) {
        var evidence = ReadingEvidence()
        evidence.otherScripts = scripts.odds.map(Float.init)
        let own = Array(line.words[words])
        let confidence = own.map(\.confidence).reduce(0, +) / Double(own.count)
        self.init(
            number: number, words: words,
            line: TextLine(
                quad: line.quad, words: own, confidence: confidence, evidence: [evidence], source: line.source),
            quad: Self.place(of: words, in: line))
        letters = line.words[word].text.count(where: \.isLetter)
    }

    /// The margin around the letters, as a share of their height.
    private static let margin = 0.15

    /// Returns the place of some words, up to the middle of the gaps beside them.
    private static func place(of words: Range<Int>, in line: TextLine) -> Quad {
        let quad = line.quad.grown(by: margin * line.quad.height)
        func gap(before index: Int) -> Double {
            (quad.place(of: line.words[index - 1].quad.topRight) + quad.place(of: line.words[index].quad.topLeft)) / 2
        }
        let (start, end) = (
            words.lowerBound == 0 ? 0 : gap(before: words.lowerBound),
            words.upperBound == line.words.count ? 1 : gap(before: words.upperBound)
        )
        return start < end ? quad.slice(from: start, to: end) : quad
    }

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

extension Quad {
    /// Returns the place of a point along the upper edge, as a share of its length.
    fileprivate func place(of point: Point) -> Double {
        let (along, from) = (topRight - topLeft, point - topLeft)
        return (from.x * along.x + from.y * along.y) / max(1, along.x * along.x + along.y * along.y)
    }
}

extension TextWord {
    fileprivate var hasLetter: Bool { characters.contains(where: \.character.isLetter) }

    /// Whether the networks were sure of its letters, and it has more than one.
    fileprivate var isSure: Bool { confidence >= 0.95 && characters.count(where: \.character.isLetter) > 1 }
}

extension OtherScript {
    /// Returns whether a word has a letter that none of this script's is read as, or whether none of them looks like a Latin one.
    fileprivate func differs(from word: String) -> Bool {
        let letters = word.filter(\.isLetter)
        guard letters.count > 1 else { return false }
        return alike.map { alike in letters.contains { $0.isASCII && !alike.contains($0) } } ?? true
    }

    /// Returns whether all letters of a word have the shapes of Latin ones (`He`), and it is none of the words that are known by them.
    fileprivate func mayBeLatin(_ word: String) -> Bool {
        // Digits and signs are read for letters too (`∏oe3A` for `Поезд`).
        let letters = word.filter { !$0.isPunctuation }
        return alike != nil && letters.allSatisfy(Self.shapes.contains) && LookAlikeWords.script(of: word) == nil
    }

    /// The letters that are the same in Latin and in Cyrillic or Greek.
    private static let shapes = Set<Character>("ABCEHIKMNOPTXYZaceopxy")

    /// The capitals of Cyrillic and Greek with the shapes of Latin ones.
    private static let twins = Dictionary(
        uniqueKeysWithValues: zip("АВЕКМНОРСТУХІΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEKMHOPCTYXIABEZHIKMNOPTYX"))

    /// Returns whether two words have the same shapes, apart from their case: small Cyrillic letters have the shapes of capitals.
    fileprivate static func areAlike(_ latin: String, _ other: String) -> Bool {
        latin.uppercased().filter(\.isLetter) == String(other.uppercased().filter(\.isLetter).map { twins[$0] ?? $0 })
    }

    /// The Latin letters as which the networks read those of the script; nil if it has none of their shapes.
    fileprivate var alike: Set<Character>? {
        switch name {
        case "Cyrillic": Set("ABCEHIKMNOPTXYabceiklnopruxy")
        case "Greek": Set("ABEHIKMNOPTXYZaceiklnopstuvwxy")
        default: nil
        }
    }
}
