/// Turns texts into vectors that lie close together where the texts mean the same, in whichever language each is written.
///
/// Implemented by the target `Meaning`; this target knows no model.
public protocol MeaningModel: Sendable {
    /// The vectors of some texts, in their order: all of as many numbers, each of length 1. What a text's vector is does not depend on the
    /// texts beside it. May be called from several threads at once.
    func vectors(of texts: [String]) -> [[Float]]
    /// The mean vector of many everyday lines. Short, common words are near to it, and so to everything.
    var background: [Float] { get }
    /// How often a line so close to a question is what the question means, 0 to 1. See ``MeaningCloseness``.
    func probability(ofCloseness closeness: Double) -> Double
}

/// Where a search gets its ``MeaningModel``, opened when it is first needed. Thread-safe; two are equal when they are the same object.
public final class MeaningSource: Hashable, Sendable {
    private let open: @Sendable () throws -> any MeaningModel
    private let opened = MeaningOnce()

    /// - Parameter open: opens the model; asked again after it threw.
    public init(_ open: @escaping @Sendable () throws -> any MeaningModel) { self.open = open }

    /// What was learnt of texts with the one model of this source.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`) with what is missing and how to get it.
    func memory() throws -> MeaningMemory { try opened.value { MeaningMemory(try open()) } }

    public static func == (a: MeaningSource, b: MeaningSource) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
