/// Tells whether a line looks as if a searched word might stand in it, misread: reason to read it again, more carefully.
///
/// Much more is near than matches: up to a third of a pattern's characters (a quarter of a short one's) may be wrong,
/// missing or too many (the approximate matching of P. H. Sellers, 1980). Not a match by itself.
public struct NearMatches: Sendable {
    private let matcher: Matcher
    private let wanted: [(index: Int, codes: [UInt32])]
    /// A reading less sure than this is doubted whatever it says, if it is about as long as a pattern.
    private static let sureFrom = 0.8
    /// Longer lines are compared only so far.
    private static let longest = 400
    /// With more patterns than this, nearly everything is near.
    private static let mostPatterns = 100

    public init(_ matcher: Matcher) {
        self.matcher = matcher
        wanted = matcher.patterns.prefix(Self.mostPatterns).enumerated().compactMap { index, pattern in
            pattern.plain.map { (index, $0.folded.units.map(\.code)) }
        }
    }

    /// The line holds something near a pattern that no sure match accounts for, or a pattern is found with doubt.
    public func isDoubtful(_ line: RecognizedText) -> Bool {
        let read = FoldedLine(line, folding: TextFolding(caseSensitive: false)).units.prefix(Self.longest).map(\.code)
        guard !read.isEmpty else { return false }
        let matches = matcher.matches(in: line)
        let found = Set(matches.filter { $0.score >= Self.sureFrom }.map(\.patternIndex))
        // The evidence may speak for a pattern of which most letters were misread.
        let weak = Set(matches.map(\.patternIndex)).subtracting(found)
        return wanted.contains { index, pattern in
            guard !found.contains(index) else { return false }
            if weak.contains(index) { return true }
            let allowed = pattern.count / (pattern.count < 6 ? 4 : 3)
            return allowed > 0 && Self.distance(of: pattern, within: read) <= allowed
        }
    }

    /// The least number of edits that turn `pattern` into some part of `text`.
    private static func distance(of pattern: [UInt32], within text: [UInt32]) -> Int {
        var column = Array(0...pattern.count)
        var least = pattern.count
        for character in text {
            var diagonal = column[0]
            for (row, wanted) in pattern.enumerated() {
                let replaced = diagonal + (wanted == character ? 0 : 1)
                diagonal = column[row + 1]
                column[row + 1] = min(replaced, diagonal + 1, column[row] + 1)
            }
            least = min(least, column[pattern.count])
        }
        return least
    }
}
