public import TextMatching

/// Google's Universal Sentence Encoder in sixteen languages, from the file that `framegrep setup --meaning` makes.
///
/// Opening it takes a moment, because the file is only mapped. Its vectors do not depend on the processor, on the number of threads, or on
/// which texts are asked for together. Thread-safe.
// Tokenizer and network point into the file's mapping, which is never changed and lasts as long as this object.
public final class MeaningEncoder: MeaningModel, @unchecked Sendable {
    private let file: ModelFile
    private let tokenizer: PieceTokenizer
    private let encoder: SentenceEncoder
    public let background: [Float]
    public let name = "universal-sentence-encoder-multilingual 3"

    /// Pieces that go through the network together: enough to make use of what was fetched from memory, few enough to stay near.
    private static let batch = 256

    /// - Parameter path: of the file.
    /// - Throws: ``FramegrepError`` (`engineUnavailable`) where it is not there or damaged.
    public init(path: String) throws {
        file = try ModelFile(path: path)
        tokenizer = try PieceTokenizer(file)
        encoder = try SentenceEncoder(file)
        background = MeaningBackground.values.map { Float($0) * MeaningBackground.scale }
    }

    public func vectors(of texts: [String]) -> [[Float]] {
        var vectors: [[Float]] = []
        var waiting: [[UInt32]] = []
        var pieces = 0
        for text in texts {
            let cut = tokenizer.pieces(of: text)
            if pieces + cut.count > Self.batch {
                vectors += encoder.vectors(of: waiting)
                (waiting, pieces) = ([], 0)
            }
            waiting.append(cut)
            pieces += cut.count
        }
        return vectors + encoder.vectors(of: waiting)
    }

    public func probability(ofCloseness closeness: Double) -> Double { MeaningCalibration.map(closeness) }

    /// The numbers of a text's pieces, as SentencePiece gives them: for comparing only.
    func pieces(of text: String) -> [UInt32] { tokenizer.pieces(of: text) }
}
