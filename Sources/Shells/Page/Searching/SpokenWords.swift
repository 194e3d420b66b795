import Foundation
import Speech
import TextIndex
import TextMatching
import TextSpotting

/// Recognizes speech: the browser sends the sound of one utterance, and gets the words to search for.
///
/// The sound is not kept. Thread-safe.
final class SpokenWords: Sendable {
    /// The number of samples per second, each 16 bits, little-endian, one channel.
    private static let rate = 16_000
    private static let longest = 8
    static let mostBytes = longest * rate * 2
    /// The shortest sound that can be a word, in bytes.
    private static let fewestBytes = rate / 10 * 2

    private let folder: String?
    private let program: String
    private let view: IndexView
    // Each takes half a gigabyte for a moment.
    private let slots = Slots(1, mostWaiting: 4)

    /// - Parameters:
    ///   - folder: the model that `framegrep setup --voice` installs; nil if it is missing.
    ///   - program: the path of framegrep, which is started to recognize the words.
    ///   - view: the index, whose lines are the words that the user may mean.
    init(folder: String?, program: String, view: IndexView) {
        (self.folder, self.program, self.view) = (folder, program, view)
    }

    /// Returns the answer to `POST /api/voice`.
    func answer(_ request: PageRequest) async throws -> PageResponse {
        guard let folder else {
            throw PageProblem(
                503,
                "Search by voice was not installed when the page was started. Run 'framegrep setup --voice', and start the page again."
            )
        }
        guard request.body.count >= Self.fewestBytes, request.body.count.isMultiple(of: 2) else {
            throw PageProblem(
                400,
                "Send what was said as 16-bit samples of one channel at 16 kHz, from a tenth of a second to \(Self.longest) seconds."
            )
        }
        let samples = Self.samples(request.body)
        let search = try await slots.withSlot { [view, program] in
            // The model is loaded while the words that may be meant are collected.
            let process = try SpeechProcess((folder, nil), program: program)
            let lines = try await Blocking.run { _ in
                (try? TextIndex.forSearching(view.folder))?.someLines() ?? []
            }
            return try await process.search(samples, among: lines)
        }
        var object = JSONObject(type: "voice")
        object.add("heard", search?.heard ?? "")
        object.add("text", search?.text ?? "")
        object.add("others", list: (search?.others ?? []).map(JSONObject.quoted))
        return .json(object.text)
    }

    private static func samples(_ bytes: [UInt8]) -> [Float] {
        stride(from: 0, to: bytes.count, by: 2).map {
            Float(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)) / 32768
        }
    }
}
