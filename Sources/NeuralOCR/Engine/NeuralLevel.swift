/// Which pair of networks reads: both are PP-OCRv6.
public enum NeuralLevel: String, Hashable, Sendable, CaseIterable {
    /// The tiny pair: a few times faster.
    case fast
    /// The small pair: better on small, blurred and curved text, and reads kana and more of the Latin letters.
    case accurate

    /// The folder its files stand in, under `models`.
    var folder: String { self == .fast ? "tiny" : "small" }
}
