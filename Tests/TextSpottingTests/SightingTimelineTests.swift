import Testing
import TextSpotting

/// Frames come at 25 a second, so that the hold of half a second is 12.5 frames.
@Suite struct SightingTimelineTests {
    @Test func hardCutsAreExactThoughFewFramesAreRead() {
        var playback = Playback { .showing((10..<40).contains($0) ? "EXIT" : nil) }
        playback.read(0, [])
        playback.read(20, [match("EXIT")])
        playback.read(60, [])
        let sightings = playback.end(80)
        #expect(sightings.map(\.frames) == [10..<40])
        #expect(sightings.first?.peak.time == frameTime(20))
        #expect(sightings.first?.peak.quad == Sheet.quad(of: "EXIT", at: 40, 30))
    }

    @Test func aWordOnScreenFromTheFirstFrameToTheLast() {
        var playback = Playback { _ in .showing("EXIT") }
        playback.read(0, [match("EXIT")])
        playback.read(30, [match("EXIT")])
        #expect(playback.end(50).map(\.frames) == [0..<50])
    }

    @Test func aMissedReadingDoesNotEndWhatThePictureStillShows() {
        var playback = Playback { .showing((5..<70).contains($0) ? "EXIT" : nil) }
        playback.read(0, [])
        playback.read(10, [match("EXIT")])
        for missed in [20, 30, 40, 50, 60] { playback.read(missed, []) }
        playback.read(90, [])
        #expect(playback.end(100).map(\.frames) == [5..<70])
    }

    @Test func aFlickerIsOneSighting() {
        var playback = Playback { .showing((20..<30).contains($0) ? nil : "EXIT") }
        playback.read(10, [match("EXIT")])
        playback.read(25, [])
        playback.read(32, [match("EXIT")])
        #expect(playback.end(50).map(\.frames) == [0..<50])
    }

    @Test func whatWasGoneForLongerComesBackAsAnotherSighting() {
        var playback = Playback { .showing((20..<41).contains($0) ? nil : "EXIT") }
        playback.read(10, [match("EXIT")])
        playback.read(25, [])
        playback.read(38, [])
        playback.read(45, [match("EXIT")])
        let sightings = playback.end(60)
        #expect(sightings.map(\.frames) == [0..<20, 41..<60])
        #expect(sightings.map(\.id) == [1, 2])
    }

    @Test func whatWasGoneForLongWithoutBeingMissedByAReadingIsAnotherSightingToo() {
        // Nothing else changes, so no frame is read while it is gone.
        var playback = Playback(keepsBoxes: true) { .showing((20..<200).contains($0) ? nil : "EXIT") }
        playback.read(0, [match("EXIT")])
        playback.read(20, [])
        playback.read(203, [match("EXIT")])
        let sightings = playback.end(230)
        #expect(sightings.map(\.frames) == [0..<20, 200..<230])
        #expect(sightings.map { $0.boxes.count } == [20, 30])
    }

    @Test func replacedTextEndsWhereItWasReplaced() {
        var playback = Playback { .showing($0 < 33 ? "EXIT" : "DOOR") }
        playback.read(0, [match("EXIT")])
        playback.read(50, [match("DOOR", pattern: 1)])
        let sightings = playback.end(60)
        #expect(sightings.map(\.frames) == [0..<33, 33..<60])
        #expect(sightings.map(\.text) == ["EXIT", "DOOR"])
    }

    @Test func aTypedWordBeginsWithItsLastLetter() {
        // A letter more every three frames, as someone types.
        let word = "BUBBLE"
        var playback = Playback { .showing(String(word.prefix($0 / 3))) }
        playback.read(0, [])
        playback.read(25, [match(word)])
        #expect(playback.end(40).map(\.frames) == [18..<40])
    }

    @Test func equalWordsSideBySideStayTwo() {
        var sheet = Sheet()
        sheet.draw("EXIT", at: 20, 30)
        sheet.draw("EXIT", at: 110, 30)
        let picture = sheet.picture
        var playback = Playback(keepsBoxes: true) { _ in picture }
        for index in [0, 10, 20, 30] {
            // The order of matches in a reading must not matter.
            let both = [match("EXIT", at: 20, score: 0.9), match("EXIT", at: 110, score: 0.9 + Double(index) / 1000)]
            playback.read(index, index == 20 ? both.reversed() : both)
        }
        let sightings = playback.end(40)
        #expect(sightings.map(\.id) == [1, 2])
        #expect(sightings.map(\.frames) == [0..<40, 0..<40])
        #expect(sightings.map { Set($0.boxes.map(\.quad.topLeft.x)) } == [[20], [110]])
    }

    @Test func oneOfTwoEqualWordsVanishes() {
        var playback = Playback { index in
            var sheet = Sheet()
            sheet.draw("EXIT", at: 20, 30)
            if index < 20 { sheet.draw("EXIT", at: 110, 30) }
            return sheet.picture
        }
        playback.read(0, [match("EXIT", at: 20), match("EXIT", at: 110)])
        playback.read(30, [match("EXIT", at: 20)])
        playback.read(50, [match("EXIT", at: 20)])
        let sightings = playback.end(60).sorted { $0.id < $1.id }
        #expect(sightings.map(\.frames) == [0..<60, 0..<20])
    }

    @Test func patternsAreKeptApart() {
        var playback = Playback { _ in .showing("EXIT") }
        let both = [match("EXIT", pattern: 0), match("EXIT", score: 0.8, pattern: 1)]
        playback.read(0, both)
        playback.read(20, both.reversed())
        #expect(playback.end(30).map(\.patternIndex).sorted() == [0, 1])
    }

    @Test func theBestReadingIsThePeak() {
        var playback = Playback { _ in .showing("EXIT") }
        playback.read(0, [match("EXIT", score: 0.7, line: "EXIT I2")])
        playback.read(10, [match("EXIT", score: 0.95, line: "EXIT 12")])
        playback.read(20, [match("EXIT", score: 0.8, line: "EX1T 12")])
        let sighting = playback.end(30).first
        #expect(sighting?.line == "EXIT 12")
        #expect(sighting?.score == 0.95)
        #expect(sighting?.peak.time == frameTime(10))
    }

    @Test func boxesCoverEveryFrameAndFollowTheText() {
        var playback = Playback(keepsBoxes: true) { .showing("EXIT", at: 20 + 3 * $0) }
        playback.read(0, [match("EXIT", at: 20)])
        playback.read(20, [match("EXIT", at: 80)])
        playback.read(40, [match("EXIT", at: 140)])
        let boxes = playback.end(45).first?.boxes ?? []
        #expect(boxes.map(\.time.index) == Array(0..<45))
        for box in boxes { #expect(abs(box.quad.topLeft.x - Double(20 + 3 * box.time.index)) <= 1) }
    }

    @Test func boxesAreThereAfterAFlickerFromItsFirstFrameOn() {
        var playback = Playback(keepsBoxes: true) { .showing((20..<28).contains($0) ? nil : "EXIT") }
        playback.read(10, [match("EXIT")])
        playback.read(24, [])
        playback.read(34, [match("EXIT")])
        let boxes = playback.end(40).first?.boxes ?? []
        #expect(boxes.map(\.time.index) == Array(0..<20) + Array(28..<40))
    }

    @Test func smallPicturesAreScaledBack() {
        // The frames are twice as large as the pictures that are kept of them.
        var playback = Playback(keepsBoxes: true, scale: 0.5) { .showing((10..<40).contains($0) ? "EXIT" : nil) }
        var large = match("EXIT")
        large.quad = large.quad.scaled(x: 2, y: 2)
        playback.read(20, [large])
        playback.read(60, [])
        let sighting = playback.end(60).first
        #expect(sighting?.frames == 10..<40)
        #expect(sighting?.boxes.allSatisfy { $0.quad == large.quad } == true)
    }

    @Test func idsCountFromWhereTheyAreTold() {
        var playback = Playback(firstID: 7) { _ in .showing("EXIT") }
        playback.read(0, [match("EXIT"), match("DOOR", at: 150, pattern: 1)])
        #expect(playback.end(10).map(\.id) == [7, 8])
        #expect(playback.timeline.nextID == 9)
    }

    @Test func finishingTwiceGivesNothingTwice() {
        var playback = Playback { _ in .showing("EXIT") }
        playback.read(0, [match("EXIT")])
        #expect(playback.timeline.open.count == 1)
        #expect(playback.end(5).count == 1)
        #expect(playback.timeline.open.isEmpty)
        #expect(playback.timeline.finish().isEmpty)
    }

    @Test func confirmedAreThoseOfTheLatestReading() {
        var timeline = SightingTimeline()
        _ = timeline.add(FrameReading(time: frameTime(0), matches: [match("EXIT")]))
        #expect(timeline.confirmed.map(\.id) == [1])
        _ = timeline.add(FrameReading(time: frameTime(5), matches: []))
        #expect(timeline.confirmed.isEmpty)
        #expect(timeline.open.count == 1)
    }

    @Test func aWordOnAFlatPlaceLivesByItsReadings() {
        // The picture shows nothing where the word was read: no patch, but no crash and no endless sighting either.
        var playback = Playback { _ in .showing(nil) }
        playback.read(10, [match("EXIT")])
        playback.read(15, [match("EXIT")])
        playback.read(60, [])
        #expect(playback.end(70).map(\.frames) == [10..<16])
    }

    @Test func withoutPicturesReadingsAloneCount() {
        var timeline = SightingTimeline()
        func read(_ index: Int, _ found: Bool) -> [Sighting] {
            timeline.add(FrameReading(time: frameTime(index), matches: found ? [match("EXIT")] : []))
        }
        #expect(read(0, false).isEmpty)
        #expect(read(10, true).isEmpty)
        // Not read for 1.2 s, then again: the same sighting.
        #expect(read(25, false).isEmpty)
        #expect(read(40, true).isEmpty)
        // Not read for more than 1.5 s: over.
        #expect(read(60, false).isEmpty)
        #expect(read(85, false).map(\.frames) == [10..<41])
        #expect(timeline.finish().isEmpty)
    }
}
