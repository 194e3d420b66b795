/// Reads a still picture as well as it can be read, for it has the time that a frame of a recording has not: large and small text at sizes of
/// their own, doubtful lines by the better network and from all the places that were found for them, and turned where they make no sense.
///
/// What is done depends on the picture alone, never on how fast the machine is.
public struct StillReader: TextReader {
    public let name: String
    public let concurrency: Int
    /// Reads the picture in the usual way; its lines count with the others.
    private let first: any TextReader
    private let detector: any TextDetector
    /// For parts that are enlarged.
    private let quickDetector: any TextDetector
    private let quick: any LineRecognizer
    private let careful: any LineRecognizer

    /// No more places are read.
    private static let mostPlaces = 400
    /// Lines that the quick recognizer is as sure of as this are not read again.
    private static let sure = 0.97
    /// A line that was read less surely than this makes no sense: of clean text that is turned nothing comes near it, of text that
    /// stands as it should hardly anything is below.
    public static let sense = 0.88

    /// - Precondition: all want the same picture format.
    public init(
        name: String, first: any TextReader, detector: any TextDetector, quickDetector: any TextDetector,
        quick: any LineRecognizer, careful: any LineRecognizer, concurrency: Int
    ) {
        self.name = name
        self.first = first
        self.detector = detector
        self.quickDetector = quickDetector
        self.quick = quick
        self.careful = careful
        self.concurrency = concurrency
    }

    public var pictureFormat: Picture.Format { first.pictureFormat }

    public func prepare(forWidth width: Int, height: Int) {
        let plan = StillPlan(width: width, height: height)
        detector.prepare(forWidth: plan.width, height: plan.height)
    }

    public func read(_ picture: Picture) async throws -> [TextLine] {
        guard picture.width > 0, picture.height > 0 else { return [] }
        async let usual = first.read(picture)
        let places = try await places(in: picture)
        let lines = try await lines(at: places, in: picture)
        return ReadingOrder.sorted(Self.merged(try await usual + lines), by: \.quad)
    }

    // MARK: Finding

    private func places(in picture: Picture) async throws -> [[Quad]] {
        let plan = StillPlan(width: picture.width, height: picture.height)
        let found = try await withThrowingTaskGroup(of: (Int, [TextRegion]).self) { group in
            for (number, look) in plan.looks.enumerated() {
                group.addTask { (number, try await regions(in: look, plan, picture)) }
            }
            var found = [[TextRegion]](repeating: [], count: plan.looks.count)
            for try await (number, regions) in group { found[number] = regions }
            return found
        }
        return StillPlaces(found, plan, in: picture.bounds, most: Self.mostPlaces).places
    }

    /// The lines in a part, in pixels of the whole picture.
    private func regions(in look: StillPlan.Look, _ plan: StillPlan, _ picture: Picture) async throws -> [TextRegion] {
        let part = look.part == picture.bounds ? picture : picture.cropped(to: look.part)
        let detector = look.isQuick ? quickDetector : detector
        return try await detector.detect(in: part, atWidth: plan.width, height: plan.height).map {
            TextRegion(quad: $0.quad.moved(by: Point(look.part.x, look.part.y)), score: $0.score)
        }
    }

    // MARK: Reading

    private func lines(at places: [[Quad]], in picture: Picture) async throws -> [TextLine] {
        var best = try await quick.recognize(places.map { $0[0] }, in: picture)
        func doubtful(_ least: Double) -> [Int] { best.indices.filter { (best[$0]?.confidence ?? 0) < least } }
        try await read(&best, doubtful(Self.sure).map { ($0, places[$0][0]) }, in: picture)
        try await read(
            &best, doubtful(Self.sense).flatMap { place in places[place].dropFirst().prefix(2).map { (place, $0) } },
            in: picture)
        try await read(
            &best, doubtful(Self.sense).flatMap { place in Self.turns(of: places[place][0]).map { (place, $0) } },
            in: picture, from: Self.sense)
        if Self.makesNoSense(best) {
            try await read(
                &best,
                doubtful(Self.sense).flatMap { place in
                    let mirrored = places[place][0].mirrored
                    return ([mirrored] + Self.turns(of: mirrored)).map { (place, $0) }
                }, in: picture, from: Self.sense)
        }
        return best.compactMap { $0 }.filter { !$0.isSpeck }
    }

    /// Reads some places once more, and takes what is surer.
    ///
    /// - Parameter least: readings less sure than this do not count.
    private func read(
        _ best: inout [TextLine?], _ tries: [(place: Int, quad: Quad)], in picture: Picture, from least: Double = 0
    ) async throws {
        guard !tries.isEmpty else { return }
        let lines = try await careful.recognize(tries.map(\.quad), in: picture)
        for (number, line) in lines.enumerated() {
            guard let line, line.confidence >= least else { continue }
            let place = tries[number].place
            if line.confidence > best[place]?.confidence ?? 0 { best[place] = line }
        }
    }

    /// Other ways in which a line may stand in a place. What is much higher than wide is read both ways anyway.
    private static func turns(of quad: Quad) -> [Quad] {
        if quad.height > 1.5 * quad.width { return [] }
        if quad.width > 1.5 * quad.height { return [quad.onItsHead] }
        return [quad.onItsHead, quad.turnedLeft, quad.turnedRight]
    }

    /// Whether so much of what was read makes no sense that the picture may be a mirror's.
    private static func makesNoSense(_ lines: [TextLine?]) -> Bool {
        let known = lines.compactMap { $0 }
        let letters = known.reduce(0) { $0 + $1.letterCount }
        let doubtful = known.filter { $0.confidence < sense }.reduce(0) { $0 + $1.letterCount }
        return lines.contains { $0 == nil } && letters == 0 || 3 * doubtful >= letters && letters > 0
    }

    // MARK: Putting together

    /// Each line once: of those that share a place the one that says most.
    static func merged(_ lines: [TextLine]) -> [TextLine] {
        func worth(_ line: TextLine) -> Double { Double(line.letterCount) * (line.confidence - 0.4) }
        let sorted = lines.enumerated().sorted { (-worth($0.element), $0.offset) < (-worth($1.element), $1.offset) }
        var kept: [TextLine] = []
        for (_, line) in sorted
        where !kept.contains(where: { line.quad.share(in: $0.quad) > 0.5 || $0.quad.share(in: line.quad) > 0.5 }) {
            kept.append(line)
        }
        return kept
    }
}

extension TextLine {
    /// One or two letters that the reader is not quite sure of: what a texture looks like to it from near.
    fileprivate var isSpeck: Bool {
        let letters = text.count { $0.isLetter || $0.isNumber }
        return letters < 3 && confidence < (letters == 2 ? 0.8 : 0.97)
    }

    fileprivate var letterCount: Int { words.reduce(0) { $0 + $1.characters.count } }
}
