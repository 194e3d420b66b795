import Engines
import Foundation
import GStreamerMedia
import Speech
import TextMatching

/// `measure-voice RECORDING LINES [SECONDS]`: prints what is searched for when this is said and these lines are in view; on standard error,
/// what was heard and how long it took from the end of the utterance. A recording is over before the model is loaded; it is given these
/// seconds for that, which somebody who speaks takes. For scripts/bench voice.
@main
enum MeasureVoice {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.first == SpeechWorker.option { SpeechWorker.main(Array(words.dropFirst())) }
        guard words.count == 2 || words.count == 3 else {
            print("usage: measure-voice RECORDING LINES [SECONDS]")
            exit(2)
        }
        do { try await search(words) } catch {
            say("measure-voice: \(error)")
            exit(2)
        }
    }

    private static func search(_ words: [String]) async throws {
        _ = try MediaRuntime.initialize(arguments: [])
        let lines = try String(contentsOfFile: words[1], encoding: .utf8).split(separator: "\n").map(String.init)
        let process = try SpeechProcess((try VoiceInstallation.folder(), nil))
        switch try await VoiceSource(file: words[0]).listen() {
        case .silence: say("nothing was said")
        case .noEnd: say("it never paused")
        case .speech(let samples):
            try await Task.sleep(for: .seconds(words.count == 3 ? Double(words[2]) ?? 0 : 0))
            let begun = ContinuousClock.now
            guard let search = try await process.search(samples, among: lines) else {
                return say("no word was understood")
            }
            say("\(search.sentence) (\((ContinuousClock.now - begun) / .milliseconds(1)) ms)")
            print(search.text)
        }
    }

    private static func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
