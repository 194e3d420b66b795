import TextSpotting

/// Reads every line with both the networks and Tesseract, for searches whose scripts neither engine knows completely,
/// and uses the reading of the engine that knows the line's script.
struct SharedScriptsRecognizer: LineRecognizer {
    let networks: any LineRecognizer
    let tesseract: any LineRecognizer
    /// The letters that Tesseract reads for the networks.
    let scripts: [ClosedRange<UInt32>]
    /// The searched letters that the networks read.
    let known: [ClosedRange<UInt32>]

    /// Tesseract's readings with less confidence are ignored.
    private static let leastConfidence = 0.3
    /// The least share of a line's letters that must be in a script.
    private static let leastShare = 0.3

    var pictureFormat: Picture.Format { networks.pictureFormat }

    func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        async let theirs = networks.recognize(quads, in: picture)
        let others = try await tesseract.recognize(quads, in: picture)
        return zip(try await theirs, others).map { line, other in
            guard let line, !Self.isWritten(line, in: known) else { return line ?? other }
            guard let other, other.confidence >= Self.leastConfidence, Self.isWritten(other, in: scripts) else {
                return line
            }
            return other
        }
    }

    private static func isWritten(_ line: TextLine, in blocks: [ClosedRange<UInt32>]) -> Bool {
        let letters = line.text.unicodeScalars.filter(\.properties.isAlphabetic)
        let own = letters.count { letter in blocks.contains { $0.contains(letter.value) } }
        return own > 0 && Double(own) >= leastShare * Double(letters.count)
    }
}
