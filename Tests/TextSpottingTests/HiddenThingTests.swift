import Foundation
import Testing

@testable import TextSpotting

/// The places and times of hidden things, as arithmetic.
@Suite struct HiddenThingTests {
    private func time(_ seconds: Double) -> StreamTime { StreamTime(seconds: seconds) }
    private func frame(_ index: Int) -> FrameTime {
        FrameTime(index: index, start: time(Double(index) * 0.1), duration: time(0.1))
    }
    private func box(_ x: Double) -> Quad { Quad(Rect(x: x, y: 10, width: 40, height: 10)) }

    private var moving: HiddenThing {
        HiddenThing(
            id: 1, reason: "pattern 1", start: time(1), end: time(2),
            places: [.init(time: time(1), quad: box(0)), .init(time: time(2), quad: box(100))])
    }

    @Test func itMovesEvenlyBetweenItsPlaces() {
        #expect(moving.paths[0].quad(at: time(1.5)) == box(50))
        #expect(moving.paths[0].quad(at: time(0)) == box(0) && moving.paths[0].quad(at: time(5)) == box(100))
    }

    /// A copy may count its times from another beginning than the recording.
    @Test func aPlanMovesInTimeWithItsPlaces() {
        let later = HidingPlan([moving]).later(by: time(3)).things[0]
        #expect(later.start == time(4) && later.end == time(5) && later.paths[0].quad(at: time(4.5)) == box(50))
        #expect(later.later(by: .zero - time(3)) == moving)
        #expect(moving.later(by: .zero - time(1.5)).start == .zero)
    }

    /// A search of a part does not follow a text beyond its ends.
    @Test func whatReachesAnEndOfASearchedPartIsSearchedBeyondIt() {
        let margin = time(0.5)
        func searched(_ parts: [Range<StreamTime>]) -> Range<StreamTime> {
            moving.surroundings(within: margin, searchedIn: parts)
        }
        #expect(searched([]) == time(0.5)..<time(2.5))
        #expect(searched([time(0)..<time(9)]) == time(0.5)..<time(2.5))
        #expect(searched([time(0.9)..<time(4.9)]) == time(0)..<time(2.5))
        #expect(searched([time(0.5)..<time(2.1)]) == time(0.5)..<time(3.7))
        // Parts that it was not found in say nothing about it.
        #expect(searched([time(0)..<time(0.9), time(0.5)..<time(9), time(2.1)..<time(8)]) == time(0.5)..<time(2.5))
        // Whatever lasts is soon within a part, and the beginning of the recording is not passed.
        var (part, rounds) = (time(1000)..<time(1003), 0)
        while rounds < 15 && (part.lowerBound > .zero || part.upperBound < time(3600)) {
            let thing = HiddenThing(
                id: 1, reason: "pattern 1", start: part.lowerBound, end: min(part.upperBound, time(3600)),
                places: [.init(time: part.lowerBound, quad: box(0))])
            part = thing.surroundings(within: margin, searchedIn: [part])
            rounds += 1
        }
        #expect(rounds < 15, "\(rounds)")
    }

    @Test func itIsHiddenInEveryFrameThatIsVisibleMeanwhile() {
        #expect(moving.quads(in: frame(9)).isEmpty && moving.quads(in: frame(20)).isEmpty)
        #expect(!moving.quads(in: frame(10)).isEmpty && !moving.quads(in: frame(19)).isEmpty)
        // A frame that begins before and lasts into it.
        let long = FrameTime(index: 0, start: time(0.5), duration: time(0.6))
        #expect(!moving.quads(in: long).isEmpty)
        // A moving thing is hidden on both sides of its place.
        let bounds = moving.quads(in: frame(15)).map(\.bounds).reduce(box(50).bounds) { $0.union($1) }
        #expect(abs(bounds.minX - 45) < 0.01 && abs(bounds.maxX - 95) < 0.01, "\(bounds)")
    }

    @Test func aPlaceOnItsHeadOrInAMirrorIsTheSamePlace() {
        let (a, b) = (box(0), box(3))
        let corners = b.corners
        for order in [[0, 1, 2, 3], [2, 3, 0, 1], [1, 0, 3, 2], [3, 2, 1, 0], [1, 2, 3, 0]] {
            let other = Quad(
                topLeft: corners[order[0]], topRight: corners[order[1]], bottomRight: corners[order[2]],
                bottomLeft: corners[order[3]])
            #expect(other.turned(like: a) == b)
        }
    }

    @Test func placesThatTellNothingAreLeftOut() {
        var path = moving.paths[0]
        path.places = (0...10).map { .init(time: time(1 + Double($0) / 10), quad: box(Double($0) * 10)) }
        path.places[5].quad = box(55)
        let before = path
        path.thin()
        #expect(path.places.count < 8 && path.places.count >= 5)
        for tenth in 0...10 {
            let at = time(1 + Double(tenth) / 10)
            #expect((path.quad(at: at).topLeft - before.quad(at: at).topLeft).length < 0.5)
        }
    }

    @Test func whatIsReadInABarIsKnownToBeHidden() {
        let plan = HidingPlan([moving])
        #expect(plan.hides(Quad(Rect(x: 52, y: 11, width: 30, height: 8)), in: frame(15)))
        #expect(!plan.hides(Quad(Rect(x: 52, y: 11, width: 60, height: 8)), in: frame(15)))
        #expect(!plan.hides(Quad(Rect(x: 52, y: 11, width: 30, height: 8)), in: frame(25)))
    }

    @Test func everyPixelThatAShapeTouchesIsInItsSpans() {
        for (index, degrees) in [0.0, 7, 45, 90, 133, 270].enumerated() {
            let angle = degrees * .pi / 180
            let (sine, cosine) = (sin(angle), cos(angle))
            let quad = Quad(Rect(x: -20.3, y: -6.2, width: 40.6, height: 12.4)).mapped {
                Point(50 + $0.x * cosine - $0.y * sine, 40 + $0.x * sine + $0.y * cosine)
            }
            let spans = ConvexSpans(quad, width: 100, height: 80)
            var (missing, extra) = (0, 0)
            for y in 0..<80 {
                for x in 0..<100 {
                    let row = spans.rows.indices.contains(y - spans.top) ? spans.rows[y - spans.top] : 0..<0
                    let isTouched = (0...4).contains { i in
                        (0...4).contains { quad.holds(Point(Double(x) + Double(i) / 4, Double(y) + Double($0) / 4)) }
                    }
                    if isTouched, !row.contains(x) { missing += 1 }
                    if row.contains(x), !quad.grown(along: 2, across: 2).holds(Point(Double(x) + 0.5, Double(y) + 0.5))
                    {
                        extra += 1
                    }
                }
            }
            #expect(missing == 0 && extra == 0, "\(index): \(missing) \(extra)")
        }
        #expect(ConvexSpans(Quad(Rect(x: -50, y: 0, width: 40, height: 10)), width: 100, height: 80).rows.isEmpty)
        let cut = ConvexSpans(Quad(Rect(x: -5, y: -5, width: 10, height: 10)), width: 100, height: 80)
        #expect(cut.top == 0 && cut.rows == Array(repeating: 0..<5, count: 5))
    }
}
