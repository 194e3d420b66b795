import Errors
import Glibc
import TextMatching
public import TextSpotting
import Threads

/// PP-OCRv6's recognizer: straightens each line, reads it with a CTC network, and places its words and characters by
/// the positions at which the network saw them.
///
/// A line more than 1.5 times as tall as wide is assumed to be rotated by 90°; it is read both ways, and the better
/// reading counts. The returned line's quad begins at the text's own top-left and fits the visible text more closely
/// than the given one. Confidences: that of a character is the mean probability of its steps, that of a word the
/// geometric mean of its characters', that of a line the mean of all its characters'.
public struct NeuralLineRecognizer: LineRecognizer {
    static let normalization = Normalization(mean: [0.5, 0.5, 0.5], deviation: [0.5, 0.5, 0.5])
    /// Readings with less confidence than this are not text.
    public static let leastConfidence = 0.5
    /// The least height of a line, in pixels. The smallest fonts have letters of four rows; a speck of three, enlarged sixteen times, may look like
    /// a letter.
    static let leastHeight = 3.5
    /// The ratio of height to width from which a line is also read turned by 90°.
    static let tallFrom = 1.5
    /// The ratio from which it has more than one letter.
    private static let columnFrom = 4.0

    let models: CompiledModels
    let dictionary: CharacterDictionary
    let threads: WorkerPool<Void>
    let source: ReadingSource
    /// Whether short lines are read first. They take a fraction of the time of a long one, so most of a screen's lines are
    /// known early. For many pictures the long ones come first, so that no thread has a long one left when the others
    /// have nothing more to do.
    let readsShortFirst: Bool
    private var least = Self.leastConfidence
    private var scripts: ScriptNetwork?

    init(
        models: CompiledModels, dictionary: CharacterDictionary, threads: WorkerPool<Void>, source: ReadingSource,
        readsShortFirst: Bool
    ) {
        self.models = models
        self.dictionary = dictionary
        self.threads = threads
        self.source = source
        self.readsShortFirst = readsShortFirst
    }

    /// Returns a recognizer that also returns readings below ``leastConfidence``: they are not the actual text, but
    /// indicate its kind.
    public func reading(down least: Double) -> NeuralLineRecognizer {
        var recognizer = self
        recognizer.least = least
        return recognizer
    }

    /// Returns a recognizer that also reports how likely each line is in a script that it does not know
    /// (``ReadingEvidence/otherScripts``); only the fast one can.
    public func noticingScripts() -> NeuralLineRecognizer {
        var recognizer = self
        if source == .neuralFast, dictionary.classCount == ScriptNetwork.classCount { recognizer.scripts = .learnt }
        return recognizer
    }

    public var pictureFormat: Picture.Format { .rgb }

    public func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        try await recognize(quads, in: picture) { _, _ in }
    }

    public func recognize(
        _ quads: [Quad], in picture: Picture, _ see: @escaping @Sendable (Int, TextLine) -> Void
    ) async throws -> [TextLine?] {
        // Group lines by width: each change of width makes the network lay out its memory again.
        let widths = quads.map(Self.bucket)
        let order = quads.indices.sorted { readsShortFirst ? widths[$0] < widths[$1] : widths[$0] > widths[$1] }
        let readings = try await threads.run(pieces: quads.count) { _, index, cancellation in
            let line = try read(quads[order[index]], in: picture, cancellation)
            if let line { see(order[index], line) }
            return line
        }
        var lines = [TextLine?](repeating: nil, count: quads.count)
        for (index, line) in zip(order, readings) { lines[index] = line }
        return lines
    }

    /// Returns the width at which a line is read, in pixels.
    private static func bucket(of quad: Quad) -> Int {
        let ratio = quad.height > tallFrom * quad.width ? quad.height / quad.width : quad.width / quad.height
        return WidthBuckets.bucket(WidthBuckets.content(ratio: ratio, atMost: WidthBuckets.widest))
    }

    /// Reads one line; blocks, so it runs on the engine's threads only.
    private func read(_ quad: Quad, in picture: Picture, _ cancellation: CancellationFlag) throws -> TextLine? {
        // Written so that coordinates that are not numbers fail too.
        guard quad.width >= 1, quad.height >= 1, quad.bounds.intersection(picture.bounds).area > 0 else { return nil }
        guard quad.height > Self.tallFrom * quad.width else { return try readUpright(quad, in: picture, cancellation) }
        let turned = try [quad.turnedLeft, quad.turnedRight].compactMap { side in
            var line = try readUpright(side, in: picture, cancellation)
            // The letters of a column are on their side, which says nothing about their script.
            if line?.evidence.isEmpty == false { line?.evidence[0].otherScripts = [] }
            return line
        }
        let best = turned.max { $0.confidence < $1.confidence }
        // A single slim letter is as tall as a short column, and its reading when rotated means little.
        guard quad.height < Self.columnFrom * quad.width, (best?.text.count ?? 0) < 2,
            let letter = try readUpright(quad.widened(to: 0.8), in: picture, cancellation), letter.text.count == 1
        else { return best }
        return letter
    }

    private func readUpright(_ quad: Quad, in picture: Picture, _ cancellation: CancellationFlag) throws -> TextLine? {
        let straight = try StraightLine(quad, in: picture)
        var reading = try reading(of: straight, cancellation)
        if reading.hasDoubtfulGap, reading.confidence >= least {
            let alone = straight.lettersAlone()
            reading.complete(
                with: try self.reading(of: alone.line, cancellation), in: alone.line.ink, isOutlined: alone.isOutlined)
        }
        reading.settleCase(in: straight.ink)
        reading.noticeGapBeforeNumber(in: straight.ink)
        var evidence = reading.evidence
        evidence.peaks = reading.letters.filter { !$0.character.isWhitespace }.map { Float($0.peak) }
        let steps = Double(straight.width) / Double(CTCPosteriors.columnsPerStep)
        let words = LineLayout.words(reading.letters, steps: steps)
        if let scripts {
            evidence.otherScripts = scripts.odds(of: reading.scriptLetters)
            if words.count > 1 {
                evidence.otherScriptsOfWords = words.map { word in
                    scripts.odds(
                        of: reading.scriptLetters.filter { word.start * steps..<word.end * steps ~= $0.peak })
                }
            }
        }
        let confidences = words.flatMap { $0.characters.map(\.confidence) }
        guard !words.isEmpty else { return nil }
        let confidence = confidences.reduce(0, +) / Double(confidences.count)
        guard confidence >= least else { return nil }
        var line = FittedLine(words: words, ink: straight.ink).line(in: quad, confidence: confidence)
        guard line.quad.height >= Self.leastHeight || !line.text.contains(where: { $0.isLetter || $0.isNumber }) else {
            return nil
        }
        line.evidence = [evidence]
        line.source = source
        return line
    }

    /// Reads the pieces of an upright line with the network.
    private func reading(of line: StraightLine, _ cancellation: CancellationFlag) throws -> PiecedReading {
        let model = try models.model(widths: WidthBuckets.range, height: WidthBuckets.height)
        var reading = PiecedReading()
        for piece in line.pieces {
            let width = WidthBuckets.bucket(piece.width)
            try model.run(width: width, cancellation) {
                line.write(piece, width: width, into: $0)
            } _: {
                reading.add(
                    try posteriors($0), dictionary, of: piece, isLast: piece.columns.upperBound == line.width,
                    noticing: scripts)
            }
        }
        return reading
    }

    /// Prepares the network for its first line; blocks.
    func prepare() throws { _ = try models.model(widths: WidthBuckets.range, height: WidthBuckets.height) }

    /// Checks that the network and the dictionary belong together, by reading an empty line.
    func check() throws {
        let model = try models.model(widths: WidthBuckets.range, height: WidthBuckets.height)
        try model.run(width: WidthBuckets.all[0], CancellationFlag()) {
            $0.update(repeating: 0)
        } _: {
            _ = try posteriors($0)
        }
    }

    private func posteriors(_ output: NetworkOutput) throws -> CTCPosteriors {
        guard output.shape.count == 3, output.shape[2] == dictionary.classCount else {
            throw FramegrepError.neuralUnavailable(
                "The dictionary \(dictionary.path) has \(dictionary.classCount) classes and does not belong to "
                    + "its model, whose output has the shape \(output.shape).")
        }
        return CTCPosteriors(values: output.values, steps: output.shape[1], classes: output.shape[2])
    }
}

/// The widths of straightened lines.
///
/// The network is compiled once for all of them, which takes a ninth of the time and half of the memory of compiling it
/// for each and runs a tenth slower; but each width costs some 10 ms when first used, so they are in steps of about a
/// sixth, which waste a twelfth of the work on average.
enum WidthBuckets {
    /// The height of every straightened line, in pixels; the recognizer was trained with it.
    static let height = 48
    /// In pixels, ascending, each a multiple of 8 (one step of the recognizer's output).
    static let all = [
        64, 80, 96, 112, 128, 152, 176, 208, 240, 280, 328, 384, 448, 520, 608, 704, 824, 960, 1120, 1304, 1520, 1920,
        2304,
        2816, 3328, 3840,
    ]

    static var range: ClosedRange<Int> { all[0]...widest }

    /// The widest line that is not squeezed, in pixels.
    static let widest = all[all.count - 1]

    /// Returns the width of a line that is `ratio` times as wide as tall.
    static func content(ratio: Double, atMost most: Int) -> Int {
        let wanted = (Double(height) * max(0, ratio)).rounded(.up)
        return wanted < Double(most) ? max(8, Int(wanted)) : most
    }

    /// Returns the bucket for a width in pixels.
    static func bucket(_ content: Int) -> Int { all.first { $0 >= content } ?? widest }
}

/// The recognizer's output for one line: for each step from left to right, the probability of each class.
///
/// A view, valid only inside the closure that gets it. Each step covers ``columnsPerStep`` pixels of the straightened line. It
/// contains everything known about a line, so a pattern can be scored against it directly, in addition to
/// ``CTCDecoder``.
struct CTCPosteriors {
    static let columnsPerStep = 8
    /// Step by step, `classes` numbers each.
    let values: UnsafeBufferPointer<Float>
    let steps: Int
    let classes: Int

    subscript(step: Int) -> UnsafeBufferPointer<Float> {
        UnsafeBufferPointer(rebasing: values[(step * classes)..<((step + 1) * classes)])
    }

    /// Returns the most probable class of a step; of several equal ones, the first.
    func best(at step: Int) -> (index: Int, probability: Float) {
        let row = self[step]
        var peak = SIMD16<Float>(repeating: -.infinity)
        let whole = classes - classes % 16
        let raw = UnsafeRawBufferPointer(row)
        for start in stride(from: 0, to: whole, by: 16) {
            peak.replace(
                with: raw.loadUnaligned(fromByteOffset: 4 * start, as: SIMD16<Float>.self),
                where: raw.loadUnaligned(fromByteOffset: 4 * start, as: SIMD16<Float>.self) .> peak)
        }
        var highest = peak.max()
        for index in whole..<classes { highest = max(highest, row[index]) }
        return (row.firstIndex(of: highest) ?? 0, highest)
    }

    /// Calls `body` with each class of a step that is at least as probable as `least`, by rising class.
    func probable(at step: Int, least: Float, _ body: (_ index: Int, _ probability: Float) -> Void) {
        let row = self[step]
        let raw = UnsafeRawBufferPointer(row)
        let whole = classes - classes % 16
        let floor = SIMD16<Float>(repeating: least)
        for start in stride(from: 0, to: whole, by: 16) {
            let found = raw.loadUnaligned(fromByteOffset: 4 * start, as: SIMD16<Float>.self) .>= floor
            guard any(found) else { continue }
            for lane in 0..<16 where found[lane] { body(start + lane, row[start + lane]) }
        }
        for index in whole..<classes where row[index] >= least { body(index, row[index]) }
    }
}

extension ReadingEvidence {
    /// Adds the probable characters at each of the first steps of the network's output; the padding to the right of a line is left out.
    mutating func append(_ posteriors: CTCPosteriors, _ dictionary: CharacterDictionary, steps: Int) {
        var found: [Candidate] = []
        for step in 0..<min(steps, posteriors.steps) {
            found.removeAll(keepingCapacity: true)
            posteriors.probable(at: step, least: Self.leastProbability) { index, probability in
                guard let scalar = dictionary.scalar(index) else { return }
                found.append(Candidate(scalar: scalar, logarithm: log(probability)))
            }
            if found.count > Self.mostCandidates { found.sort { $0.logarithm > $1.logarithm } }
            let blank = posteriors[step][CharacterDictionary.blank]
            append(blank: log(max(blank, .leastNormalMagnitude)), found)
        }
    }
}
