import Painting
import Testing
import TextMatching
import TextSpotting

@testable import Spotter

/// A further finding never uncovers a place that other findings hide, in any frame.
@Suite struct MoreHidesMoreTests {
    private static let size = (width: 640, height: 360)
    private static let frames = 60
    private static let name = "Evangeline Porter"

    private static func time(_ index: Int) -> FrameTime {
        FrameTime(index: index, start: StreamTime(seconds: Double(index) / 25), duration: StreamTime(seconds: 0.04))
    }

    /// A text that moves or stands still, and the frames in which it was found: if it moves, enough of them to tell how.
    private struct Path {
        var start: Point
        var step: Point
        var height: Double
        var width: Double
        var found: [Range<Int>]

        init(_ dice: inout SeededGenerator) {
            height = Double.random(in: 18...40, using: &dice)
            width = height * Double.random(in: 3...9, using: &dice)
            let isStill = Int.random(in: 0..<3, using: &dice) == 0
            step =
                isStill
                ? Point(0, 0)
                : Point(Double.random(in: -24...24, using: &dice), Double.random(in: -3...3, using: &dice))
            let middle = Point(Double.random(in: 100...400, using: &dice), Double.random(in: 60...280, using: &dice))
            start = middle - step * Double(MoreHidesMoreTests.frames / 2)
            let fewest = isStill ? 1 : 10
            found = (0..<Int.random(in: 1...3, using: &dice)).map { _ in
                let begin = Int.random(in: 0..<50, using: &dice)
                return begin..<min(MoreHidesMoreTests.frames, begin + Int.random(in: fewest...20, using: &dice))
            }
        }

        func quad(_ index: Int) -> Quad {
            let place = start + step * Double(index)
            return Quad(Rect(x: place.x, y: place.y, width: width, height: height))
        }

        func sightings(_ id: Int) -> [Sighting] {
            found.enumerated().map { number, frames in
                let boxes = frames.map { Sighting.Box(time: MoreHidesMoreTests.time($0), quad: quad($0)) }
                return Sighting(
                    id: 10 * id + number, patternIndex: 0, pattern: "", text: "36C 7215", line: "36C 7215",
                    start: boxes[0].time.start, end: boxes[boxes.count - 1].time.end, score: 0.9, peak: boxes[0],
                    boxes: boxes)
            }
        }
    }

    /// Returns the plan for a recording in which every fifth frame is read.
    private func plan(
        _ sightings: [Sighting], cut: Rect?, _ text: String = "Evangeline Po", moves: Bool, pattern: String
    ) throws -> HidingPlan {
        var manner = SearchMode()
        manner.leansToRecall = true
        let matcher = try manner.matcher(for: [pattern])
        var planner = HidingPlanner(HidingPlanner.Settings(hiding: matcher, onlyWords: false), matcher: matcher)
        var tracker = TextTracker()
        for index in 0..<Self.frames {
            let gray = UInt8(moves ? 60 + 40 * (index % 2) : 90)
            let picture = Picture(
                format: .luma, width: 320, height: 180, bytes: [UInt8](repeating: gray, count: 320 * 180))
            let isRead = index % 5 == 0
            if isRead {
                // Something else in a corner, so that the frame counts as read.
                let lines = [(cut, text), (Rect(x: 20, y: 330, width: 60, height: 12), "menu")].compactMap {
                    rect, text in
                    rect.map { rect in
                        let word = TextWord(text: text, quad: Quad(rect), confidence: 0.95)
                        return TextLine(quad: word.quad, words: [word], confidence: 0.95)
                    }
                }
                tracker.add(lines, in: nil, at: Self.time(index))
            }
            planner.take(
                .finding(
                    FrameResult(
                        time: Self.time(index),
                        geometry: FrameResult.Geometry(
                            origin: Point(0, 0), pixelAspect: 1, scale: 0.5, width: Self.size.width,
                            height: Self.size.height),
                        tracks: isRead ? tracker.tracks : [],
                        frames: [FrameHistory.Frame(time: Self.time(index), picture: picture)])))
        }
        for sighting in sightings { planner.take(.sighting(sighting)) }
        return HidingPlan(planner.things())
    }

    /// Returns the first frame in which a plan hides less than another.
    private func firstLoss(_ more: HidingPlan, than less: HidingPlan) -> (frame: Int, points: [Point])? {
        for index in 0..<Self.frames {
            let all = more.quads(in: Self.time(index))
            // The text itself, without margins.
            let some = less.quads(in: Self.time(index)).map {
                $0.grown(along: -0.5 * $0.height, across: -0.36 * $0.height)
            }
            var lost: [Point] = []
            for x in stride(from: 2.0, to: Double(Self.size.width), by: 8) {
                for y in stride(from: 2.0, to: Double(Self.size.height), by: 6) {
                    let point = Point(x, y)
                    if some.contains(where: { $0.holdsPoint(point) }),
                        !all.contains(where: { $0.holdsPoint(point) })
                    {
                        lost.append(point)
                    }
                }
            }
            if !lost.isEmpty { return (index, lost) }
        }
        return nil
    }

    @Test(arguments: 0..<200) func aFindingMoreHidesNoLess(seed: Int) throws {
        var dice = SeededGenerator(seed: UInt64(seed))
        let paths = (0..<Int.random(in: 1...2, using: &dice)).map { _ in Path(&dice) }
        let all = paths.enumerated().flatMap { $1.sightings($0) }
        let some = all.filter { _ in Bool.random(using: &dice) }
        let moves = paths.contains { $0.step != Point(0, 0) }
        let less = try plan(some, cut: nil, moves: moves, pattern: ":plate")
        let more = try plan(all, cut: nil, moves: moves, pattern: ":plate")
        let subject = HidingPlan.Subject(
            source: "x", width: Self.size.width, height: Self.size.height, duration: nil, file: nil)
        let lines = more.lines(of: subject, showsText: false).joined(separator: "\n")
        #expect(throws: Never.self, "seed \(seed): its own file is read") {
            try HidingPlan(parsing: lines, name: "plan", for: subject)
        }
        let loss = firstLoss(more, than: less)
        #expect(loss == nil, "seed \(seed) LOSS frame \(loss?.frame ?? 0): \(loss?.points.count ?? 0) points")
    }

    /// A misread line is found beside its text: it does not stay hidden where the text is no longer.
    @Test(arguments: [1, 3]) func whatWasReadOnceMovesWithItsText(frames: Int) throws {
        func sighting(_ frames: Range<Int>, width: Double) -> Sighting {
            let boxes = frames.map { index in
                let place = Rect(x: 20 + 8 * Double(index), y: 100, width: width, height: 24)
                return Sighting.Box(time: Self.time(index), quad: Quad(place))
            }
            return Sighting(
                id: frames.count, patternIndex: 0, pattern: "", text: "36C 7215", line: "36C 7215",
                start: boxes[0].time.start, end: boxes[boxes.count - 1].time.end, score: 0.9, peak: boxes[0],
                boxes: boxes)
        }
        let found = try plan(
            [sighting(0..<60, width: 100), sighting(30..<(30 + frames), width: 130)], cut: nil, moves: true,
            pattern: ":plate")
        #expect(found.things.count == 1 && found.things[0].paths.count == 2)
        let (middle, beside) = (Point(20 + 8 * 30 + 50, 112), Point(20 + 8 * 30 + 125, 112))
        func isHidden(_ point: Point, _ index: Int) -> Bool {
            found.quads(in: Self.time(index)).contains { $0.holdsPoint(point) }
        }
        #expect(isHidden(middle, 30) && isHidden(beside, 30))
        #expect(!isHidden(middle, 10) && !isHidden(middle, 50) && !isHidden(beside, 10))
    }

    /// A line that the edge cuts is found for a moment: it stays hidden for all of its time.
    @Test func aLineAtTheEdgeStaysHidden() throws {
        let cut = Rect(x: 440, y: 100, width: 199, height: 30)
        let boxes = (20..<24).map { Sighting.Box(time: Self.time($0), quad: Quad(cut)) }
        let found = Sighting(
            id: 1, patternIndex: 0, pattern: "", text: Self.name, line: Self.name, start: boxes[0].time.start,
            end: boxes[3].time.end, score: 0.9, peak: boxes[0], boxes: boxes)
        let less = try plan([], cut: cut, moves: true, pattern: Self.name)
        let more = try plan([found], cut: cut, moves: true, pattern: Self.name)
        #expect(!less.isEmpty)
        #expect(firstLoss(more, than: less) == nil)
    }

    /// Large text that comes nearer has no beginning and no end in the picture.
    @Test(arguments: [("angeline Port", true), ("ange", false), ("Angelina Pears", false)])
    func aTextIsHiddenThatIsCutAtBothSides(text: String, isHidden: Bool) throws {
        let cut = Rect(x: 0, y: 100, width: 640, height: 60)
        let plan = try plan([], cut: cut, text, moves: false, pattern: Self.name)
        #expect(plan.isEmpty != isHidden)
    }
}
