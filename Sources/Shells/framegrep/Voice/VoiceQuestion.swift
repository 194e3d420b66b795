import ArgumentParser
import Engines
import Errors
import Speech
import TextMatching

/// Asks the user at a terminal to speak the search, once.
struct VoiceQuestion {
    let ear: VoiceEar
    let isQuiet: Bool

    /// Returns the spoken words: a known line, or the words as they were recognized. Reports progress on standard
    /// error.
    ///
    /// - Parameter vocabulary: returns known lines, more likely ones first; called while the user speaks.
    /// - Throws: ``FramegrepError`` (`badPattern`) if no words were spoken that can be searched for.
    func ask(among vocabulary: @escaping @Sendable () -> [String]) async throws -> String {
        if !ear.isRecording { say("listening ... (say a word; Ctrl-C ends)") }
        switch try await ear.listen(among: { vocabulary() }) {
        case .silence: throw FramegrepError(.badPattern, "Nothing was said, so there is nothing to search for.")
        case .noEnd:
            throw FramegrepError(
                .badPattern,
                "The sound never paused, so no word could be recognized (music? conversation?); nothing is searched for."
            )
        case .search(let search):
            guard let search else {
                throw FramegrepError(.badPattern, "No word was recognized; say it again, or type it.")
            }
            let others = search.others.prefix(3).map { "\"\($0)\"" }.joined(separator: ", ")
            say(search.sentence + (others.isEmpty ? "" : " (or \(others))"))
            return search.text
        }
    }

    private func say(_ text: String) {
        if !isQuiet { StandardError.line("framegrep: \(Visible.text(text))", as: .info) }
    }
}

/// Options for voice search: shared by `find` and `live`.
struct VoiceOptions: ParsableArguments {
    @Flag(
        name: .customLong("voice"),
        help: "Listen for the word to search for; needs 'framegrep setup --voice'.")
    var isWanted = false

    @Option(
        name: .customLong("voice-from"),
        help: ArgumentHelp("Listen to a recording instead of the microphone.", valueName: "file"),
        completion: .file())
    var recording: FileArgument?

    @Option(
        name: .customLong("voice-model"),
        help: ArgumentHelp(
            "Another speech model: a folder with its encoder, decoder and tokenizer (docs/VOICE.md).",
            valueName: "folder"),
        completion: .directory)
    var model: FileArgument?

    /// Whether to listen at the start.
    var isAsked: Bool { isWanted || recording != nil }

    /// Listens as the options specify.
    var ear: VoiceEar {
        VoiceEar(VoiceSource(file: recording?.path)) { [model = model?.path] in
            (try VoiceInstallation.folder(), model)
        }
    }
}
