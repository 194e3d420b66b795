import TextSpotting

/// A line that is a single letter. The networks learned from words, and either alone reads a letter in a texture.
enum LoneLetter {
    /// Returns whether a line is a single letter that the fast network is not sure of, and that it knows.
    static func isDoubtful(_ line: TextLine) -> Bool {
        line.text.count(where: { $0.isLetter || $0.isNumber }) == 1 && line.confidence < sure
            && ScriptEvidence(of: line).strength < ScriptScreen.doubt
    }

    /// Returns whether both networks read the same letter. The fast one confuses ideographs of a stroke or two with
    /// letters.
    static func agree(_ quick: TextLine, _ careful: TextLine) -> Bool {
        quick.text.lowercased() == careful.text.lowercased()
            || careful.text.unicodeScalars.allSatisfy(\.properties.isIdeographic)
    }

    /// The confidence from which a single letter is reported as it was read.
    private static let sure = 0.9
}
