/// Reads a still picture as well as possible, with time that a frame of a recording does not have: large and small text
/// at separate sizes, doubtful lines with the better network and from all the places found for them, and rotated if
/// they make no sense.
///
/// The steps depend only on the picture, never on the speed of the machine.
public struct StillReader: TextReader {
    public let name: String
    public let concurrency: Int
    /// Reads the picture in the usual way; its lines are combined with the others.
    private let first: any TextReader
    private let detector: any TextDetector
    /// The detector for enlarged parts.
    private let quickDetector: any TextDetector
    private let quick: any LineRecognizer
    private let careful: any LineRecognizer

    /// The largest number of places that are read.
    private static let mostPlaces = 400
    /// Lines with at least this confidence from the quick recognizer are not read again.
    private static let sure = 0.97
    /// The confidence below which a line makes no sense: no clean text that is rotated reaches it, and hardly any
    /// upright text is below it.
    public static let sense = 0.88

    /// - Precondition: all need the same picture format.
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

    /// Returns the lines in a part, in pixels of the whole picture.
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

    /// Reads some places again, and keeps the more confident reading.
    ///
    /// - Parameter least: readings with less confidence than this are ignored.
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

    /// Returns other orientations that a line may have at a place. Places much taller than wide are read both ways
    /// anyway.
    private static func turns(of quad: Quad) -> [Quad] {
        if quad.height > 1.5 * quad.width { return [] }
        if quad.width > 1.5 * quad.height { return [quad.onItsHead] }
        return [quad.onItsHead, quad.turnedLeft, quad.turnedRight]
    }

    /// Returns whether so much of the text makes no sense that the picture may be mirrored.
    private static func makesNoSense(_ lines: [TextLine?]) -> Bool {
        let known = lines.compactMap { $0 }
        let letters = known.reduce(0) { $0 + $1.letterCount }
        let doubtful = known.filter { $0.confidence < sense }.reduce(0) { $0 + $1.letterCount }
        return lines.contains { $0 == nil } && letters == 0 || 3 * doubtful >= letters && letters > 0
    }

    // MARK: Putting together

    /// Returns each line once; of those that share a place, the one with the most text.
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
    /// Whether the line is one or two letters that the reader is not quite sure of, as a texture seen closely is read.
    fileprivate var isSpeck: Bool {
        let letters = text.count { $0.isLetter || $0.isNumber }
        return letters < 3 && confidence < (letters == 2 ? 0.8 : 0.97)
    }

    fileprivate var letterCount: Int { words.reduce(0) { $0 + $1.characters.count } }
}

/// The sizes at which a still picture is searched for text: the whole at once for large letters, parts at the original
/// size, and enlarged parts for small letters.
///
/// All parts have one size for the network, because it prepares for each size separately. The amount of work depends
/// only on the size of the picture.
struct StillPlan: Sendable, Hashable {
    /// A part that is searched at once.
    struct Look: Sendable, Hashable {
        /// The part, in pixels of the picture.
        var part: Rect
        /// The number of network pixels per picture pixel.
        var scale: Double
        /// Whether a detector other than the best one is good enough.
        var isQuick: Bool
    }

    /// The width of each part for the network, in pixels.
    let width: Int
    let height: Int
    let looks: [Look]

    /// The overlap of neighboring parts in network pixels, which keeps lines whole in one of them.
    static let overlap = 96
    /// The longest side of a part, in network pixels: the size at which detectors find lines of usual height.
    static let longest = 1120
    /// The number of network pixels that the best detector may process, and a quicker one besides: some two seconds of
    /// one processor.
    static let most = 5_500_000.0
    static let mostQuick = 12_000_000.0

    init(width: Int, height: Int) {
        let area = Double(max(1, width * height))
        // A picture too large for its original size is searched at the largest size that is possible.
        let fitting = min(1, (Self.most / (1.6 * area)).squareRoot())
        let scales =
            4 * 1.3 * area <= Self.mostQuick
            ? [(fitting, false), (2, true)] : [(fitting, false)]
        let across = Self.side(of: width, scales.map(\.0))
        let down = Self.side(of: height, scales.map(\.0))
        (self.width, self.height) = (across, down)
        let whole = Look(
            part: Rect(x: 0, y: 0, width: Double(width), height: Double(height)),
            scale: min(Double(across) / Double(max(1, width)), Double(down) / Double(max(1, height))), isQuick: false)
        var looks = [whole]
        for (scale, isQuick) in scales {
            let columns = Self.places(of: width, scale, side: across)
            let rows = Self.places(of: height, scale, side: down)
            guard columns.count * rows.count > 1 else { continue }
            for row in rows {
                for column in columns {
                    looks.append(
                        Look(
                            part: Rect(
                                x: column, y: row, width: min(Double(width), Double(across) / scale),
                                height: min(Double(height), Double(down) / scale)), scale: scale, isQuick: isQuick))
                }
            }
        }
        self.looks = looks
    }

    /// Returns how many parts of a side cover a length.
    private static func count(_ length: Int, _ scale: Double, side: Int) -> Int {
        let scaled = Double(length) * scale
        guard scaled > Double(side) else { return 1 }
        return Int(((scaled - Double(overlap)) / Double(side - overlap)).rounded(.up))
    }

    /// Returns the side with the least work over all scales, a multiple of 32.
    private static func side(of length: Int, _ scales: [Double]) -> Int {
        let longest = min(longest, (Int(Double(length) * (scales.max() ?? 1)) + 31) / 32 * 32)
        let shortest = min(longest, 480)
        let sides = stride(from: shortest / 32 * 32, through: max(32, longest), by: 32).filter { $0 > 0 }
        func work(_ side: Int) -> Int {
            scales.reduce(0) { $0 + count(length, $1, side: side) * side * Int(max(1, $1)) }
        }
        return sides.min { (work($0), -$0) < (work($1), -$1) } ?? 32
    }

    /// Returns the beginnings of the parts, evenly spread.
    private static func places(of length: Int, _ scale: Double, side: Int) -> [Double] {
        let count = count(length, scale, side: side)
        let last = max(0, Double(length) - Double(side) / scale)
        return (0..<count).map { count == 1 ? 0 : (last * Double($0) / Double(count - 1)).rounded(.down) }
    }
}

/// The places in a still picture where lines of text may be, from detections in several of its parts and at several
/// sizes.
struct StillPlaces {
    /// A place where a detector found a line.
    struct Piece: Sendable {
        var quad: Quad
        /// The height that the detector saw, in pixels.
        var seenHeight: Double
        /// The index of the part it was found in.
        var look: Int
        var scale: Double
        /// Whether the part ends where the line may continue.
        var isCut: Bool
    }

    /// The height at which detectors place lines best, in pixels.
    private static let bestHeight = 26.0

    /// The places, each with its quads: the first is the best, the others are of the same line.
    let places: [[Quad]]

    /// - Parameters:
    ///   - found: the detections in each of the plan's parts, in pixels of the whole picture.
    ///   - most: the largest number of places that are kept.
    init(_ found: [[TextRegion]], _ plan: StillPlan, in picture: Rect, most: Int) {
        var pieces: [Piece] = []
        for (number, regions) in found.enumerated() {
            let look = plan.looks[number]
            for region in regions {
                pieces.append(
                    Piece(
                        quad: region.quad, seenHeight: min(region.quad.height, region.quad.width) * look.scale,
                        look: number, scale: look.scale, isCut: Self.isCut(region.quad, by: look, in: picture)))
            }
        }
        let whole = pieces.filter { !$0.isCut }
        let cut = Self.joined(pieces.filter(\.isCut)).filter { piece in
            !whole.contains { piece.quad.share(in: $0.quad) > 0.7 }
        }
        let sorted = (whole + cut).sorted { Self.unfitness($0) < Self.unfitness($1) }
        var places: [[Quad]] = []
        for piece in sorted {
            if let known = places.firstIndex(where: { $0[0].isOne(with: piece.quad) }) {
                places[known].append(piece.quad)
            } else if places.count < most {
                places.append([piece.quad])
            }
        }
        self.places = places
    }

    private static func unfitness(_ piece: Piece) -> Double {
        let ratio = max(piece.seenHeight, 1) / bestHeight
        return ratio > 1 ? ratio : 1 / ratio
    }

    private static func isCut(_ quad: Quad, by look: StillPlan.Look, in picture: Rect) -> Bool {
        let (bounds, part, margin) = (quad.bounds, look.part, 3 / look.scale)
        return (part.minX > 0 && bounds.minX <= part.minX + margin)
            || (part.minY > 0 && bounds.minY <= part.minY + margin)
            || (part.maxX < picture.maxX && bounds.maxX >= part.maxX - margin)
            || (part.maxY < picture.maxY && bounds.maxY >= part.maxY - margin)
    }

    /// Joins the halves of lines that are cut between two neighboring parts.
    private static func joined(_ pieces: [Piece]) -> [Piece] {
        var pieces = pieces
        var index = 0
        while index < pieces.count {
            if let other = pieces.indices.first(where: { $0 > index && goesOn(pieces[index], in: pieces[$0]) }) {
                let direction = pieces[index].quad.direction
                if let quad = Quad.spanning([pieces[index].quad, pieces[other].quad], along: direction) {
                    pieces[index].quad = quad
                }
                pieces.remove(at: other)
            } else {
                index += 1
            }
        }
        return pieces
    }

    private static func goesOn(_ a: Piece, in b: Piece) -> Bool {
        guard a.look != b.look, a.scale == b.scale else { return false }
        return LineLocation(a.quad).goesOn(in: LineLocation(b.quad))
    }
}
