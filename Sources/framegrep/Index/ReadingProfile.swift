import Engines
import NeuralOCR
import TextIndex
import TextMatching
import TextSpotting

/// The options that decide how a recording is read, as a text: a recording read in one manner does not answer a search in another.
struct ReadingProfile: Hashable {
    let text: String
    /// The same for still pictures, where they are read more closely than frames.
    let stillText: String

    /// The same for a skim.
    var skimmed: String { SkimProfile.text(text) }

    /// All that a recording may have been read in to answer.
    ///
    /// - Parameter skims: skimmed recordings answer too.
    func texts(skims: Bool) -> [String] {
        var texts = skims ? [text, skimmed] : [text]
        if stillText != text { texts.append(stillText) }
        return texts
    }

    /// Whether something was read as this asks for: a still picture that was read as frames are was not, where more is wanted.
    func fits(_ source: IndexedSource) -> Bool {
        stillText == text || (source.manner == stillText) == source.isStill
    }

    /// - Parameter everyFrame: every frame is read, changed or not.
    init(_ options: ReadingOptions, everyFrame: Bool) {
        let isNeural =
            options.engine == .neural || options.engine == .auto && NeuralEngine.installation().problem == nil
        var parts = [isNeural ? "neural" : "tesseract"]
        if isNeural { parts.append(options.level.rawValue) }
        if let language = options.language { parts.append("language=\(language)") }
        if let region = options.region { parts.append("region=\(region)") }
        if let age = options.maxAge { parts.append("max-age=\(age.time.seconds)") }
        if everyFrame { parts.append("every-frame") }
        text = parts.joined(separator: " ")
        if isNeural, options.reader.readsStillsClosely { parts.insert(IndexedSource.closely, at: 2) }
        stillText = parts.joined(separator: " ")
    }

    /// Patterns in letters that these networks do not know are read by others, unless the languages were named.
    static func isRead(_ patterns: [Pattern], asBy options: ReadingOptions) -> Bool {
        options.language != nil || options.level == .accurate
            || patterns.allSatisfy { $0.question != nil || WritingSystems.languages(for: $0.text).isEmpty }
    }
}
