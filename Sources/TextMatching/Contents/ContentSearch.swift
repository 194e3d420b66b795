/// The verdict of a rule on the text from one place on.
enum ContentVerdict: Hashable, Sendable {
    /// Nothing of this kind begins here.
    case none
    /// Something begins here that looks like it, but is not: why, as a sentence.
    case refused(String)
    /// Something of this kind stands from here to this index.
    case found(end: Int)
}

/// Says where something of one kind of content stands. Rules look at most some hundred characters ahead.
protocol ContentRule: Sendable {
    func verdict(at start: Int, in text: ContentText) -> ContentVerdict
}

extension ContentKind {
    var rule: any ContentRule {
        switch self {
        case .url: URLRule()
        case .email: EmailRule()
        case .phone: PhoneRule()
        case .date: DateRule()
        case .time: TimeRule()
        case .number: NumberRule()
        case .ip: IPRule()
        case .money: MoneyRule()
        case .plate: PlateRule()
        case .code: CodeRule()
        }
    }

    /// Every place of the text where something of this kind stands, and of what only looks like it why it is refused.
    func findings(in text: ContentText) -> (found: [Range<Int>], refused: [(start: Int, reason: String)]) {
        let rule = rule
        var found: [Range<Int>] = []
        var refused: [(start: Int, reason: String)] = []
        var index = 0
        while index < text.count {
            switch rule.verdict(at: index, in: text) {
            case .none: index += 1
            case .refused(let reason):
                refused.append((index, reason))
                index += 1
            case .found(let end):
                found.append(index..<max(end, index + 1))
                index = max(end, index + 1)
            }
        }
        return (found, refused)
    }
}

/// Finds kinds of content. A value; safe to use from several threads at once.
struct ContentSearch: Sendable {
    private let kinds: [(number: Int, kind: ContentKind)]

    var isEmpty: Bool { kinds.isEmpty }

    /// - Parameter kinds: by the number under which ``spans(in:)`` reports each.
    init(_ kinds: [(number: Int, kind: ContentKind)]) { self.kinds = kinds }

    /// - Parameter folded: in the folding that tells case.
    func spans(in folded: FoldedLine) -> [FoundSpan] {
        let text = ContentText(folded)
        return kinds.flatMap { number, kind in
            kind.findings(in: text).found.map { range in
                let letters = folded.letters(
                    ofUnits: text.units[range.lowerBound]..<text.units[range.upperBound - 1] + 1)
                return FoundSpan(
                    number: number, letters: letters,
                    score: MatchScore.score(ofReading: folded.letters[letters], source: folded.source))
            }
        }
    }
}
