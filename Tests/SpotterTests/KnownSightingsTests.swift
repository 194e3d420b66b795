import Testing

@testable import Spotter
@testable import TextSpotting

/// What is known of a recording while it is read in parts and played.
@Suite struct KnownSightingsTests {
    private func box(_ frame: Int, x: Double = 10) -> Sighting.Box {
        let time = FrameTime(
            index: frame, start: StreamTime(seconds: Double(frame) * 0.04), duration: StreamTime(seconds: 0.04))
        return Sighting.Box(time: time, quad: Quad(Rect(x: x, y: 5, width: 40, height: 10)))
    }

    /// A sighting of these frames.
    private func sighting(_ id: Int, _ frames: ClosedRange<Int>, pattern: Int = 0, told: ClosedRange<Int>? = nil)
        -> Sighting
    {
        Sighting(
            id: id, patternIndex: pattern, pattern: "EXIT", text: "EXIT", line: "EXIT 12",
            start: box(frames.lowerBound).time.start, end: box(frames.upperBound).time.end, score: 0.9,
            peak: box(frames.lowerBound), boxes: (told ?? frames).map { box($0) })
    }

    private func time(_ frame: Int) -> StreamTime { box(frame).time.start }

    @Test func aBoxIsThereAsSoonAsItsFrameWasReadAndNotBefore() {
        var known = KnownSightings()
        known.see([sighting(1, 2...4)], inPart: 1)
        #expect(known.shown(at: time(1)).isEmpty && known.shown(at: time(5)).isEmpty)
        #expect(known.shown(at: time(4)).map(\.quad) == [box(4).quad])
        known.see([sighting(1, 2...9, told: 5...9)], inPart: 1)
        #expect(known.shown(at: time(7)).count == 1 && known.all.count == 1)
        known.see([], inPart: 1)
        #expect(known.all.first?.isOver == true)
    }

    @Test func wordsThatMoveAreWhereTheyAreInEachFrame() {
        var known = KnownSightings()
        var moving = sighting(1, 0...3)
        moving.boxes = (0...3).map { box($0, x: Double($0) * 7) }
        known.finish(moving, inPart: 1)
        #expect(known.shown(at: time(2)).first?.quad == box(2, x: 14).quad)
    }

    @Test func whatGoesOnOverABorderOfPartsIsOneSighting() {
        var known = KnownSightings()
        known.finish(sighting(1, 0...10), inPart: 1)
        known.close(part: 1)
        known.see([sighting(1, 11...20)], inPart: 2)
        #expect(known.all.count == 1 && known.starts == [0])
        #expect(known.shown(at: time(3)).count == 1 && known.shown(at: time(15)).count == 1)
        known.see([sighting(1, 11...20, told: 20...20), sighting(2, 60...70)], inPart: 2)
        #expect(known.all.count == 2, "much later it is another")
        #expect(known.all.map(\.sighting.id) == [1, 2])
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
        #expect(known.shown(at: time(2), together: 2).isEmpty)
        #expect(known.shown(at: time(6), together: 2).count == 2)
    }

    @Test func eachSightingIsToldOnceHoweverOftenItIsPlayed() {
        var known = KnownSightings()
        var shown = ShownSightings()
        known.see([sighting(1, 0...10)], inPart: 1)
        func play(_ frame: Int) -> (new: [Int], over: [Int]) {
            let now = known.shown(at: time(frame)).map(\.known)
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
        _ = shown.show(known.shown(at: time(3)).map(\.known), at: time(3), among: known.all)
        #expect(shown.finish(among: known.all).map(\.id) == [1])
    }
}
