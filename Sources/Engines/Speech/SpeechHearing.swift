import Glibc
import Processes
import TextMatching

/// The words that a model heard.
struct SpeechHearing: Sendable {
    struct Candidate: Sendable {
        var text: String
        /// The distance of its sounds from those of the transcript.
        var distance: Double
        /// How much likelier it is than without the sound, as a logarithm.
        var score: Float
    }

    /// As it would be written.
    var text: String
    /// The score of that.
    var own: Float
    var candidates: [Candidate]

    /// Returns how much more likely a candidate is than what was written down: 0 for as likely, usually less.
    ///
    /// It is a share of the likelihood of what was written, because a long text has more in it that can be likely: of
    /// sixty words and phrases that three voices said, the right ones had 0.48 of it and more, and others hardly ever
    /// as much.
    func lead(of candidate: Candidate) -> Double {
        Self.whole * (own > 1 ? Double(candidate.score / own) - 1 : Double(candidate.score - own))
    }

    /// On the scale of ``VoiceCandidate``.
    private static let whole = 18.0

    /// The search that is meant, where these lines may be; nil where no word was understood.
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

/// A question to the process that understands speech: samples, and the lines that may be meant.
struct SpeechQuestion: Sendable {
    var samples: [Float]
    var lines: [String]

    /// Larger questions are neither an utterance nor a vocabulary.
    private static let mostBytes = 1 << 24

    init(samples: [Float], lines: [String]) { (self.samples, self.lines) = (samples, lines) }

    /// Reads a question to the end of a stream. If it is cut off, the missing rest is left out.
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

    /// As it is written.
    var bytes: [UInt8] {
        let count = withUnsafeBytes(of: UInt32(samples.count)) { Array($0) }
        return count + samples.withUnsafeBytes { Array($0) } + Array(lines.joined(separator: "\n").utf8)
    }
}

extension SpeechHearing {
    /// As it is written: what was heard with its score, then a line for each candidate.
    var bytes: [UInt8] {
        let first = "\(own)\t0\t\(text)"
        return Array(
            ([first] + candidates.map { "\($0.score)\t\($0.distance)\t\($0.text)" }).joined(separator: "\n").utf8)
    }

    /// Nil for what is none.
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
