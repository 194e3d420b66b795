/// A text that somebody may have said, and how near it is to what was heard.
public struct HeardCandidate: Sendable, Hashable {
    /// As it is written where it stands.
    public var text: String
    /// 0 for the very sounds, 1 for nothing in common.
    public var distance: Double
}

/// Finds what somebody said among the words that are there: the words in view, those read before, those of an index.
///
/// A recognizer of speech that hears a word without a sentence around it is often wrong by a few sounds, and the words that can be meant are
/// known here. "translators" is near to TRANSISTORS by its sounds, and to nothing else on a wall of drawers.
public struct HeardWords: Sendable {
    /// A text of more words is not said in one breath.
    private static let mostWords = 6
    /// So many texts are compared at most: the newest.
    private static let most = 20_000

    private struct Text: Sendable {
        let text: String
        let ways: [[Sound]]
        let isWhole: Bool
    }

    private let texts: [Text]

    /// - Parameter lines: what is there, likelier ones first.
    public init(_ lines: some Sequence<String>) {
        var seen = Set<String>()
        var texts: [Text] = []
        for line in lines where texts.count < Self.most {
            let words = line.split(whereSeparator: \.isWhitespace)
            for length in (1...Self.mostWords).reversed() where length <= words.count {
                for start in 0...(words.count - length) {
                    let text = words[start..<(start + length)].joined(separator: " ")
                    guard seen.insert(text.lowercased()).inserted else { continue }
                    let ways = SpokenText.ways(of: text)
                    // A word of one or two letters is heard in anything.
                    guard let first = ways.first, first.count > 1 || words.count == 1 else { continue }
                    texts.append(Text(text: text, ways: ways, isWhole: length == words.count))
                }
            }
        }
        self.texts = texts
    }

    /// The texts nearest to what was heard, nearest first, however far they are; those of whole lines have most of the places.
    public func nearest(to heard: String, count: Int) -> [HeardCandidate] {
        let ways = SpokenText.ways(of: heard)
        let all = texts.map { text in
            var least: Float = 1
            for said in text.ways { for way in ways { least = min(least, SoundDistance.normalized(said, way)) } }
            return (text: text, distance: Double(least))
        }.sorted { ($0.distance, -$0.text.text.count) < ($1.distance, -$1.text.text.count) }
        let whole = all.lazy.filter(\.text.isWhole).prefix(count * 4 / 5)
        let parts = all.lazy.filter { !$0.text.isWhole }.prefix(count - whole.count)
        return (Array(whole) + Array(parts)).map { HeardCandidate(text: $0.text.text, distance: $0.distance) }
    }
}
