import Testing

@testable import TextSpotting

/// The rules shared by everything that joins findings.
@Suite struct SameSightingTests {
    @Test func whereAPrefixEndsIsFoundAsByLookingAtEachElement() {
        for count in 0...40 {
            let numbers = (0..<count).map { $0 / 3 }
            for limit in -1...15 {
                #expect(numbers.prefixEnd(while: { $0 < limit }) == numbers.prefix { $0 < limit }.count)
                // A slice begins somewhere else.
                let rest = numbers.dropFirst(2)
                #expect(rest.prefixEnd(while: { $0 < limit }) == rest.startIndex + rest.prefix { $0 < limit }.count)
            }
        }
    }

    @Test(arguments: 0..<200) func unitedStretchesHoldTheSameMomentsAndAreApart(seed: Int) {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        func next(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        func time(_ number: Int) -> StreamTime { StreamTime(nanoseconds: Int64(number)) }
        let stretches = (0..<next(9)).map { _ in
            let start = next(30)
            return time(start)..<time(start + 1 + next(6))
        }
        let united = StreamTime.united(stretches)
        for moment in 0..<40 {
            #expect(
                united.contains { $0.contains(time(moment)) } == stretches.contains { $0.contains(time(moment)) })
        }
        #expect(zip(united, united.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
    }

    @Test func aTimelineThatBeginsAnewEndsWhatIsInViewAndCountsOn() {
        var timeline = SightingTimeline()
        let exit = Match.of("EXIT", Sheet.quad(of: "EXIT", at: 100, 30))
        _ = timeline.add(FrameReading(time: frameTime(0), matches: [exit]))
        #expect(timeline.restart(scale: 0.5).map(\.id) == [1])
        #expect(timeline.open.isEmpty && timeline.scale == 0.5)
        _ = timeline.add(FrameReading(time: frameTime(1), matches: [exit]))
        #expect(timeline.open.map(\.id) == [2])
    }

    @Test func oneTextAtOnePlaceIsOne() {
        let exit = Match.of("EXIT", Sheet.quad(of: "EXIT", at: 100, 30))
        var beside = exit
        beside.quad = exit.quad.moved(by: Point(0.3 * exit.quad.width, 0))
        #expect(exit.isOne(with: beside) && exit.continuity(from: exit.quad, to: beside) > 0.1)
        beside.text = "EXIT 2"
        #expect(!exit.isOne(with: beside))
        #expect(exit.continuity(from: exit.quad, to: beside) > 0.1, "it is a match of the same pattern")
        beside.quad = exit.quad.moved(by: Point(3 * exit.quad.width, 0))
        #expect(exit.continuity(from: exit.quad, to: beside) == 0)
    }
}
