import CSpeech
import TextMatching

/// A loaded speech model: writes down what was said, and rates how likely it was one of some known texts. Owns the
/// networks; used by one thread.
///
/// The decoder is also a language model of English, which is sure of common words whatever is said. The likelihood of a
/// text without any sound is therefore subtracted; the rest is due to the sound.
final class SpeechModel {
    struct Failure: Error {
        let reason: String
    }

    fileprivate static let begin: Int64 = 1
    private static let end = 2
    /// The first piece that belongs to words; those before it are marks.
    private static let firstPiece = 3
    /// The number of texts that are rated at once.
    private static let most = 24
    /// The share of the likelihood without sound that is subtracted.
    private static let ownShare: Float = 0.85

    private let speech: OpaquePointer
    private let pieces: SpeechPieces
    /// The word counts; nil for a language without any.
    private let words: WordCounts?
    /// Noise without speech, which shows what the model likes to write by itself.
    private let noise: HeardSound

    init(_ files: SpeechFiles, threads: Int) throws(Failure) {
        var message = [CChar](repeating: 0, count: 400)
        guard let pieces = SpeechPieces(path: files.tokenizer) else {
            throw Failure(reason: "its list of pieces cannot be read")
        }
        guard
            let speech = fg_speech_open(
                files.runtime, files.encoder, files.decoder, Int32(threads), &message, message.count)
        else { throw Failure(reason: Self.text(message)) }
        (self.speech, self.pieces, words) = (speech, pieces, files.words.flatMap(WordCounts.init))
        noise = try HeardSound(Self.noise, by: speech)
        // Now the user speaks.
        fg_speech_rest()
    }

    /// Returns the words in the samples, and which of the texts may have been meant.
    ///
    /// The most likely transcript is enough to find a known line. All ways to write the words are weighed only if none
    /// of these is meant and the words are searched as heard.
    ///
    /// - Parameter vocabulary: lines, the most likely first.
    func hear(_ samples: [Float], among vocabulary: [String]) throws(Failure) -> SpeechHearing {
        let sound = try HeardSound(samples, by: speech)
        var hearing = SpeechHearing(text: "", own: 0, candidates: [])
        if !vocabulary.isEmpty {
            hearing = try weigh(vocabulary, beside: try writeAtOnce(sound), sound)
            if let search = hearing.search(among: vocabulary), search.text != search.heard { return hearing }
        }
        hearing.text = pieces.text(of: try write(sound))
        return hearing
    }

    /// Returns which of the texts may have been meant, in addition to the transcript.
    private func weigh(
        _ vocabulary: [String], beside written: [Int64], _ sound: HeardSound
    ) throws(Failure) -> SpeechHearing {
        var hearing = SpeechHearing(text: pieces.text(of: written), own: 0, candidates: [])
        let texts = HeardWords(vocabulary).nearest(to: hearing.text, count: Self.most)
        guard !texts.isEmpty else { return hearing }
        let rows = [written] + texts.map { pieces.ids(of: $0.text) }
        var scores = try score(rows, sound)
        for (index, own) in try score(rows, noise).enumerated() { scores[index] -= Self.ownShare * own }
        hearing.own = scores[0]
        hearing.candidates = zip(texts, scores.dropFirst()).map {
            SpeechHearing.Candidate(text: $0.text, distance: $0.distance, score: $1)
        }
        return hearing
    }

    /// Soft noise: a second and a half, the same each time.
    private static let noise: [Float] = {
        var seed: UInt32 = 1
        return (0..<(Utterance.rate * 3 / 2)).map { _ in
            // The sum of twelve uniformly distributed numbers is close to a normal distribution.
            (0..<12).reduce(Float(-6)) { sum, _ in
                seed = seed &* 1_664_525 &+ 1_013_904_223
                return sum + Float(seed >> 8) / Float(1 << 24)
            } * 0.01
        }
    }()

    /// Returns the most likely pieces, one after the other. Something was said, so there is at least one.
    private func writeAtOnce(_ sound: HeardSound) throws(Failure) -> [Int64] {
        var ids: [Int64] = []
        var logits = sound.first
        while ids.count < LikelyWriting.longest {
            var best = ids.isEmpty ? Self.firstPiece : Self.end
            for piece in best..<sound.pieces where logits[piece] > logits[best] { best = piece }
            if best == Self.end { break }
            ids.append(Int64(best))
            // It repeats itself.
            if ids.count > 8, ids.suffix(3).elementsEqual(ids.dropLast(3).suffix(3)) { break }
            logits = try sound.goOn(ids.count > 1 ? [0] : nil, [[Int64(best)]])
        }
        return ids
    }

    /// Returns the pieces of the text that was probably said: of all texts with these sounds, the one that makes most sense.
    private func write(_ sound: HeardSound) throws(Failure) -> [Int64] {
        var writing = LikelyWriting(end: Self.end, first: Self.firstPiece)
        var (logits, isBegin) = (sound.first, true)
        while let step = writing.goOn(logits, count: sound.pieces) {
            logits = try sound.goOn(isBegin ? nil : step.parents, step.pieces.map { [$0] })
            isBegin = false
        }
        return likeliest(writing.found)
    }

    /// Returns the pieces of the likeliest words. Words written in several ways (with a capital, a dot or twice) have the sum of all.
    private func likeliest(_ runs: [LikelyWriting.Run]) -> [Int64] {
        let ways = Dictionary(grouping: runs) { SpeechProcess.once(SpeechProcess.plain(pieces.text(of: $0.pieces))) }
        let best = ways.max { a, b in score(of: a.key, a.value) < score(of: b.key, b.value) }
        return best?.value.max { ($1.pieces.count, $0.score) < ($0.pieces.count, $1.score) }?.pieces ?? []
    }

    private func score(of text: String, _ runs: [LikelyWriting.Run]) -> Float {
        runs.map(\.score).withUnsafeBufferPointer(LikelyWriting.logOfSum) + (words?.sense(of: text) ?? 0)
    }

    /// Returns the logarithm of the likelihood of each run of pieces, with nothing after it.
    private func score(_ rows: [[Int64]], _ sound: HeardSound) throws(Failure) -> [Float] {
        let rows = rows.map { Array($0.prefix(LikelyWriting.longest)) }
        let length = max(1, rows.map(\.count).max() ?? 1)
        let padded = rows.map { $0 + [Int64](repeating: Int64(Self.end), count: length - $0.count) }
        let logits = try sound.goOn(nil, padded)
        return rows.enumerated().map { row, ids in
            (ids + [Int64(Self.end)]).enumerated().reduce(0) { sum, next in
                let place = next.offset == 0 ? sound.first : logits + (row * length + next.offset - 1) * sound.pieces
                return sum + Self.logLikelihood(of: Int(next.element), place, sound.pieces)
            }
        }
    }

    private static func logLikelihood(of piece: Int, _ logits: UnsafePointer<Float>, _ count: Int) -> Float {
        logits[piece] - LikelyWriting.logOfSum(UnsafeBufferPointer(start: logits, count: count))
    }

    fileprivate static func text(_ message: [CChar]) -> String {
        String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The sound that a model heard, and the transcript so far; used by the thread of the model.
private final class HeardSound {
    /// The likelihood of each piece as the first one: logarithms up to a constant.
    let first: UnsafePointer<Float>
    /// The number of pieces.
    let pieces: Int
    private let speech: OpaquePointer
    private let heard: OpaquePointer

    init(_ samples: [Float], by speech: OpaquePointer) throws(SpeechModel.Failure) {
        var message = [CChar](repeating: 0, count: 400)
        var first: UnsafePointer<Float>?
        let heard = fg_speech_hear(
            speech, samples, samples.count, SpeechModel.begin, &first, &message, message.count)
        guard let heard, let first else { throw SpeechModel.Failure(reason: SpeechModel.text(message)) }
        (self.speech, self.heard, self.first) = (speech, heard, first)
        pieces = fg_speech_pieces(speech)
    }

    /// Extends runs by the same number of pieces each.
    ///
    /// - Parameter parents: the run of the step before that each extends; nil if all begin.
    /// - Returns: for each run, and after each of its new pieces, the likelihood of each piece to follow; valid until the next call.
    func goOn(_ parents: [Int32]?, _ rows: [[Int64]]) throws(SpeechModel.Failure) -> UnsafePointer<Float> {
        var message = [CChar](repeating: 0, count: 400)
        let logits = fg_speech_go_on(
            speech, heard, parents, rows.flatMap(\.self), rows.count, rows.first?.count ?? 0, &message, message.count)
        guard let logits else { throw SpeechModel.Failure(reason: SpeechModel.text(message)) }
        return logits
    }

    deinit { fg_heard_free(speech, heard) }
}
