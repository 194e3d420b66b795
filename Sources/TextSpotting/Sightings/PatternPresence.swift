/// Which patterns are in view while a picture runs, for searches that want all of them at the same time.
///
/// A reading that misses a word which the one before it saw does not end its presence.
public struct PatternPresence: Sendable {
    /// For each pattern the number of the last reading that found it.
    private var lastFound: [Int: Int] = [:]
    private var readings = 0

    public init() {}

    /// The matches of the next reading if all patterns are in view, otherwise none.
    ///
    /// - Parameter count: how many patterns are searched for.
    public mutating func together(_ matches: [Match], of count: Int) -> [Match] {
        readings += 1
        for match in matches { lastFound[match.patternIndex] = readings }
        let isWhole = (0..<count).allSatisfy { (lastFound[$0] ?? .min) >= readings - 1 }
        return isWhole ? matches : []
    }
}
