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
            if decision.readsPrevious { rescued.append(index - 1) }
            if decision.reads { reads.append(index) }
        }
        return (reads, rescued)
    }

    @Test func theFirstFrameIsRead() {
        var gate = ChangeGate()
        let decision = gate.consider(.showing(nil), at: frameTime(0))
        #expect(decision.reads && !decision.readsPrevious && !decision.isRepeat)
        #expect(!gate.hasUnreadChange)
    }

    @Test func aStillPictureIsReadAgainOnlyWhenTheReadingIsOld() {
        let still = Picture.showing("EXIT")
        #expect(run(300) { _ in still } == ([0, 125, 250], []))
    }

    @Test func aRepeatIsSaidToBeOne() {
        var gate = ChangeGate()
        _ = gate.consider(.showing("EXIT"), at: frameTime(0))
        #expect(gate.consider(.showing("EXIT"), at: frameTime(1)).isRepeat)
        #expect(!gate.consider(.showing("EXIT 2"), at: frameTime(2)).isRepeat)
        #expect(gate.consider(.showing("EXIT 2"), at: frameTime(3)).isRepeat)
    }

    @Test(arguments: [1, 3, 6])
    func noiseIsNoChange(amplitude: Int) {
        var sheet = Sheet()
        sheet.draw("EXIT", at: 40, 30)
        let pictures = (0..<7).map { sheet.noisy(amplitude, seed: UInt64($0)) }
        #expect(run(130) { pictures[$0 % 7] } == ([0, 125], []))
    }

    @Test func aWordAppearingInNoiseIsSeen() {
        let empty = Sheet()
        var sheet = Sheet()
        sheet.draw("EXIT", at: 40, 30)
        let result = run(60) { ($0 < 20 ? empty : sheet).noisy(3, seed: UInt64($0)) }
        #expect(result == ([0, 20], []))
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

    @Test func aPictureThatNeverSettlesIsReadAtTheLeastInterval() {
        // Every tile differs in every frame, as in a pan over texture.
        let pictures = (0..<7).map { Sheet(64, 64).noisy(120, seed: UInt64($0)) }
        let result = run(200) { pictures[$0 % 7] }
        #expect(result.rescued == [])
        #expect(result.reads == Array(stride(from: 0, to: 200, by: 5)))
    }

    @Test func scrollingTextNeverStarves() {
        let text = "GATE EXIT DOOR STAIRS LIFT ROOF CELLAR YARD"
        let result = run(150) { .showing(text, at: 300 - 4 * $0) }
        let all = (result.reads + result.rescued).sorted()
        for (before, after) in zip(all, all.dropFirst()) { #expect(after - before <= 5) }
    }

    @Test func whatStoodStillAndIsAboutToGoIsRead() {
        // Too early to be read when it comes, gone before its time has come.
        let result = run(60) { .showing((2..<4).contains($0) ? "EXIT" : nil) }
        #expect(result.rescued == [3])
        #expect(result.reads.contains(0))
        // The empty picture after it differs from the last reading, so it is read too: the word is known to be gone.
        #expect(result.reads.contains { (4...5).contains($0) || $0 == 6 })
    }

    @Test func whatWasReadIsNotRescued() {
        #expect(run(60) { .showing((10..<30).contains($0) ? "EXIT" : nil) } == ([0, 10, 30], []))
    }

    @Test func theLastFramesUnreadChangeIsKnown() {
        var gate = ChangeGate()
        _ = gate.consider(.showing(nil), at: frameTime(0))
        _ = gate.consider(.showing("EXIT"), at: frameTime(1))
        #expect(gate.hasUnreadChange)
        for index in 2...5 { _ = gate.consider(.showing("EXIT"), at: frameTime(index)) }
        #expect(!gate.hasUnreadChange)
    }

    @Test func anotherSizeIsReadAtOnce() {
        var gate = ChangeGate()
        _ = gate.consider(Sheet(320, 96).picture, at: frameTime(0))
        #expect(gate.consider(Sheet(300, 96).picture, at: frameTime(1)).reads)
        #expect(gate.consider(Sheet(300, 90).picture, at: frameTime(2)).reads)
        #expect(!gate.consider(Sheet(300, 90).picture, at: frameTime(3)).reads)
    }

    @Test func theYardstickReadsEveryFrame() {
        var settings = ChangeGate.Settings()
        settings.readsEveryFrame = true
        #expect(run(40, settings) { .showing($0 == 7 ? "EXIT" : nil) } == (Array(0..<40), []))
    }

    @Test func aSlowFadeAddsUp() {
        // Two hundredths of the contrast a frame: no frame differs much from the one before.
        var lastRead = 0
        let opacity = { (index: Int) in min(1, Double(index) * 0.005) }
        let result = run(230) { .showing("EXIT", opacity: opacity($0)) }
        lastRead = result.reads.last ?? 0
        #expect(result.reads.count > 5)
        #expect(opacity(lastRead) > 0.95)
    }

    @Test func aTimeThatJumpsBackIsReadAgain() {
        var gate = ChangeGate()
        _ = gate.consider(.showing("EXIT"), at: frameTime(1000))
        #expect(gate.consider(.showing("DOOR"), at: frameTime(10)).reads)
        #expect(!gate.consider(.showing("DOOR"), at: frameTime(11)).reads)
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
