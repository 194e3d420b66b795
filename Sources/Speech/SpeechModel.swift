import CSpeech
import Glibc
import TextMatching

/// A loaded model of speech: writes down what somebody says, and tells how likely it is that they say something known. The owner of the
/// networks; used by one thread.
///
/// The decoder is an English writer too, which is sure of common words whatever is said. How likely it takes a text to be when it hears
/// nothing at all is therefore taken off: what is left is what was heard.
final class SpeechModel {
    struct Failure: Error {
        let reason: String
    }

    private static let begin: Int64 = 1
    private static let end = 2
    /// Longer is nothing that was said in eight seconds, in pieces.
    private static let longest = 40
    /// So many texts are asked about at once.
    private static let most = 24
    /// How much of what it writes by itself is taken off.
    private static let ownShare: Float = 0.85

    private let speech: OpaquePointer
    private let pieces: SpeechPieces

    init(_ files: SpeechFiles, threads: Int) throws(Failure) {
        var message = [CChar](repeating: 0, count: 400)
        guard let pieces = SpeechPieces(path: files.tokenizer) else {
            throw Failure(reason: "its list of pieces cannot be read")
        }
        guard
            let speech = fg_speech_open(
                files.runtime, files.encoder, files.decoder, Int32(threads), &message, message.count)
        else { throw Failure(reason: Self.text(message)) }
        (self.speech, self.pieces) = (speech, pieces)
    }

    /// What is said in the samples, and which of the texts may have been meant.
    ///
    /// - Parameter vocabulary: lines, likelier ones first.
    func hear(_ samples: [Float], among vocabulary: [String]) throws(Failure) -> SpeechHearing {
        try listen(to: samples)
        let written = try write()
        let heard = pieces.text(of: written)
        let texts = HeardWords(vocabulary).nearest(to: heard, count: Self.most)
        var hearing = SpeechHearing(text: heard, own: 0, candidates: [])
        guard !texts.isEmpty else { return hearing }
        let rows = texts.map { pieces.ids(of: $0.text) }
        var scores = try score([written] + rows)
        try listen(to: Self.noise)
        for (index, own) in try score([written] + rows).enumerated() { scores[index] -= Self.ownShare * own }
        hearing.own = scores[0]
        hearing.candidates = zip(texts, scores.dropFirst()).map {
            SpeechHearing.Candidate(text: $0.text, distance: $0.distance, score: $1)
        }
        return hearing
    }

    /// Nothing but soft noise, in which it hears what it likes to write: a second and a half, the same each time.
    private static let noise: [Float] = {
        var seed: UInt32 = 1
        return (0..<(Utterance.rate * 3 / 2)).map { _ in
            // Twelve numbers of which each is as likely as another are next to a bell curve.
            (0..<12).reduce(Float(-6)) { sum, _ in
                seed = seed &* 1_664_525 &+ 1_013_904_223
                return sum + Float(seed >> 8) / Float(1 << 24)
            } * 0.01
        }
    }()

    private func listen(to samples: [Float]) throws(Failure) {
        var message = [CChar](repeating: 0, count: 400)
        guard fg_speech_hear(speech, samples, samples.count, &message, message.count) == 0 else {
            throw Failure(reason: Self.text(message))
        }
    }

    /// The likeliest pieces, one after the other. Something was said, so there is at least one.
    private func write() throws(Failure) -> [Int64] {
        var ids = [Self.begin]
        while ids.count < Self.longest {
            let (logits, count) = try ask([ids], length: ids.count)
            let last = logits.advanced(by: (ids.count - 1) * count)
            var best = ids.count == 1 ? 3 : Self.end
            for piece in best..<count where last[piece] > last[best] { best = piece }
            if best == Self.end { break }
            ids.append(Int64(best))
            // It goes in circles.
            if ids.count > 8, ids.suffix(3).elementsEqual(ids.dropLast(3).suffix(3)) { break }
        }
        return Array(ids.dropFirst())
    }

    /// The logarithm of how likely each run of pieces is, with nothing after it.
    private func score(_ rows: [[Int64]]) throws(Failure) -> [Float] {
        let rows = rows.map { Array($0.prefix(Self.longest)) + [Int64(Self.end)] }
        let length = max(1, rows.map(\.count).max() ?? 1)
        let padded = rows.map { [Self.begin] + $0 + [Int64](repeating: Int64(Self.end), count: length - $0.count) }
        let (logits, count) = try ask(padded.map { Array($0.prefix(length)) }, length: length)
        return rows.enumerated().map { row, ids in
            ids.enumerated().reduce(0) { sum, next in
                let place = logits.advanced(by: (row * length + next.offset) * count)
                return sum + Self.logLikelihood(of: Int(next.element), place, count)
            }
        }
    }

    private static func logLikelihood(of piece: Int, _ logits: UnsafePointer<Float>, _ count: Int) -> Float {
        var most = -Float.infinity
        for index in 0..<count { most = max(most, logits[index]) }
        var sum: Float = 0
        for index in 0..<count { sum += exp(logits[index] - most) }
        return logits[piece] - most - log(sum)
    }

    private func ask(_ rows: [[Int64]], length: Int) throws(Failure) -> (UnsafePointer<Float>, pieces: Int) {
        var message = [CChar](repeating: 0, count: 400)
        guard let logits = fg_speech_ask(speech, rows.flatMap { $0 }, rows.count, length, &message, message.count)
        else {
            throw Failure(reason: Self.text(message))
        }
        return (logits, fg_speech_pieces(speech))
    }

    private static func text(_ message: [CChar]) -> String {
        String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// What a model heard.
struct SpeechHearing: Sendable {
    struct Candidate: Sendable {
        var text: String
        /// From what was written down, by its sounds.
        var distance: Double
        /// How much likelier it is than without the sound, as a logarithm.
        var score: Float
    }

    /// As it would be written.
    var text: String
    /// The score of that.
    var own: Float
    var candidates: [Candidate]

    /// How much likelier a candidate is than what was written down: 0 for as likely, mostly less.
    ///
    /// As a share of what was written, because a long text has more in it that can be likely: of sixty words and phrases that three voices
    /// said, the right ones had 0.48 of it and more, and others hardly ever as much.
    func lead(of candidate: Candidate) -> Double {
        Self.whole * (own > 1 ? Double(candidate.score / own) - 1 : Double(candidate.score - own))
    }

    /// In the measure of ``VoiceCandidate``.
    private static let whole = 18.0
}
