import TextIndex
import TextMatching

/// The words and the scope of a search, from the query of `/api/search` and related routes.
struct SearchQuestion: Hashable, Sendable {
    var patterns: [String] = []
    var manner = SearchMode()
    var minimumScore = Matcher.usualMinimumScore
    /// The recordings to search; empty for all.
    var sources: Set<SourceID> = []

    /// Whether all patterns are searched for by their meaning.
    private var isMeant = false

    /// The largest number of patterns; users never type more.
    static let mostPatterns = 50
    private static let mostBytes = 2000

    /// Parses the parameters of a query that belong to the search.
    ///
    /// - Parameter others: names of other parameters of the request.
    /// - Throws: ``PageProblem`` (400) for an invalid query.
    init(_ query: QueryItems, others: Set<String> = []) throws(PageProblem) {
        for (name, value) in query.items where !others.contains(name) { try read(name, value) }
        if isMeant {
            guard manner.kind == .plain else {
                throw PageProblem(
                    400, "meaning cannot be combined with exact or regex; give one of them.")
            }
            patterns = patterns.map(Self.meaning)
        }
        guard !patterns.isEmpty else { throw PageProblem(400, "There is no word to search for: give it as q.") }
        guard patterns.count <= Self.mostPatterns, patterns.reduce(0, { $0 + $1.utf8.count }) <= Self.mostBytes else {
            throw PageProblem(
                400,
                "That is too much to search for at once: at most \(Self.mostPatterns) words of \(Self.mostBytes) bytes together."
            )
        }
    }

    private mutating func read(_ name: String, _ value: String) throws(PageProblem) {
        switch name {
        case "q": patterns.append(value)
        case "regex": if try Self.flag(name, value) { try become(.expression) }
        case "exact": if try Self.flag(name, value) { try become(.exact) }
        case "meaning": isMeant = try Self.flag(name, value)
        case "case": manner.options.caseSensitive = try Self.flag(name, value)
        case "words": manner.options.wholeWords = try Self.flag(name, value)
        case "all": manner.requiresAll = try Self.flag(name, value)
        case "min-score":
            guard let score = Double(value), (0...1).contains(score) else {
                throw PageProblem(400, "min-score is a number from 0 to 1.")
            }
            minimumScore = score
        case "source": sources.insert(try SourceNumber.id(value))
        default: throw PageProblem(400, "Nothing here is called '\(name.prefix(40))'.")
        }
    }

    /// Returns the pattern that searches for this meaning.
    static func meaning(_ text: String) -> String { text.hasPrefix(mark) ? text : mark + text }
    private static let mark = "\(Pattern.meaningMark) "

    /// Returns the patterns without the mark of a search by meaning, if all have it; nil otherwise.
    static func meant(_ patterns: [String]) -> [String]? {
        guard !patterns.isEmpty, patterns.allSatisfy({ $0.hasPrefix(mark) }) else { return nil }
        return patterns.map { String($0.dropFirst(mark.count)) }
    }

    private mutating func become(_ kind: PatternKind) throws(PageProblem) {
        guard manner.kind == .plain || manner.kind == kind else {
            throw PageProblem(400, "exact and regex cannot be combined; give one of them.")
        }
        manner.kind = kind
    }

    static func flag(_ name: String, _ value: String) throws(PageProblem) -> Bool {
        switch value {
        case "1", "": return true
        case "0": return false
        default: throw PageProblem(400, "\(name) is 1 or 0.")
        }
    }

    /// Parses 1, 0, or nothing, which means 0.
    static func flag(_ name: String, _ query: QueryItems) throws(PageProblem) -> Bool {
        guard let value = query.values(name).last else { return false }
        return try flag(name, value)
    }

    /// Parses an integer in a range.
    static func number(_ name: String, _ query: QueryItems, in range: ClosedRange<Int>) throws(PageProblem) -> Int? {
        guard let text = query.values(name).last else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw PageProblem(400, "\(name) is a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// Parses a time in seconds.
    static func seconds(_ name: String, _ query: QueryItems) throws(PageProblem) -> Double? {
        guard let text = query.values(name).last else { return nil }
        guard let number = Double(text), number.isFinite, number >= 0, number < 1e7 else {
            throw PageProblem(400, "\(name) is a time in seconds.")
        }
        return number
    }
}

/// The name of a recording in addresses: its number in the catalog, which does not reveal its path.
enum SourceNumber {
    static func text(_ id: SourceID) -> String { String(id.number) }

    /// - Throws: ``PageProblem`` (404) if it is not a number.
    static func id(_ text: some StringProtocol) throws(PageProblem) -> SourceID {
        guard text.utf8.count <= 19, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text)
        else { throw PageProblem(404, "There is no such recording.") }
        return SourceID(number: number)
    }
}
