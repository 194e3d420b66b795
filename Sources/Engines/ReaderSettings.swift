public import NeuralOCR
import TesseractOCR

/// Which engine reads.
public enum EngineName: String, Sendable, CaseIterable {
    case auto, tesseract, neural
}

/// How much time the networks take for a picture.
public enum LevelName: String, Sendable, CaseIterable {
    case fast, accurate
}

/// The user's settings of the reader; the defaults stand here and nowhere else.
public struct ReaderSettings: Sendable, Hashable {
    /// `auto`: the networks where they are installed, else Tesseract.
    public var engine = EngineName.auto
    public var level = LevelName.fast
    /// What the networks run on.
    public var device = NeuralDevice.cpu
    /// Tesseract's names joined by `+`; nil for the locale's, English, and those of the searched words.
    public var language: String?
    /// How many threads may read, at least 1.
    public var threads = TesseractSettings.defaultThreads

    public init() {}
}
