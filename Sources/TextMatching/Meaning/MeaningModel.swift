/// Turns texts into vectors that lie close together where the texts mean the same, in whichever language each is written.
///
/// Implemented by the target `Meaning`; this target knows no model.
public protocol MeaningModel: Sendable {
    /// Which model it is: vectors of one are of no use to another.
    var name: String { get }
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

    /// What the forms of lines (``MeaningForm/line(_:)``) mean, in their order; nothing of it is remembered.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`).
    package func points(ofForms forms: [String]) throws -> [MeaningPoint] {
        let model = try memory().model
        return model.vectors(of: forms).map { MeaningPoint($0, background: model.background) }
    }

    /// By which vectors of lines are known to be of this model and these forms.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`).
    package func vectorName() throws -> String { try memory().model.vectorName }

    public static func == (a: MeaningSource, b: MeaningSource) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension MeaningModel {
    package var vectorName: String { "\(name), forms \(MeaningForm.version)" }
}
