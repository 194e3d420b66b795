import Errors

/// Reads each line as thoroughly as needed to be sure that nothing is missed: upside down and mirrored if it makes no
/// sense as it is, with more contrast, and with other recognizers, until a reading contains what is searched for.
public struct ThoroughRecognizer: LineRecognizer {
    private let usual: any LineRecognizer
    private let others: [any LineRecognizer]
    private let wanted: @Sendable (TextLine) -> LineFindings?
    private let memory = LineMemory()

    /// The confidence from which a line is assumed to be upright.
    private static let sure = 0.92
    /// The least confidence of a match in a rotated line: texture is read as a short code by chance.
    private static let sureOfTurned = 0.75
    /// The least number of letters of a line for each of its heights.
    private static let usualLetters = 1.0
    /// The text of a line that the usual recognizer could not read, so that it can be counted.
    public static let unread: Character = "\u{FFFD}"

    /// - Parameters:
    ///   - others: the recognizers that read, one after the other, what the usual one is not sure of.
    ///   - wanted: returns the matches in a line as read; nil if there are none.
    /// - Precondition: all need the same picture format.
    public init(
        _ usual: any LineRecognizer, others: [any LineRecognizer] = [],
        wanted: @escaping @Sendable (TextLine) -> LineFindings?
    ) {
        (self.usual, self.others, self.wanted) = (usual, others, wanted)
    }

    public var pictureFormat: Picture.Format { usual.pictureFormat }

    public func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        var lines = try await readUnlessKnown(quads, in: picture)
        try await readJoined(&lines, quads, in: picture)
        for (index, line) in lines.enumerated() {
            guard let line, let found = wanted(line) else { continue }
            let whole =
                found.openEnds.isEmpty
                ? line : try await LineExtent(usual, wanted).whole(line, found.openEnds, in: picture)
            lines[index] = whole.asHighAsItsLetters(in: picture)
        }
        return zip(lines, quads).map { line, quad in line ?? Self.unread(at: quad) }
    }

    /// Reads lines, except those that were read before with the same pixels at the same place.
    private func readUnlessKnown(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        let keys = quads.map { LineMemory.Key($0, in: picture, margin: ContrastPart.margin(of: $0)) }
        var lines = keys.map { memory[$0] }
        let new = lines.indices.filter { lines[$0] == nil }
        let (read, isWhole) = try await read(new.map { quads[$0] }, in: picture)
        for (index, line) in zip(new, read) {
            if isWhole { memory.remember(line, as: keys[index]) }
            lines[index] = line
        }
        return lines.map { $0 ?? nil }
    }

    /// Returns the lines, and whether all recognizers that were needed could read.
    private func read(_ quads: [Quad], in picture: Picture) async throws -> (lines: [TextLine?], isWhole: Bool) {
        guard !quads.isEmpty else { return ([], true) }
        var isWhole = true
        var lines = try await usual.recognize(quads, in: picture)
        try await readTurned(&lines, quads, in: picture)
        for index in open(lines, quads) {
            guard let part = ContrastPart(of: quads[index], in: picture), part.isAnotherLook else { continue }
            let read = try await usual.recognize([part.quad], in: part.picture)
            take(read[0]?.moved(by: part.offset), &lines[index], from: 0)
        }
        for other in others {
            let open = open(lines, quads)
            guard !open.isEmpty else { break }
            do {
                let read = try await other.recognize(open.map { quads[$0] }, in: picture)
                for (index, line) in zip(open, read) { take(line, &lines[index], from: 0) }
            } catch is FramegrepError {
                // A recognizer that is not installed or is damaged must not prevent reading.
                isWhole = false
            }
        }
        return (lines, isWhole)
    }

    /// Reads two or three pieces that are in a row as one line too: detectors split a line where its background changes,
    /// as around a word that is highlighted.
    private func readJoined(_ lines: inout [TextLine?], _ quads: [Quad], in picture: Picture) async throws {
        let open = quads.indices.filter { index in lines[index].map { !isWanted($0) } ?? true }
        func after(_ piece: Int) -> [Int] {
            open.filter { next in
                next != piece && quads[next].continues(quads[piece])
                    && picture.groundDiffers(in: quads[piece], and: quads[next])
            }
        }
        let pairs = open.flatMap { left -> [(left: Int, quad: Quad)] in
            after(left).flatMap { right in [[left, right]] + after(right).map { [left, right, $0] } }.compactMap {
                row in
                Quad.spanning(row.map { quads[$0] }, along: quads[left].direction).map { (left, $0) }
            }
        }.filter { pair in !lines.contains { $0.map { isWanted($0) && pair.quad.share(in: $0.quad) > 0.3 } ?? false } }
        guard !pairs.isEmpty else { return }
        for (pair, line) in zip(pairs, try await usual.recognize(pairs.map(\.quad), in: picture)) {
            guard let line, isWanted(line) else { continue }
            // If two pieces both continue from it, keep the one that reaches further.
            if let known = lines[pair.left], isWanted(known), known.quad.width >= line.quad.width { continue }
            lines[pair.left] = line
        }
    }

    private func isWanted(_ line: TextLine) -> Bool { wanted(line) != nil }

    /// Returns the places that are worth another reading.
    ///
    /// - Parameter lines: their best readings so far.
    private func open(_ lines: [TextLine?], _ quads: [Quad]) -> [Int] {
        quads.indices.filter { isOpen(lines[$0]) && quads[$0].mayHoldWords }
    }

    private func isOpen(_ line: TextLine?) -> Bool { line.map { $0.confidence < Self.sure && !isWanted($0) } ?? true }

    private func readTurned(_ lines: inout [TextLine?], _ quads: [Quad], in picture: Picture) async throws {
        let tries = open(lines, quads).flatMap { index -> [(index: Int, quad: Quad, isMirrored: Bool)] in
            let quad = quads[index]
            // A line much taller than wide is read both ways anyway.
            let turned =
                quad.height > 1.5 * quad.width
                ? [] : [(index, quad.onItsHead, false), (index, quad.mirrored.onItsHead, true)]
            // A stroke across a line makes its place much taller than its letters.
            let letters = Double(lines[index]?.text.count(where: { $0 != " " }) ?? 0)
            let isWide = quad.width > max(3, letters / Self.usualLetters) * quad.height
            let rows = picture.letterRows(of: quad) ?? (isWide ? quad.middle : nil)
            return turned + [(index, quad.mirrored, true)] + (rows.map { [(index, $0, false)] } ?? [])
        }
        guard !tries.isEmpty else { return }
        let read = try await usual.recognize(tries.map(\.quad), in: picture)
        for (turn, line) in zip(tries, read) {
            let line = turn.isMirrored ? line?.unmirrored : line
            let place = quads[turn.index]
            // The rows that hold letters are known, and a detector may have taken much more for the place; the middle is a guess.
            let isGuess = turn.quad == place.middle
            take(isGuess ? line?.asHigh(as: place) : line, &lines[turn.index], from: Self.sureOfTurned)
        }
    }

    /// Takes another reading of a line if it contains a match or is more confident.
    private func take(_ line: TextLine?, _ best: inout TextLine?, from least: Double) {
        guard let line, line.confidence >= least else { return }
        if let known = best, isWanted(known) { return }
        if isWanted(line) || line.confidence > max(StillReader.sense, best?.confidence ?? 0) { best = line }
    }

    /// Returns a line for a place that looks like one but could not be read.
    private static func unread(at quad: Quad) -> TextLine? {
        guard quad.width > 1.5 * quad.height, quad.height >= 8 else { return nil }
        return TextLine(
            quad: quad, words: [TextWord(text: String(unread), quad: quad, confidence: 0)], confidence: 0)
    }
}

/// Finds lines in addition to those that a detector finds in the original picture: in a copy with its faint parts at
/// full contrast, extended beyond its edges.
public struct ThoroughDetector: TextDetector {
    private let detector: any TextDetector

    /// The extension of the picture beyond its edges, in pixels.
    private static let margin = 40

    /// The share of a line that must have been found for it to count as known.
    private static let sameLine = 0.6

    public init(_ detector: any TextDetector) { self.detector = detector }

    public var pictureFormat: Picture.Format { detector.pictureFormat }

    public func prepare(forWidth width: Int, height: Int) { detector.prepare(forWidth: width, height: height) }

    public func detect(in picture: Picture) async throws -> [TextRegion] {
        let found = try await detector.detect(in: picture)
        let offset = Point(-Double(Self.margin), -Double(Self.margin))
        let wide = picture.withLocalContrast().repeatingEdges(x: Self.margin, y: Self.margin)
        let more = try await detector.detect(in: wide).compactMap { region -> TextRegion? in
            let quad = region.quad.moved(by: offset)
            guard quad.bounds.intersection(picture.bounds).area > 0.3 * quad.bounds.area else { return nil }
            // A piece of a faint line is found anyway; that is not the line.
            let known = found.reduce(0) { $0 + quad.share(in: $1.quad) }
            return known > Self.sameLine ? nil : TextRegion(quad: quad, score: region.score)
        }
        return ReadingOrder.sorted(found + more, by: \.quad)
    }
}

/// The part of a picture around a line, with full contrast and extended beyond the picture's edges.
struct ContrastPart {
    let picture: Picture
    let quad: Quad
    /// The offset from the pixels of the part to those of the picture.
    let offset: Point
    /// Whether a pixel in or beside the line differs from the picture. Otherwise the line would be read as it was
    /// there: nothing around it is faint, and it is not at the picture's edge.
    let isAnotherLook: Bool

    /// The distance beyond a line from which pixels are taken.
    static func margin(of quad: Quad) -> Double { max(8, quad.height.rounded(.up)) }

    init?(of quad: Quad, in picture: Picture) {
        let margin = Self.margin(of: quad)
        let wanted = quad.bounds.grown(by: margin)
        let area = wanted.intersection(picture.bounds)
        guard area.width >= 8, area.height >= 8, margin < 400 else { return nil }
        let plain = picture.cropped(to: area)
        let part = plain.withLocalContrast()
        isAnotherLook = area != wanted || part.bytes != plain.bytes
        let side = Int(margin)
        self.picture = part.repeatingEdges(x: side, y: side)
        offset = Point(area.minX.rounded(.down) - margin, area.minY.rounded(.down) - margin)
        self.quad = quad.moved(by: Point(-offset.x, -offset.y))
    }
}

extension Quad {
    /// Whether there is room for more than one letter.
    ///
    /// The lowest letters that are read have four rows, and detectors leave a margin of about one pixel around them: a
    /// place of six by six pixels holds at most one, and a pattern of one letter is searched for there once.
    fileprivate var mayHoldWords: Bool { max(width, height) > 6 }

    /// The place without slightly more than a quarter above and below.
    fileprivate var middle: Quad { rows(from: 0.28, to: 0.72) }
}

extension Picture {
    /// Returns whether the backgrounds of two lines differ in color, so that a detector may have split one line there.
    fileprivate func groundDiffers(in a: Quad, and b: Quad) -> Bool {
        let (first, second) = (ground(of: a), ground(of: b))
        return zip(first, second).contains { abs($0 - $1) >= 16 }
    }
}

extension TextLine {
    /// Returns the line read in the middle of a place, with the height of the whole place.
    fileprivate func asHigh(as place: Quad) -> TextLine {
        var line = mapped { $0.grown(along: 0, across: max(0, place.height - $0.height) / 2) }
        line.quad = place
        return line
    }

    /// The line read in a mirrored picture, at a place whose corners go clockwise: its words run from right to left.
    var unmirrored: TextLine {
        var line = mapped(\.mirrored)
        for index in words.indices {
            for place in words[index].characters.indices {
                let span = words[index].characters[place]
                (line.words[index].characters[place].start, line.words[index].characters[place].end) = (
                    1 - span.end, 1 - span.start
                )
            }
        }
        return line
    }
}

extension Picture {
    /// Returns the picture with full contrast around each place: small differences in level become as visible as black
    /// on white.
    ///
    /// The lowest and the highest level of each square and its neighbors become black and white; levels are
    /// interpolated between squares. Differences of less than ``leastContrast`` levels stay small, because they are
    /// noise.
    func withLocalContrast() -> Picture {
        let ranges = LocalRanges(self)
        guard ranges.hasFaintParts else { return self }
        let (step, width) = (format.bytesPerPixel, width)
        let result = [UInt8](unsafeUninitializedCapacity: bytes.count) { target, count in
            bytes.withUnsafeBufferPointer { source in
                for y in 0..<height {
                    let row = ranges.row(y)
                    row.withUnsafeBufferPointer { row in
                        for x in 0..<width {
                            let (left, right, share) = ranges.columns(around: x)
                            let range = row[left] + (row[right] - row[left]) * share
                            let at = (y &* width &+ x) &* step
                            let gain = 255 / range.w
                            for channel in 0..<step {
                                let value = (Float(source[at &+ channel]) - range[channel]) * gain
                                target[at &+ channel] = UInt8(max(0, min(255, value)))
                            }
                        }
                    }
                }
            }
            count = bytes.count
        }
        return Picture(format: format, width: width, height: height, bytes: result)
    }
}

/// The range of levels of a picture around each place: the lowest level of each color, followed by the largest range of
/// any color, which preserves the relation between the colors.
private struct LocalRanges {
    private static let side = 24
    /// A smaller range than this, in levels, is treated as this large.
    private static let leastContrast: Float = 10
    /// The ranges that are stretched: a square with a smaller range has only noise, one with a larger range has enough
    /// contrast.
    private static let faint: ClosedRange<Int> = 6...80

    private let columns: Int
    private let rows: Int
    private var squares: [SIMD4<Float>] = []
    let hasFaintParts: Bool

    init(_ picture: Picture) {
        let (side, step) = (Self.side, picture.format.bytesPerPixel)
        let (columns, rows) = (max(1, picture.width / side), max(1, picture.height / side))
        (self.columns, self.rows) = (columns, rows)
        var (least, most) = (
            [SIMD4<UInt8>](repeating: SIMD4(repeating: 255), count: columns * rows),
            [SIMD4<UInt8>](repeating: SIMD4(repeating: 0), count: columns * rows)
        )
        picture.bytes.withUnsafeBufferPointer { bytes in
            for y in 0..<picture.height {
                let row = min(rows - 1, y / side) &* columns
                for x in 0..<picture.width {
                    let tile = row &+ min(columns - 1, x / side)
                    let at = (y &* picture.width &+ x) &* step
                    var color = SIMD4<UInt8>(repeating: bytes[at])
                    if step == 3 { (color.y, color.z) = (bytes[at &+ 1], bytes[at &+ 2]) }
                    least[tile] = pointwiseMin(least[tile], color)
                    most[tile] = pointwiseMax(most[tile], color)
                }
            }
        }
        var isFaint = false
        for row in 0..<rows {
            for column in 0..<columns {
                var (a, b) = (SIMD4<UInt8>(repeating: 255), SIMD4<UInt8>(repeating: 0))
                for y in max(0, row - 1)...min(rows - 1, row + 1) {
                    for x in max(0, column - 1)...min(columns - 1, column + 1) {
                        a = pointwiseMin(a, least[y * columns + x])
                        b = pointwiseMax(b, most[y * columns + x])
                    }
                }
                let range = Int((b &- a).max())
                isFaint = isFaint || Self.faint.contains(range)
                squares.append(SIMD4<Float>(Float(a.x), Float(a.y), Float(a.z), max(Self.leastContrast, Float(range))))
            }
        }
        hasFaintParts = isFaint
    }

    /// Returns the squares of a row of pixels, interpolated between those above and below it.
    func row(_ y: Int) -> [SIMD4<Float>] {
        let (above, below, share) = Self.neighbors(of: y, count: rows)
        return (0..<columns).map { column in
            let (a, b) = (squares[above * columns + column], squares[below * columns + column])
            return a + (b - a) * share
        }
    }

    /// Returns the squares to the left and to the right of a column of pixels, and the position between them.
    @inline(__always)
    func columns(around x: Int) -> (before: Int, after: Int, share: Float) { Self.neighbors(of: x, count: columns) }

    @inline(__always)
    private static func neighbors(of pixel: Int, count: Int) -> (before: Int, after: Int, share: Float) {
        let place = max(0, (Float(pixel) + 0.5) / Float(side) - 0.5)
        let before = min(count - 1, Int(place))
        return (before, min(count - 1, before + 1), min(1, place - Float(before)))
    }
}
