import Errors
import TextMatching
import TextSpotting

/// The texts of an index that are nearest to the questions of a search by meaning, in all segments together.
///
/// All vectors are compared, then the nearest candidates go through the model again, so that their scores are those of
/// a reading. Groups of lines that have the meaning only together are searched only around the nearest texts
/// (``NearBlocks``).
struct NearestTexts: Sendable {
    /// The largest number of texts that are returned for a question.
    static let mostTexts = 1_000
    /// The number of texts that go through the model again.
    static let mostExact = 64
    /// The tolerated error of the closeness from stored vectors: three times its root mean square.
    static let tolerance = 0.04

    /// A text, and how close it is to a question.
    struct Near: Sendable {
        var number: Int
        var closeness: Double
    }

    /// The place of a text in a part that matches a question only together with other texts.
    struct Place: Hashable, Sendable {
        private let part, line, step, question: Int

        init(_ candidate: SegmentFile.Candidate, question: Int) {
            (part, line, step) = (candidate.part, candidate.line, candidate.steps.lowerBound)
            self.question = question
        }
    }

    /// Lines of one picture that have the meaning of a question together.
    struct Block: Sendable {
        var part: Int
        var step: Int
        var lines: [NearBlocks.Line]
        var finding: MeaningSearch.Finding
    }

    /// The near texts of one segment.
    struct InSegment: Sendable {
        /// The near texts, keyed by their numbers.
        var lines: [Int: [Near]] = [:]
        var blocks: [Block] = []
        /// The places that are part of ``blocks``.
        var covered = Set<Place>()
    }

    private var segments: [String: InSegment] = [:]
    /// Segments of which some texts have no vectors.
    private(set) var unknown = Set<String>()
    /// Segments with vectors that cannot be read.
    private(set) var problems: [(segment: String, problem: FramegrepError)] = []

    subscript(segment: String) -> InSegment? { segments[segment] }

    /// A text of some segment.
    struct Found: Sendable {
        var segment: String
        var text: Int
        var closeness: Double
    }

    init(
        index: TextIndex, wanted: Set<SourceID>, search: MeaningSearch, minimumScore: Double,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws {
        let files = try open(index, wanted, search)
        let least = search.closeness(ofProbability: minimumScore)
        for question in search.questions where !isCancelled() {
            let code = VectorCode.Question(question.point)
            var found = try texts(
                near: code, in: files, least: min(least - Self.tolerance, MeaningSearch.leastTogether.best), isCancelled
            )
            try Self.correct(&found, for: question.point, search: search, in: index)
            let blocks = try NearBlocks(question: question, code: code, search: search, near: found).found(
                in: files, index, isCancelled)
            for near in found where near.closeness >= least {
                segments[near.segment, default: InSegment()].lines[near.text, default: []].append(
                    Near(number: question.number, closeness: near.closeness))
            }
            for (name, blocks) in blocks {
                segments[name, default: InSegment()].blocks += blocks
                for block in blocks {
                    for line in block.finding.lines {
                        segments[name]?.covered.insert(
                            Place(block.lines[line].candidate, question: question.number))
                    }
                }
            }
        }
    }

    /// A segment with its vectors, and which of its parts and texts are searched.
    struct File: Sendable {
        let name: String
        let segment: SegmentFile
        let vectors: VectorFile
        let parts: Set<Int>
        /// The texts that are searched; nil for all.
        let texts: Set<Int>?
    }

    /// Opens the segments that contain any of the searched recordings; segments that cannot be read at all are reported
    /// by the search for words.
    private mutating func open(
        _ index: TextIndex, _ wanted: Set<SourceID>, _ search: MeaningSearch
    ) throws -> [File] {
        var files: [File] = []
        for entry in try index.catalog.segments() {
            do {
                guard let file = try open(entry, of: index, wanted: wanted, search: search) else { continue }
                files.append(file)
            } catch let error as FramegrepError where error.isAboutAFile {
                problems.append((entry.name, error))
            }
        }
        return files
    }

    private mutating func open(
        _ entry: Catalog.Segment, of index: TextIndex, wanted: Set<SourceID>, search: MeaningSearch
    ) throws -> File? {
        guard let segment = try? index.segment(entry.name), let sources = try? segment.sourcesOfParts() else {
            return nil
        }
        let parts = Set(sources.filter { wanted.contains($0.value) }.map(\.key))
        guard !parts.isEmpty else { return nil }
        guard let vectors = try segment.vectors(), vectors.model == search.vectorName else {
            if entry.lines > 0 { unknown.insert(entry.name) }
            return nil
        }
        guard vectors.textCount == entry.lines else { throw VectorFile.damaged(vectors.path) }
        if vectors.unknownCount > 0 { unknown.insert(entry.name) }
        let texts = parts.count == sources.count ? nil : try segment.lines(ofParts: Array(parts))
        return File(name: entry.name, segment: segment, vectors: vectors, parts: parts, texts: texts)
    }

    /// Returns the texts, the nearest first.
    private mutating func texts(
        near question: VectorCode.Question, in files: [File], least: Double,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> [Found] {
        var found: [Found] = []
        for file in files where !isCancelled() {
            do {
                var near = try file.vectors.texts(nearTo: question, least: Float(least), isCancelled: isCancelled)
                if let texts = file.texts { near.removeAll { !texts.contains($0.text) } }
                let some = Self.nearest(near).map {
                    Found(segment: file.name, text: $0.text, closeness: Double($0.closeness))
                }
                found = Array((found + some).sorted(by: Self.isNearer).prefix(Self.mostTexts))
            } catch let error as FramegrepError where error.isAboutAFile {
                if !problems.contains(where: { $0.segment == file.name }) { problems.append((file.name, error)) }
            }
        }
        return found
    }

    /// Selects the texts that may be among the nearest, without sorting all of them.
    private static func nearest(_ near: [VectorFile.NearText]) -> [VectorFile.NearText] {
        guard near.count > mostTexts else { return near }
        // Count them in steps of a hundredth of the closeness.
        func step(_ text: VectorFile.NearText) -> Int { max(0, min(199, Int((text.closeness + 1) * 100))) }
        var counts = [Int](repeating: 0, count: 200)
        for text in near { counts[step(text)] += 1 }
        var (lowest, count) = (200, 0)
        while lowest > 0, count < mostTexts {
            lowest -= 1
            count += counts[lowest]
        }
        return near.filter { step($0) >= lowest }
    }

    private static func isNearer(_ a: Found, _ b: Found) -> Bool {
        a.closeness != b.closeness ? a.closeness > b.closeness : (a.segment, a.text) < (b.segment, b.text)
    }

    /// Runs the nearest texts through the model again.
    private static func correct(
        _ found: inout [Found], for question: MeaningPoint, search: MeaningSearch, in index: TextIndex
    ) throws {
        let exact = found.prefix(mostExact)
        var texts = [String](repeating: "", count: exact.count)
        for (name, some) in Dictionary(grouping: exact.indices, by: { exact[$0].segment }) {
            let own = try index.segment(name).texts(ofLines: some.map { exact[$0].text })
            for (place, text) in zip(some, own) { texts[place] = text }
        }
        let values = try SideBySide.map(texts, fewest: 9, atATime: 8) { text in
            question.closeness(to: search.points(of: [text])[0])?.value ?? -1
        }
        for (place, value) in values.enumerated() { found[place].closeness = value }
        found.sort(by: isNearer)
    }
}

/// Finds lines that have the meaning of a question together, in the pictures that show the texts nearest to it, as far
/// as the index knows their places.
///
/// A search of a recording judges all pictures. Here the work is limited, so in a large index, lines that have the
/// meaning only together are missed if none of them is among the nearest.
struct NearBlocks {
    /// The number of texts whose pictures are searched.
    private static let mostTexts = 64
    /// The number of places of each text that are searched.
    private static let mostPlaces = 4
    /// The number of lines that are examined for those beside a text; the most recent ones count.
    private static let mostLines = 1_000
    /// The number of groups of lines that go through the model.
    private static let mostBlocks = 128

    struct Line: Sendable {
        var candidate: SegmentFile.Candidate
        /// The line at its place in that picture.
        var recorded: RecordedLine
    }

    private struct Picture {
        var file: NearestTexts.File
        var part: Int
        var step: Int
        var lines: [Line]
        /// The closeness of each line.
        var values: [Double?]
        var chains: [[Int]]
    }

    private let question: (number: Int, point: MeaningPoint)
    private let code: VectorCode.Question
    private let search: MeaningSearch
    /// The texts that are known to be near, by segment.
    private let near: [String: [Int: Double]]
    private let first: [NearestTexts.Found]

    init(
        question: (number: Int, point: MeaningPoint), code: VectorCode.Question, search: MeaningSearch,
        near found: [NearestTexts.Found]
    ) {
        (self.question, self.code, self.search) = (question, code, search)
        var near: [String: [Int: Double]] = [:]
        for text in found { near[text.segment, default: [:]][text.text] = text.closeness }
        self.near = near
        first = Array(found.filter { $0.closeness >= MeaningSearch.leastTogether.best }.prefix(Self.mostTexts))
    }

    /// Returns the findings, by segment.
    func found(
        in files: [NearestTexts.File], _ index: TextIndex, _ isCancelled: () -> Bool
    ) throws -> [String: [NearestTexts.Block]] {
        var pictures: [Picture] = []
        for file in files where !isCancelled() {
            let texts = first.filter { $0.segment == file.name }.map(\.text)
            guard !texts.isEmpty else { continue }
            pictures += try self.pictures(of: texts, in: file)
        }
        let closeness = try together(pictures)
        var blocks: [String: [NearestTexts.Block]] = [:]
        for picture in pictures {
            for finding in chosen(in: picture, closeness) {
                blocks[picture.file.name, default: []].append(
                    .init(part: picture.part, step: picture.step, lines: picture.lines, finding: finding))
            }
        }
        return blocks
    }

    /// Returns the pictures in which the texts appear and those in which they disappear, if there are others beside
    /// them.
    private func pictures(of texts: [Int], in file: NearestTexts.File) throws -> [Picture] {
        struct Moment: Hashable, Sendable { var part, step: Int }
        var moments: [Moment] = []
        var known = Set<Moment>()
        var counts: [Int: Int] = [:]
        try file.segment.places(ofLines: texts) { candidates in
            for candidate in candidates where file.parts.contains(candidate.part) {
                counts[candidate.line, default: 0] += 1
                guard counts[candidate.line, default: 0] <= Self.mostPlaces else { continue }
                for step in [
                    candidate.steps.lowerBound, max(candidate.steps.lowerBound, candidate.steps.upperBound - 1),
                ] {
                    let moment = Moment(part: candidate.part, step: step)
                    if known.insert(moment).inserted { moments.append(moment) }
                }
            }
            return true
        }
        let parts = try file.segment.parts(Set(moments.map(\.part)))
        return try SideBySide.map(moments, fewest: 2, atATime: 4) { moment -> Picture? in
            guard let part = parts[moment.part], part.steps.indices.contains(moment.step) else { return nil }
            return try picture(of: file, moment.part, moment.step, frame: part.steps[moment.step])
        }.compactMap(\.self)
    }

    /// - Returns: nil if no lines of the picture can have the meaning together.
    private func picture(of file: NearestTexts.File, _ part: Int, _ step: Int, frame: Int) throws -> Picture? {
        let candidates = try file.segment.lines(ofPart: part, at: step, amongLast: Self.mostLines)
        guard candidates.count > 1 else { return nil }
        var reader = VectorFile.Reader(file.vectors)
        var lines = try candidates.map { candidate in
            Line(
                candidate: candidate,
                recorded: try LineCodec.decode(candidate.data, text: candidate.text).placed(in: frame))
        }
        lines.sort {
            let (a, b) = ($0.recorded.line.quad.center, $1.recorded.line.quad.center)
            return (a.y, a.x) < (b.y, b.x)
        }
        let values = try lines.map { line -> Double? in
            if let known = near[file.name], let value = known[line.candidate.line] { return value }
            return try reader.closeness(of: code, to: line.candidate.line)
        }
        let texts = lines.map(\.recorded.line)
        let chains = search.chains(values, texts.map(\.text.count), TextBlocks(texts))
        guard !chains.isEmpty else { return nil }
        return Picture(file: file, part: part, step: step, lines: lines, values: values, chains: chains)
    }

    private static func text(_ chain: [Int], _ lines: [Line]) -> String {
        chain.map { lines[$0].recorded.line.text }.joined(separator: " ")
    }

    /// Returns the closeness of the most likely groups.
    private func together(_ pictures: [Picture]) throws -> [String: Double] {
        var best: [String: Double] = [:]
        for picture in pictures {
            for chain in picture.chains {
                let mean = chain.reduce(0) { $0 + (picture.values[$1] ?? 0) } / Double(chain.count)
                let text = Self.text(chain, picture.lines)
                best[text] = max(best[text] ?? -1, mean)
            }
        }
        let texts = best.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
            .prefix(Self.mostBlocks).map(\.key)
        let values = try SideBySide.map(texts, fewest: 9, atATime: 8) { [point = question.point, search] text in
            point.closeness(to: search.points(of: [text])[0])?.value ?? -1
        }
        return Dictionary(zip(texts, values)) { first, _ in first }
    }

    /// Returns the groups that are closer than their lines alone.
    private func chosen(in picture: Picture, _ closeness: [String: Double]) -> [MeaningSearch.Finding] {
        var findings = picture.values.enumerated().compactMap { line, value in
            value.flatMap { search.finding(of: question.number, [line], $0) }
        }
        for chain in picture.chains {
            guard let value = closeness[Self.text(chain, picture.lines)] else { continue }
            findings += search.finding(of: question.number, chain, value).map { [$0] } ?? []
        }
        return search.chosen(findings).filter { $0.lines.count > 1 }
    }
}
