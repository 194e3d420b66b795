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
    private(set) var letters = 0
    /// The evidence of each word that the networks may have read rightly; nil for the others.
    private(set) var latin: [Double?] = []
    /// Whether some of the words are hardly in Latin letters.
    private(set) var isMixed = true

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
}

extension Quad {
    /// Returns the place of a point along the upper edge, as a share of its length.
    func place(of point: Point) -> Double {
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

    /// The Latin letters as which the networks read those of the script; nil if it has none of their shapes.
    var alike: Set<Character>? {
        switch name {
        case "Cyrillic": Set("ABCEHIKMNOPTXYabceiklnopruxy")
        case "Greek": Set("ABEHIKMNOPTXYZaceiklnopstuvwxy")
        default: nil
        }
    }
}
