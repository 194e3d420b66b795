import Glibc
import Testing

@testable import TextMatching
@testable import TextSpotting

/// A line of words whose evidence is given letter by letter: of each what else it may be, and how probable that is.
private func seen(_ text: String, doubts: [Int: [(Character, Float)]] = [:], at origin: Point = Point(0, 0)) -> TextLine
{
    var line = TextSpottingTests.line(text, at: origin)
    var evidence = ReadingEvidence()
    for (index, letter) in text.enumerated() {
        let letters = doubts[index] ?? [(letter, 0.998)]
        let candidates = letters.compactMap { letter, probability in
            letter.unicodeScalars.first.map { ReadingEvidence.Candidate(scalar: $0.value, logarithm: log(probability)) }
        }
        if letter != " " { evidence.peaks.append(Float(evidence.count) + 0.5) }
        evidence.append(blank: log(max(0.000_01, 1 - letters.reduce(0) { $0 + $1.1 })), candidates)
        evidence.append(blank: log(0.999), [])
    }
    var index = 0
    for word in line.words.indices {
        for place in line.words[word].characters.indices {
            line.words[word].characters[place].confidence = Double(doubts[index]?.first?.1 ?? 0.998)
            index += 1
        }
        index += 1
    }
    line.evidence = [evidence]
    line.source = .neuralFast
    return line
}

private func best(_ pattern: String, _ lines: TextLine...) throws -> Double {
    Matcher(patterns: [try Pattern(text: pattern)]).matches(in: lines).map(\.score).max() ?? 0
}

/// The network's evidence beyond its best reading, carried through the vote and over line breaks.
@Suite struct EvidenceTests {
    /// The score of matches that are shown with the default of --min-score.
    private static let shown = 0.3

    private func voted(_ readings: TextLine...) -> TextLine {
        var vote = CharacterVote()
        for reading in readings { vote.add(reading, sharpness: 1) }
        let result = vote.result()
        return readings[0].corrected(to: result, evidence: vote.evidence(for: result))
    }

    @Test func aVotedLineKeepsWhatItsReadingsSaw() throws {
        // Three readings, each wrong in the same place in another way, and one of them in a second place.
        let line = voted(
            seen("bubblen", doubts: [6: [("n", 0.5), ("s", 0.48)]]),
            seen("bubbler", doubts: [6: [("r", 0.5), ("s", 0.48)]]),
            seen(
                "bobbien",
                doubts: [1: [("o", 0.6), ("u", 0.3)], 4: [("i", 0.6), ("l", 0.3)], 6: [("n", 0.6), ("s", 0.3)]]))
        #expect(line.text == "bubblen")
        #expect(line.evidence.count == 3)
        #expect(line.evidence.allSatisfy { $0.peaks.count == 7 })
        #expect(try best("bubbles", line) > Self.shown)
        #expect(try best("bubblet", line) < Self.shown)
    }

    @Test func whatOneReadingSawIsNotBelievedAgainstTheOthers() throws {
        let doubtful = seen("bubblen", doubts: [6: [("n", 0.5), ("s", 0.48)]])
        let sure = seen("bubblen")
        let alone = try best("bubbles", doubtful)
        #expect(try best("bubbles", voted(doubtful, sure, sure)) < alone)
        #expect(try best("bubbles", voted(sure, sure, sure)) < Self.shown)
    }

    @Test func aVotedTextOfAnotherLengthHasAPeakForEachCharacter() throws {
        let torn = seen("GA TEE")
        let evidence = try #require(torn.evidence.first?.laid(from: Array("GA TEE"), along: Array("GATES 1")))
        #expect(evidence.peaks.count == 6)
        #expect(zip(evidence.peaks, evidence.peaks.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(evidence.peaks.prefix(4) == [0.5, 2.5, 6.5, 8.5])
        #expect(torn.evidence[0].laid(from: Array("GATE"), along: Array("GATES")) == nil)
    }

    @Test func aWordPartedByAHyphenIsFoundByWhatWasSeenOfBothLines() throws {
        let first = seen("text sko-", doubts: [7: [("o", 0.5), ("a", 0.48)]])
        let second = seen("te", at: Point(0, 40))
        let found = try best("skate", first, second)
        #expect(found > Self.shown)
        #expect(try best("skete", first, second) < Self.shown)
        var blind = (first, second)
        blind.0.evidence = []
        #expect(try best("skate", blind.0, blind.1) < Self.shown)
    }

    @Test func aPhraseOverALineBreakIsFoundLikewise() throws {
        let first = seen("the quick brawn", doubts: [12: [("a", 0.5), ("o", 0.45)]])
        let second = seen("fcx jumps", doubts: [1: [("c", 0.5), ("o", 0.45)]], at: Point(0, 40))
        #expect(try best("brown fox", first, second) > Self.shown)
        #expect(try best("brain fix", first, second) < Self.shown)
    }

    @Test func aPartOfALineHasThePartOfItsEvidence() throws {
        let whole = seen("one two three")
        let part = whole.part(ofWords: 1..<2)
        #expect(part.text == "two")
        let evidence = try #require(part.evidence.first)
        #expect(evidence.peaks.count == 3)
        #expect(evidence.peaks.allSatisfy { $0 >= 0 && $0 < Float(evidence.count) })
        // The letters are at the peaks.
        for (peak, letter) in zip(evidence.peaks, "two") {
            let candidates = evidence.candidates(at: Int(peak)).map(\.scalar)
            #expect(candidates == letter.unicodeScalars.map(\.value))
        }
        #expect(whole.evidence[0].part(ofCharacters: 4..<20) == nil)
        #expect(whole.evidence[0].part(ofCharacters: 4..<4) == nil)
        var broken = try #require(whole.evidence.first)
        broken.peaks[3] = .nan
        _ = broken.part(ofCharacters: 3..<5)
        broken.peaks[3] = -.infinity
        _ = broken.part(ofCharacters: 3..<5)
    }

    /// A gap counts in all the text, and in nothing else, by how surely it was seen and how far apart the letters stand.
    @Test(arguments: [
        (Float(0.3), 4, "BRING YOUR"), (0.02, 4, "BRING YOUR"), (0.000_1, 5, "BRING YOUR"), (0.000_1, 4, "BRINGYOUR"),
        (0.02, 3, "BRINGYOUR"), (0.3, 2, "BRINGYOUR"),
    ])
    func gapsThatWereHalfSeenCount(probability: Float, steps: Int, expected: String) {
        var line = TextSpottingTests.line("BRINGYOUR")
        var evidence = ReadingEvidence()
        for (index, letter) in "BRINGYOUR".unicodeScalars.enumerated() {
            evidence.peaks.append(Float(evidence.count) + 0.5)
            evidence.append(blank: log(0.01), [ReadingEvidence.Candidate(scalar: letter.value, logarithm: log(0.99))])
            let gap = ReadingEvidence.Candidate(scalar: 0x20, logarithm: log(probability))
            evidence.append(
                blank: log(0.6), index == 4 && probability >= ReadingEvidence.leastProbability ? [gap] : [])
            if index == 4 { for _ in 2..<steps { evidence.append(blank: 0, []) } }
        }
        line.evidence = [evidence]
        #expect(line.textWithGaps == expected && line.text == "BRINGYOUR")
        line.evidence = []
        #expect(line.textWithGaps == "BRINGYOUR")
    }

    /// The network reads an I without serifs as an l where no letter beside it tells.
    @Test(arguments: [
        ("What am l doing?", "What am I doing?"), ("So do l.", "So do I."),
        ("l know, and l agree", "I know, and I agree"),
        ("l'm fine", "I'm fine"), ("and l’ve seen", "and I’ve seen"), ("Then l'll call", "Then I'll call"),
        ("I'Il be back", "I'll be back"), ("l'Il be back", "I'll be back"), ("\"I'II try\"", "\"I'll try\""),
        ("you'Il see", "you'll see"), ("He knows l'd go", "He knows I'd go"), ("Yes, Il'd love to", "Yes, I'd love to"),
        ("Il've an idea", "I've an idea"), ("They'l never know", "They'll never know"),
    ])
    func theEnglishI(text: String, expected: String) {
        let places = text.enumerated().filter { $0.element == "l" }.map(\.offset)
        let doubts = Dictionary(uniqueKeysWithValues: places.map { ($0, [(Character("l"), Float(0.9)), ("I", 0.05)]) })
        #expect(seen(text, doubts: doubts).textWithGaps == expected)
    }

    /// Units, names, formulas, articles and numerals keep their l, and so does one that the reader was sure of.
    @Test(arguments: [
        "5 l water", "2.5 l", "l 5", "l", "ls -l", "let l = 3", "for l in x[0]", "l) first", "a / l", "l'amour",
        "l'eau",
        "dell'arte", "all'l", "dell'II secolo", "l'II guerra", "all'Il", "kot i pies", "i ragazzi", "News | Sport",
        "Type 3 l",
    ])
    func otherSignsThatLookLikeIt(text: String) {
        let places = text.enumerated().filter { $0.element == "l" }.map(\.offset)
        let doubts = Dictionary(uniqueKeysWithValues: places.map { ($0, [(Character("l"), Float(0.9)), ("I", 0.05)]) })
        #expect(seen(text, doubts: doubts).textWithGaps == text)
        #expect(seen("What am l doing?").textWithGaps == "What am l doing?", "without a doubt")
    }

    /// Displays leave room before a slim digit and after a sign: what a reader half sees there is no gap, unless it is
    /// between words.
    @Test(arguments: [
        ("407.2", 2, "407.2"), ("-163.2", 1, "-163.2"), ("0.573", 3, "0.573"), ("188.4", 1, "188.4"),
        ("No.5", 3, "No. 5"), ("31km", 2, "31 km"), ("12:30", 3, "12:30"), ("3h20", 1, "3 h20"),
    ])
    func numbersAreNotDivided(text: String, gap: Int, expected: String) {
        var evidence = ReadingEvidence()
        for (index, letter) in text.unicodeScalars.enumerated() {
            let space = ReadingEvidence.Candidate(scalar: 0x20, logarithm: log(0.15))
            evidence.append(blank: log(0.8), index == gap ? [space] : [])
            evidence.peaks.append(Float(evidence.count) + 0.5)
            evidence.append(blank: log(0.01), [ReadingEvidence.Candidate(scalar: letter.value, logarithm: log(0.99))])
        }
        var line = TextSpottingTests.line(text)
        line.evidence = [evidence]
        #expect(line.textWithGaps == expected)
    }

    /// A reader of small print sees gaps behind an r or a point; where the letters stand close, and it was not sure, there is none.
    @Test(arguments: [
        ("aloudwo rdsand", Float(0.8), Float(0), "aloudwordsand"), ("aloudwo rdsand", 0.97, 0, "aloudwo rdsand"),
        ("aloudwo rdsand", 0.8, 1.2, "aloudwo rdsand"), ("aloudpage .pngand", 0.7, 0.1, "aloudpage.pngand"),
    ])
    func gapsThatAreNoneAreLeftOut(text: String, probability: Float, wider: Float, expected: String) {
        // As in Helvetica, 5 steps for a thousand of its units.
        let halves: [Character: Float] = ["l": 0.555, ".": 0.695, "s": 1.25, "w": 1.805, "r": 0.833]
        var (peaks, place, gap): ([Float], Float, Int?) = ([], 0, nil)
        for letter in text {
            guard letter != " " else {
                (gap, place) = (Int(place), place + wider)
                continue
            }
            let half = halves[letter] ?? 1.39
            peaks.append(place + half)
            place += 2 * half
        }
        var evidence = ReadingEvidence()
        for step in 0...Int(place) {
            let space = ReadingEvidence.Candidate(scalar: 0x20, logarithm: log(probability))
            evidence.append(blank: 0, step == gap ? [space] : [])
        }
        evidence.peaks = peaks
        var line = TextSpottingTests.line(text)
        line.evidence = [evidence]
        #expect(line.textWithGaps == expected)
        line.evidence = []
        #expect(line.textWithGaps == text)
    }

    /// A mark close behind a letter belongs to its word, even if the reader half saw a gap there.
    @Test(arguments: [(".", Float(278)), (",", 278), (":", 278), ("!", 278), (")", 333), ("\"", 355)])
    func aMarkBehindAWordIsNoWordOfItsOwn(mark: String, width: Float) {
        for (wider, expected) in [(Float(0), "sanddunes" + mark), (1.5, "sanddunes " + mark)] {
            // As in Helvetica, 5 steps for a thousand of its units.
            let halves: [Character: Float] = ["s": 1.25]
            var (peaks, place): ([Float], Float) = ([], 0)
            for letter in "sanddunes" {
                let half = halves[letter] ?? 1.39
                peaks.append(place + half)
                place += 2 * half
            }
            let gap = Int(place)
            peaks.append(place + wider + width / 400)
            var evidence = ReadingEvidence()
            for step in 0...Int(place + wider) + 2 {
                let space = ReadingEvidence.Candidate(scalar: 0x20, logarithm: log(0.3))
                evidence.append(blank: 0, step == gap ? [space] : [])
            }
            evidence.peaks = peaks
            var line = TextSpottingTests.line("sanddunes" + mark)
            line.evidence = [evidence]
            #expect(line.textWithGaps == expected)
        }
    }

    @Test func degreesAreSpelled() {
        #expect(TextSpottingTests.line("-3 ℃").textWithGaps == "-3 °C")
        #expect(TextSpottingTests.line("98.6℉").textWithGaps == "98.6°F")
    }

    /// Two of a slim letter stand further apart in a reading than in the picture: there is a step between them that is no letter.
    @Test(arguments: [("sallowshade", 2, "sallowshade"), ("saltowshade", 2, "sal towshade")])
    func twoOfALetterAreNoGap(text: String, before: Int, expected: String) {
        // As in Helvetica, 5 steps for a thousand of its units, but for one distance.
        let halves: [Character: Float] = ["l": 0.56, "t": 0.7, "s": 1.25, "w": 1.8]
        var (peaks, place): ([Float], Float) = ([], 0)
        for (index, letter) in text.enumerated() {
            let half = halves[letter] ?? 1.4
            if index == before + 1 { place = peaks[before] + 3.5 } else { place += half }
            peaks.append(place)
            place += half
        }
        var evidence = ReadingEvidence()
        for _ in 0...Int(place) { evidence.append(blank: 0, []) }
        evidence.peaks = peaks
        var line = TextSpottingTests.line(text)
        line.evidence = [evidence]
        #expect(line.textWithGaps == expected)
    }
}
