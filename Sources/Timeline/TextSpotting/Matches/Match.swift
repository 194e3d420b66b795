public import TextMatching

/// A place in one read line where a pattern stands.
public struct Match: Hashable, Sendable {
    /// Index of the pattern in the matcher's list of patterns.
    public var patternIndex: Int
    /// The pattern as it was given.
    public var pattern: String
    /// The matched text as the engine read it (its words joined by single spaces).
    public var text: String
    /// The whole line as the engine read it.
    public var line: String
    /// Where ``text`` stands, not the whole line; pixels of the picture that was read.
    public var quad: Quad
    /// 0 to 1: how sure the engine is of the matched characters, less what misread characters cost.
    public var score: Double
    /// The place of ``text`` in ``line``, counted in the engine's characters with one space between words.
    public var characterRange: Range<Int>
    /// The pattern may stand for several texts, so that another text is another finding: an expression, a kind of content.
    public var isOneOfMany = false
    /// The lines mean what was asked for, whatever their words are.
    public var isByMeaning = false
    /// For a whole line taken as a match: the track it is of, and how much is behind it.
    var track: LineEvidence?

    public init(
        patternIndex: Int, pattern: String, text: String, line: String, quad: Quad, score: Double,
        characterRange: Range<Int>
    ) {
        self.patternIndex = patternIndex
        self.pattern = pattern
        self.text = text
        self.line = line
        self.quad = quad
        self.score = score
        self.characterRange = characterRange
    }

    /// The same match in a picture of which the read one is a part, cut out at `offset`.
    public func moved(by offset: Point) -> Match {
        var result = self
        result.quad = quad.moved(by: offset)
        return result
    }
}

/// How much is behind a whole line taken as a match.
struct LineEvidence: Hashable, Sendable {
    /// Of the line's track.
    var id: Int
    var growths: Int
    /// Which of the line's states it is, where each is a finding of its own; 0 where all are one.
    var state = 0
    /// Characters in the line.
    var length: Int
    var readings: Int
    /// The line itself, in pixels of the picture that was read.
    var line: TextLine
    /// How many other texts its track has been taken for since: each is a finding of its own.
    var succession = 0
    /// Its reader's evidence of scripts that it does not know.
    var otherScripts: [Float] = []
}

extension Matcher {
    /// Every place of `line` where a pattern stands, from left to right in reading order; places of one pattern do not
    /// overlap (the first in reading order counts, as in grep), places of different patterns may.
    public func matches(in line: TextLine) -> [Match] {
        let found = matches(in: line.recognized)
        guard !found.isEmpty else { return [] }
        let text = line.text
        return found.map { Match($0, in: [line], text: text) }
    }

    /// Every place in the lines of one picture where a pattern stands: within a line, or running on from one line of a
    /// block to the next.
    ///
    /// A match over several lines has the text and the quad of all of it. Matches within a line come first, in the order
    /// of lines.
    ///
    /// - Parameter meaningAllowance: of lines that are seen for the first time, how many characters are looked into for what they mean; nil
    ///   for all of them.
    public func matches(in lines: [TextLine], meaningAllowance: Int? = nil) -> [Match] {
        let reach = manner.leansToRecall ? Self.reachForHiding : LineLocation.usualReach
        let found = matches(
            in: lines.map(\.recognized), blocks: TextBlocks(lines, besideWithin: reach),
            meaningAllowance: meaningAllowance)
        guard !found.isEmpty else { return [] }
        let texts = lines.map(\.text)
        return found.map { match in
            Match(match, in: lines, text: match.lines.map { texts[$0] }.joined(separator: " "))
        }
    }

    /// Groups of a number that are set far apart are hidden too, in heights of the line.
    private static let reachForHiding = 6.0

    /// The same with the words that each match is made of.
    public func matchesWithParts(in lines: [TextLine]) -> [(match: Match, parts: [TextMatch.Part])] {
        let texts = lines.map(\.text)
        return matches(in: lines.map(\.recognized), blocks: TextBlocks(lines)).map { match in
            (
                Match(match, in: lines, text: match.lines.map { texts[$0] }.joined(separator: " ")),
                match.parts
            )
        }
    }

    /// The matches in a line with what their scores were made of: for measuring and fitting scores only.
    ///
    /// - Parameter least: doubtful matches with a lower score are left out.
    package func measuredMatches(in line: TextLine, least: Double) -> [(match: Match, features: MatchFeatures)] {
        measuredMatches(in: line.recognized, least: least).map {
            (Match($0.match, in: [line], text: line.text), $0.features)
        }
    }

    /// Why each pattern matches these lines of one block, or why not.
    public func explanations(in lines: [TextLine]) -> [Explanation] {
        explanations(in: lines.map(\.recognized), blocks: TextBlocks(lines))
    }
}

extension NearMatches {
    /// The line holds something near a pattern that no sure match accounts for, or a pattern is found with doubt.
    public func isDoubtful(_ line: TextLine) -> Bool { isDoubtful(line.recognized) }
}

extension Match {
    /// - Parameters:
    ///   - lines: those that were searched.
    ///   - text: all of those in which the match stands.
    fileprivate init(_ match: TextMatch, in lines: [TextLine], text: String) {
        self.init(match, text: text, along: lines[match.parts[0].line].quad) { lines[$0.line].words[$0.word] }
    }

    /// A match whose words are made only once they are known to match.
    ///
    /// - Parameters:
    ///   - text: of all lines in which the match stands.
    ///   - line: the first of them.
    ///   - word: a word that matched.
    public init(_ match: TextMatch, text: String, along line: Quad, word: (TextMatch.Part) -> TextWord) {
        // The matched characters of each word, as far as the words' own characters tell.
        let quads = match.parts.map { word($0).quad(ofCharacters: $0.characters) }
        self.init(
            patternIndex: match.patternIndex, pattern: match.pattern, text: match.text, line: text,
            quad: Quad.spanning(quads, along: line.direction) ?? line, score: match.score,
            characterRange: match.characterRange)
        isByMeaning = match.isByMeaning
    }
}

extension TextWord {
    /// The whole word's quad, or the slice of it that the characters' spans give. In text that runs from right to left
    /// the spans fall as reading goes on, hence least and greatest.
    fileprivate func quad(ofCharacters range: Range<Int>) -> Quad {
        guard range.count < characters.count else { return quad }
        var start = 1.0
        var end = 0.0
        for span in characters[range] {
            start = min(start, span.start)
            end = max(end, span.end)
        }
        guard start < end else { return quad }
        return quad.slice(from: max(0, start), to: min(1, end))
    }
}

extension Match {
    /// Makes a match of a whole line without a pattern, for a search of all text to follow over time.
    ///
    /// - Parameter eachState: a line that got longer or shorter is another finding, and ends the one before.
    public init(wholeLineOf track: TextTrack, eachState: Bool = false) {
        let text = track.line.textWithGaps
        self.init(
            patternIndex: 0, pattern: "", text: text, line: text, quad: track.line.quad, score: track.line.confidence,
            characterRange: 0..<text.count)
        self.track = LineEvidence(
            id: track.id, growths: track.growths, state: eachState ? track.growths + 1 : 0,
            length: track.line.text.count, readings: track.readings, line: track.line,
            otherScripts: track.line.evidence.first?.otherScripts ?? [])
    }
}
