import TextMatching
import TextSpotting

/// A stored line, decoded as far as needed to compare it with patterns; places are decoded on demand.
///
/// A search looks at many lines, and needs only the matched words of those that match.
struct KeptLine: Sendable {
    /// The place of a word, in its encoded form.
    private struct Place: Sendable {
        /// The slice of the line's quad, in ``LineCodec/sliceUnits``.
        var slice: Range<Int>
        /// The quad, if it is not a slice of the line's.
        var quad: Quad?
        /// The index in ``bytes`` at which the edges of its letters begin: one for each letter and one more, or two for
        /// each.
        var edges: Int
        var isTight: Bool
    }

    /// The readings of the part that have this text.
    let steps: Range<Int>
    /// The text that is compared with patterns.
    private(set) var recognized: RecognizedText
    /// The place of the whole line in its first reading.
    let quad: Quad
    /// The presence of each word.
    let presences: [RecordedLine.Presence]
    let path: LinePath
    private let confidence: Double
    private let places: [Place]
    private let bytes: [UInt8]

    /// - Throws: `ByteReader.Damage` if the bytes were not written for this text.
    init(_ bytes: [UInt8], text: String) throws(ByteReader.Damage) {
        let words = LineCodec.letterCounts(text)
        let letters = words.reduce(0, +)
        guard !words.isEmpty, words.count <= LineCodec.mostWords, letters <= LineCodec.mostLetters else {
            throw ByteReader.Damage()
        }
        var reader = ByteReader(bytes)
        let first = try reader.count(upTo: LineCodec.mostSteps)
        steps = first..<first + (try reader.count(upTo: LineCodec.mostSteps))
        let sources = ReadingSource.allCases
        let source = Int(try reader.byte())
        guard sources.indices.contains(source) else { throw ByteReader.Damage() }
        confidence = LineCodec.share(try reader.byte())
        quad = try QuadCodec.read(beside: Point(0, 0), from: &reader)
        var places: [Place] = []
        places.reserveCapacity(words.count)
        for word in words { places.append(try Self.place(ofWordOf: word, in: quad, from: &reader)) }
        let confidences = try Self.confidences(letters, from: &reader)
        recognized = LineCodec.recognized(text, confidences, sources[source])
        let count = try reader.count(upTo: LineCodec.mostEvidence)
        if count > 0 {
            let all = recognized.scalars
            for _ in 0..<count { recognized.evidence.append(try EvidenceCodec.read(of: all, from: &reader)) }
        }
        presences = try Self.presences(words.count, from: &reader)
        path = try Self.path(from: &reader)
        self.places = places
        self.bytes = bytes
    }

    /// Returns when the first of its words appears, without decoding anything else.
    ///
    /// - Throws: `ByteReader.Damage` if the bytes were not written for this text.
    static func beginning(_ bytes: [UInt8], text: String) throws(ByteReader.Damage) -> StreamTime {
        let words = LineCodec.letterCounts(text)
        let letters = words.reduce(0, +)
        var reader = ByteReader(bytes)
        for _ in 0..<2 { _ = try reader.number() }
        try reader.skip(2)
        for _ in 0..<8 { _ = try reader.number() }
        for word in words {
            let isSlice = try reader.byte() == 1
            for _ in 0..<(isSlice ? 2 : 8) { _ = try reader.number() }
            let isTight = try reader.byte() == 1
            try reader.skip(word == 0 ? 0 : isTight ? word + 1 : 2 * word)
        }
        try reader.skip(1)
        for _ in 0..<(try reader.count(upTo: letters)) {
            _ = try reader.number()
            try reader.skip(1)
        }
        for _ in 0..<(try reader.count(upTo: LineCodec.mostEvidence)) {
            try EvidenceCodec.skip(ofLetters: letters, in: &reader)
        }
        let presences = try presences(words.count, from: &reader)
        guard let first = presences.map(\.start).min() else { throw ByteReader.Damage() }
        return first
    }

    /// Returns one of its words, with its place.
    func word(_ number: Int) -> TextWord {
        let place = places[number]
        let letters = recognized.letters[recognized.words[number]]
        var spans: [CharacterSpan] = []
        spans.reserveCapacity(letters.count)
        var sum = 0.0
        for (index, letter) in letters.enumerated() {
            let first = place.edges + (place.isTight ? index : 2 * index)
            let (a, b) = (Double(bytes[first]) / 255, Double(bytes[first + 1]) / 255)
            spans.append(
                CharacterSpan(
                    character: letter.character, start: min(a, b), end: max(a, b), confidence: letter.confidence))
            sum += letter.confidence
        }
        let unit = Double(LineCodec.sliceUnits)
        let quad =
            place.quad
            ?? quad.slice(from: Double(place.slice.lowerBound) / unit, to: Double(place.slice.upperBound) / unit)
        return TextWord(quad: quad, characters: spans, confidence: sum / Double(max(1, spans.count)))
    }

    var recorded: RecordedLine {
        RecordedLine(
            line: TextLine(
                quad: quad, words: places.indices.map(word), confidence: confidence, evidence: recognized.evidence,
                source: recognized.source),
            steps: steps, words: presences, path: path)
    }

    // MARK: Parts

    private static func place(
        ofWordOf letters: Int, in line: Quad, from reader: inout ByteReader
    ) throws(ByteReader.Damage) -> Place {
        var place = Place(slice: 0..<0, quad: nil, edges: 0, isTight: true)
        if try reader.byte() == 1 {
            let start = try reader.count(upTo: LineCodec.sliceUnits)
            place.slice = start..<start + (try reader.count(upTo: LineCodec.sliceUnits - start))
        } else {
            place.quad = try QuadCodec.read(beside: line.topLeft, from: &reader)
        }
        place.isTight = try reader.byte() == 1
        place.edges = reader.position
        try reader.skip(letters == 0 ? 0 : place.isTight ? letters + 1 : 2 * letters)
        return place
    }

    private static func confidences(
        _ letters: Int, from reader: inout ByteReader
    ) throws(ByteReader.Damage) -> [Double] {
        var all = [Double](repeating: LineCodec.share(try reader.byte()), count: letters)
        var next = 0
        for _ in 0..<(try reader.count(upTo: letters)) {
            let index = next + (try reader.count(upTo: letters))
            guard index < letters else { throw ByteReader.Damage() }
            all[index] = LineCodec.share(try reader.byte())
            next = index + 1
        }
        return all
    }

    private static func presences(
        _ count: Int, from reader: inout ByteReader
    ) throws(ByteReader.Damage) -> [RecordedLine.Presence] {
        var result: [RecordedLine.Presence] = []
        result.reserveCapacity(count)
        let limit: Int64 = 1 << 60
        var last = (id: Int64(0), start: Int64(0), end: Int64(0))
        for _ in 0..<count {
            last.id += try reader.signed(upTo: 1 << 40)
            last.start += try reader.signed(upTo: limit)
            last.end += try reader.signed(upTo: limit)
            guard abs(last.id) <= 1 << 40, abs(last.start) <= limit, abs(last.end) <= limit, last.start <= last.end
            else { throw ByteReader.Damage() }
            result.append(
                .init(
                    id: Int(last.id), start: StreamTime(nanoseconds: last.start),
                    end: StreamTime(nanoseconds: last.end)))
        }
        return result
    }

    private static func path(from reader: inout ByteReader) throws(ByteReader.Damage) -> LinePath {
        let count = try reader.count(upTo: LineCodec.mostKnots)
        guard count > 0 else { return LinePath() }
        var knots: [LinePath.Knot] = []
        var last = LinePath.Knot(frame: 0, x: 0, y: 0, width: 0, height: 0)
        for number in 0...count {
            last.frame += Int(try reader.signed(upTo: 1 << 40))
            last.x = try next(last.x, &reader)
            last.y = try next(last.y, &reader)
            last.width = try next(last.width, &reader)
            last.height = try next(last.height, &reader)
            guard abs(last.frame) <= 1 << 40, number < 2 || last.frame >= knots[knots.count - 1].frame else {
                throw ByteReader.Damage()
            }
            knots.append(last)
        }
        return LinePath(base: knots[0], knots: Array(knots.dropFirst()))
    }

    private static func next(_ value: Int32, _ reader: inout ByteReader) throws(ByteReader.Damage) -> Int32 {
        let sum = Int64(value) + (try reader.signed(upTo: 1 << 32))
        guard abs(sum) <= 1_000_000_000 else { throw ByteReader.Damage() }
        return Int32(sum)
    }
}
