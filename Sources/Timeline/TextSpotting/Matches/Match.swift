public import TextMatching

/// An occurrence of a pattern in one line that was read.
public struct Match: Hashable, Sendable {
    /// The index of the pattern in the matcher's list of patterns.
    public var patternIndex: Int
    /// The pattern as it was given.
    public var pattern: String
    /// The matched text as the engine read it (its words joined by single spaces).
    public var text: String
    /// The whole line as the engine read it.
    public var line: String
    /// The place of ``text``, not of the whole line, in pixels of the picture that was read.
    public var quad: Quad
    /// The confidence of the engine in the matched characters, less a penalty for misread characters; 0 to 1.
    public var score: Double
    /// The range of ``text`` in ``line``, counted in the engine's characters with one space between words.
    public var characterRange: Range<Int>
    /// Whether the pattern may stand for several texts, as an expression or a kind of content does, so that another
    /// text is another finding.
    public var isOneOfMany = false
    /// Whether the lines match by their meaning, whatever their words are.
    public var isByMeaning = false
    /// The track and the evidence of a whole line that was taken as a match.
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

    /// Returns the same match in a larger picture that the read one was cut out of at `offset`.
    public func moved(by offset: Point) -> Match {
        var result = self
        result.quad = quad.moved(by: offset)
        return result
    }
}

/// The evidence for a whole line taken as a match.
struct LineEvidence: Hashable, Sendable {
    /// The identifier of the line's track.
    var id: Int
    var growths: Int
    /// The number of this state of the line if each state is a finding of its own; 0 if all states are one finding.
    var state = 0
    /// The number of characters in the line.
    var length: Int
    var readings: Int
    /// The line itself, in pixels of the picture that was read.
    var line: TextLine
    /// The number of times the track has since been found to show another text; each is a finding of its own.
    var succession = 0
    /// The evidence of the reader for scripts that it does not know.
    var otherScripts: [Float] = []
}

extension Matcher {
    /// Returns every match in `line`, in reading order. Matches of one pattern do not overlap (the first in reading
    /// order counts, as in grep); matches of different patterns may.
    public func matches(in line: TextLine) -> [Match] {
        let found = matches(in: line.recognized)
        guard !found.isEmpty else { return [] }
        let text = line.text
        return found.map { Match($0, in: [line], text: text) }
    }

    /// Returns every match in the lines of one picture, whether within a line or continuing from one line of a block to
    /// the next.
    ///
    /// A match over several lines has the text and the quad of all of it; for hiding it is one match a line, because lines
    /// of different lengths have other text beside and between them. Matches within a line come first, in the order of lines.
    ///
    /// - Parameter meaningAllowance: the number of characters of new lines that are searched by meaning; nil for all of
    ///   them.
    public func matches(in lines: [TextLine], meaningAllowance: Int? = nil) -> [Match] {
        let reach = manner.leansToRecall ? Self.reachForHiding : LineLocation.usualReach
        var found = matches(
            in: lines.map(\.recognized), blocks: TextBlocks(lines, besideWithin: reach),
            meaningAllowance: meaningAllowance)
        guard !found.isEmpty else { return [] }
        if manner.leansToRecall { found = RunningMatches(found, in: lines).eachLine }
        let texts = lines.map(\.text)
        return found.map { match in
            Match(match, in: lines, text: match.lines.map { texts[$0] }.joined(separator: " "))
        }
    }

    /// When hiding, groups of a number that are set far apart are joined up to this distance, in heights of the line.
    private static let reachForHiding = 6.0

    /// Returns the same matches with the words that each consists of.
    public func matchesWithParts(in lines: [TextLine]) -> [(match: Match, parts: [TextMatch.Part])] {
        let texts = lines.map(\.text)
        return matches(in: lines.map(\.recognized), blocks: TextBlocks(lines)).map { match in
            (
                Match(match, in: lines, text: match.lines.map { texts[$0] }.joined(separator: " ")),
                match.parts
            )
        }
    }

    /// Returns the matches in a line with the components of their scores, for measuring and fitting scores only.
    ///
    /// - Parameter least: doubtful matches with a lower score are left out.
    package func measuredMatches(in line: TextLine, least: Double) -> [(match: Match, features: MatchFeatures)] {
        measuredMatches(in: line.recognized, least: least).map {
            (Match($0.match, in: [line], text: line.text), $0.features)
        }
    }

    /// Explains for each pattern why it matches these lines of one block, or why it does not.
    public func explanations(in lines: [TextLine]) -> [Explanation] {
        explanations(in: lines.map(\.recognized), blocks: TextBlocks(lines))
    }
}

extension NearMatches {
    /// Returns whether the line holds something close to a pattern that no certain match accounts for, or a doubtful
    /// match.
    public func isDoubtful(_ line: TextLine) -> Bool { isDoubtful(line.recognized) }
}

extension Match {
    /// - Parameters:
    ///   - lines: the lines that were searched.
    ///   - text: the text of all lines that the match spans.
    fileprivate init(_ match: TextMatch, in lines: [TextLine], text: String) {
        self.init(match, text: text, along: lines[match.parts[0].line].quad) { lines[$0.line].words[$0.word] }
    }

    /// Creates a match whose words are only built once they are known to match.
    ///
    /// - Parameters:
    ///   - text: the text of all lines that the match spans.
    ///   - line: the first of these lines.
    ///   - word: returns a matched word.
    public init(_ match: TextMatch, text: String, along line: Quad, word: (TextMatch.Part) -> TextWord) {
        // Use the matched characters of each word where the word has places for its characters.
        let quads = match.parts.map { word($0).quad(ofCharacters: $0.characters) }
        self.init(
            patternIndex: match.patternIndex, pattern: match.pattern, text: match.text, line: text,
            quad: Quad.spanning(quads, along: line.direction) ?? line, score: match.score,
            characterRange: match.characterRange)
        isByMeaning = match.isByMeaning
    }
}

extension TextWord {
    /// Returns the quad of the whole word, or the slice of it that the spans of the characters give. In right-to-left
    /// text the spans decrease as reading proceeds, hence the minimum and maximum.
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
    /// Makes a match of a whole line without a pattern, so that a search for all text can follow it over time.
    ///
    /// - Parameter eachState: whether a line that got longer or shorter is another finding and ends the previous one.
    public init(wholeLineOf track: TextTrack, eachState: Bool = false) {
        let text = track.line.textWithGaps
        self.init(
            patternIndex: 0, pattern: "", text: text, line: text, quad: track.line.quad,
            score: track.line.confidenceOfShapes,
            characterRange: 0..<text.count)
        self.track = LineEvidence(
            id: track.id, growths: track.growths, state: eachState ? track.growths + 1 : 0,
            length: track.line.text.count, readings: track.readings, line: track.line,
            otherScripts: track.line.evidence.first?.otherScripts ?? [])
    }
}
