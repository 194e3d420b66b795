import Testing

@testable import Spotter
@testable import TextSpotting

/// The known sightings of a recording that is read in parts and played.
@Suite struct KnownSightingsTests {
    private func box(_ frame: Int, x: Double = 10) -> Sighting.Box {
        let time = FrameTime(
            index: frame, start: StreamTime(seconds: Double(frame) * 0.04), duration: StreamTime(seconds: 0.04))
        return Sighting.Box(time: time, quad: Quad(Rect(x: x, y: 5, width: 40, height: 10)))
    }

    /// Returns a sighting of these frames.
    private func sighting(_ id: Int, _ frames: ClosedRange<Int>, pattern: Int = 0, told: ClosedRange<Int>? = nil)
        -> Sighting
    {
        Sighting(
            id: id, patternIndex: pattern, pattern: "EXIT", text: "EXIT", line: "EXIT 12",
            start: box(frames.lowerBound).time.start, end: box(frames.upperBound).time.end, score: 0.9,
            peak: box(frames.lowerBound), boxes: (told ?? frames).map { box($0) })
    }

    private func moment(_ index: Int) -> FrameTime { box(index).time }
    private func time(_ frame: Int) -> StreamTime { box(frame).time.start }

    @Test func aBoxIsThereAsSoonAsItsFrameWasReadAndNotBefore() {
        var known = KnownSightings()
        known.see([sighting(1, 2...4)], inPart: 1)
        #expect(known.shown(in: moment(1)).isEmpty && known.shown(in: moment(5)).isEmpty)
        #expect(known.shown(in: moment(4)).map(\.quad) == [box(4).quad])
        known.see([sighting(1, 2...9, told: 5...9)], inPart: 1)
        #expect(known.shown(in: moment(7)).count == 1 && known.all.count == 1)
        known.see([], inPart: 1)
        #expect(known.all.first?.isOver == true)
    }

    @Test func wordsThatMoveAreWhereTheyAreInEachFrame() {
        var known = KnownSightings()
        var moving = sighting(1, 0...3)
        moving.boxes = (0...3).map { box($0, x: Double($0) * 7) }
        known.finish(moving, inPart: 1)
        #expect(known.shown(in: moment(2)).first?.quad == box(2, x: 14).quad)
    }

    /// Fast words are lost between two readings; the sighting continues, and a picture that is paused there has a box.
    @Test func wordsThatWereLostForAMomentAreOnTheirWay() {
        var known = KnownSightings()
        var moving = sighting(1, 0...60)
        moving.boxes = ([0, 1, 2, 10] + Array(50...60)).map { box($0, x: Double($0) * 7) }
        known.finish(moving, inPart: 1)
        for index in 0...10 {
            let quad = known.shown(in: moment(index)).first?.quad
            #expect(abs((quad?.topLeft.x ?? -1) - Double(index) * 7) <= 7, "\(index)")
        }
        // Long before, they may have been anywhere, and nothing is known yet of what follows.
        #expect(known.shown(in: moment(30)).isEmpty && known.shown(in: moment(61)).isEmpty)
    }

    /// A part is read from any time on, which may be within the frame that is shown there.
    @Test func theFrameInWhichAPartBeginsHasItsBoxes() {
        var known = KnownSightings()
        var cut = sighting(1, 5...9)
        cut.boxes[0].time = FrameTime(
            index: 0, start: time(5) + StreamTime(seconds: 0.015), duration: StreamTime(seconds: 0.025))
        known.finish(cut, inPart: 1)
        #expect(known.shown(in: moment(5)).count == 1 && known.shown(in: moment(4)).isEmpty)
    }

    @Test func whatGoesOnOverABorderOfPartsIsOneSighting() {
        var known = KnownSightings()
        known.finish(sighting(1, 0...10), inPart: 1)
        known.close(part: 1)
        known.see([sighting(1, 11...20)], inPart: 2)
        #expect(known.all.count == 1 && known.starts == [0])
        #expect(known.shown(in: moment(3)).count == 1 && known.shown(in: moment(15)).count == 1)
        known.see([sighting(1, 11...20, told: 20...20), sighting(2, 60...70)], inPart: 2)
        #expect(known.all.count == 2, "much later it is another")
        #expect(known.all.map(\.sighting.id) == [1, 2])
    }

    /// The player was at frame 50 and goes back to frame 30: the part up to there is read after what follows.
    @Test func whatGoesOnIntoAPartThatWasReadBeforeIsOneSighting() throws {
        var known = KnownSightings()
        known.finish(sighting(1, 50...60), inPart: 1)
        known.finish(sighting(2, 50...70, pattern: 1), inPart: 1)
        known.close(part: 1)
        known.finish(sighting(1, 30...49), inPart: 2)
        known.close(part: 2)
        let seam = try #require(known.seam(at: time(50)))
        #expect(seam == (3, 1))
        known.join(seam.earlier, seam.later, as: 1)
        #expect(known.seam(at: time(50)) == nil, "the other one is of another pattern")
        let joined = try #require(known.all.first { $0.sighting.id == 1 }?.sighting)
        #expect(joined.start == time(30) && joined.end == time(61) && known.all.count == 2)
        for frame in 30...60 {
            #expect(known.shown(in: moment(frame)).contains { $0.known.sighting.id == 1 }, "\(frame)")
        }
        // Later reports of either part belong to the one sighting, and the other one stays separate.
        known.finish(sighting(1, 50...65, told: 61...65), inPart: 1)
        #expect(known.all.count == 2 && known.all.first { $0.sighting.id == 1 }?.sighting.end == time(66))
        #expect(known.all.first { $0.sighting.id == 2 }?.sighting.patternIndex == 1)
    }

    @Test func whatStandsElsewhereOnTheOtherSideOfABorderIsAnother() {
        var known = KnownSightings()
        known.finish(sighting(1, 50...60), inPart: 1)
        var moved = sighting(1, 30...49)
        moved.boxes = (30...49).map { box($0, x: 10 + Double(50 - $0) * 20) }
        moved.boxes[19] = box(49, x: 300)
        known.finish(moved, inPart: 2)
        #expect(known.seam(at: time(50)) == nil && known.seam(at: time(20)) == nil)
    }

    @Test func twoThatAreOneAreToldAsFewTimesAsCanBe() {
        func told(_ frames: [Int]) -> (known: KnownSightings, shown: ShownSightings) {
            var (known, shown) = (KnownSightings(), ShownSightings())
            known.finish(sighting(1, 50...60), inPart: 1)
            known.finish(sighting(1, 30...49), inPart: 2)
            for frame in frames {
                _ = shown.show(known.shown(in: moment(frame)).map(\.known), at: time(frame), among: known.all)
            }
            return (known, shown)
        }
        // Neither was shown, or only the later one: it keeps the number under which it was reported.
        var (known, shown) = told([])
        #expect(shown.join(2, 1) == (2, nil))
        (known, shown) = told([55, 20])
        #expect(shown.join(2, 1) == (1, nil))
        known.join(2, 1, as: 1)
        let (new, over) = shown.show(known.shown(in: moment(40)).map(\.known), at: time(40), among: known.all)
        #expect(new.isEmpty && over.isEmpty, "it was told as over when the person left it")
        // Both were: the later one is over by then.
        (known, shown) = told([55, 40])
        #expect(shown.join(2, 1) == (2, nil))
        (known, shown) = told([55])
        _ = shown.show(known.shown(in: moment(40)).map(\.known), at: time(55), among: known.all)
        #expect(shown.join(2, 1) == (2, 1))
    }

    @Test func numbersAreNotUsedTwice() {
        var known = KnownSightings()
        known.finish(sighting(1, 0...10), inPart: 1)
        known.forget()
        known.finish(sighting(1, 0...10), inPart: 2)
        #expect(known.all.map(\.sighting.id) == [2])
    }

    @Test func whatMustBeThereTogetherIsShownTogether() {
        var known = KnownSightings()
        known.see([sighting(1, 0...10), sighting(2, 5...10, pattern: 1)], inPart: 1)
        #expect(known.shown(in: moment(2), together: 2).isEmpty)
        #expect(known.shown(in: moment(6), together: 2).count == 2)
    }

    @Test func eachSightingIsToldOnceHoweverOftenItIsPlayed() {
        var known = KnownSightings()
        var shown = ShownSightings()
        known.see([sighting(1, 0...10)], inPart: 1)
        func play(_ frame: Int) -> (new: [Int], over: [Int]) {
            let now = known.shown(in: moment(frame)).map(\.known)
            let (new, over) = shown.show(now, at: time(frame), among: known.all)
            return (new.map(\.id), over.map(\.id))
        }
        #expect(play(3) == ([1], []))
        #expect(play(4) == ([], []))
        #expect(play(30) == ([], []), "it may go on as far as is known")
        known.close(part: 1)
        #expect(play(31) == ([], [1]))
        #expect(play(3) == ([], []) && play(31) == ([], []))
        #expect(shown.finish(among: known.all).isEmpty)
    }

    @Test func whatIsFoundLaterInAPartThatWasShownIsToldToo() {
        var known = KnownSightings()
        var shown = ShownSightings()
        for frame in 0...40 { _ = shown.show([], at: time(frame), among: known.all) }
        known.finish(sighting(1, 5...20), inPart: 2)
        known.finish(sighting(2, 30...90), inPart: 2)
        let (new, over) = shown.show([], at: time(41), among: known.all)
        #expect(new.map(\.id) == [1] && over.map(\.id) == [1])
    }

    @Test func whatIsStillInViewIsOverWithTheJob() {
        var known = KnownSightings()
        var shown = ShownSightings()
        known.see([sighting(1, 0...10)], inPart: 1)
        _ = shown.show(known.shown(in: moment(3)).map(\.known), at: time(3), among: known.all)
        #expect(shown.finish(among: known.all).map(\.id) == [1])
    }
}
