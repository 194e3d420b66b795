import Testing

@testable import TextSpotting

@Suite struct DelayedBoxFollowerTests {
    private func match(at x: Int) -> [(id: Int, match: Match)] { [(1, .of("EXIT", Sheet.quad(of: "EXIT", at: x, 30)))] }

    /// One to which frames of a word at these places have come (nil: it is not there).
    private func follower(
        _ places: [Int?], _ settings: BoxFollower.Settings = BoxFollower.Settings()
    ) -> DelayedBoxFollower {
        var follower = DelayedBoxFollower(settings: settings, scale: 1)
        for (index, x) in places.enumerated() {
            follower.append(
                FrameHistory.Frame(time: frameTime(index), picture: .showing(x == nil ? nil : "EXIT", at: x ?? 0)))
        }
        return follower
    }

    /// Where the left edge of the box is in each of these frames, shown in their order.
    private func lefts(_ follower: inout DelayedBoxFollower, _ frames: Range<Int>) -> [Double?] {
        frames.map { follower.boxes(on: frameTime($0)).first?.quad.topLeft.x }
    }

    @Test func aBoxIsThereFromTheFirstFrameThatShowsItsWord() {
        let places: [Int?] = [nil, nil, nil] + (3..<12).map { 100 + 5 * $0 }
        var follower = follower(places)
        follower.add(match(at: 130), readAt: frameTime(6))
        #expect(lefts(&follower, 0..<12) == places.map { $0.map(Double.init) })
    }

    @Test func aBoxIsGoneWithTheLastFrameThatShowsItsWord() {
        let places: [Int?] = (0..<6).map { 100 + 5 * $0 } + Array(repeating: nil, count: 6)
        var follower = follower(places)
        follower.add(match(at: 100), readAt: frameTime(0))
        #expect(lefts(&follower, 0..<12) == places.map { $0.map(Double.init) })
    }

    @Test func twentyWordsAreFollowedAtOnce() throws {
        let places: [(x: Int, y: Int)] = (0..<20).map { (20 + 120 * ($0 % 5), 20 + 70 * ($0 / 5)) }
        var follower = DelayedBoxFollower(scale: 1)
        for index in 0..<6 {
            var sheet = Sheet(640, 320)
            for place in places { sheet.draw("EXIT", at: place.x + 4 * index, place.y) }
            follower.append(FrameHistory.Frame(time: frameTime(index), picture: sheet.picture))
        }
        let found: [(id: Int, match: Match)] = places.enumerated().map { number, place in
            let quad = Sheet.quad(of: "EXIT", at: place.x, place.y)
            return (number, Match.of("EXIT", quad))
        }
        follower.add(found, readAt: frameTime(0))
        for index in 0..<6 {
            let lefts = follower.boxes(on: frameTime(index)).map(\.quad.topLeft.x)
            let expected = places.map { Double($0.x + 4 * index) }
            #expect(lefts == expected, "frame \(index)")
        }
    }

    @Test func framesBetweenTwoReadingsAreBlended() throws {
        var follower = follower(Array(repeating: 100, count: 12))
        // The one read it three pixels too far left, the other as much too far right.
        follower.add(match(at: 97), readAt: frameTime(2))
        follower.add(match(at: 103), readAt: frameTime(8))
        let lefts = try lefts(&follower, 0..<12).map { try #require($0) }
        for (index, expected) in [97, 97, 97, 98, 99, 100, 101, 102, 103, 103, 103, 103].enumerated() {
            #expect(abs(lefts[index] - Double(expected)) < 1e-9, "frame \(index)")
        }
    }

    @Test func theReadingNearestInTimeIsNamed() {
        var follower = follower(Array(repeating: 100, count: 12))
        follower.add(match(at: 100), readAt: frameTime(2))
        follower.add(match(at: 100), readAt: frameTime(9))
        let readAt = (0..<12).map { follower.boxes(on: frameTime($0)).first?.readAt }
        #expect(readAt[..<6].allSatisfy { $0 == frameTime(2).start })
        #expect(readAt[6...].allSatisfy { $0 == frameTime(9).start })
    }

    @Test func aReadingThatComesLateStillHelpsWhatFollows() {
        var follower = follower((0..<12).map { 100 + 4 * $0 })
        #expect(lefts(&follower, 0..<8).allSatisfy { $0 == nil })
        follower.add(match(at: 112), readAt: frameTime(3))
        #expect(lefts(&follower, 8..<12) == (8..<12).map { 100 + 4 * Double($0) })
    }

    @Test func framesThatComeLaterAreFollowedToo() {
        var follower = follower((0..<4).map { 100 + 4 * $0 })
        follower.add(match(at: 104), readAt: frameTime(1))
        for index in 4..<8 {
            follower.append(
                FrameHistory.Frame(time: frameTime(index), picture: .showing("EXIT", at: 100 + 4 * index)))
        }
        #expect(lefts(&follower, 0..<8) == (0..<8).map { 100 + 4 * Double($0) })
    }

    @Test(arguments: [1, 2, 3]) func aShortGapIsBridgedAndALongOneIsNot(gap: Int) {
        var places: [Int?] = (0..<12).map { 60 + 4 * $0 }
        for index in 5..<(5 + gap) { places[index] = nil }
        var follower = follower(places)
        follower.add(match(at: 60), readAt: frameTime(0))
        follower.add(match(at: 104), readAt: frameTime(11))
        let lefts = lefts(&follower, 0..<12)
        let inGap = lefts[5..<(5 + gap)]
        if gap <= 2 {
            #expect(Array(inGap) == (5..<(5 + gap)).map { 60 + 4 * Double($0) })
        } else {
            #expect(inGap.allSatisfy { $0 == nil })
        }
        #expect(lefts[..<5].allSatisfy { $0 != nil } && lefts[(5 + gap)...].allSatisfy { $0 != nil })
    }

    @Test func theSameFrameCanBeShownAgain() {
        var follower = follower(Array(repeating: 100, count: 4))
        follower.add(match(at: 100), readAt: frameTime(1))
        #expect(lefts(&follower, 2..<3) == [100])
        #expect(lefts(&follower, 2..<3) == [100])
    }

    @Test func noReadingForTooLongEndsIt() {
        var settings = BoxFollower.Settings()
        settings.maximumAge = StreamTime(seconds: 0.2)
        var follower = follower(Array(repeating: 100, count: 12), settings)
        follower.add(match(at: 100), readAt: frameTime(0))
        #expect(lefts(&follower, 0..<12).map { $0 != nil } == (0..<12).map { $0 <= 5 })
    }

    @Test func clearedOnesAreGone() {
        var follower = follower(Array(repeating: 100, count: 4))
        follower.add(match(at: 100), readAt: frameTime(1))
        follower.clear()
        #expect(lefts(&follower, 0..<4).allSatisfy { $0 == nil })
    }
}
