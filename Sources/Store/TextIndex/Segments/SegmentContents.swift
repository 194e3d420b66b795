import TextMatching
public import TextSpotting

/// The contents of a segment as values: parts of recordings, each text once, and the grams by which it is found.
public struct SegmentContents: Sendable {
    /// A part of a recording.
    public struct Part: Sendable, Hashable {
        /// The recording that it belongs to.
        public var source: SourceID
        /// The name of the recording when it was read, so that a segment can be understood on its own.
        public var name: String
        /// The digest of its file; empty if it is not a file.
        public var digest: String
        public var from: StreamTime
        public var to: StreamTime
        /// The options with which a recording is read; see ``ReadingProfile``.
        public var manner: String
        var frames: [UInt8]
        var steps: [UInt8]
        /// See ``ClockCodec``; empty if there is no clock in the picture.
        var clock: [UInt8] = []
    }

    /// A text, and where it is in the pictures.
    struct Line: Sendable {
        var text: String
        var kinds: UInt32
        var seen: [Seen] = []
        /// Its vectors in ``SegmentContents/vectors``.
        var vectors = TextVectors.Entry.unknown
    }

    /// One place of a text in a part.
    struct Seen: Sendable {
        var part: Int
        var steps: Range<Int>
        var data: [UInt8]
    }

    /// The largest number of texts in a segment.
    public static let mostLines = 1_000_000

    public internal(set) var parts: [Part] = []
    var lines: [Line] = []
    /// The numbers of the lines with each gram, keyed by ``Gram/hash47``; may have repeats.
    var grams: [UInt64: [UInt32]] = [:]
    /// The vectors of the texts that have some; nil if none has.
    var vectors: TextVectors?
    private var numbers: [String: Int] = [:]

    public init() {}

    public var lineCount: Int { lines.count }

    /// Adds the text of a part of a recording.
    public mutating func add(_ part: RecordedPart, of source: IndexedSource) {
        let number = append(
            Part(
                source: source.id, name: source.name, digest: source.digest ?? "", from: part.from, to: part.to,
                manner: source.manner,
                frames: PartCodec.encode(part.frames), steps: PartCodec.encode(steps: part.steps),
                clock: ClockCodec.encode(part.clock)))
        let plates = PlateLines.numbers(in: part.lines, steps: part.steps)
        for (index, recorded) in part.lines.enumerated() {
            let text = LineCodec.text(of: recorded.line)
            let kept = recorded.line.recognized
            let line = self.number(of: text, kinds: { LineGrams.kinds(of: kept) })
            if kept.evidence.isEmpty { lines[line].kinds |= LineGrams.hasNoEvidence }
            if plates.contains(index) { lines[line].kinds |= LineGrams.isInPlate }
            lines[line].seen.append(Seen(part: number, steps: recorded.steps, data: LineCodec.encode(recorded)))
            for gram in LineGrams.grams(of: kept) { add(gram.hash47, line) }
        }
    }

    mutating func append(_ part: Part) -> Int {
        parts.append(part)
        return parts.count - 1
    }

    /// Returns the number of a text, which may be new.
    mutating func number(of text: String, kinds: () -> UInt32) -> Int {
        if let known = numbers[text] { return known }
        numbers[text] = lines.count
        lines.append(Line(text: text, kinds: kinds()))
        return lines.count - 1
    }

    /// Returns the number of a text; nil if it is not there.
    func knownNumber(of text: String) -> Int? { numbers[text] }

    mutating func add(_ gram: UInt64, _ line: Int) {
        let line = UInt32(line)
        if grams[gram]?.last != line { grams[gram, default: []].append(line) }
    }

    /// Returns the blocks of all grams, with the keys under which a segment stores them.
    func postings() -> [(key: Int64, block: [UInt8])] {
        var result: [(key: Int64, block: [UInt8])] = []
        result.reserveCapacity(grams.count)
        for (gram, unsorted) in grams {
            var block: [UInt16] = []
            var number: UInt32 = 0
            var last: UInt32?
            for line in unsorted.sorted() where line != last {
                if line >> 16 != number, !block.isEmpty {
                    result.append((Self.key(gram, block: Int(number)), PostingBlock.encode(block)))
                    block.removeAll(keepingCapacity: true)
                }
                number = line >> 16
                block.append(UInt16(truncatingIfNeeded: line))
                last = line
            }
            if !block.isEmpty { result.append((Self.key(gram, block: Int(number)), PostingBlock.encode(block))) }
        }
        return result.sorted { $0.key < $1.key }
    }

    static func key(_ gram: UInt64, block: Int) -> Int64 { Int64(gram << 16 | UInt64(block)) }
}
