/// Reads single lines whose places are known.
public protocol LineRecognizer: Sendable {
    var pictureFormat: Picture.Format { get }

    /// Reads the text in each of `quads`; nil if nothing could be read. Same promises as ``TextReader/read(_:)``.
    func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?]

    /// The same, telling of each line as soon as it is read: `see` gets the number of its quad and what stands there, on any
    /// thread. Those who cannot tell earlier do at the end.
    func recognize(
        _ quads: [Quad], in picture: Picture, _ see: @escaping @Sendable (Int, TextLine) -> Void
    ) async throws -> [TextLine?]
}

extension LineRecognizer {
    public func recognize(
        _ quads: [Quad], in picture: Picture, _ see: @escaping @Sendable (Int, TextLine) -> Void
    ) async throws -> [TextLine?] {
        let lines = try await recognize(quads, in: picture)
        for (index, line) in lines.enumerated() {
            if let line { see(index, line) }
        }
        return lines
    }
}
