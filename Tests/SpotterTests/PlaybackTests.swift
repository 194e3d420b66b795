import Testing

@testable import Spotter

/// The times to which a recording goes when keys are pressed.
@Suite struct PlaybackTests {
    private func playing(_ seconds: Double = 60, at position: Double = 10) -> Playback {
        var playback = Playback()
        playback.duration = seconds
        playback.show(position)
        return playback
    }

    private func press(
        _ command: PlayerCommand, _ playback: inout Playback, _ starts: [Double] = [], readEnd: Double = .infinity
    ) -> String? {
        playback.press(command, starts: starts, readEnd: readEnd)
    }

    @Test func arrowsGoBackAndForthWithinTheRecording() {
        var playback = playing()
        #expect(press(.skip(5), &playback) == nil && playback.takeJump() == 15)
        playback.arrive(true)
        #expect(playback.position == 15)
        #expect(press(.skip(-60), &playback) == nil && playback.takeJump() == 0)
        playback.arrive(true)
        #expect(press(.seek(1000), &playback) == nil && playback.takeJump() == 59.9)
    }

    @Test func wishesOnTheWayAddUpAndAreOneJump() {
        var playback = playing()
        _ = press(.skip(5), &playback)
        #expect(playback.takeJump() == 15)
        _ = press(.skip(5), &playback)
        _ = press(.skip(5), &playback)
        #expect(playback.takeJump() == nil, "the source is still on its way")
        playback.show(10.04)
        #expect(playback.place == 25, "a frame of before the jump says nothing")
        playback.arrive(true)
        #expect(playback.takeJump() == 25)
    }

    @Test func aSourceThatCannotGoThereStaysWhereItIs() {
        var playback = playing()
        _ = press(.skip(5), &playback)
        _ = playback.takeJump()
        playback.arrive(false)
        #expect(playback.place == 10 && playback.takeJump() == nil)
    }

    @Test func nGoesToTheNextSightingAndCapitalNBack() {
        var playback = playing(at: 10)
        let starts = [4, 10, 10, 22, 40.0]
        #expect(press(.nextSighting, &playback, starts) == nil && playback.takeJump() == 22)
        playback.arrive(true)
        playback.show(22)
        #expect(press(.previousSighting, &playback, starts) == nil && playback.takeJump() == 10)
        playback.arrive(true)
        playback.show(10.5)
        #expect(press(.previousSighting, &playback, starts) == nil && playback.takeJump() == 4)
        playback.arrive(true)
        playback.show(4)
        #expect(press(.previousSighting, &playback, starts) == "no sighting before this")
        #expect(press(.nextSighting, &playback, []) == "no sighting after this")
    }

    @Test func aSightingThatIsNotFoundYetIsWaitedFor() {
        var playback = playing()
        #expect(press(.nextSighting, &playback, [3], readEnd: 20) != nil)
        #expect(playback.found(starts: [3], readEnd: 30) == nil && playback.takeJump() == nil)
        #expect(playback.found(starts: [3, 31], readEnd: 32) == nil && playback.takeJump() == 31)
        playback.arrive(true)
        #expect(press(.nextSighting, &playback, [3, 31], readEnd: 32) != nil)
        #expect(playback.found(starts: [3, 31], readEnd: .infinity) == "no sighting after this")
        _ = press(.nextSighting, &playback, [3, 31], readEnd: 32)
        _ = press(.skip(-5), &playback)
        _ = playback.takeJump()
        playback.arrive(true)
        #expect(
            playback.found(starts: [50], readEnd: .infinity) == nil && playback.takeJump() == nil, "another wish counts"
        )
    }

    @Test func theNextSightingIsNotOneBehindWhatIsUnread() {
        // What was read first is a later part, from 40 on.
        var playback = playing()
        #expect(press(.nextSighting, &playback, [45], readEnd: 12) != nil && playback.takeJump() == nil)
        #expect(playback.found(starts: [22, 45], readEnd: 23) == nil && playback.takeJump() == 22)
        playback.arrive(true)
        #expect(press(.nextSighting, &playback, [22, 45], readEnd: 30) != nil && playback.takeJump() == nil)
        #expect(playback.found(starts: [22, 45], readEnd: .infinity) == nil && playback.takeJump() == 45)
    }

    @Test func whereAPartCouldNotBeReadTheAnswerIsLimitedToTheRest() {
        var playback = playing()
        #expect(press(.nextSighting, &playback, [3], readEnd: 20) != nil)
        playback.readingFailed = true
        #expect(playback.found(starts: [3], readEnd: .infinity) == "no sighting after this in what could be read")
        playback.forgetSightings()
        #expect(press(.nextSighting, &playback, []) == "no sighting after this")
    }

    @Test func speedHasStepsAndEnds() {
        var playback = playing()
        #expect(press(.faster, &playback) == "speed ×1.25")
        #expect(press(.slower, &playback) == "speed ×1" && playback.speed == 1)
        for _ in 0..<20 { _ = press(.faster, &playback) }
        #expect(playback.speed == 8)
        for _ in 0..<20 { _ = press(.slower, &playback) }
        #expect(playback.speed == 0.25)
        #expect(press(.ownSpeed, &playback) == "speed ×1")
    }

    @Test func atTheEndItStaysOrBeginsAgain() {
        var playback = playing(at: 59.9)
        playback.reachEnd()
        #expect(playback.isAtEnd && playback.takeJump() == nil)
        playback.resume()
        #expect(playback.takeJump() == 0)
        playback.arrive(true)
        #expect(!playback.isAtEnd)
        #expect(press(.toggleLoop, &playback) == "begins again at its end")
        playback.reachEnd()
        #expect(playback.takeJump() == 0)
    }

    @Test func aStillPictureGoesNowhere() {
        var playback = Playback()
        _ = playback.press(.skip(5), starts: [], readEnd: .infinity)
        playback.reachEnd()
        playback.resume()
        #expect(playback.takeJump() == nil && playback.isAtEnd)
    }
}

/// The part of a recording that is read next.
@Suite struct ReadingAheadTests {
    @Test func itBeginsWhereThePictureIsAndThenFillsWhatWasLeftOut() {
        var ahead = ReadingAhead()
        #expect(ahead.begin(at: 20, speed: 1, latency: 2, end: 60) == 20..<60)
        ahead.reach(30)
        #expect(ahead.covers(25) && !ahead.covers(35) && !ahead.covers(5))
        ahead.finish(isWhole: true)
        #expect(ahead.readEnd(after: 20, of: 60) == .infinity && ahead.readEnd(after: 0, of: 60) == 0)
        #expect(ahead.begin(at: 40, speed: 1, latency: 2, end: 60) == 0..<20)
        ahead.finish(isWhole: true)
        #expect(ahead.parts == [0...60] && ahead.begin(at: 0, speed: 1, latency: 2, end: 60) == nil)
    }

    @Test func aPictureThatStandsStillIsReadOnceByThePartThatComesToIt() {
        var ahead = ReadingAhead()
        #expect(!ahead.comes(to: 30))
        _ = ahead.begin(at: 20, speed: 0, latency: 2, end: 60)
        #expect(ahead.comes(to: 20) && ahead.comes(to: 30) && !ahead.comes(to: 5))
        ahead.reach(25)
        #expect(ahead.comes(to: 30))
        ahead.finish(isWhole: false)
        #expect(!ahead.comes(to: 30), "it was given up")
    }

    @Test func aJumpOutOfWhatIsReadGoesThere() {
        var ahead = ReadingAhead()
        _ = ahead.begin(at: 0, speed: 1, latency: 2, end: 60)
        ahead.reach(10)
        let inside = ahead.isElsewhere(from: 9.5)
        let near = ahead.isElsewhere(from: 10.9)
        #expect(!inside && !near)
        let far = ahead.isElsewhere(from: 40)
        #expect(far)
        ahead.finish(isWhole: false)
        #expect(
            ahead.begin(at: 40, speed: 0, latency: 2, end: 60) == 40..<60,
            "a picture that stands still is read as it is")
        ahead.reach(50)
        ahead.finish(isWhole: true)
        #expect(ahead.begin(at: 50, speed: 1, latency: 2, end: 60) == 10..<40)
    }

    @Test func theFirstReadingIsNotGivenUpBecauseItTakesLong() {
        var ahead = ReadingAhead()
        _ = ahead.begin(at: 0, speed: 1, latency: 2, end: 60)
        let isSlow = ahead.isElsewhere(from: 8)
        #expect(!isSlow)
        ahead.reach(0.1)
        let isElsewhere = ahead.isElsewhere(from: 8)
        #expect(isElsewhere)
    }

    /// A full screen takes seconds to read at first, while the picture is already shown; the part after it is read at
    /// once.
    @Test func aPartIsReadOnWhereBeginningAnewWouldTakeAsLong() {
        var ahead = ReadingAhead()
        _ = ahead.begin(at: 0, speed: 1, latency: 4, end: 60)
        ahead.reach(0.1)
        let isNear = ahead.isElsewhere(from: 3, speed: 1, latency: 4)
        #expect(!isNear)
        let stands = ahead.isElsewhere(from: 3, speed: 0, latency: 4)
        #expect(stands, "nothing is lost by beginning where the picture stands")
        let isFar = ahead.isElsewhere(from: 5, speed: 1, latency: 4)
        #expect(isFar)
    }

    @Test func aPictureThatIsFasterIsMetFurtherOn() {
        var ahead = ReadingAhead()
        _ = ahead.begin(at: 0, speed: 1, latency: 2, end: 60)
        ahead.reach(3)
        let isElsewhere = ahead.isElsewhere(from: 5)
        #expect(isElsewhere)
        ahead.finish(isWhole: false)
        #expect(ahead.begin(at: 5, speed: 2, latency: 2, end: 60) == 9..<60)
        ahead.finish(isWhole: false)
        #expect(ahead.begin(at: 59.5, speed: 2, latency: 2, end: 60) == 59.5..<60, "not past the end")
    }

    @Test func aRecordingOfUnknownLengthIsReadToItsEnd() {
        var ahead = ReadingAhead()
        #expect(ahead.begin(at: 0, speed: 1, latency: 2, end: .infinity) == 0..<Double.infinity)
        ahead.reach(1)
        ahead.finish(isWhole: true)
        #expect(ahead.begin(at: 0, speed: 1, latency: 2, end: .infinity) == nil && ahead.covers(0))
    }
}
