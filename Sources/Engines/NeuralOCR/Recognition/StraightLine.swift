import TextSpotting

/// A line of text cut out of its picture and straightened for the recognizer: whole, or in pieces if it is long.
///
/// The network's memory grows with the widest line that it was ever given (the accurate one: 134 MiB when it is
/// prepared, 341 after a line of 3,328 pixels), and it was trained on short ones, so a long line is divided at the gaps
/// between its words, and without any, as in an address or a path, between two letters. Letters are not cut: a line
/// without a visible gap stays whole.
struct StraightLine {
    /// Columns that are read together.
    struct Piece: Hashable {
        let columns: Range<Int>
        /// Whether a word begins with it; otherwise it continues the word before.
        let beginsWord: Bool

        var width: Int { columns.count }
    }

    /// The widest piece, in pixels, unless there is no gap between words at which to cut a wider one.
    static let widestPiece = 1_520
    /// The widest piece without such a gap. The network reads it better whole, but takes 50 MiB more for 3,328 pixels than for
    /// two halves.
    static let widestWord = 2_304
    /// The length to which longer lines are squeezed, in pixels.
    static let longest = 4 * WidthBuckets.widest
    /// The least gap between words, as a share of the line's height: letters are some 0.6 of it; the space between words is a quarter of their height
    /// and wider than any between two letters.
    static let leastGap = 0.2

    /// Locates the strokes.
    let ink: LineInk
    /// From left to right; each ends at a whole step of the network's output.
    let pieces: [Piece]
    let width: Int
    private var height: Int { WidthBuckets.height }
    /// Three planes, row by row.
    let planes: [Float]

    /// Straightens a line at the network's height. A line that is too long for the network is squeezed only if it cannot be divided.
    init(_ quad: Quad, in picture: Picture) throws {
        let ratio = quad.width / quad.height
        let line = try StraightLine(quad, in: picture, width: WidthBuckets.content(ratio: ratio, atMost: Self.longest))
        let fits = line.pieces.allSatisfy { $0.width <= WidthBuckets.widest }
        self =
            fits
            ? line
            : try StraightLine(
                quad, in: picture, width: WidthBuckets.content(ratio: ratio, atMost: WidthBuckets.widest))
    }

    private init(_ quad: Quad, in picture: Picture, width: Int) throws {
        let height = WidthBuckets.height
        var planes = [Float](repeating: 0, count: 3 * width * height)
        ink = try planes.withUnsafeMutableBufferPointer {
            try picture.write(
                lineIn: quad, contentWidth: width, width: width, height: height, NeuralLineRecognizer.normalization,
                into: $0)
            return LineInk(planes: UnsafeBufferPointer($0), stride: width, width: width, height: height)
        }
        (self.planes, self.width) = (planes, width)
        pieces = Self.pieces(of: Piece(columns: 0..<width, beginsWord: true), ink)
    }

    /// The same line with another picture.
    init(_ line: StraightLine, planes: [Float]) {
        precondition(planes.count == line.planes.count, "the planes must have the size of the line's")
        (self.planes, width, pieces) = (planes, line.width, line.pieces)
        ink = planes.withUnsafeBufferPointer {
            LineInk(planes: $0, stride: line.width, width: line.width, height: WidthBuckets.height)
        }
    }

    /// Divides a piece until each part is narrow enough or has no gap.
    private static func pieces(of piece: Piece, _ ink: LineInk) -> [Piece] {
        guard piece.width > widestPiece, let cut = cut(of: piece.columns, ink) else { return [piece] }
        let left = Piece(columns: piece.columns.lowerBound..<cut.column, beginsWord: piece.beginsWord)
        let right = Piece(columns: cut.column..<piece.columns.upperBound, beginsWord: cut.isBetweenWords)
        return pieces(of: left, ink) + pieces(of: right, ink)
    }

    /// Returns the best place to cut columns: between two words near the middle, else between two words anywhere, else between two letters near
    /// the middle.
    private static func cut(of columns: Range<Int>, _ ink: LineInk) -> (column: Int, isBetweenWords: Bool)? {
        let step = CTCPosteriors.columnsPerStep
        func part(_ cutOff: Int) -> Range<Int> {
            columns.lowerBound + columns.count / cutOff..<columns.upperBound - columns.count / cutOff
        }
        func widest(_ gaps: [Range<Int>], in part: Range<Int>) -> Range<Int>? {
            // Of equal gaps, the one nearest to the middle.
            gaps.max {
                ($0.count, -abs($0.lowerBound + $0.upperBound - part.lowerBound - part.upperBound))
                    < ($1.count, -abs($1.lowerBound + $1.upperBound - part.lowerBound - part.upperBound))
            }
        }
        // Other lines may reach into the upper and the lower edge.
        func visibleGaps(_ part: Range<Int>) -> [Range<Int>] {
            ink.gaps(in: part, rows: ink.height / 6..<ink.height - ink.height / 6)
        }
        for part in [part(4), part(16)] {
            if let gap = widest(visibleGaps(part), in: part), Double(gap.count) >= leastGap * Double(ink.height) {
                return ((gap.lowerBound + gap.upperBound + step) / (2 * step) * step, true)
            }
        }
        guard columns.count > widestWord else { return nil }
        // Cut beside letters that are not slim, because slim ones are missed at the end of a piece; and at the end of a
        // step.
        let gaps = visibleGaps(part(4))
        let slim = ink.height / 4
        let between = gaps.indices.dropFirst().dropLast().filter {
            gaps[$0].lowerBound - gaps[$0 - 1].upperBound > slim && gaps[$0 + 1].lowerBound - gaps[$0].upperBound > slim
                && gaps[$0].upperBound / step * step >= gaps[$0].lowerBound
        }
        return widest(between.map { gaps[$0] }, in: part(4)).map { ($0.upperBound / step * step, false) }
    }

    /// Writes one piece as the network's input; the columns after it are 0.
    ///
    /// - Parameters:
    ///   - planes: three planes of `width` columns.
    ///   - width: at least that of the piece.
    func write(_ piece: Piece, width: Int, into planes: UnsafeMutableBufferPointer<Float>) {
        precondition(planes.count == 3 * width * height && piece.width <= width, "the planes must hold the piece")
        self.planes.withUnsafeBufferPointer { source in
            guard let source = source.baseAddress, let target = planes.baseAddress else { return }
            for row in 0..<3 * height {
                let start = target + row * width
                start.update(from: source + row * self.width + piece.columns.lowerBound, count: piece.width)
                (start + piece.width).update(repeating: 0, count: width - piece.width)
            }
        }
    }
}
