import Glibc
import Processes
import TextMatching

/// The words that a model heard.
struct SpeechHearing: Sendable {
    struct Candidate: Sendable {
        var text: String
        /// The distance of its sounds from those of the transcript.
        var distance: Double
        /// The logarithm of the factor by which the sound makes it likelier.
        var score: Float
    }

    /// The words, as they would be written.
    var text: String
    /// The score of these words.
    var own: Float
    var candidates: [Candidate]

    /// Returns how much more likely a candidate is than what was written down: 0 for as likely, usually less.
    ///
    /// It is a share of the likelihood of the transcript, because a long text has more parts that can be likely: of
    /// sixty words and phrases spoken by three voices, the right ones had 0.48 of it and more, and others hardly ever
    /// as much.
    func lead(of candidate: Candidate) -> Double {
        Self.whole * (own > 1 ? Double(candidate.score / own) - 1 : Double(candidate.score - own))
    }

    /// On the scale of ``VoiceCandidate``.
    private static let whole = 18.0

    /// Returns the search that is meant, if it may be one of these lines; nil if no word was recognized.
    func search(among lines: [String]) -> VoiceSearch? {
        let whole = Set(lines.map(HeardWords.plain))
        let candidates = candidates.map {
            VoiceCandidate(
                text: $0.text, distance: $0.distance, lead: lead(of: $0),
                isWhole: whole.contains(HeardWords.plain($0.text)))
        }
        return VoiceSearch(heard: SpeechProcess.plain(text), candidates)
    }
}

/// A request to the process that recognizes speech: samples, and the lines that may be meant.
struct SpeechQuestion: Sendable {
    var samples: [Float]
    var lines: [String]

    /// The size limit: larger requests are neither an utterance nor a vocabulary.
    private static let mostBytes = 1 << 24

    init(samples: [Float], lines: [String]) { (self.samples, self.lines) = (samples, lines) }

    /// Reads a request to the end of a stream. If it is cut off, the missing rest is left out.
    init(reading descriptor: Int32) {
        let bytes = PipeBytes.readAll(atMost: Self.mostBytes, from: descriptor)
        self = bytes.withUnsafeBytes { raw in
            guard raw.count >= 8 else { return SpeechQuestion(samples: [], lines: []) }
            let count = min(Int(raw.loadUnaligned(as: UInt32.self)), (raw.count - 4) / 4)
            let samples = (0..<count).map { raw.loadUnaligned(fromByteOffset: 4 + $0 * 4, as: Float.self) }
            let text = String(decoding: raw[(4 + count * 4)...], as: UTF8.self)
            return SpeechQuestion(samples: samples, lines: text.split(separator: "\n").map(String.init))
        }
    }

    /// The form in which it is written.
    var bytes: [UInt8] {
        let count = withUnsafeBytes(of: UInt32(samples.count)) { Array($0) }
        return count + samples.withUnsafeBytes { Array($0) } + Array(lines.joined(separator: "\n").utf8)
    }
}

extension SpeechHearing {
    /// The text form: the transcript with its score, then a line for each candidate.
    var bytes: [UInt8] {
        let first = "\(own)\t0\t\(text)"
        return Array(
            ([first] + candidates.map { "\($0.score)\t\($0.distance)\t\($0.text)" }).joined(separator: "\n").utf8)
    }

    /// Returns nil if the text has another form.
    init?(_ bytes: some Sequence<UInt8>) {
        let rows = String(decoding: Array(bytes), as: UTF8.self).split(separator: "\n").map { row in
            let parts = row.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
            return Candidate(
                text: parts.count > 2 ? String(parts[2]) : "", distance: parts.count > 1 ? Double(parts[1]) ?? 1 : 1,
                score: parts.first.flatMap { Float($0) } ?? 0)
        }
        guard let first = rows.first else { return nil }
        self.init(text: first.text, own: first.score, candidates: Array(rows.dropFirst()))
    }
}
