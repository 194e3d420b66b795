import Engines
import Foundation
import GStreamerMedia
import Speech
import TextMatching

/// `measure-voice RECORDING LINES`: prints what is searched for when this is said and these lines are in view; on standard error, what was
/// heard and how long it took from the end of the utterance. For scripts/bench voice.
@main
enum MeasureVoice {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.first == SpeechWorker.option { SpeechWorker.main(Array(words.dropFirst())) }
        guard words.count == 2 else {
            print("usage: measure-voice RECORDING LINES")
            exit(2)
        }
        _ = try MediaRuntime.initialize(arguments: [])
        let lines = try String(contentsOfFile: words[1], encoding: .utf8).split(separator: "\n").map(String.init)
        let ear = VoiceEar(VoiceSource(file: words[0])) { (try VoiceInstallation.folder(), nil) }
        let begun = ContinuousClock.now
        switch try await ear.listen(among: { lines }) {
        case .silence: say("nobody said anything")
        case .noEnd: say("it never paused")
        case .search(nil): say("no word was understood")
        case .search(let search?):
            say("\(search.sentence) (\((ContinuousClock.now - begun) / .milliseconds(1)) ms)")
            print(search.text)
        }
    }

    private static func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
