/// Finds where text is, without reading it.
public protocol TextDetector: Sendable {
    var pictureFormat: Picture.Format { get }

    /// Makes ready for pictures of this size; see ``TextReader/prepare(forWidth:height:)``.
    func prepare(forWidth width: Int, height: Int)

    /// The lines of text in `picture`, from the top down, in its pixels. Same promises as ``TextReader/read(_:)``.
    func detect(in picture: Picture) async throws -> [TextRegion]

    /// The same in a picture that is brought to a size of the caller's choice; those who cannot look at one in another size do as usual.
    func detect(in picture: Picture, atWidth width: Int, height: Int) async throws -> [TextRegion]
}

extension TextDetector {
    public func prepare(forWidth width: Int, height: Int) {}

    public func detect(in picture: Picture, atWidth width: Int, height: Int) async throws -> [TextRegion] {
        try await detect(in: picture)
    }
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
