import Testing

@testable import TextSpotting

/// Values that change in one place: a clock's digits resemble each other more than following minds.
@Suite struct ChangingValueTests {
    /// “ITEM” with a last letter of which only a corner differs from value to value, so that pictures of all values correlate.
    private static func picture(_ value: Int, noise: UInt64? = nil) -> Picture {
        var sheet = Sheet()
        sheet.draw("ITEMS", at: 40, 30)
        let square = Double(Sheet.square)
        for bit in 0..<4 where value >> bit & 1 == 1 {
            let corner = Rect(
                x: 40 + (24 + Double(bit)) * square, y: 30 + 2 * square, width: square, height: 3 * square)
            sheet.fill(corner, brightness: bit % 2 == 0 ? 220 : 40)
        }
        return noise.map { sheet.noisy(10, seed: $0) } ?? sheet.picture
    }

    private func text(_ value: Int) -> String { "ITEM\(value)" }

    private func line(_ text: String) -> TextLine {
        let quad = Sheet.quad(of: text, at: 40, 30)
        return TextLine(quad: quad, words: [TextWord(text: text, quad: quad, confidence: 0.95)], confidence: 0.95)
    }

    /// A reading of one line, searched for some texts.
    private func read(_ playback: inout Playback, _ index: Int, _ said: String, searched: [String]) {
        let found = searched.enumerated().filter { $0.element == said }.map { match(said, pattern: $0.offset) }
        playback.read(index, found, lines: [line(said)])
    }

    @Test func aValueEndsInTheFrameInWhichTheNextBegins() {
        var playback = Playback(keepsBoxes: true) { Self.picture($0 < 33 ? 1 : 2) }
        let searched = [text(1), text(2)]
        read(&playback, 0, text(1), searched: searched)
        read(&playback, 50, text(2), searched: searched)
        let sightings = playback.end(60)
        #expect(sightings.map(\.text) == searched)
        #expect(sightings.map(\.frames) == [0..<33, 33..<60])
        #expect(sightings.map(\.boxes.count) == [33, 27])
    }

    @Test func underNoiseToo() {
        var playback = Playback { Self.picture($0 < 33 ? 1 : 2, noise: UInt64($0)) }
        let searched = [text(1), text(2)]
        read(&playback, 0, text(1), searched: searched)
        read(&playback, 50, text(2), searched: searched)
        #expect(playback.end(60).map(\.frames) == [0..<33, 33..<60])
    }

    @Test func onlyTheValueThatIsSearchedForNeedBeKnown() {
        var playback = Playback { Self.picture((33..<65).contains($0) ? 2 : 1) }
        read(&playback, 0, text(1), searched: [text(2)])
        read(&playback, 50, text(2), searched: [text(2)])
        read(&playback, 70, text(1), searched: [text(2)])
        #expect(playback.end(80).map(\.frames) == [33..<65])
    }

    @Test func aMisreadingEndsNothing() {
        var playback = Playback { _ in Self.picture(1) }
        for (index, said) in [(0, 1), (20, 7), (40, 1), (60, 7)] {
            read(&playback, index, text(said), searched: [text(1)])
        }
        #expect(playback.end(80).map(\.frames) == [0..<80])
    }

    @Test func aValueThatCameAndWentBetweenTwoReadingsBelongsToNeither() {
        var playback = Playback { Self.picture($0 < 20 ? 1 : $0 < 30 ? 12 : 2) }
        let searched = [text(1), text(2)]
        read(&playback, 0, text(1), searched: searched)
        read(&playback, 50, text(2), searched: searched)
        #expect(playback.end(60).map(\.frames) == [0..<20, 30..<60])
    }

    /// A reading that looked elsewhere says nothing of a place: what came there meanwhile is told by the next that did look.
    @Test func aValueIsNotFollowedPastReadingsThatLookedElsewhere() {
        var playback = Playback { Self.picture($0 < 20 ? 1 : $0 < 30 ? 12 : 2) }
        let searched = [text(1), text(2)]
        read(&playback, 0, text(1), searched: searched)
        for index in stride(from: 18, through: 28, by: 2) { playback.read(index, [], lines: [], isComplete: false) }
        read(&playback, 50, text(2), searched: searched)
        #expect(playback.end(60).map(\.frames) == [0..<20, 30..<60])
    }

    /// Text that stands still beside it is there all the time, however rarely it is read.
    @Test func whatStandsStillGoesOnWhileOnlyOthersAreRead() {
        var playback = Playback { _ in Self.picture(1) }
        read(&playback, 0, text(1), searched: [text(1)])
        for index in stride(from: 2, through: 58, by: 2) { playback.read(index, [], lines: [], isComplete: false) }
        #expect(playback.timeline.open.count == 1 && playback.finished.isEmpty)
        read(&playback, 60, text(1), searched: [text(1)])
        #expect(playback.end(70).map(\.frames) == [0..<70])
    }

    @Test func whatIsReadOfSomeLinesOnlyLeavesTheOthers() {
        var playback = Playback { Self.picture($0 < 33 ? 1 : 2) }
        let searched = [text(1), text(2)]
        read(&playback, 0, text(1), searched: searched)
        // Somewhere else.
        playback.read(20, [], lines: [], isComplete: false)
        read(&playback, 50, text(2), searched: searched)
        #expect(playback.end(60).map(\.frames) == [0..<33, 33..<60])
    }

    @Test func eachTextOfAPatternThatAllowsManyIsASightingOfItsOwn() {
        func run(_ second: Int) -> [Range<Int>] {
            var playback = Playback { Self.picture($0 < 33 ? 1 : second) }
            for (index, value) in [(0, 1), (50, 2)] {
                var found = match(text(value), pattern: 0)
                found.pattern = ":number"
                found.isOneOfMany = true
                playback.read(index, [found], lines: [line(text(value))])
            }
            return playback.end(60).map(\.frames)
        }
        #expect(run(2) == [0..<33, 33..<60])
        // The second reading was wrong: the picture is as it was.
        #expect(run(1) == [0..<60])
    }

    /// Of two values that share letters in other places nothing stays the same.
    @Test(arguments: [("EXITS", "SEXIT"), ("12045", "20451")]) func valuesThatShareLettersAreToldApart(
        first: String, second: String
    ) {
        var playback = Playback { .showing($0 < 33 ? first : second, at: 40, 30) }
        for (index, value) in [(0, first), (50, second)] {
            var found = match(value, pattern: 0)
            found.pattern = ":code"
            found.isOneOfMany = true
            playback.read(index, [found], lines: [line(value)])
        }
        #expect(playback.end(60).map(\.frames) == [0..<33, 33..<60])
    }

    /// A longer or shorter text that a picture does not show to be the same: typed, or another number.
    @Test(
        arguments: [
            ("-88", "88", TextTrack.Meaning.other), ("88", "-88", .other), ("2.5", "12.5", .other),
            ("12", "125", .other),
            ("5 V", "-5 V", .other), ("3.75 kg", "13.75 kg", .other), ("Part 1", "Part 12", .grown),
            ("No 1", "No 12.5", .grown), ("wor", "words", .grown), ("7 days", "in 7 days", .grown),
        ])
    func aNumberWithMoreInFrontIsAnother(first: String, second: String, meaning: TextTrack.Meaning) {
        var track = TextTrack(id: 1, line: line(first), region: line(first).quad, in: nil, at: frameTime(0))
        let found = track.meaning(of: line(second), showsSame: false, isCertain: false, isOther: false)
        #expect(found == meaning, "\(first), then \(second)")
    }

    @Test func aDoubtfulDigitIsNotVotedForWithTheValuesBefore() {
        var tracker = TextTracker()
        for (index, value) in [1, 1, 1, 2].enumerated() {
            var said = line(text(value))
            // The reader is never sure of the last letter.
            said.words[0].characters[4].confidence = 0.5
            tracker.add([said], in: Self.picture(value, noise: UInt64(index)), at: frameTime(10 * index))
        }
        #expect(tracker.lines.map(\.text) == [text(2)])
        #expect(tracker.visible.map(\.turns) == [1])
    }

    /// Noise had the line seem to grow by a hair since it was read: that is no reason to vote its next value with this one.
    @Test(arguments: [0, 0.003]) func aLineThatSeemsToGrowByAHairIsNoOther(growth: Double) {
        var tracker = TextTracker()
        var said = line(text(1))
        said.words[0].characters[4].confidence = 0.85
        tracker.add([said], in: Self.picture(1), at: frameTime(0))
        let step = PlanarMotion(xAxis: Point(1 + growth, 0), shift: Point(-40 * growth, 0))
        let request = tracker.look(
            at: [], in: Self.picture(1), at: frameTime(10), isChanged: { _ in true }, motion: Point(0, 0),
            carried: [CarriedLine(track: 1, step: step, isFresh: false, isClearer: false)])
        tracker.take([], of: request, in: Self.picture(1), at: frameTime(10))
        tracker.add([line(text(2))], in: Self.picture(2), at: frameTime(20))
        #expect(tracker.lines.map(\.text) == [text(2)])
        #expect(tracker.visible.map(\.turns) == [1] && tracker.visible.map(\.readings) == [1])
    }

    @Test func aDoubtfulDigitOfTheSamePictureIs() {
        var tracker = TextTracker()
        for (index, value) in [1, 1, 1, 2].enumerated() {
            var said = line(text(value))
            said.words[0].characters[4].confidence = 0.5
            tracker.add([said], in: Self.picture(1, noise: UInt64(index)), at: frameTime(10 * index))
        }
        #expect(tracker.lines.map(\.text) == [text(1)])
        #expect(tracker.visible.map(\.turns) == [0])
    }
}

/// Which frames are read again where a place changes faster than frames are read.
@Suite struct BusyPlaceTests {
    private func picture(_ index: Int, _ every: Int) -> Picture {
        .showing("ITEM\(UnicodeScalar(UInt8(65 + index / every % 20)))")
    }

    private func rereads(_ count: Int, _ picture: (Int) -> Picture) -> [Int] {
        var gate = ChangeGate()
        return (0..<count).filter { gate.consider(picture($0), at: frameTime($0)).rereadsPrevious != nil }.map {
            $0 - 1
        }
    }

    @Test func aCounterIsReadInEveryFrame() {
        var gate = ChangeGate()
        var read: Set<Int> = []
        for index in 0..<50 {
            let decision = gate.consider(picture(index, 1), at: frameTime(index))
            if decision.reads != nil { read.insert(index) }
            if decision.readsPrevious != nil || decision.rereadsPrevious != nil { read.insert(index - 1) }
        }
        #expect(read.isSuperset(of: 0..<49) && gate.unreadChange != nil)
    }

    @Test func whatStandsStillOrChangesNowAndThenIsNot() {
        #expect(rereads(100) { _ in .showing("ITEM") } == [])
        #expect(rereads(100) { picture($0, 25) } == [])
    }

    /// A tracker that knows the line ITEM7, and the request for what two frames after it show there.
    private func rereading(_ frames: [FrameHistory.Frame]) throws -> (
        tracker: TextTracker, request: TextTracker.Request
    ) {
        var tracker = TextTracker()
        let quad = Sheet.quad(of: "ITEM7", at: 40, 30)
        let line = TextLine(quad: quad, words: [TextWord(text: "ITEM7", quad: quad, confidence: 1)], confidence: 1)
        tracker.add([line], in: .showing("ITEM7"), at: frameTime(0))
        let all = TileMask.all(of: TileGrid(width: 320, height: 96, side: 16))
        let places = try #require(ChangedPlaces(all, in: frames, scale: 1))
        let request = tracker.lookAgain(in: frames[1].picture, at: frameTime(2), places)
        return (tracker, request)
    }

    /// Where a line was, another part of it stands after it moved on, or another line.
    @Test func whatMovesOnIsNot() throws {
        func isRead(_ move: Int, _ text: String) throws -> Bool {
            let frames = (1...2).map {
                FrameHistory.Frame(time: frameTime($0), picture: .showing(text, at: 40 + move * $0))
            }
            return try !rereading(frames).request.regions.isEmpty
        }
        #expect(try isRead(0, "ITEM8") && isRead(0, "DOORS"))
        #expect(try !isRead(0, "ITEM7"))
        for move in [1, 2, 3, 6] { #expect(try !isRead(move, "ITEM7"), "\(move)") }
        #expect(try !isRead(-4, "ITEM7 ITEM7"))
    }

    /// Edges of the ground are no text: the line is gone from there on, not when the whole picture is read again.
    @Test func aPlaceWithoutTextShowsNoLine() throws {
        let ground = (1...2).map { FrameHistory.Frame(time: frameTime($0), picture: .showing("#####")) }
        var (tracker, request) = try rereading(ground)
        #expect(request.regions.count == 1)
        tracker.take([nil], of: request, in: ground[1].picture, at: frameTime(2))
        #expect(tracker.visible.isEmpty)
        let quad = Sheet.quad(of: "ITEM7", at: 40, 30)
        let line = TextLine(quad: quad, words: [TextWord(text: "ITEM7", quad: quad, confidence: 1)], confidence: 1)
        tracker.add([line], in: .showing("ITEM7"), at: frameTime(8))
        #expect(tracker.visible.map(\.id) == [1])
    }

    @Test func strongNoiseIsNoChange() {
        var gate = ChangeGate()
        let still = Sheet(640, 320).noisy(40, seed: 1)
        #expect(gate.consider(still, at: frameTime(0)).reads != nil)
        let reads = (1..<120).filter { index in
            gate.consider(Sheet(640, 320).noisy(40, seed: UInt64(index) &* 77), at: frameTime(index)).reads != nil
        }
        #expect(reads == [])
        var sheet = Sheet(640, 320)
        sheet.draw("ITEM", at: 40, 30)
        #expect(gate.consider(sheet.noisy(40, seed: 9_999), at: frameTime(120)).reads != nil)
    }

    @Test func linesAreReadAgainWhereTheirPlaceChanged() async throws {
        let reader = SheetReader.reader()
        func picture(_ value: String, _ other: String) -> Picture {
            var sheet = Sheet(640, 320)
            sheet.draw(value, at: 40, 30)
            sheet.draw(other, at: 40, 130)
            return sheet.picture
        }
        func frames(_ before: (String, String), _ now: (String, String)) -> [FrameHistory.Frame] {
            [before, now].enumerated().map { index, texts in
                FrameHistory.Frame(time: frameTime(index), picture: picture(texts.0, texts.1))
            }
        }
        var tracker = TextTracker()
        let grid = TileGrid(width: 640, height: 320, side: 16)
        let letters = SheetReader.letters
        let value = { (number: Int) in String(letters[0..<4]) + String(letters[4 + number]) }
        let (door, roof) = (String(letters[8..<12]), String(letters[9..<13]))
        let texts = [(value(0), door), (value(1), door)]
        for (index, (shown, other)) in texts.enumerated() {
            let before = tracker
            tracker = try await reader.read(
                picture(shown, other), at: frameTime(10 * index),
                after: PreviousReading(changed: index == 0 ? nil : .all(of: grid)) { before })
        }
        #expect(tracker.lines.map(\.text) == [value(1), door])
        let before = tracker
        tracker = try await reader.read(
            picture(value(2), roof), at: frameTime(11),
            after: PreviousReading(
                changed: .all(of: grid), frames: frames((value(1), door), (value(2), roof)), isRereading: true
            ) { before })
        // A line that is no value and shows something else for one frame may be fading: it waits for the next reading.
        #expect(tracker.lines.map(\.text) == [value(2), door])
        #expect(tracker.visible.filter { $0.read == frameTime(11) }.map(\.line.text) == [value(2)])
        let then = tracker
        tracker = try await reader.read(
            picture(value(2), roof), at: frameTime(12),
            after: PreviousReading(
                changed: .all(of: grid), frames: frames((value(2), roof), (value(2), roof)), isRereading: true
            ) { then })
        #expect(tracker.lines.map(\.text) == [value(2), roof])
    }
}
