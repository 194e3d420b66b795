import TextSpotting

/// Has the networks and Tesseract read every line, where what is searched for is in scripts of which each knows a part; counts whichever knows what
/// stands there.
struct SharedScriptsRecognizer: LineRecognizer {
    let networks: any LineRecognizer
    let tesseract: any LineRecognizer
    /// The letters that Tesseract reads for the networks.
    let scripts: [ClosedRange<UInt32>]
    /// Those of what is searched for that the networks read.
    let known: [ClosedRange<UInt32>]

    /// Less sure readings of Tesseract do not count.
    private static let leastConfidence = 0.3
    /// So much of a line's letters is in a script at least.
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
