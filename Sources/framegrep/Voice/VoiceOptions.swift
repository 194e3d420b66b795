import ArgumentParser
import Engines
import Errors
import Speech

/// Saying what to search for: shared by `find` and `live`.
struct VoiceOptions: ParsableArguments {
    @Flag(
        name: .customLong("voice"),
        help: "Say what to search for, after this has begun to listen; needs 'framegrep setup --voice'.")
    var isWanted = false

    @Option(
        name: .customLong("voice-from"),
        help: ArgumentHelp("Listen to a recording in the place of the microphone.", valueName: "file"),
        completion: .file())
    var recording: FileArgument?

    @Option(
        name: .customLong("voice-model"),
        help: ArgumentHelp(
            "Another model of speech: a folder with its encoder, decoder and tokenizer (docs/VOICE.md).",
            valueName: "folder"),
        completion: .directory)
    var model: FileArgument?

    /// Somebody is to be listened to at the start.
    var isAsked: Bool { isWanted || recording != nil }

    /// Listens where the options say.
    var ear: VoiceEar {
        VoiceEar(VoiceSource(file: recording?.path)) { [model = model?.path] in
            (try VoiceInstallation.folder(), model)
        }
    }
}
