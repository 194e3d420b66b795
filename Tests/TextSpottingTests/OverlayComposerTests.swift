import Testing

@testable import TextSpotting

/// The list of what is drawn, with its places.
@Suite struct OverlayComposerTests {
    private let composer = OverlayComposer(pictureWidth: 1280, pictureHeight: 720)

    private func box(_ x: Double, _ y: Double, pattern: Int = 0) -> OverlayBox {
        OverlayBox(
            quad: Quad(Rect(x: x, y: y, width: 90, height: 20)), text: pattern == 0 ? "EXIT" : "GATE",
            patternIndex: pattern)
    }

    /// The labels with these words, and none of the status line's.
    private func labels(_ content: OverlayContent) -> [OverlayLabel] {
        composer.compose(content).compactMap { primitive in
            guard case .label(let label) = primitive, ["EXIT", "GATE"].contains(label.text) else { return nil }
            return label
        }
    }

    private func texts(_ status: OverlayStatus, width: Int = 1280, height: Int = 720) -> [String] {
        OverlayComposer(style: OverlayStyle(windowWidth: width, height: height, scale: 1))
            .compose(OverlayContent(status: status)).compactMap { primitive in
                if case .label(let label) = primitive { label.text } else { nil }
            }
    }

    @Test func manyBoxesOfOnePatternHaveNoLabels() {
        let many = (0..<185).map { box(Double($0 % 10) * 120 + 20, Double($0 / 10) * 35 + 20) }
        #expect(labels(OverlayContent(boxes: many)).isEmpty)
        #expect(labels(OverlayContent(boxes: [box(300, 300)])).count == 1)
    }

    @Test func patternsAreToldApartAndOnlySomeOfMany() {
        let many = (0..<56).map { box(Double($0 % 7) * 175 + 20, Double($0 / 7) * 85 + 40, pattern: $0 % 2) }
        let shown = labels(OverlayContent(boxes: many))
        #expect(!shown.isEmpty && shown.count <= OverlayComposer.maximumLabels)
        #expect(Set(shown.map(\.text)).count == 2)
    }

    @Test func aLabelNeverCoversOtherText() {
        var content = OverlayContent(boxes: [box(300, 300)])
        func tab() -> Rect? {
            labels(content).first.map { $0.tab(textWidth: OverlayText.estimatedWidth($0.text) * $0.fontSize) }
        }
        let above = tab()
        #expect(above.map { $0.maxY <= 300 } == true)
        content.textPlaces = [Quad(Rect(x: 200, y: 260, width: 400, height: 30))]
        let below = tab()
        #expect(below.map { $0.minY >= 320 } == true)
        content.textPlaces += [Quad(Rect(x: 200, y: 325, width: 400, height: 30))]
        let beside = tab()
        #expect(beside.map { $0.minX >= 390 || $0.maxX <= 300 } == true)
        content.textPlaces += [Quad(Rect(x: 0, y: 295, width: 1280, height: 30))]
        #expect(tab() == nil, "there is no room")
    }

    @Test func beforeTheFirstReadingNobodyKnowsThatThereIsNone() {
        var status = OverlayStatus(searched: ["EXIT"], matches: 0)
        status.isFirstReading = true
        #expect(
            texts(status).first?.contains("reading…") == true && texts(status).first?.contains("0 matches") == false)
        status.matches = 2
        #expect(texts(status).first?.contains("2 matches") == true)
        status.isFirstReading = false
        status.matches = 0
        #expect(texts(status).first?.contains("0 matches") == true)
    }

    @Test func theLineShowsWhereTypingGoesOn() {
        var status = OverlayStatus(searched: ["EXIT"], matches: 0)
        (status.typed, status.cursor) = ("abcd", 2)
        #expect(texts(status).first?.contains("/ab▏cd") == true)
        status.typed = String(repeating: "x", count: 100) + "END"
        status.cursor = 103
        #expect(texts(status).first?.contains("END▏") == true)
        #expect(texts(status, width: 320, height: 240).first?.contains("END▏") == true)
    }

    @Test func theLineFitsANarrowWindow() {
        var status = OverlayStatus(searched: ["EXIT"], matches: 12, readingsPerSecond: 8.3)
        status.readingAge = 0.4
        #expect(texts(status).first?.contains("readings/s") == true)
        let narrow = texts(status, width: 240, height: 180).first
        #expect(narrow?.contains("12 matches") == true && narrow?.contains("/s") == false)
    }

    @Test func aRecordingHasABarWithItsSightings() throws {
        var player = OverlayPlayer(duration: 100, position: 25)
        player.marks = [
            OverlayPlayer.Mark(start: 10, end: 10.01, patternIndex: 0),
            OverlayPlayer.Mark(start: 50, end: 75, patternIndex: 1),
        ]
        player.read = [0...80]
        let layout = BottomLayout(style: OverlayStyle(windowWidth: 1280, height: 720, scale: 1), player)
        let bar = try #require(layout.bar)
        let tabs = layout.primitives.compactMap { primitive in
            if case .tab(let rect, let color, _) = primitive { (rect, color) } else { nil }
        }
        let short = try #require(tabs.first { $0.1 == OverlayColor.pattern(0) }?.0)
        #expect(short.width >= 2 && abs(short.minX - (bar.minX + bar.width * 0.1)) < 1)
        let long = try #require(tabs.first { $0.1 == OverlayColor.pattern(1) }?.0)
        #expect(abs(long.width - bar.width / 4) < 1)
        #expect(layout.time(at: Point(bar.minX + bar.width / 4, bar.center.y)).map { abs($0 - 25) < 0.1 } == true)
        #expect(layout.time(at: Point(bar.center.x, bar.minY - 100)) == nil)
        #expect(layout.timeLabel?.text == "0:25 / 1:40")
        #expect(layout.statusArea.maxY < bar.minY && layout.statusArea.maxX < layout.timeLabel?.slot.minX ?? 0)
    }

    @Test func thousandsOfSightingsAreAFewMarks() {
        var player = OverlayPlayer(duration: 10_000, position: 0)
        player.marks = (0..<9000).map { OverlayPlayer.Mark(start: Double($0), end: Double($0) + 0.5, patternIndex: 0) }
        let layout = BottomLayout(style: OverlayStyle(windowWidth: 1280, height: 720, scale: 1), player)
        #expect(layout.primitives.count < 310)
    }
}
