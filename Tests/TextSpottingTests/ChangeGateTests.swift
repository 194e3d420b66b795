import Testing
import TextSpotting

/// Frames come at 25 a second: the least interval of 0.2 s is 5 frames, the greatest age of 5 s is 125.
@Suite struct ChangeGateTests {
    /// The indices of the frames read and of those read after the fact.
    private func run(
        _ count: Int, _ settings: ChangeGate.Settings = .init(), _ picture: (Int) -> Picture
    ) -> (reads: [Int], rescued: [Int]) {
        var gate = ChangeGate(settings: settings)
        var reads: [Int] = []
        var rescued: [Int] = []
        for index in 0..<count {
            let decision = gate.consider(picture(index), at: frameTime(index))
            if decision.readsPrevious != nil { rescued.append(index - 1) }
            if decision.reads != nil { reads.append(index) }
        }
        return (reads, rescued)
    }

    @Test func theFirstFrameIsRead() {
        var gate = ChangeGate()
        let decision = gate.consider(.showing(nil), at: frameTime(0))
        #expect(decision.reads?.share == 1)
        #expect(decision.readsPrevious == nil && !decision.isRepeat)
        #expect(gate.unreadChange == nil)
    }

    @Test func aPictureThatIsExactlyTheSameIsNotReadAgain() {
        let still = Picture.showing("EXIT")
        #expect(run(300) { _ in still } == ([0], []))
    }

    /// Of a picture that never ends no more than that may wait for a reading.
    @Test func whereItIsAskedForNothingIsReadOfAStillPictureAsSoonAsItIsOld() {
        var settings = ChangeGate.Settings()
        settings.readsStillPictures = true
        let still = Picture.showing("EXIT")
        #expect(run(300, settings) { _ in still } == ([0, 125, 250], []))
        var gate = ChangeGate(settings: settings)
        for index in 0..<125 { _ = gate.consider(still, at: frameTime(index)) }
        #expect(gate.consider(still, at: frameTime(125)).reads?.isEmpty == true)
        // Later changes are read as usual.
        #expect(gate.consider(.showing("DOOR"), at: frameTime(135)).reads?.isEmpty == false)
    }

    @Test func aChangeTooSlightToCountIsReadWhenTheReadingIsOld() {
        // A gray level and a half in one place: within the noise, but something.
        let before = Picture.showing("EXIT")
        var sheet = Sheet()
        sheet.draw("EXIT", at: 40, 30)
        sheet.draw("MMMM", at: 200, 60, brightness: 44)
        let after = sheet.picture
        #expect(run(300) { $0 < 10 ? before : after } == ([0, 125], []))
    }

    @Test func onlyTheTilesThatChangedAreToBeRead() throws {
        var gate = ChangeGate()
        _ = gate.consider(.showing(nil), at: frameTime(0))
        let mask = try #require(gate.consider(.showing("EXIT", at: 40, 30), at: frameTime(10)).reads)
        let word = Sheet.quad(of: "EXIT", at: 40, 30).bounds
        #expect(mask.intersects(word) && mask.share < 0.3)
        for tile in mask.grid.indices where mask.flags[tile] {
            let corner = (x: tile % mask.grid.columns * mask.grid.side, y: tile / mask.grid.columns * mask.grid.side)
            let side = Double(mask.grid.side)
            #expect(
                !word.intersection(Rect(x: Double(corner.x), y: Double(corner.y), width: side, height: side)).isEmpty)
        }
        // Those tiles count as read, the others keep their older reading: a change there is seen.
        #expect(gate.consider(.showing("EXIT", at: 40, 30), at: frameTime(20)).reads == nil)
        #expect(gate.consider(.showing(nil), at: frameTime(30)).reads == mask)
    }

    @Test func aRepeatIsSaidToBeOne() {
        var gate = ChangeGate()
        _ = gate.consider(.showing("EXIT"), at: frameTime(0))
        #expect(gate.consider(.showing("EXIT"), at: frameTime(1)).isRepeat)
        #expect(!gate.consider(.showing("EXIT 2"), at: frameTime(2)).isRepeat)
        #expect(gate.consider(.showing("EXIT 2"), at: frameTime(3)).isRepeat)
    }

    @Test func whatGoesOnChangingIsReadHalfAsOften() {
        // Another word in each frame, until it rests for two seconds.
        func text(_ index: Int) -> String { "TICK \(index < 50 ? index : index < 100 ? 50 : index)" }
        let reads = run(120) { .showing(text($0)) }.reads
        #expect(reads == [0, 5, 10, 15, 20, 25, 30, 40, 50, 100, 105, 110, 115])
        var settings = ChangeGate.Settings()
        settings.steadyInterval = .zero
        #expect(run(50, settings) { .showing(text($0)) }.reads == Array(stride(from: 0, to: 50, by: 5)))
    }

    @Test(arguments: [1, 3, 6])
    func noiseIsNoChange(amplitude: Int) {
        var sheet = Sheet()
        sheet.draw("EXIT", at: 40, 30)
        let pictures = (0..<7).map { sheet.noisy(amplitude, seed: UInt64($0)) }
        let result = run(250) { pictures[$0 % 7] }
        #expect(result.reads.first == 0 && result.rescued.isEmpty)
        // Noise may be read again once it is old, but never as a change.
        #expect(Set(result.reads).isSubset(of: [0, 125]))
    }

    @Test func aWordAppearingInNoiseIsSeen() {
        let empty = Sheet()
        var sheet = Sheet()
        sheet.draw("EXIT", at: 40, 30)
        let result = run(60) { ($0 < 20 ? empty : sheet).noisy(3, seed: UInt64($0)) }
        #expect(result.reads.prefix(2) == [0, 20])
    }

    @Test func aChangeIsReadOnce() {
        #expect(run(100) { .showing($0 < 10 ? nil : "EXIT") } == ([0, 10], []))
    }

    @Test func aChangeTooSoonIsReadWhenItsTimeHasCome() {
        #expect(run(100) { .showing($0 < 2 ? nil : "EXIT") } == ([0, 5], []))
    }

    @Test func oneChangedLetterIsAChange() {
        #expect(run(40) { .showing($0 < 10 ? "GATE 1" : "GATE 2") } == ([0, 10], []))
    }

    @Test func aPictureThatMovesAllOverIsReadAtTheIntervalForMotion() {
        // Every tile differs in every frame, as in a pan over texture.
        let pictures = (0..<7).map { Sheet(64, 64).noisy(120, seed: UInt64($0)) }
        let result = run(200) { pictures[$0 % 7] }
        #expect(result.rescued == [])
        // Once when the movement begins, as after a cut, then every 0.4 s; at 5 s its age is looked at as well.
        #expect(result.reads.prefix(13) == [0, 1, 11, 21, 31, 41, 51, 61, 71, 81, 91, 101, 111])
        for (before, after) in zip(result.reads, result.reads.dropFirst()) { #expect(after - before <= 10) }
    }

    @Test func scrollingTextNeverStarves() {
        let text = "GATE EXIT DOOR STAIRS LIFT ROOF CELLAR YARD"
        let result = run(150) { .showing(text, at: 300 - 4 * $0) }
        let all = (result.reads + result.rescued).sorted()
        for (before, after) in zip(all, all.dropFirst()) { #expect(after - before <= 10) }
    }

    @Test func whatStoodStillAndIsAboutToGoIsRead() {
        // Too early to be read when it comes, gone when its time has come.
        let result = run(60) { .showing((1..<5).contains($0) ? "EXIT" : nil) }
        #expect(result.rescued == [4])
        // The empty picture after it is read too: the word is known to be gone.
        #expect(result.reads.count == 2 && result.reads[0] == 0 && (6...10).contains(result.reads[1]))
    }

    @Test func whatIsThereForTwoFramesOfAStillPictureIsRead() {
        #expect(run(60) { .showing((11..<13).contains($0) ? "EXIT" : nil) } == ([0, 11, 16], []))
    }

    @Test func anAnimationOfShortStepsIsReadAtTheSteadyInterval() {
        // Each picture stands for two frames, as when 12 frames a second are shown at 25.
        let words = ["EXIT", "DOOR", "GATE", "LIFT", "ROOF"]
        let result = run(200) { .showing(words[$0 / 2 % 5]) }
        #expect(result.reads.count >= 20 && result.reads.count + result.rescued.count < 60)
    }

    @Test func whatWasReadIsNotRescued() {
        #expect(run(60) { .showing((10..<30).contains($0) ? "EXIT" : nil) } == ([0, 10, 30], []))
    }

    @Test func theLastFramesUnreadChangeIsKnown() {
        var gate = ChangeGate()
        _ = gate.consider(.showing(nil), at: frameTime(0))
        _ = gate.consider(.showing("EXIT"), at: frameTime(1))
        #expect(gate.unreadChange?.intersects(Sheet.quad(of: "EXIT", at: 40, 30).bounds) == true)
        for index in 2...5 { _ = gate.consider(.showing("EXIT"), at: frameTime(index)) }
        #expect(gate.unreadChange == nil)
    }

    @Test func anotherSizeIsReadAtOnce() {
        var gate = ChangeGate()
        _ = gate.consider(Sheet(320, 96).picture, at: frameTime(0))
        #expect(gate.consider(Sheet(300, 96).picture, at: frameTime(1)).reads?.share == 1)
        #expect(gate.consider(Sheet(300, 90).picture, at: frameTime(2)).reads?.share == 1)
        #expect(gate.consider(Sheet(300, 90).picture, at: frameTime(3)).reads == nil)
    }

    @Test func theYardstickReadsEveryFrame() {
        var settings = ChangeGate.Settings()
        settings.policy = .everyFrame
        #expect(run(40, settings) { .showing($0 == 7 ? "EXIT" : nil) } == (Array(0..<40), []))
    }

    @Test func aSlowFadeAddsUp() {
        // Two hundredths of the contrast a frame: no frame differs much from the one before.
        var lastRead = 0
        let opacity = { (index: Int) in min(1, Double(index) * 0.005) }
        let result = run(230) { .showing("EXIT", opacity: opacity($0)) }
        lastRead = result.reads.last ?? 0
        #expect(result.reads.count > 5)
        // The last tenth of the contrast makes no letter more readable.
        #expect(opacity(lastRead) > 0.88)
    }

    @Test func aTimeThatJumpsBackIsReadAgain() {
        var gate = ChangeGate()
        _ = gate.consider(.showing("EXIT"), at: frameTime(1000))
        #expect(gate.consider(.showing("DOOR"), at: frameTime(10)).reads != nil)
        #expect(gate.consider(.showing("DOOR"), at: frameTime(11)).reads == nil)
    }

    @Test func decisionsDependOnPicturesAndTimesOnly() {
        let pictures = (0..<120).map { Picture.showing($0 % 17 < 9 ? "EXIT" : "DOOR", at: 40 + $0) }
        #expect(run(120) { pictures[$0] } == run(120) { pictures[$0] })
    }

    @Test func aPictureOfOnePixelIsWatchedToo() {
        let black = Picture(format: .luma, width: 1, height: 1, bytes: [0])
        let white = Picture(format: .luma, width: 1, height: 1, bytes: [255])
        #expect(run(30) { $0 < 10 ? black : white } == ([0, 10], []))
    }
}
