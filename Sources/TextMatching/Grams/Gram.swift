/// A few letters that stand side by side in a text: what an index looks lines up by.
///
/// Three scalars of a skeleton (``Confusable/skeleton(_:)``), so that letters that are taken for each other are the same; two
/// where one of them belongs to a script whose words may have two letters (Han, kana, Hangul). White space counts nothing.
public struct Gram: Hashable, Comparable, Sendable {
    /// The scalars, 21 bits each; the upper bits say how many there are.
    public let bits: UInt64

    /// Scalars from here on make grams of two.
    private static let firstOfShortWords: UInt32 = 0x1100

    private init(bits: UInt64) { self.bits = bits }

    /// The gram that `scalars` begin with; nil if there are too few of them.
    init?(_ scalars: ArraySlice<UInt32>) {
        guard let first = scalars.first, scalars.count > 1 else { return nil }
        let second = scalars[scalars.startIndex + 1]
        if first >= Self.firstOfShortWords || second >= Self.firstOfShortWords {
            self.init(bits: UInt64(second) << 21 | UInt64(first))
            return
        }
        guard scalars.count > 2 else { return nil }
        let third = scalars[scalars.startIndex + 2]
        // The second and the third make one of two.
        guard third < Self.firstOfShortWords else { return nil }
        self.init(bits: UInt64(third) << 42 | UInt64(second) << 21 | UInt64(first))
    }

    /// A number of 47 bits that differs for nearly all grams (a step of SplitMix64, G. Steele et al. 2014).
    public var hash47: UInt64 {
        var value = bits &+ 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return (value ^ (value >> 31)) >> 17
    }

    public static func < (a: Gram, b: Gram) -> Bool { a.bits < b.bits }

    /// All grams of a skeleton.
    static func all(of skeleton: [UInt32]) -> Set<Gram> { Set(skeleton.indices.compactMap { Gram(skeleton[$0...]) }) }
}
