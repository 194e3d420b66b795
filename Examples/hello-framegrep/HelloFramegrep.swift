import Errors
import GStreamerMedia
import NeuralOCR
import Spotter
import TesseractOCR
import TextMatching
import TextSpotting

/// The least that finds words in a recording with framegrep's libraries: `hello-framegrep WORD RECORDING`.
///
/// Recording → frames (GStreamer) → lines of text (an engine) → matches (``Matcher``) → sightings (``FileSpotter``).
@main struct HelloFramegrep {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let word = arguments.first, let recording = arguments.last else {
            return print("usage: hello-framegrep WORD RECORDING")
        }
        do {
            let matcher = Matcher(patterns: [try Pattern(text: word)])
            // Any gst-launch text with an `appsink name=frames` will do; this one opens whatever GStreamer can.
            let description = SourceDescription.search(try SourceURI(recording).text)
            let spotter = FileSpotter(
                description: description, sourceName: recording, settings: FindSettings(), reader: try await reader(),
                matcher: matcher)
            let summary = try await spotter.search { event in
                guard case .sighting(let sighting) = event else { return }
                print("\(sighting.start.seconds) to \(sighting.end.seconds) s: \(sighting.line)")
            }
            print("\(summary.readings) of \(summary.frames) frames were read")
        } catch let error as FramegrepError {
            // What failed, why, and what to do.
            print(error.message)
        }
    }

    /// The networks where they are installed, else Tesseract.
    private static func reader() async throws -> any TextReader {
        guard NeuralEngine.installation().problem == nil else { return try TesseractEngine.load() }
        return try await NeuralEngine.load().reader
    }
}
