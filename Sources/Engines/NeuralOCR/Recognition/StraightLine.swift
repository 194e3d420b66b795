import TextMatching
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
    private let planes: [Float]

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
            return LineInk(planes: $0, stride: width, width: width, height: height)
        }
        (self.planes, self.width) = (planes, width)
        pieces = Self.pieces(of: Piece(columns: 0..<width, beginsWord: true), ink)
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

/// The readings of the pieces of a line, put together.
struct PiecedReading {
    private(set) var letters: [CTCDecoder.Letter] = []
    private(set) var evidence = ReadingEvidence()
    /// The features that tell scripts apart.
    private(set) var scriptLetters: [ScriptNetwork.Letter] = []
    /// The number of steps of the pieces that were added.
    private var steps = 0

    /// Adds the network's output for the next piece.
    ///
    /// - Parameters:
    ///   - piece: the piece that was read.
    ///   - isLast: whether it is the last; the output for the padding after the line then belongs to it.
    ///   - scripts: determines the script from the letters; nil if that is not wanted.
    mutating func add(
        _ posteriors: CTCPosteriors, _ dictionary: CharacterDictionary, of piece: StraightLine.Piece, isLast: Bool,
        noticing scripts: ScriptNetwork?
    ) {
        let own = (piece.width + CTCPosteriors.columnsPerStep - 1) / CTCPosteriors.columnsPerStep
        if let scripts, scriptLetters.count < ScriptNetwork.mostLetters {
            scriptLetters += scripts.letters(of: posteriors, steps: own)
        }
        evidence.append(posteriors, dictionary, steps: own)
        var read = CTCDecoder.read(posteriors, dictionary, steps: isLast ? posteriors.steps : own)
        for index in read.indices { read[index].peak += Double(steps) }
        if piece.beginsWord, let before = letters.last?.character, let next = read.first?.character,
            Self.isGap(before, next)
        {
            letters.append(.init(character: " ", peak: Double(steps), confidence: 1))
        }
        letters += read
        steps += own
    }

    /// Adds the gap before the number in a line such as `C 3` or `No. 5` to the evidence, if the picture shows one. The
    /// network has learned codes (`C3`) and often misses it, and so short a line has too few letters for `WordGaps`.
    ///
    /// The words stay as they were read, because the letters of a code may be set wide.
    mutating func noticeGapBeforeNumber(in ink: LineInk) {
        guard let number = letters.firstIndex(where: \.character.isNumber), number > 0,
            letters[number...].allSatisfy(\.character.isNumber),
            number == 1
                ? letters[0].character.isUppercase
                : letters[number - 1].character == "." && number <= Self.longestAbbreviation
        else { return }
        let columns = letters[(number - 1)...].map { min(Int($0.peak) * CTCPosteriors.columnsPerStep, ink.width) }
        guard zip(columns, columns.dropFirst()).allSatisfy(<) else { return }
        let gaps = ink.gaps(in: columns[0]..<columns[columns.count - 1], rows: 0..<ink.height)
        let before = gaps.filter { $0.lowerBound < columns[1] }.max { $0.count < $1.count }
        let inside = gaps.filter { $0.lowerBound >= columns[1] }.map(\.count).max() ?? 0
        let least = letters[number].character == "1" ? Self.leastGapBeforeOne : StraightLine.leastGap
        guard let before, Double(before.count) >= least * Double(ink.height),
            Double(before.count) >= Self.leastRatioOfGaps * Double(inside)
        else { return }
        evidence.addGap(at: Int(letters[number - 1].peak + letters[number].peak) / 2, logarithm: -0.7)
    }

    /// The least gap before a 1, beside which fonts leave room, as a share of the line's height.
    private static let leastGapBeforeOne = 0.3
    /// The largest number of characters of an abbreviation before a number, with its point.
    private static let longestAbbreviation = 4
    /// The least ratio of the gap before a number to the widest one between its digits. That beside a 1 is wide too.
    private static let leastRatioOfGaps = 1.4

    /// Replaces capitals, and zeros, that are small letters in the picture.
    mutating func settleCase(in ink: LineInk) { letters = LetterCase(of: letters, in: ink).settled }

    /// Returns whether a gap between two characters is white space; Chinese and Japanese have none.
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
