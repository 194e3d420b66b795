import Errors
import TextMatching
import TextSpotting

/// The texts of an index that are nearest to what a search asks for by its meaning, in all segments together.
///
/// All vectors are looked through, and then the texts that may be meant go through the model again, the nearest first, so that their scores are
/// those that reading says. What a question means in lines together is looked for around the nearest texts only (``NearBlocks``).
struct NearestTexts: Sendable {
    /// More texts than this are not given for a question.
    static let mostTexts = 1_000
    /// So many of them go through the model again.
    static let mostExact = 64
    /// By how much the closeness may be wrong that vectors as they are kept say: three times what it is in the mean square.
    static let tolerance = 0.04

    /// A text and how close it is to a question.
    struct Near: Sendable {
        /// The question's number.
        var number: Int
        var closeness: Double
    }

    /// A place of a text in a part that is a match for a question only together with others.
    struct Place: Hashable, Sendable {
        private let part, line, step, question: Int

        init(_ candidate: SegmentFile.Candidate, question: Int) {
            (part, line, step) = (candidate.part, candidate.line, candidate.steps.lowerBound)
            self.question = question
        }
    }

    /// Lines of one picture that mean a question together.
    struct Block: Sendable {
        var part: Int
        var step: Int
        /// All lines of the picture.
        var lines: [NearBlocks.Line]
        var finding: MeaningSearch.Finding
    }

    /// The near texts of one segment.
    struct InSegment: Sendable {
        /// By the texts' numbers.
        var lines: [Int: [Near]] = [:]
        var blocks: [Block] = []
        /// These are part of ``blocks``.
        var covered = Set<Place>()
    }

    private var segments: [String: InSegment] = [:]
    /// Segments of which some texts have no vectors.
    private(set) var unknown = Set<String>()
    /// Segments whose vectors cannot be read.
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
        /// Nil for all.
        let texts: Set<Int>?
    }

    /// Opens the segments that hold something of the recordings that are searched; those that cannot be read at all are told of by
    /// who looks for words in them.
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

    /// The nearest first.
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

    /// Of many all those that may be among the nearest, found without sorting them all.
    private static func nearest(_ near: [VectorFile.NearText]) -> [VectorFile.NearText] {
        guard near.count > mostTexts else { return near }
        // In steps of a hundredth of what closeness may be.
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

    /// Has the nearest go through the model again.
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
