import Errors
public import TextMatching

/// Listens to a person and says what was heard: microphone, recognizer and all. Nothing is open or loaded while nobody is listened to.
/// Thread-safe.
public final class VoiceEar: Sendable {
    public enum Heard: Sendable, Hashable {
        /// What was said, or is likely to have been; nil where no word was understood.
        case search(VoiceSearch?)
        /// Nobody said anything.
        case silence
        /// It went on without a pause: music, or people who talk.
        case noEnd
    }

    private let source: VoiceSource
    private let files: @Sendable () throws -> (folder: String, model: String?)

    /// - Parameter files: where runtime and model are; asked each time before it is listened. Throws ``FramegrepError`` where they are missing.
    public init(_ source: VoiceSource, files: @escaping @Sendable () throws -> (folder: String, model: String?)) {
        self.source = source
        self.files = files
    }

    /// A recording is listened to once, and has nothing more to say.
    public var isRecording: Bool { source.file != nil }

    /// Listens for one utterance, while the recognizer is loaded, and understands it.
    ///
    /// - Parameters:
    ///   - level: told of how loud it is, 0 to 1, on a thread of the listening.
    ///   - vocabulary: lines that may be meant, likelier ones first; asked for when the utterance is over.
    ///   - ended: called when the utterance is over, before it is understood.
    ///   - isWanted: false where it is to end without an outcome.
    /// - Throws: ``FramegrepError`` where there is no microphone or no recognizer; `CancellationError` when the task is cancelled.
    public func listen(
        among vocabulary: @escaping @Sendable () async -> [String],
        level: @escaping @Sendable (Float) -> Void = { _ in }, ended: @escaping @Sendable () -> Void = {},
        while isWanted: @escaping @Sendable () -> Bool = { true }
    ) async throws -> Heard {
        let process = try SpeechProcess(try files())
        defer { process.end() }
        switch try await source.listen(level: level, while: isWanted) {
        case .silence: return .silence
        case .noEnd: return .noEnd
        case .speech(let samples):
            ended()
            let heard = try await process.hear(samples, among: await vocabulary())
            let candidates = heard.candidates.map {
                VoiceCandidate(text: $0.text, distance: $0.distance, lead: heard.lead(of: $0))
            }
            return .search(VoiceSearch(heard: Self.plain(heard.text), candidates))
        }
    }

    /// Without the dot and the capital of a sentence, which nobody said.
    static func plain(_ text: String) -> String {
        var words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        let marks: Set<Character> = [".", ",", "!", "?", ";", ":", "…", "\"", "“", "”"]
        for index in words.indices {
            while let last = words[index].last, marks.contains(last) { words[index].removeLast() }
            while let first = words[index].first, marks.contains(first) { words[index].removeFirst() }
        }
        return words.filter { !$0.isEmpty }.joined(separator: " ").lowercased()
    }
}
