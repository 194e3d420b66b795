import TextMatching
import TextSpotting
import Vision

/// A line of text cut out of its picture and straightened, as the recognizer is given it: whole, or, where it is long, in pieces.
///
/// What the network needs grows with the widest line that it was ever given (the accurate one: 134 MiB when it is made ready, 341 after a
/// line of 3,328 pixels), and it was taught with short ones, so a long line is parted in the gaps between its words. Letters are not cut: a
/// line in which no gap shows stays whole.
struct StraightLine {
    /// The widest piece, in pixels, unless there is no gap to cut a wider one in.
    static let widestPiece = 1_520
    /// A longer line is squeezed to this, in pixels.
    static let longest = 4 * WidthBuckets.widest
    /// A gap between words, as a part of the line's height: letters are some 0.6 of it, the space between words is a quarter of their height
    /// and wider than any between two letters.
    private static let leastGap = 0.2

    /// Where the strokes are.
    let ink: LineInk
    /// The columns that are read together, from left to right; each ends at a whole step of the network's output.
    let pieces: [Range<Int>]
    let width: Int
    private var height: Int { WidthBuckets.height }
    /// Three planes, row by row.
    private let planes: [Float]

    /// Straightens a line at the network's height. One that is longer than the network takes is squeezed only where it cannot be parted.
    init(_ quad: Quad, in picture: Picture) throws {
        let ratio = quad.width / quad.height
        let line = try StraightLine(quad, in: picture, width: WidthBuckets.content(ratio: ratio, atMost: Self.longest))
        let fits = line.pieces.allSatisfy { $0.count <= WidthBuckets.widest }
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
            return LineInk(planes: $0, stride: width, width: width, height: height)
        }
        (self.planes, self.width) = (planes, width)
        pieces = Self.pieces(of: 0..<width, ink)
    }

    /// Parts some columns about their middle until every piece is narrow enough.
    private static func pieces(of columns: Range<Int>, _ ink: LineInk) -> [Range<Int>] {
        guard columns.count > widestPiece else { return [columns] }
        let middle = columns.lowerBound + columns.count / 4..<columns.upperBound - columns.count / 4
        guard let gap = ink.widestGap(in: middle), Double(gap.count) >= leastGap * Double(ink.height) else {
            return [columns]
        }
        let step = CTCPosteriors.columnsPerStep
        let cut = (gap.lowerBound + gap.upperBound + step) / (2 * step) * step
        return pieces(of: columns.lowerBound..<cut, ink) + pieces(of: cut..<columns.upperBound, ink)
    }

    /// Writes one piece as the network's input; the columns behind it are 0.
    ///
    /// - Parameters:
    ///   - planes: three planes of `width` columns.
    ///   - width: at least that of the piece.
    func write(_ piece: Range<Int>, width: Int, into planes: UnsafeMutableBufferPointer<Float>) {
        precondition(planes.count == 3 * width * height && piece.count <= width, "the planes must hold the piece")
        self.planes.withUnsafeBufferPointer { source in
            guard let source = source.baseAddress, let target = planes.baseAddress else { return }
            for row in 0..<3 * height {
                let start = target + row * width
                start.update(from: source + row * self.width + piece.lowerBound, count: piece.count)
                (start + piece.count).update(repeating: 0, count: width - piece.count)
            }
        }
    }
}

/// What was read in the pieces of a line, put together.
struct PiecedReading {
    private(set) var letters: [CTCDecoder.Letter] = []
    private(set) var evidence = ReadingEvidence()
    /// How many steps the pieces had that were added.
    private var steps = 0

    /// Adds what the network saw of the next piece.
    ///
    /// - Parameters:
    ///   - width: of the piece, in pixels.
    ///   - isLast: what the network says of the filling behind a line belongs to it; behind a piece the next one begins.
    mutating func add(_ posteriors: CTCPosteriors, _ dictionary: CharacterDictionary, width: Int, isLast: Bool) {
        let own = (width + CTCPosteriors.columnsPerStep - 1) / CTCPosteriors.columnsPerStep
        evidence.append(posteriors, dictionary, steps: own)
        var read = CTCDecoder.read(posteriors, dictionary, steps: isLast ? posteriors.steps : own)
        for index in read.indices { read[index].peak += Double(steps) }
        if let before = letters.last?.character, let next = read.first?.character, Self.isGap(before, next) {
            letters.append(.init(character: " ", peak: Double(steps), confidence: 1))
        }
        letters += read
        steps += own
    }

    /// Whether there is white space between two characters that stand apart; Chinese and Japanese have none.
    private static func isGap(_ before: Character, _ next: Character) -> Bool {
        !before.isWhitespace && !next.isWhitespace
            && !(isOfScriptWithoutSpaces(before) && isOfScriptWithoutSpaces(next))
    }

    private static func isOfScriptWithoutSpaces(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.first else { return false }
        // CJK radicals, punctuation, kana, ideographs; compatibility and full-width forms; supplementary ideographs.
        return switch scalar.value {
        case 0x2E80...0x9FFF, 0xF900...0xFAFF, 0xFF00...0xFFEF, 0x20000...0x3FFFF: true
        default: false
        }
    }
}
