/// Reads single lines whose places are known.
public protocol LineRecognizer: Sendable {
    var pictureFormat: Picture.Format { get }

    /// What stands in each of `quads`; nil where nothing could be read. Same promises as ``TextReader/read(_:)``.
    func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?]
}
