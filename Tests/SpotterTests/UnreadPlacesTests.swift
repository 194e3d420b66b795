import Testing
import TextMatching
import TextSpotting

@testable import Spotter

/// The report of what a search could not read: lines, scripts, dark and blurred pictures.
@Suite struct UnreadPlacesTests {
    private let box = Quad(Rect(x: 100, y: 100, width: 200, height: 30))

    private func finding(
        _ index: Int, _ lines: [TextLine], _ tracker: inout TextTracker, level: UInt8 = 128, isEven: Bool = false
    )
        -> FrameResult
    {
        let time = FrameTime(
            index: index, start: StreamTime(seconds: Double(index) / 25), duration: StreamTime(seconds: 0.04))
        tracker.add(lines, in: nil, at: time)
        let thumbnail = Picture(
            format: .luma, width: 320, height: 180,
            bytes: (0..<320 * 180).map { !isEven && $0 % 7 == 0 ? level / 2 : level })
        return FrameResult(
            time: time,
            geometry: FrameResult.Geometry(origin: Point(0, 0), pixelAspect: 1, scale: 0.5, width: 640, height: 360),
            tracks: tracker.tracks, frames: [FrameHistory.Frame(time: time, picture: thumbnail)])
    }

    private func line(_ text: String, _ confidence: Double) -> TextLine {
        TextLine(
            quad: box, words: [TextWord(text: text, quad: box, confidence: confidence)], confidence: confidence)
    }

    private func places(
        _ text: String, _ confidence: Double, hidden: HidingPlan = HidingPlan(), level: UInt8 = 128,
        isOtherScript: Bool = false, isEven: Bool = false
    ) -> [UnreadPlace] {
        var places = UnreadPlaces(besides: hidden) { _ in isOtherScript }
        var tracker = TextTracker()
        for index in 0..<60 {
            places.take(
                finding(index, text.isEmpty ? [] : [line(text, confidence)], &tracker, level: level, isEven: isEven))
        }
        return places.all
    }

    @Test func aLineThatCannotBeReadIsCountedOnceWithItsTimes() throws {
        let found = places(String(ThoroughRecognizer.unread), 0)
        let place = try #require(found.first)
        #expect(found.count == 1 && place.reason == .unread && place.quad == box)
        #expect(place.start == .zero && place.end == StreamTime(seconds: 2.4))
        #expect(places("lana Doa", 0.5).map(\.reason) == [.unread])
    }

    @Test func whatIsReadIsNotCounted() { #expect(places("Settings", 0.99).isEmpty) }

    @Test func aLineInAnotherScriptIs() {
        #expect(places("MocKBa", 0.99, isOtherScript: true).map(\.reason) == [.otherScript])
    }

    @Test func whatIsHiddenIsNot() {
        let thing = HiddenThing(
            id: 1, reason: "region", start: .zero, end: StreamTime(seconds: 9),
            places: [HiddenPath.Place(time: .zero, quad: box.grown(along: 9, across: 9))])
        #expect(places("x", 0.1, hidden: HidingPlan([thing])).isEmpty)
    }

    /// A detector sees a line in a bar and the ground around it. If that is even, nothing is left to be read.
    @Test(arguments: [(14.0, false), (14, true), (2, true)]) func aBarIsNoLine(height: Double, isEven: Bool) {
        let bar = Quad(Rect(x: 90, y: 110, width: 220, height: height))
        let thing = HiddenThing(
            id: 1, reason: "region", start: .zero, end: StreamTime(seconds: 9),
            places: [HiddenPath.Place(time: .zero, quad: bar)])
        let found = places("x", 0.1, hidden: HidingPlan([thing]), isEven: isEven)
        #expect(found.isEmpty == (isEven && height > 6), "a place of 30 pixels")
    }

    @Test func aLineTooSmallForPeopleIsCountedApart() {
        let small = Quad(Rect(x: 100, y: 100, width: 80, height: 9))
        var places = UnreadPlaces(besides: HidingPlan()) { _ in false }
        var tracker = TextTracker()
        let word = TextWord(text: "lana", quad: small, confidence: 0.4)
        places.take(finding(0, [TextLine(quad: small, words: [word], confidence: 0.4)], &tracker))
        #expect(places.all.map(\.reason) == [.small] && !UnreadPlace.Reason.small.isReadableByPeople)
    }

    @Test func linesOfTheSameTimesAreInTheOrderInWhichTheyWereSeen() {
        let quads = (0..<8).map { Quad(Rect(x: 100, y: Double(20 + 40 * $0), width: 200, height: 20)) }
        let lines = quads.map { quad in
            TextLine(quad: quad, words: [TextWord(text: "lana", quad: quad, confidence: 0.4)], confidence: 0.4)
        }
        var places = UnreadPlaces(besides: HidingPlan()) { _ in false }
        var tracker = TextTracker()
        places.take(finding(0, lines, &tracker))
        #expect(places.all.map(\.quad) == quads)
    }

    @Test func whatChangedAgainUnreadIsCountedWhereItIsNotHidden() {
        var leftOut = LeftOutTexts()
        let other = Quad(Rect(x: 400, y: 300, width: 100, height: 20))
        leftOut.add([box, other], at: StreamTime(seconds: 3))
        let thing = HiddenThing(
            id: 1, reason: "region", start: .zero, end: StreamTime(seconds: 9),
            places: [HiddenPath.Place(time: .zero, quad: box.grown(along: 9, across: 9))])
        let found = UnreadPlace.places(of: leftOut, besides: HidingPlan([thing]))
        #expect(found.map(\.quad) == [other] && found.map(\.reason) == [.changed])
        #expect(UnreadPlace.Reason.changed.isReadableByPeople)
    }

    @Test func partsThatAreSearchedOnceMoreSayWhatIsLeftInThem() {
        func place(_ start: Double, _ end: Double, _ reason: UnreadPlace.Reason = .unread) -> UnreadPlace {
            UnreadPlace(reason: reason, start: StreamTime(seconds: start), end: StreamTime(seconds: end), quad: box)
        }
        let before = [place(0, 1), place(2, 3), place(3.5, 9)]
        let part = StreamTime(seconds: 1.5)..<StreamTime(seconds: 4)
        // One of them is over, one goes on behind the part, and one is new.
        let after = UnreadPlace.joined(before, with: [place(3.5, 4), place(2, 2.2, .dark)], in: [part])
        #expect(after == [place(0, 1), place(2, 2.2, .dark), place(3.5, 9)])
        #expect(UnreadPlace.joined(before, with: [place(5, 6)], in: nil) == [place(5, 6)])
    }

    @Test func aDarkPictureIsAPlaceOfItsOwn() throws {
        let found = places("", 0, level: 20)
        let place = try #require(found.first)
        #expect(found.count == 1 && place.reason == .dark && place.quad == nil)
        #expect((place.end - place.start).seconds > 2)
    }

    @Test func sentencesCountLinesAndSeconds() {
        #expect(UnreadPlace.Reason.unread.sentence(count: 1, seconds: 3) == "1 line could not be read")
        #expect(
            UnreadPlace.Reason.otherScript.sentence(count: 2, seconds: 3)
                == "2 lines may be in a script that is not read")
        #expect(
            UnreadPlace.Reason.changed.sentence(count: 1, seconds: 0) == "1 line changed again before it was read")
        #expect(
            UnreadPlace.Reason.small.sentence(count: 3, seconds: 0)
                == "3 lines of less than 10 pixels could not be read"
        )
        #expect(UnreadPlace.Reason.dark.sentence(count: 2, seconds: 3.14) == "3.1 s are too dark to be read")
    }
}
