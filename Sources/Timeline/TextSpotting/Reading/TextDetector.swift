/// Finds text without reading it.
public protocol TextDetector: Sendable {
    var pictureFormat: Picture.Format { get }

    /// Prepares for pictures of this size; see ``TextReader/prepare(forWidth:height:)``.
    func prepare(forWidth width: Int, height: Int)

    /// Returns the lines of text in `picture`, from the top down, in its pixels. Gives the same guarantees as
    /// ``TextReader/read(_:)``.
    func detect(in picture: Picture) async throws -> [TextRegion]

    /// Does the same in a picture that is scaled to a size of the caller's choice; detectors that cannot do that use
    /// their usual size.
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
    /// The confidence that this is text, 0 to 1.
    public var score: Double

    public init(quad: Quad, score: Double) {
        self.quad = quad
        self.score = score
    }
}
