import Foundation
import TextMatching
import TextSpotting

/// Lines that are no matches as they were read and may be all the same: those that the edge of the picture cuts off, held against the
/// patterns as if they went on, and those in which a mark was lost without which an address is none.
struct CutLines: Sendable {
    let matcher: Matcher

    /// So much of a text must be there, and never less than four letters.
    private static let part = 1.0 / 3

    /// Which patterns a line may be the beginning or the end of.
    ///
    /// - Parameter picture: the line is in pixels of it.
    func patterns(in line: TextLine, of picture: Rect) -> [Int] {
        let damaged = matcher.patterns.indices.filter { isDamaged(line, ofKind: $0) }
        let (box, edge) = (line.quad.bounds, 4.0)
        let isCut =
            box.minX < picture.minX + edge || box.maxX > picture.maxX - edge || box.minY < picture.minY + edge
            || box.maxY > picture.maxY - edge
        guard isCut else { return damaged }
        // Which end that is depends on how the line lies: both are tried.
        return matcher.patterns.indices.filter { index in
            let pattern = matcher.patterns[index]
            if damaged.contains(index) { return true }
            if pattern.isContentKind { return isPart(line, ofKind: index) }
            return pattern.isText && Self.isPart(line.text, of: pattern.text)
        }
    }

    private static func isPart(_ line: String, of pattern: String) -> Bool {
        let (line, whole) = (letters(line), letters(pattern))
        let least = max(4, Int((Double(whole.count) * part).rounded(.up)))
        guard least < whole.count else { return false }
        return (least..<whole.count).contains { line.hasSuffix(whole.prefix($0)) || line.hasPrefix(whole.suffix($0)) }
    }

    private static func letters(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).filter {
            $0.isLetter || $0.isNumber
        }
    }

    // MARK: Kinds

    /// An address that lacks a slash or a colon, or has a gap at its @.
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

    private func isPart(_ line: TextLine, ofKind index: Int) -> Bool {
        let (text, digits) = (line.text, line.text.count(where: \.isNumber))
        let (before, after): ([String], [String])
        switch matcher.patterns[index].text {
        case ":email" where text.contains("@"): (before, after) = (["a"], [".com", "x.com", "om"])
        case ":ip" where digits >= 4 && text.contains("."):
            (before, after) = (["1.", "1.1.", "1"], [".1", ".1.1", "1.1", "1"])
        case ":phone" where digits >= 5:
            (before, after) = (["+1 212 ", "+1 2", "+1 212 5", "+"], (1...7).map { String("5550123".prefix($0)) })
        case ":plate" where text.count >= 4, ":code" where text.count >= 4, ":money" where digits >= 2:
            (before, after) = ([], ["1", "23"])
        default: return false
        }
        return before.contains { finds(index, in: line, before: $0, after: "") }
            || after.contains { finds(index, in: line, before: "", after: $0) }
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
