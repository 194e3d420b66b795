import TextMatching
import TextSpotting

/// Encodes a ``RecordedLine`` in few bytes, without its text, which is stored once for all equal lines.
///
/// The places of words are slices of the line where possible, confidences are kept only for doubtful letters, and the
/// evidence is encoded by ``EvidenceCodec``.
enum LineCodec {
    /// The largest numbers of words, letters and readings that are kept for a line: a limit for hostile input.
    static let mostWords = 2_000
    static let mostLetters = 8_000
    static let mostEvidence = 3
    static let mostSteps = 10_000_000
    static let mostKnots = 100_000
    /// Letters with more confidence than this share one number.
    private static let sureFrom = 0.98
    /// A word is a slice of its line if its corners are within this distance of the slice, in pixels.
    private static let sliceTolerance = 0.3

    /// Returns the stored text of a line: the words with one space between them.
    static func text(of line: TextLine) -> String { line.text }

    static func encode(_ recorded: RecordedLine) -> [UInt8] {
        var writer = ByteWriter()
        let line = recorded.line
        writer.number(recorded.steps.lowerBound)
        writer.number(recorded.steps.count)
        writer.byte(UInt8(ReadingSource.allCases.firstIndex(of: line.source) ?? 0))
        writer.byte(share(line.confidence))
        QuadCodec.write(line.quad, beside: Point(0, 0), to: &writer)
        writeWords(line, to: &writer)
        writeConfidences(line, to: &writer)
        writeEvidence(line, to: &writer)
        writePresences(recorded.words, to: &writer)
        writePath(recorded.path, to: &writer)
        return writer.bytes
    }

    /// - Throws: `ByteReader.Damage` if the bytes were not written for this text.
    static func decode(_ bytes: [UInt8], text: String) throws(ByteReader.Damage) -> RecordedLine {
        try KeptLine(bytes, text: text).recorded
    }

    /// Splits a stored text into words and letters.
    static func split(_ text: String) -> [[Character]] {
        text.unicodeScalars.split(separator: " ").map { Array(String($0)) }
    }

    /// Returns the number of letters in each word of a stored text.
    static func letterCounts(_ text: String) -> [Int] {
        var text = text
        let plain = text.withUTF8 { bytes -> [Int]? in
            var counts: [Int] = []
            var count = 0
            for byte in bytes {
                guard isPlainCharacter(byte) else { return nil }
                if byte != 0x20 {
                    count += 1
                } else if count > 0 {
                    counts.append(count)
                    count = 0
                }
            }
            return count > 0 ? counts + [count] : counts
        }
        return plain ?? split(text).map(\.count)
    }

    /// Returns a stored text in the form in which it is compared with patterns.
    ///
    /// - Parameter confidences: one for each letter.
    static func recognized(_ text: String, _ confidences: [Double], _ source: ReadingSource) -> RecognizedText {
        var text = text
        var result = RecognizedText(source: source)
        let isTaken = text.withUTF8 { bytes in
            guard bytes.allSatisfy({ isPlainCharacter($0) }) else { return false }
            result.append(ascii: bytes, confidences: confidences)
            return true
        }
        if !isTaken { result.append(words: split(text), confidences: confidences) }
        return result
    }

    /// Returns whether the byte is a character on its own, whatever its neighbors are.
    private static func isPlainCharacter(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

    /// Returns whether the line can be stored: its stored text splits into the same words and letters again.
    static func canBeKept(_ line: TextLine) -> Bool {
        let words = split(text(of: line))
        return words.count == line.words.count && words.count <= mostWords
            && words.reduce(0, { $0 + $1.count }) <= mostLetters
            && zip(words, line.words).allSatisfy { $0 == $1.characters.map(\.character) }
    }

    // MARK: Words

    private static func writeWords(_ line: TextLine, to writer: inout ByteWriter) {
        for word in line.words {
            if let slice = slice(of: word.quad, in: line.quad) {
                writer.byte(1)
                writer.number(UInt64(slice.start))
                writer.number(UInt64(slice.end - slice.start))
            } else {
                writer.byte(0)
                QuadCodec.write(word.quad, beside: line.quad.topLeft, to: &writer)
            }
            writeSpans(word.characters, to: &writer)
        }
    }

    static let sliceUnits = 16_383

    private static func slice(of word: Quad, in line: Quad) -> (start: Int, end: Int)? {
        let length = line.width
        guard length > 0 else { return nil }
        let direction = (line.topRight - line.topLeft) * (1 / max(0.001, (line.topRight - line.topLeft).length))
        func along(_ point: Point) -> Double {
            let offset = point - line.topLeft
            return (offset.x * direction.x + offset.y * direction.y) / length
        }
        let start = Int((min(1, max(0, along(word.topLeft))) * Double(sliceUnits)).rounded())
        let end = Int((min(1, max(0, along(word.topRight))) * Double(sliceUnits)).rounded())
        guard start <= end else { return nil }
        let made = line.slice(from: Double(start) / Double(sliceUnits), to: Double(end) / Double(sliceUnits))
        let isNear = zip(made.corners, word.corners).allSatisfy { ($0 - $1).length <= sliceTolerance }
        return isNear ? (start, end) : nil
    }

    /// Writes the edges of the characters along the word, in 255ths: one number for each character if each begins where
    /// the previous one ends.
    private static func writeSpans(_ spans: [CharacterSpan], to writer: inout ByteWriter) {
        func part(_ value: Double) -> UInt8 { UInt8((min(1, max(0, value.isNaN ? 0 : value)) * 255).rounded()) }
        let isTight = zip(spans, spans.dropFirst()).allSatisfy { part($0.end) == part($1.start) }
        writer.byte(isTight ? 1 : 0)
        for span in spans {
            writer.byte(part(span.start))
            if !isTight { writer.byte(part(span.end)) }
        }
        if isTight, let last = spans.last { writer.byte(part(last.end)) }
    }

    // MARK: Confidences

    /// Writes the mean confidence of the sure letters, then each other letter, by the number of letters before it.
    private static func writeConfidences(_ line: TextLine, to writer: inout ByteWriter) {
        let all = line.words.flatMap { $0.characters.map(\.confidence) }
        let sure = all.filter { $0 >= sureFrom }
        writer.byte(share(sure.isEmpty ? 1 : sure.reduce(0, +) / Double(sure.count)))
        let doubtful = all.indices.filter { !(all[$0] >= sureFrom) }
        writer.number(doubtful.count)
        var next = 0
        for index in doubtful {
            writer.number(index - next)
            writer.byte(share(all[index]))
            next = index + 1
        }
    }

    /// Encodes a share of 1 in a byte, with more precision near 1.
    private static func share(_ value: Double) -> UInt8 {
        let missing = 1 - min(1, max(0, value.isNaN ? 0 : value))
        return UInt8((missing.squareRoot() * 255).rounded())
    }

    static func share(_ byte: UInt8) -> Double {
        let root = Double(byte) / 255
        return 1 - root * root
    }

    private static func writeEvidence(_ line: TextLine, to writer: inout ByteWriter) {
        let letters = line.words.flatMap { $0.characters.map(\.character) }
        var parts: [[UInt8]] = []
        for evidence in line.evidence where parts.count < mostEvidence {
            var part = ByteWriter()
            if EvidenceCodec.write(evidence, of: letters, to: &part) { parts.append(part.bytes) }
        }
        writer.number(parts.count)
        for part in parts { writer.append(part) }
    }

    // MARK: Times and places

    private static func writePresences(_ words: [RecordedLine.Presence], to writer: inout ByteWriter) {
        var last = RecordedLine.Presence(id: 0, start: .zero, end: .zero)
        for word in words {
            writer.signed(word.id - last.id)
            // The words of a line mostly come and go together.
            writer.signed(word.start.nanoseconds - last.start.nanoseconds)
            writer.signed(word.end.nanoseconds - last.end.nanoseconds)
            last = word
        }
    }

    private static func writePath(_ path: LinePath, to writer: inout ByteWriter) {
        writer.number(path.knots.count)
        guard !path.knots.isEmpty else { return }
        var last = LinePath.Knot(frame: 0, x: 0, y: 0, width: 0, height: 0)
        for knot in [path.base] + path.knots {
            writer.signed(knot.frame - last.frame)
            for (new, old) in [
                (knot.x, last.x), (knot.y, last.y), (knot.width, last.width), (knot.height, last.height),
            ] { writer.signed(Int64(new) - Int64(old)) }
            last = knot
        }
    }
}

/// Encodes a ``ClockTrack`` in few bytes.
enum ClockCodec {
    private static let mostPieces = 10_000
    private static let farthest: Int64 = 1 << 60

    static func encode(_ track: ClockTrack?) -> [UInt8] {
        guard let track else { return [] }
        var writer = ByteWriter()
        writer.byte(track.hasDate ? 1 : 0)
        QuadCodec.write(track.quad, beside: Point(0, 0), to: &writer)
        writer.number(track.pieces.count)
        for piece in track.pieces {
            writer.signed(piece.start.nanoseconds)
            writer.signed(piece.end.nanoseconds - piece.start.nanoseconds)
            writer.signed(piece.offset)
            writer.signed(piece.lastOffset - piece.offset)
        }
        return writer.bytes
    }

    /// Returns nil if nothing was written.
    static func decode(_ bytes: [UInt8]) throws(ByteReader.Damage) -> ClockTrack? {
        guard !bytes.isEmpty else { return nil }
        var reader = ByteReader(bytes)
        let hasDate = try reader.byte() == 1
        let quad = try QuadCodec.read(beside: Point(0, 0), from: &reader)
        var pieces: [ClockTrack.Piece] = []
        for _ in 0..<(try reader.count(upTo: mostPieces)) {
            let start = try reader.signed(upTo: farthest)
            let end = start + (try reader.signed(upTo: farthest))
            let offset = try reader.signed(upTo: 1 << 50)
            let last = offset + (try reader.signed(upTo: 1 << 50))
            guard start <= end else { throw ByteReader.Damage() }
            pieces.append(
                .init(
                    start: StreamTime(nanoseconds: start), end: StreamTime(nanoseconds: end), offset: offset,
                    lastOffset: last))
        }
        guard !pieces.isEmpty else { throw ByteReader.Damage() }
        return ClockTrack(hasDate: hasDate, pieces: pieces, quad: quad)
    }
}

/// Encodes places in quarters of a pixel.
enum QuadCodec {
    /// The largest coordinate, in quarters of a pixel.
    private static let farthest: Int64 = 4_000_000

    /// Writes the first corner relative to `origin`, the others relative to the first.
    static func write(_ quad: Quad, beside origin: Point, to writer: inout ByteWriter) {
        var last = quarters(origin)
        for corner in quad.corners {
            let next = quarters(corner)
            writer.signed(next.x - last.x)
            writer.signed(next.y - last.y)
            last = quarters(quad.topLeft)
        }
    }

    static func read(beside origin: Point, from reader: inout ByteReader) throws(ByteReader.Damage) -> Quad {
        let first = try corner(beside: quarters(origin), from: &reader)
        let second = try corner(beside: first, from: &reader)
        let third = try corner(beside: first, from: &reader)
        let fourth = try corner(beside: first, from: &reader)
        return Quad(
            topLeft: point(first), topRight: point(second), bottomRight: point(third), bottomLeft: point(fourth))
    }

    private static func corner(
        beside other: (x: Int64, y: Int64), from reader: inout ByteReader
    ) throws(ByteReader.Damage) -> (x: Int64, y: Int64) {
        let x = other.x + (try reader.signed(upTo: 2 * farthest))
        return (x, other.y + (try reader.signed(upTo: 2 * farthest)))
    }

    private static func point(_ corner: (x: Int64, y: Int64)) -> Point {
        Point(Double(corner.x) / 4, Double(corner.y) / 4)
    }

    static func quarters(_ point: Point) -> (x: Int64, y: Int64) { (quarters(point.x), quarters(point.y)) }

    private static func quarters(_ value: Double) -> Int64 {
        value.isFinite ? Int64(max(-Double(farthest), min(Double(farthest), (value * 4).rounded()))) : 0
    }
}
