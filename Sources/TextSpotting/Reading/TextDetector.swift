/// Finds where text is, without reading it.
public protocol TextDetector: Sendable {
    var pictureFormat: Picture.Format { get }

    /// Makes ready for pictures of this size; see ``TextReader/prepare(forWidth:height:)``.
    func prepare(forWidth width: Int, height: Int)

    /// The lines of text in `picture`, from the top down, in its pixels. Same promises as ``TextReader/read(_:)``.
    func detect(in picture: Picture) async throws -> [TextRegion]
}

extension TextDetector {
    public func prepare(forWidth width: Int, height: Int) {}
}

/// A place where a detector found a line of text.
public struct TextRegion: Hashable, Sendable {
    public var quad: Quad
    /// How sure the detector is that this is text, 0 to 1.
    public var score: Double

    public init(quad: Quad, score: Double) {
        self.quad = quad
        self.score = score
    }
}
