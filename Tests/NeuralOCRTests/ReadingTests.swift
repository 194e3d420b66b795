import Testing
import TextMatching
import TextSpotting

@testable import NeuralOCR

/// Reads rendered pictures with the real networks.
@Suite(.enabled(if: Engines.isInstalled, "the neural engine is not installed"))
struct ReadingTests {
    @Test(arguments: NeuralLevel.allCases)
    func straightLinesAreReadFromTheTop(level: NeuralLevel) async throws {
        let rendered = RenderedText(
            width: 640, height: 240,
            lines: [
                .init(text: "The quick brown fox jumps", size: 32, origin: Point(40, 30)),
                .init(text: "OPEN 24 HOURS", font: "DejaVu Serif Bold", size: 40, origin: Point(60, 120)),
            ])
        let lines = try await Engines.engine(level).reader.read(rendered.picture)
        #expect(lines.map(\.text) == ["The quick brown fox jumps", "OPEN 24 HOURS"])
        #expect(lines.allSatisfy { $0.confidence > 0.8 && $0.confidence <= 1 })
        for (word, truth) in zip(lines.flatMap(\.words), rendered.words) {
            #expect(word.text == truth.text)
            #expect(word.quad.overlap(truth.quad) >= 0.8, "\(word.text)")
        }
    }

    @Test(arguments: [10.0, 30.0, -20.0])
    func turnedLinesAreReadAndTheirWordsLieOnTheText(angle: Double) async throws {
        let origin = Point(80, angle < 0 ? 330 : 40)
        let rendered = RenderedText(
            width: 800, height: 520, paper: 0.1,
            lines: [.init(text: "Lobby EXIT 12 upstairs", size: 40, origin: origin, angle: angle, ink: 0.95)])
        let lines = try await Engines.engine().reader.read(rendered.picture)
        #expect(lines.map(\.text) == ["Lobby EXIT 12 upstairs"])
        for (word, truth) in zip(lines.flatMap(\.words), rendered.words) {
            #expect(word.quad.overlap(truth.quad) >= 0.8, "\(word.text)")
            #expect((word.quad.topLeft - truth.quad.topLeft).length < 8)
        }
    }

    @Test(arguments: [90.0, -90.0])
    func verticalLinesAreReadWhicheverWayTheyRun(angle: Double) async throws {
        let origin = angle > 0 ? Point(200, 40) : Point(120, 460)
        let rendered = RenderedText(
            width: 320, height: 500, lines: [.init(text: "Emergency STOP", size: 44, origin: origin, angle: angle)])
        let lines = try await Engines.engine().reader.read(rendered.picture)
        #expect(lines.map(\.text) == ["Emergency STOP"])
        for (word, truth) in zip(lines.flatMap(\.words), rendered.words) {
            #expect(word.quad.overlap(truth.quad) >= 0.8, "\(word.text)")
            // The text's own top-left, not the picture's.
            #expect((word.quad.topLeft - truth.quad.topLeft).length < 8)
        }
    }

    /// A region around a scoreboard's line has these sizes.
    @Test(arguments: [32, 36, 40])
    func stripsAreReadAndTheirWordsLieOnTheText(height: Int) async throws {
        let rendered = RenderedText(
            width: 640, height: height, paper: 0.2,
            lines: [.init(text: "BREAKING NEWS 42", size: 20, origin: Point(200, 5), ink: 0.95)])
        let lines = try await Engines.engine().reader.read(rendered.picture)
        #expect(lines.map(\.text) == ["BREAKING NEWS 42"])
        for (word, truth) in zip(lines.flatMap(\.words), rendered.words) {
            #expect(word.quad.overlap(truth.quad) >= 0.7, "\(word.text)")
        }
    }

    /// Enlarged sixteen times, three rows of pixels look like some letter.
    @Test(arguments: zip([2.0, 3, 4, 40], [false, false, false, true]))
    func letters(ofSize size: Double, areRead: Bool) async throws {
        let letters = Array("YTLIHXEO")
        let rendered = RenderedText(
            width: 480, height: 80,
            lines: letters.enumerated().map {
                .init(text: String($1), font: "DejaVu Sans Bold", size: size, origin: Point(Double(20 + 55 * $0), 20))
            })
        let quads = rendered.words.map { Quad($0.quad.bounds.grown(by: size / 8)) }
        let read = try await Engines.engine().recognizer.recognize(quads, in: rendered.picture)
        // A single bar is a letter to one network with one precision, and none to another.
        let count = read.count { $0 != nil }
        #expect(areRead ? count >= letters.count - 2 : count == 0, "\(read.map { $0?.text })")
    }

    @Test func aWordInTheMiddleOfALongLineHasItsOwnPlace() async throws {
        let text = "a very long line of small words in which the needle stands somewhere in the middle of it all"
        let rendered = RenderedText(
            width: 1280, height: 200, lines: [.init(text: text, size: 24, origin: Point(30, 80))])
        let lines = try await Engines.engine().reader.read(rendered.picture)
        #expect(lines.map(\.text) == [text])
        let found = try #require(lines.flatMap(\.words).first { $0.text == "needle" })
        let truth = try #require(rendered.words.first { $0.text == "needle" })
        #expect(found.quad.overlap(truth.quad) >= 0.8)
        // Its characters follow each other from its left edge to its right.
        #expect(found.characters.first?.start == 0)
        #expect(found.characters.last?.end == 1)
        for (a, b) in zip(found.characters, found.characters.dropFirst()) {
            #expect(a.start < a.end)
            #expect(abs(a.end - b.start) < 1e-9)
        }
    }

    /// A line that is some hundred times as long as high is cut where no letter is, and put together again.
    @Test(arguments: NeuralLevel.allCases)
    func aVeryLongLineIsReadInPieces(level: NeuralLevel) async throws {
        let text =
            "a line of small words that goes on and on until it is far longer than any that the network was taught "
            + "with, so that it is read piece by piece and nobody can tell from the words or from where they stand"
        let rendered = RenderedText(
            width: 2560, height: 80, lines: [.init(text: text, size: 24, origin: Point(20, 30))])
        let bounds = rendered.words.map(\.quad.bounds)
        let quad = Quad(try #require(bounds.dropFirst().reduce(bounds.first) { $0?.union($1) }).grown(by: 8))
        let straight = try StraightLine(quad, in: rendered.picture)
        #expect(straight.pieces.count > 1)
        #expect(straight.pieces.allSatisfy { $0.width <= StraightLine.widestPiece && $0.beginsWord })
        #expect(straight.pieces.areInARow)
        let read = try await Engines.engine(level).recognizer.recognize([quad], in: rendered.picture)
        let line = try #require(read[0])
        let truth = rendered.words
        #expect(line.words.count == truth.count, "\(line.text)")
        #expect(zip(line.words, truth).count { $0.text != $1.text } <= 3, "\(line.text)")
        for (word, truth) in zip(line.words, truth) {
            #expect(word.quad.overlap(truth.quad) >= 0.65, "\(word.text)")
        }
        // The evidence belongs to the letters, in the second piece as in the first.
        let evidence = try #require(line.evidence.first)
        #expect(evidence.peaks == evidence.peaks.sorted())
        #expect(evidence.count == (straight.width + 7) / 8)
    }

    /// A path has no gap between words, so it is cut between two letters, and is still one word.
    @Test(arguments: NeuralLevel.allCases)
    func aLongPathIsCutBetweenItsLetters(level: NeuralLevel) async throws {
        let text =
            "/home/somebody/recordings/of/the/whole/last/year/and/the/year/before/station/seven/entrance/north/"
            + "camera/three/many/steps/down/some/dark/morning.mkv"
        let rendered = RenderedText(
            width: 2200, height: 80, lines: [.init(text: text, size: 24, origin: Point(20, 30))])
        let quad = Quad(try #require(rendered.words.first).quad.bounds.grown(by: 8))
        let straight = try StraightLine(quad, in: rendered.picture)
        #expect(straight.pieces.count > 1 && straight.pieces.dropFirst().allSatisfy { !$0.beginsWord })
        #expect(straight.pieces.allSatisfy { $0.width <= StraightLine.widestWord })
        #expect(straight.pieces.areInARow)
        let read = try await Engines.engine(level).recognizer.recognize([quad], in: rendered.picture)
        let line = try #require(read[0])
        // Two letters misread or lost are errors of the network; a cut through a letter would cause more.
        #expect(line.text.difference(from: text).count <= 4, "\(line.text) \(straight.pieces.map(\.columns))")
    }

    @Test func aLineWithoutAnyGapStaysWhole() throws {
        let rendered = RenderedText(
            width: 2560, height: 80,
            lines: [.init(text: String(repeating: "_", count: 140), size: 24, origin: Point(20, 30))])
        let quad = Quad(try #require(rendered.words.first).quad.bounds.grown(by: 8))
        let straight = try StraightLine(quad, in: rendered.picture)
        #expect(straight.width > StraightLine.widestPiece)
        #expect(straight.pieces.map(\.columns) == [0..<straight.width])
        // A line that is too long for the network is squeezed: here it is only background.
        let longer = Quad(Rect(x: 20, y: 0, width: 2200, height: 10))
        #expect(try StraightLine(longer, in: rendered.picture).width == WidthBuckets.widest)
    }

    @Test(.enabled(if: RenderedText.hasFont(for: "zh"), "no font with Chinese letters is installed"))
    func chineseWithoutSpacesIsOneWord() async throws {
        let rendered = RenderedText(
            width: 480, height: 160,
            lines: [.init(text: "紧急出口在二楼", font: "Noto Sans CJK SC", size: 40, origin: Point(60, 50))])
        let lines = try await Engines.engine(.accurate).reader.read(rendered.picture)
        #expect(lines.map { $0.words.map(\.text) } == [["紧急出口在二楼"]])
    }

    @Test(arguments: [(1, 1), (8, 8), (3000, 2), (2, 900), (640, 360)])
    func picturesWithoutTextGiveNoLines(width: Int, height: Int) async throws {
        let picture = Picture(
            format: .rgb, width: width, height: height, bytes: [UInt8](repeating: 128, count: width * height * 3))
        #expect(try await Engines.engine().reader.read(picture).isEmpty)
    }

    @Test func placesOutsideThePictureOrWithoutAreaGiveNothing() async throws {
        let picture = Picture(format: .rgb, width: 64, height: 64, bytes: [UInt8](repeating: 200, count: 64 * 64 * 3))
        let quads = [
            Quad(Rect(x: 500, y: 500, width: 60, height: 20)), Quad(Rect(x: 5, y: 5, width: 0, height: 0)),
            Quad(Rect(x: -30, y: -30, width: 20, height: 10)),
            Quad(topLeft: Point(.nan, 0), topRight: Point(1, 0), bottomRight: Point(1, 1), bottomLeft: Point(0, 1)),
        ]
        let lines = try await Engines.engine().recognizer.recognize(quads, in: picture)
        #expect(lines.count == quads.count)
        #expect(lines.allSatisfy { $0 == nil })
    }
}

/// Results depend only on the picture.
@Suite(.enabled(if: Engines.isInstalled, "the neural engine is not installed"))
struct DeterminismTests {
    let rendered = RenderedText(
        width: 640, height: 360, paper: 0.2,
        lines: (0..<7).map {
            .init(text: "row \($0) of EXIT 12 and more", size: 24, origin: Point(30, 20 + 45 * Double($0)), ink: 0.8)
        })

    @Test func oneThreadAndTwoSideBySideAgreeToTheLastDigit() async throws {
        let alone = try await Engines.engine(threads: 1).reader.read(rendered.picture)
        #expect(alone.count == 7)
        let reader = try await Engines.engine(threads: 2).reader
        let picture = rendered.picture
        let together = try await withThrowingTaskGroup(of: [TextLine].self) { group in
            for _ in 0..<6 { group.addTask { try await reader.read(picture) } }
            return try await group.reduce(into: [[TextLine]]()) { $0.append($1) }
        }
        #expect(together.count == 6)
        #expect(together.allSatisfy { $0 == alone })
    }

    @Test func latencyModeReadsTheSame() async throws {
        let alone = try await Engines.engine(threads: 1).reader.read(rendered.picture)
        let soon = try await Engines.engine(threads: 2, mode: .latency).reader.read(rendered.picture)
        #expect(soon.map(\.text) == alone.map(\.text))
    }
}

@Suite(.enabled(if: Engines.isInstalled, "the neural engine is not installed"))
struct CancellationTests {
    @Test func aCancelledTaskThrowsAndTheEngineGoesOn() async throws {
        let rendered = RenderedText(
            width: 1280, height: 720,
            lines: (0..<20).map { .init(text: "many lines \($0) to read", origin: Point(40, 10 + 34 * Double($0))) })
        let reader = try await Engines.engine(.accurate, threads: 1).reader
        let picture = rendered.picture
        let tasks = (0..<4).map { _ in Task { try await reader.read(picture) } }
        // Cancel soon: on a busy machine the sleep may last long enough for a whole reading.
        try await Task.sleep(for: .milliseconds(50))
        for task in tasks { task.cancel() }
        for task in tasks {
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
        }
        let after = RenderedText(width: 320, height: 120, lines: [.init(text: "still here")])
        #expect(try await reader.read(after.picture).map(\.text) == ["still here"])
    }

    @Test func aTaskCancelledBeforehandDoesNotStart() async throws {
        let reader = try await Engines.engine().reader
        let picture = Picture(format: .rgb, width: 64, height: 64, bytes: [UInt8](repeating: 0, count: 64 * 64 * 3))
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await reader.read(picture)
        }
        task.cancel()
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
    }
}

extension [StraightLine.Piece] {
    /// Whether each begins at the end of the one before.
    fileprivate var areInARow: Bool {
        zip(self, dropFirst()).allSatisfy { $0.columns.upperBound == $1.columns.lowerBound }
    }
}
