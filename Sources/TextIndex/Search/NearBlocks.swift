import TextMatching
import TextSpotting

/// Lines that mean a question together: looked for in the pictures that show the texts nearest to it, as far as the index knows where they
/// stood.
///
/// A search of a recording judges all pictures; here the work is bounded, so that in a large index lines that mean something only together
/// are missed where neither is among the nearest.
struct NearBlocks {
    /// In the pictures of so many texts.
    private static let mostTexts = 64
    /// Of each so many of its places.
    private static let mostPlaces = 4
    /// So many lines are looked at for what stood beside a text, those that came last.
    private static let mostLines = 1_000
    /// So many groups of lines go through the model.
    private static let mostBlocks = 128

    /// A line of a picture.
    struct Line: Sendable {
        var candidate: SegmentFile.Candidate
        /// Where it is in that picture.
        var recorded: RecordedLine
    }

    private struct Picture {
        var file: NearestTexts.File
        var part: Int
        var step: Int
        var lines: [Line]
        /// How close each line is.
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

    /// By segment.
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

    /// The pictures in which the texts come and those in which they go, where others are beside them.
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

    /// - Returns: nil where no lines may mean it together.
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

    /// How close the likeliest of all are.
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

    /// The groups that are closer than their lines alone.
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
