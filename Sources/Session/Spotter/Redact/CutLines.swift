import Foundation
import TextMatching
import TextSpotting

/// Lines that do not match as read but may match in fact: those that the edge of the picture cuts off, compared with
/// the patterns as if they continued, and addresses that lost a mark they need.
struct CutLines: Sendable {
    let matcher: Matcher

    /// The least share of a text that must be visible, and never fewer than four letters; its first or last word may have
    /// only three.
    private static let part = 1.0 / 3
    private static let leastWord = 3

    /// The patterns that one reading of a line may be a match of although it does not match.
    struct Judgement {
        /// Those that the reading may be a part of.
        var patterns: [Int] = []
        /// Those that a line may be a match of because the edge cuts through its letters, whatever they were read as.
        var doubtful: [Int] = []
        /// Whether the line was read for certain, and whole.
        var isCertain = false
    }

    /// Returns the patterns that a line may be the beginning or the end of.
    ///
    /// - Parameter picture: the picture whose pixels the line is in.
    func judgement(of line: TextLine, in picture: Rect) -> Judgement {
        let damaged = matcher.patterns.indices.filter { isDamaged(line, ofKind: $0) }
        let (alongEdge, acrossEdge) = Self.cuts(of: line.quad, by: picture)
        let isSure = line.confidence >= Self.sure
        guard alongEdge || acrossEdge else { return Judgement(patterns: damaged, isCertain: isSure) }
        // Which end it is depends on the orientation of the line, so both are tried.
        let parts = matcher.patterns.indices.filter { index in
            let pattern = matcher.patterns[index]
            return damaged.contains(index)
                || (pattern.isContentKind
                    ? isPart(line, ofKind: index, isCutAtEnd: alongEdge)
                    : pattern.isText && Self.isPart(line.text, of: pattern.text))
        }
        let letters = Self.letters(line.text).count
        guard acrossEdge, !isSure, letters >= 3 else { return Judgement(patterns: parts) }
        let doubtful = matcher.patterns.indices.filter { index in
            let pattern = matcher.patterns[index]
            if pattern.isContentKind { return letters >= Self.shortest(pattern.text) }
            return pattern.isText ? Self.isAsLong(line.text, as: pattern.text) : pattern.question == nil
        }
        return Judgement(patterns: parts, doubtful: doubtful)
    }

    /// Returns the least number of letters and digits in a line that may be of a kind although its letters were
    /// misread: large shapes that touch the edge are read as two or three letters.
    private static func shortest(_ kind: String) -> Int {
        switch kind {
        case ":email", ":phone", ":url": 5
        case ":card", ":iban": 8
        default: 3
        }
    }

    /// Letters without their feet or heads are misread: a line with less confidence than this may have any text.
    private static let sure = 0.93

    /// Returns whether the edge of the picture cuts off an end of a line, and whether it cuts through all of its
    /// letters. Detectors leave a margin there.
    private static func cuts(of quad: Quad, by picture: Rect) -> (end: Bool, letters: Bool) {
        let (box, edge) = (quad.bounds, max(4, 0.4 * quad.height))
        // The rest of a letter that is cut is often left out, and the gap beside it too.
        let side = max(4, 0.25 * quad.height)
        let sideways = box.minX < picture.minX + side || box.maxX > picture.maxX - side
        let isUpright = abs(quad.direction.x) >= abs(quad.direction.y)
        let (top, bottom) = (box.minY < picture.minY + edge, box.maxY > picture.maxY - edge)
        return isUpright
            ? (sideways, top || bottom)
            : (top || bottom, box.minX < picture.minX + edge || box.maxX > picture.maxX - edge)
    }

    private static func isAsLong(_ line: String, as pattern: String) -> Bool {
        let (read, wanted) = (letters(line).count, letters(pattern).count)
        return 2 * read >= wanted && read <= 2 * wanted
    }

    private static func isPart(_ line: String, of pattern: String) -> Bool {
        let words = pattern.split(separator: " ").map { letters(String($0)) }
        let (line, whole) = (letters(line), letters(pattern))
        let share = Int((Double(whole.count) * part).rounded(.up))
        if words.count > 1, line.count >= max(leastWord, share), line == words.first || line == words.last {
            return true
        }
        let least = max(4, share)
        guard least < whole.count else { return false }
        // The letter at the edge is misread.
        let ends = [line, String(line.dropLast())].filter { $0.count >= least }
        let beginnings = [line, String(line.dropFirst())].filter { $0.count >= least }
        // Large text may be cut at both sides.
        let middles = ends.flatMap { [$0, String($0.dropFirst())] }.filter { $0.count >= least }
        return middles.contains(where: whole.contains)
            || (least..<whole.count).contains { count in
                ends.contains { $0.hasSuffix(whole.prefix(count)) }
                    || beginnings.contains { $0.hasPrefix(whole.suffix(count)) }
            }
    }

    /// Returns the letters and digits of a text, without case and accents.
    static func letters(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).filter {
            $0.isLetter || $0.isNumber
        }
    }

    // MARK: Beginnings

    /// Returns the patterns that a line being typed may become a match of: those that begin with its end.
    func beginnings(in line: TextLine) -> [Int] {
        let text = line.text
        guard let word = text.split(separator: " ").last, let end = word.last,
            end.isLetter || end.isNumber || end.isPunctuation || end.isSymbol
        else { return [] }
        let digits = word.filter(\.isNumber).count
        return matcher.patterns.indices.filter { index in
            let pattern = matcher.patterns[index]
            switch pattern.text {
            case _ where !pattern.isContentKind:
                return pattern.isText ? Self.begins(text, pattern.text) : pattern.question == nil
            case ":email", ":url": return word.contains { $0.isLetter || $0.isNumber }
            case ":phone", ":ip", ":card", ":number", ":date", ":time": return digits > 0 || end == "+" || end == "("
            case ":money": return digits > 0 || end.isCurrencySymbol
            default: return digits > 0 || word.allSatisfy { !$0.isLowercase }
            }
        }
    }

    /// Returns whether the end of one text is the beginning of another.
    private static func begins(_ text: String, _ pattern: String) -> Bool {
        let (text, whole) = (letters(text), letters(pattern))
        return (1..<max(2, whole.count)).contains { text.hasSuffix(whole.prefix($0)) }
    }

    // MARK: Kinds

    /// Returns whether the line is an address that lacks a slash or a colon, or has a gap at its @.
    private func isDamaged(_ line: TextLine, ofKind index: Int) -> Bool {
        let text = line.text
        let repaired: String
        switch matcher.patterns[index].text {
        case ":url": repaired = text.replacing(#/(https?|ftp) ?[:;.]? ?/{1,2} ?/#.ignoresCase()) { "\($0.output.1)://" }
        case ":email" where text.contains("@"): repaired = text.replacing(#/ ?@ ?/#, with: "@")
        default: return false
        }
        guard repaired != text else { return false }
        let words = repaired.split(separator: " ").map {
            TextWord(text: String($0), quad: line.quad, confidence: line.confidence)
        }
        guard !words.isEmpty else { return false }
        return matcher.matches(in: [TextLine(quad: line.quad, words: words, confidence: line.confidence)]).contains {
            $0.patternIndex == index && $0.score >= HidingSearch.minimumScore
        }
    }

    private func isPart(_ line: TextLine, ofKind index: Int, isCutAtEnd: Bool) -> Bool {
        let (text, digits) = (line.text, line.text.count(where: \.isNumber))
        let (before, after): ([String], [String])
        switch matcher.patterns[index].text {
        case ":email" where text.contains("@"): (before, after) = (["a"], [".com", "x.com", "om"])
        case ":ip" where digits >= 4 && text.contains("."):
            (before, after) = (["1.", "1.1.", "1"], [".1", ".1.1", "1.1", "1"])
        case ":phone" where digits >= 5 || isCutAtEnd && Self.isShortNumber(text):
            (before, after) = (["+1 212 ", "+1 2", "+1 212 5", "+"], (1...7).map { String("5550123".prefix($0)) })
        case ":plate" where text.count >= 4, ":code" where text.count >= 4, ":money" where digits >= 2:
            (before, after) = ([], ["1", "23"])
        default: return false
        }
        return before.contains { finds(index, in: line, before: $0, after: "") }
            || after.contains { finds(index, in: line, before: "", after: $0) }
    }

    /// Returns whether a line has three characters or more of a telephone number and no others.
    private static func isShortNumber(_ text: String) -> Bool {
        text.contains(where: \.isNumber) && text.count { $0 != " " } >= 3
            && text.allSatisfy { $0.isNumber || "+()-./ ".contains($0) }
    }

    private func finds(_ index: Int, in line: TextLine, before: String, after: String) -> Bool {
        guard let first = line.words.first, let last = line.words.last else { return false }
        var words = line.words.map { TextWord(text: $0.text, quad: $0.quad, confidence: $0.confidence) }
        words[words.count - 1] = TextWord(
            text: words[words.count - 1].text + after, quad: last.quad, confidence: last.confidence)
        words[0] = TextWord(text: before + words[0].text, quad: first.quad, confidence: first.confidence)
        let longer = TextLine(quad: line.quad, words: words, confidence: line.confidence)
        let length = longer.text.count
        return matcher.matches(in: [longer]).contains { match in
            match.patternIndex == index && match.score >= HidingSearch.minimumScore
                && (before.isEmpty
                    ? match.characterRange.upperBound > length - after.count
                    : match.characterRange.lowerBound < before.count)
        }
    }
}

/// A line that does not match as read but may match in fact.
struct CutLine {
    /// The patterns that it may match because of what was read, for the whole time that it is in view.
    private var patterns: Set<Int> = []
    /// The readings through which the edge cuts, with the patterns that they may be a match of.
    private var doubtful: [(text: String, patterns: [Int])] = []
    /// The readings beside what is hidden already.
    private(set) var neighbors: [LineRests.Neighbor] = []
    /// The patterns that it may become a match of, up to a frame.
    var begun: Set<Int> = []
    var until = -1
    /// The longest reading.
    private(set) var text = ""

    mutating func add(_ reading: String, _ judgement: CutLines.Judgement, beside neighbor: LineRests.Neighbor? = nil) {
        patterns.formUnion(judgement.patterns)
        if !judgement.doubtful.isEmpty, doubtful.last?.text != reading {
            doubtful.append((reading, judgement.doubtful))
        }
        if let neighbor { neighbors.append(neighbor) }
        if reading.count > text.count { text = reading }
    }

    /// Returns the patterns that it may match, apart from those that it is becoming a match of.
    ///
    /// - Parameter certain: the text that was read for certain while the line was whole: what shows a part of it at the edge
    ///   is known. Nil if there is none.
    func possible(knowing certain: String?) -> Set<Int> {
        doubtful.filter { reading in certain.map { !CoveredParts.isPart(reading.text, of: $0) } ?? true }
            .reduce(into: patterns) { $0.formUnion($1.patterns) }
    }
}
