/// Tells recordings apart, whatever their files are called: a number drawn once.
public struct SourceID: Hashable, Sendable, Comparable {
    public let number: Int64

    public init(number: Int64) { self.number = number }

    /// A new one.
    public static func drawn() -> SourceID { SourceID(number: Int64.random(in: 1...Int64.max)) }

    public static func < (a: SourceID, b: SourceID) -> Bool { a.number < b.number }
}
