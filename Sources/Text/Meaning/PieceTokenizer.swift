/// Cuts a text into the pieces for which the model has vectors, as SentencePiece does: of all ways to cut it, the one
/// whose pieces are the most probable together (the unigram model of Kudo, "Subword Regularization", 2018; the path is
/// found by Viterbi's algorithm).
///
/// The pieces are sorted in the mapped file, so that those with a common prefix are adjacent; no table of them is
/// built. A value whose memory belongs to its ``ModelFile``.
struct PieceTokenizer {
    static let unknown: UInt32 = 0
    private static let begin: UInt32 = 1
    private static let end: UInt32 = 2
    /// The largest number of pieces of a text that are used.
    static let longest = 128

    private let normalizer: PieceNormalizer
    private let pieces: UnsafeRawBufferPointer
    /// The beginning of each piece in ``pieces``, and the end of the last one.
    private let offsets: UnsafeBufferPointer<UInt32>
    private let ids: UnsafeBufferPointer<UInt32>
    /// The logarithm of each piece's probability, and last that of a character without a piece.
    private let scores: UnsafeBufferPointer<Float>
    /// The first piece that begins with each byte or a greater one, and last the number of pieces.
    private var firsts: [Int] = []

    init(_ file: ModelFile) throws {
        normalizer = try PieceNormalizer(file)
        pieces = try file.section("pieces")
        offsets = try file.numbers("offsets")
        guard offsets.count > 1 else { throw file.damaged }
        ids = try file.numbers("ids", count: offsets.count - 1)
        scores = try file.numbers("scores", count: offsets.count)
        guard Int(offsets[offsets.count - 1]) == pieces.count, zip(offsets, offsets.dropFirst()).allSatisfy({ $0 < $1 })
        else { throw file.damaged }
        for byte in 0...256 { firsts.append(first(in: 0..<ids.count, at: 0, notBelow: byte)) }
    }

    /// Returns the numbers of the text's pieces, between the start and end markers.
    func pieces(of text: String) -> [UInt32] {
        let bytes = normalizer.normalized(text)
        let inner = bytes.isEmpty ? [Self.unknown] : cut(bytes)
        return [Self.begin] + inner.prefix(Self.longest - 2) + [Self.end]
    }

    /// The best segmentation of a prefix of the text.
    private struct Way {
        var score = -Float.infinity
        var start = 0
        var piece = PieceTokenizer.unknown
    }

    private func cut(_ bytes: [UInt8]) -> [UInt32] {
        var ways = [Way](repeating: Way(), count: bytes.count + 1)
        ways[0].score = 0
        var start = 0
        while start < bytes.count {
            let length = PieceNormalizer.characterLength(in: bytes, at: start)
            let before = ways[start].score
            var hasCharacter = false
            eachPiece(of: bytes, from: start) { number, end in
                if end == start + length { hasCharacter = true }
                let score = before + scores[number]
                if score > ways[end].score { ways[end] = Way(score: score, start: start, piece: ids[number]) }
            }
            if !hasCharacter {
                let score = before + scores[scores.count - 1]
                if score > ways[start + length].score {
                    ways[start + length] = Way(score: score, start: start, piece: Self.unknown)
                }
            }
            start += length
        }
        var found: [UInt32] = []
        var place = bytes.count
        while place > 0 {
            found.append(ways[place].piece)
            place = ways[place].start
        }
        return found.reversed()
    }

    /// Calls `found` with each piece that begins at `start` in the text, and its end; short ones first.
    private func eachPiece(of bytes: [UInt8], from start: Int, _ found: (_ number: Int, _ end: Int) -> Void) {
        var range = firsts[Int(bytes[start])]..<firsts[Int(bytes[start]) + 1]
        var depth = 1
        while !range.isEmpty {
            // Of pieces with a common prefix, the shorter comes first.
            if length(range.lowerBound) == depth {
                found(range.lowerBound, start + depth)
                range = range.lowerBound + 1..<range.upperBound
            }
            guard start + depth < bytes.count else { return }
            let byte = Int(bytes[start + depth])
            let low = first(in: range, at: depth, notBelow: byte)
            range = low..<first(in: low..<range.upperBound, at: depth, notBelow: byte + 1)
            depth += 1
        }
    }

    private func length(_ piece: Int) -> Int { Int(offsets[piece + 1] - offsets[piece]) }

    /// Returns the first of some sorted pieces, all longer than `depth`, whose byte at that position is `byte` or
    /// greater.
    private func first(in range: Range<Int>, at depth: Int, notBelow byte: Int) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            let place = Int(offsets[middle]) + depth
            if place < pieces.count, Int(pieces[place]) < byte { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
