/// The kind of reader a line comes from: confidences and mistakes of one kind say little about those of another.
public enum ReadingSource: Hashable, Sendable, CaseIterable {
    /// A CTC network small enough for every frame.
    case neuralFast
    /// A larger CTC network.
    case neuralAccurate
    case tesseract
    /// Nothing is known of it: its confidences are taken for probabilities.
    case other
}
