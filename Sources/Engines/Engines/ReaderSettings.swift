public import NeuralOCR
import Threads

/// The engine that reads.
public enum EngineName: String, Sendable, CaseIterable {
    case auto, tesseract, neural
}

/// The amount of time that the networks take for a picture.
public enum LevelName: String, Sendable, CaseIterable {
    case fast, accurate
}

/// The user's settings of the reader; all their defaults are defined here.
public struct ReaderSettings: Sendable, Hashable {
    /// The engine; `auto` selects the networks if they are installed, otherwise Tesseract.
    public var engine = EngineName.auto
    public var level = LevelName.fast
    /// Whether still pictures are read as well as possible, whatever the level, because a still need not keep up with
    /// anything.
    public var readsStillsClosely = false
    /// Whether all text is wanted, so that lines in scripts that the networks do not know matter.
    public var readsAllText = false
    /// Whether matches in a running picture are hidden, so that lines are also read upside down and mirrored.
    public var readsForHiding = false
    /// The device that the networks run on.
    public var device = NeuralDevice.cpu
    /// Tesseract's language names joined by `+`; nil for the locale's, English, and those of the searched words.
    public var language: String?
    /// The number of threads that may read, at least 1, for all inputs together. Nil for all usable processors; if the
    /// networks read recordings, at most four for each input, or part of one, that is read at a time.
    public var threads: Int?
    /// The number of inputs, or parts of inputs, read at a time.
    public var inputs = 1

    public init() {}

    func threads(ofNetworks mode: NeuralEngine.Mode, on processors: Int = Processors.usable) -> Int {
        // A running picture is read by all processors at once.
        threads ?? (mode == .latency ? processors : min(processors, NeuralEngine.Settings.mostPictures * inputs))
    }
}
