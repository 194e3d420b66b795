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

    /// The words in the samples, and which of the texts may have been meant.
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

/// The words that a model heard.
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

/// A question to the process that understands speech: samples, and the lines that may be meant.
struct SpeechQuestion: Sendable {
    var samples: [Float]
    var lines: [String]

    /// More is neither an utterance nor a vocabulary.
    private static let mostBytes = 1 << 24

    init(samples: [Float], lines: [String]) { (self.samples, self.lines) = (samples, lines) }

    /// Reads one to the end of a stream; what is cut off is left out.
    init(reading descriptor: Int32) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < Self.mostBytes {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
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

/// The pieces of words that a model of speech writes, and their numbers.
struct SpeechPieces: Sendable {
    /// Stands for a space, at the begin of a word.
    private static let space = Array("▁".utf8)
    private static let longestPiece = 24
    /// Before these come marks and single bytes.
    private static let firstText = 259

    private let pieces: [[UInt8]]
    private let numbers: [[UInt8]: Int64]

    /// Nil where the file cannot be read, or is none.
    init?(path: String) {
        guard let bytes = Self.bytes(of: path) else { return nil }
        var pieces: [[UInt8]] = []
        var place = 0
        while place < bytes.count {
            // A length in one byte, or in two where the first is 128 or more.
            var length = Int(bytes[place])
            place += 1
            if length >= 128, place < bytes.count {
                length = Int(bytes[place]) * 128 + length - 128
                place += 1
            }
            guard place + length <= bytes.count else { return nil }
            pieces.append(Array(bytes[place..<(place + length)]))
            place += length
        }
        guard pieces.count > Self.firstText else { return nil }
        self.pieces = pieces
        numbers = Dictionary(
            pieces.enumerated().dropFirst(Self.firstText).map { ($0.element, Int64($0.offset)) },
            uniquingKeysWith: { a, _ in a })
    }

    private static func bytes(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < 1 << 24 {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// A text as somebody's words are written down: small letters, the first one a capital.
    func ids(of text: String) -> [Int64] {
        let small = text.lowercased()
        let written = (small.first?.uppercased() ?? "") + small.dropFirst()
        let bytes = Self.space + Array(written.replacing(" ", with: "▁").utf8)
        var ids: [Int64] = []
        var place = 0
        while place < bytes.count {
            var length = min(Self.longestPiece, bytes.count - place)
            while length > 0, numbers[Array(bytes[place..<(place + length)])] == nil { length -= 1 }
            if let id = numbers[Array(bytes[place..<(place + max(1, length))])] { ids.append(id) }
            place += max(1, length)
        }
        return ids
    }

    func text(of ids: [Int64]) -> String {
        let bytes = ids.flatMap { pieces.indices.contains(Int($0)) && Int($0) >= Self.firstText ? pieces[Int($0)] : [] }
        return String(decoding: bytes, as: UTF8.self).replacing("▁", with: " ").split(separator: " ").joined(
            separator: " ")
    }
}
