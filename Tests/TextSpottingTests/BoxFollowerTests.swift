import Testing

@testable import TextSpotting

@Suite struct BoxFollowerTests {
    /// Feeds frames of a word at these places (nil: it is not there); `follower` has seen them all afterwards.
    private func advance(_ follower: inout BoxFollower, from first: Int = 0, _ places: [Int?]) {
        for (offset, x) in places.enumerated() {
            follower.advance(to: frame(first + offset, .showing(x == nil ? nil : "EXIT", at: x ?? 0)))
        }
    }

    private func frame(_ index: Int, _ picture: Picture) -> FrameHistory.Frame {
        FrameHistory.Frame(time: frameTime(index), picture: picture)
    }

    private func found(at x: Int) -> [(id: Int, match: Match)] { [(1, .of("EXIT", Sheet.quad(of: "EXIT", at: x, 30)))] }

    /// One that has read the word standing at 100 and seen it for three frames.
    private func standing(_ settings: BoxFollower.Settings = BoxFollower.Settings()) -> BoxFollower {
        var follower = BoxFollower(settings: settings, scale: 1)
        advance(&follower, [100, 100, 100])
        follower.renew(with: found(at: 100), readAt: frameTime(0))
        return follower
    }

    @Test(arguments: [0, 4, 8, -8]) func aReadingOfAnEarlierFrameIsCarriedToTheFrameShown(speed: Int) {
        var follower = BoxFollower(scale: 1)
        advance(&follower, (0...6).map { 120 + speed * $0 })
        follower.renew(with: found(at: 120 + speed * 2), readAt: frameTime(2))
        #expect(follower.boxes.map(\.quad) == [Sheet.quad(of: "EXIT", at: 120 + speed * 6, 30)])
        advance(&follower, from: 7, [120 + speed * 7])
        #expect(follower.boxes.map(\.quad) == [Sheet.quad(of: "EXIT", at: 120 + speed * 7, 30)])
        #expect(follower.boxes.first?.presence == 1)
        #expect(follower.boxes.first?.readAt == frameTime(2).start)
    }

    @Test func boxesAreInPixelsOfTheFrame() {
        var follower = BoxFollower(scale: 0.5)
        advance(&follower, [100, 106])
        let quad = Sheet.quad(of: "EXIT", at: 100, 30).scaled(x: 2, y: 2)
        follower.renew(with: [(1, .of("EXIT", quad))], readAt: frameTime(0))
        #expect(follower.boxes.map(\.quad) == [quad.moved(by: Point(12, 0))])
    }

    @Test func aBoxFadesAndIsGoneWithinATenthOfASecond() {
        var follower = standing()
        var presences: [Double] = []
        for index in 3..<8 {
            advance(&follower, from: index, [nil])
            presences += follower.boxes.map(\.presence)
        }
        // 40 and 80 ms after the last frame with the word; the next one would be 120.
        #expect(presences.count == 2)
        #expect(zip([1] + presences, presences).allSatisfy { $0 > $1 })
    }

    @Test func aBoxThatLosesSightMovesOn() {
        var follower = BoxFollower(scale: 1)
        advance(&follower, [100, 106, 112])
        follower.renew(with: found(at: 100), readAt: frameTime(0))
        advance(&follower, from: 3, [nil])
        #expect(follower.boxes.map(\.quad) == [Sheet.quad(of: "EXIT", at: 118, 30)])
        #expect(follower.boxes.allSatisfy { $0.presence < 1 })
    }

    @Test func whatComesBackAtOnceIsFullyThere() {
        var follower = standing()
        advance(&follower, from: 3, [nil, nil, 100])
        #expect(follower.boxes.map(\.presence) == [1])
    }

    @Test func aCoveredWordLosesItsBox() {
        var follower = standing()
        for index in 3..<9 {
            var sheet = Sheet()
            sheet.draw("EXIT", at: 100, 30)
            // A hand moves over it, letter by letter.
            sheet.fill(Rect(x: 90, y: 20, width: Double(index - 2) * 18, height: 45), brightness: 150)
            follower.advance(to: frame(index, sheet.picture))
            if index == 4 { #expect(follower.boxes.count == 1) }
        }
        #expect(follower.boxes.isEmpty)
    }

    @Test func anotherWordInItsPlaceDoesNotKeepTheBox() {
        var follower = standing()
        for index in 3..<6 { follower.advance(to: frame(index, .showing("DOOR", at: 100))) }
        #expect(follower.boxes.isEmpty)
    }

    @Test func aWordThatLeavesThePictureLosesItsBox() {
        var follower = BoxFollower(scale: 1)
        // 12 pixels a frame; the first letter is out from frame 4 on.
        let places = (0..<12).map { 42 - 12 * $0 }
        advance(&follower, Array(places[..<2]))
        follower.renew(with: found(at: 42), readAt: frameTime(0))
        #expect(follower.boxes.count == 1)
        advance(&follower, from: 2, Array(places[2..<8]))
        #expect(follower.boxes.isEmpty)
    }

    @Test func thoseThatAreTooManyToFollowGoWithTheNearestThatIs() {
        var settings = BoxFollower.Settings()
        settings.limit = 1
        var follower = BoxFollower(settings: settings, scale: 1)
        advance(&follower, [100, 106, 112])
        let below = Sheet.quad(of: "EXIT", at: 100, 30).moved(by: Point(20, 60))
        follower.renew(with: found(at: 100) + [(2, .of("EXIT", below))], readAt: frameTime(0))
        #expect(follower.boxes.map(\.quad).last == below.moved(by: Point(12, 0)))
        // For longer than one that is neither followed nor guided stays.
        advance(&follower, from: 3, (3...20).map { 100 + 6 * $0 })
        #expect(follower.boxes.map(\.quad).last == below.moved(by: Point(120, 0)))
        advance(&follower, from: 21, [nil, nil, nil, nil])
        #expect(follower.boxes.isEmpty, "and are gone with it")
    }

    @Test func noReadingForTooLongEndsIt() {
        var settings = BoxFollower.Settings()
        settings.maximumAge = StreamTime(seconds: 0.4)
        var follower = standing(settings)
        advance(&follower, from: 3, Array(repeating: 100, count: 8))
        #expect(follower.boxes.count == 1)
        advance(&follower, from: 11, [100])
        #expect(follower.boxes.isEmpty)
    }

    @Test func aReadingThatMissedTheWordLeavesItsBoxWhileThePictureShowsIt() {
        var follower = standing()
        follower.renew(with: [], readAt: frameTime(2))
        #expect(follower.boxes.count == 1)
    }

    @Test func wordsThatCannotBeFollowedDoNotStayLong() {
        var follower = BoxFollower(scale: 1)
        let faint = Picture.showing("EXIT", at: 100, opacity: 0.02)
        for index in 0..<3 { follower.advance(to: frame(index, faint)) }
        follower.renew(with: found(at: 100), readAt: frameTime(0))
        follower.advance(to: frame(3, faint))
        #expect(follower.boxes.count == 1)
        for index in 4..<9 { follower.advance(to: frame(index, faint)) }
        #expect(follower.boxes.isEmpty)
    }

    @Test func aReadingThatTookTooLongIsFollowedFromItsOwnPicture() {
        var settings = BoxFollower.Settings()
        settings.memory = StreamTime(seconds: 0.1)
        var follower = BoxFollower(settings: settings, scale: 1)
        advance(&follower, (0...10).map { 100 + $0 })
        follower.renew(with: found(at: 100), readAt: frameTime(0), picture: .showing("EXIT", at: 100))
        #expect(follower.boxes.map(\.quad) == [Sheet.quad(of: "EXIT", at: 110, 30)])
        // A word that is gone by then gets no box.
        advance(&follower, from: 11, [nil, nil, nil, nil])
        follower.renew(with: found(at: 100), readAt: frameTime(0), picture: .showing("EXIT", at: 100))
        #expect(follower.boxes.isEmpty)
    }

    @Test func clearedOnesAreGone() {
        var follower = standing()
        follower.clear()
        #expect(follower.boxes.isEmpty)
    }
}
