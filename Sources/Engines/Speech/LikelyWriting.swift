import Glibc

/// The most likely sequences of pieces that a decoder writes, by beam search: each step extends every kept sequence by
/// one piece, and keeps the most likely results. A decoder that takes the most likely piece each time is often led
/// astray by the first.
struct LikelyWriting: Sendable {
    struct Run: Sendable {
        var pieces: [Int64]
        /// The logarithm of its likelihood.
        var score: Float
    }

    /// The number of runs that are kept; of those that have ended, twice as many are.
    private static let width = 8
    /// Runs that are less likely than the best by this much (a logarithm) are not extended.
    private static let hopeless: Float = 5
    /// The largest number of pieces in eight seconds of speech.
    static let longest = 40

    /// The piece that ends a run, and the first of the pieces that can begin one.
    private let end: Int
    private let first: Int
    private var runs = [Run(pieces: [], score: 0)]
    private var ended: [Run] = []

    init(end: Int, first: Int) { (self.end, self.first) = (end, first) }

    /// The runs that have ended, the likeliest first; if none has, those that have not.
    var found: [Run] { ended.isEmpty ? runs : ended }

    /// Extends the runs.
    ///
    /// - Parameters:
    ///   - logits: for each run that ``Step`` named, in order, the likelihood of each piece to follow: logarithms up to a constant.
    ///   - count: the number of pieces.
    /// - Returns: the next step of the decoder; nil if nothing likelier can follow.
    mutating func goOn(_ logits: UnsafePointer<Float>, count: Int) -> Step? {
        var next: [(run: Int, piece: Int, score: Float)] = []
        for (index, run) in runs.enumerated() {
            let row = UnsafeBufferPointer(start: logits + index * count, count: count)
            let base = run.score - Self.logOfSum(row)
            for piece in (run.pieces.isEmpty ? first : 0)..<count {
                let score = base + row[piece]
                if next.count == 3 * Self.width {
                    if score <= next[next.count - 1].score { continue }
                    next.removeLast()
                }
                let place = next.firstIndex { $0.score < score } ?? next.count
                next.insert((index, piece, score), at: place)
            }
        }
        var (longer, step) = ([Run](), Step())
        for (index, piece, score) in next where longer.count < Self.width {
            if piece == end {
                ended.append(Run(pieces: runs[index].pieces, score: score))
                continue
            }
            longer.append(Run(pieces: runs[index].pieces + [Int64(piece)], score: score))
            step.parents.append(Int32(index))
            step.pieces.append(Int64(piece))
        }
        ended = Array(ended.sorted { $0.score > $1.score }.prefix(2 * Self.width))
        runs = longer
        guard let best = runs.first, best.pieces.count < Self.longest else { return nil }
        if let likeliest = ended.first, best.score < likeliest.score - Self.hopeless { return nil }
        return step
    }

    /// The sequences to extend: which of the previous ones each continues, and with which piece.
    struct Step: Sendable {
        var parents: [Int32] = []
        var pieces: [Int64] = []
    }

    /// The constant that turns logits into logarithms when it is subtracted.
    static func logOfSum(_ logits: UnsafeBufferPointer<Float>) -> Float {
        let most = logits.max() ?? 0
        return most + log(logits.reduce(0) { $0 + exp($1 - most) })
    }
}
