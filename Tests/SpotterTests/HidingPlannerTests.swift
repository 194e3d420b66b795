import Testing
import TextMatching
import TextSpotting

@testable import Spotter

/// What is hidden besides the words that were found: the rest of their line, which detectors took for another.
@Suite struct HidingPlannerTests {
    private let size = (width: 640, height: 360)

    private func line(_ text: String, at x: Double, _ y: Double = 100, width: Double, height: Double = 30) -> TextLine {
        let quad = Quad(Rect(x: x, y: y, width: width, height: height))
        return TextLine(quad: quad, words: [TextWord(text: text, quad: quad, confidence: 0.95)], confidence: 0.95)
    }

    private static func gray(_ index: Int) -> Picture {
        Picture(format: .luma, width: 320, height: 180, bytes: [UInt8](repeating: 90, count: 320 * 180))
    }

    /// Returns what is hidden in a recording of a second or two in which these lines stand still.
    ///
    /// - Parameters:
    ///   - read: the frames in which they are read.
    ///   - others: the lines that are read in the other frames.
    ///   - thumbnail: the small picture of each frame.
    private func things(
        _ lines: [TextLine], _ pattern: String, besides known: HidingPlan = HidingPlan(), read: Range<Int> = 0..<25,
        otherwise others: (Int) -> [TextLine] = { _ in [] }, frames: Int = 25, _ thumbnail: (Int) -> Picture = Self.gray
    ) throws -> [HiddenThing] {
        var manner = SearchMode()
        manner.leansToRecall = true
        let matcher = try manner.matcher(for: [pattern])
        var planner = HidingPlanner(
            HidingPlanner.Settings(hiding: matcher, onlyWords: false), matcher: matcher, besides: known)
        var tracker = TextTracker()
        var boxes: [Sighting.Box] = []
        for index in 0..<frames {
            let time = FrameTime(
                index: index, start: StreamTime(seconds: Double(index) / 25), duration: StreamTime(seconds: 0.04))
            let thumbnail = thumbnail(index)
            let lines = read.contains(index) ? lines : others(index)
            tracker.add(lines, in: nil, at: time)
            planner.take(
                .finding(
                    FrameResult(
                        time: time,
                        geometry: FrameResult.Geometry(
                            origin: Point(0, 0), pixelAspect: 1, scale: 0.5, width: size.width, height: size.height),
                        tracks: tracker.tracks, frames: [FrameHistory.Frame(time: time, picture: thumbnail)])))
            guard read.contains(index) else { continue }
            for match in matcher.matches(in: lines) { boxes.append(Sighting.Box(time: time, quad: match.quad)) }
        }
        if let first = boxes.first, let last = boxes.last {
            planner.take(
                .sighting(
                    Sighting(
                        id: 1, patternIndex: 0, pattern: pattern, text: lines[0].text, line: "",
                        start: first.time.start,
                        end: last.time.end, score: 0.9, peak: first, boxes: boxes)))
        }
        return planner.things()
    }

    /// A reading in between that ends in the middle of a text makes no bar shorter; a text that moves on takes none
    /// with it.
    @Test func aPlaceThatStandsKeepsItsLength() throws {
        func track(_ rect: (Int) -> Rect) throws -> HiddenTrack {
            let boxes = (0..<40).map { index in
                Sighting.Box(
                    time: FrameTime(index: index, start: StreamTime(seconds: Double(index) / 25), duration: .zero),
                    quad: Quad(rect(index)))
            }
            let sighting = Sighting(
                id: 1, patternIndex: 0, pattern: "", text: "", line: "", start: .zero, end: StreamTime(seconds: 2),
                score: 1, peak: boxes[0], boxes: boxes)
            var track = try #require(HiddenTrack(sighting, readings: Set(0..<40)))
            track.keepLength(for: 10)
            return track
        }
        let standing = try track { Rect(x: 100, y: 50, width: $0 < 12 ? 300 : 180, height: 30) }
        #expect(standing.quads[20].bounds.maxX == 400 && standing.quads[30].bounds.maxX == 280)
        #expect(standing.quads.allSatisfy { $0.bounds.minX == 100 && $0.bounds.height == 30 })
        let moving = try track { Rect(x: 100 + 20 * Double($0), y: 50, width: 200, height: 30) }
        #expect(moving.quads.allSatisfy { $0.bounds.width == 200 })
        let late = try track { Rect(x: 100, y: 50, width: $0 < 20 ? 100 : 300, height: 30) }
        #expect(late.quads[9].bounds.maxX == 200 && late.quads[10].bounds.maxX == 400, "its first reading ends early")
        // What is typed is hidden a moment before it is there, and not for as long as what was there.
        let typed = try track { Rect(x: 100, y: 50, width: Double(100 + 40 * max(0, min(5, $0 - 19))), height: 30) }
        #expect(typed.quads[16].bounds.maxX == 200 && typed.quads[18].bounds.maxX == 240)
    }

    /// Of pale letters a detector may see only the middle; letters that are spaced out are not much higher than they were
    /// read.
    @Test(arguments: [
        ("DE89 3704 0044", 14.0, 21.4), ("DE89 3704 0044", 30, 30), ("E X", 30, 54), ("", 30, 30),
    ]) func aPlaceIsAsHighAsItsLettersAreWide(text: String, height: Double, hidden: Double) throws {
        let box = Sighting.Box(
            time: FrameTime(index: 0, start: .zero, duration: .zero),
            quad: Quad(Rect(x: 100, y: 50, width: 300, height: height)))
        let sighting = Sighting(
            id: 1, patternIndex: 0, pattern: "", text: text, line: text, start: .zero, end: StreamTime(seconds: 1),
            score: 1, peak: box, boxes: [box])
        let track = try #require(HiddenTrack(sighting, readings: [0]))
        #expect(track.quads[0] == box.quad, "where the rest of the line is looked for")
        let bounds = track.asHighAsItsLetters(box.quad).bounds
        #expect(abs(bounds.height - hidden) < 0.1 && bounds.width == 300 && bounds.center.y == 50 + height / 2)
    }

    /// Text that is first read some frames after the recording begins, or last before its end, was there all that time.
    @Test func whatStandsFromTheFirstFrameIsHiddenFromIt() throws {
        for read in [5..<18, 16..<18] {
            let found = try things([line("jane@example.com", at: 60, width: 280)], "jane@example.com", read: read)
            #expect(found.count == 1 && found[0].start == .zero && found[0].end >= StreamTime(seconds: 0.99), "\(read)")
        }
    }

    /// Something that stands in front of a text moves off: what was seen of the text before is hidden as well.
    @Test func whatWasPartlyCoveredIsHiddenFromItsBeginning() throws {
        let text = line("Evangeline Porter", at: 100, width: 280)
        let found = try things([text], "Evangeline Porter", read: 26..<40, frames: 40) { index in
            let edge = 120 + 8 * max(0, index - 15)
            var bytes = [UInt8](repeating: 0, count: 320 * 180)
            for y in 40..<90 { for x in min(edge, 320)..<320 { bytes[y * 320 + x] = 250 } }
            return Picture(format: .luma, width: 320, height: 180, bytes: bytes)
        }
        #expect(found.count == 1 && found[0].start == .zero, "\(found)")
    }

    /// A window opens over a text, or was there before: the part beside it is hidden as long as it is there.
    @Test(arguments: [0..<10, 15..<25]) func aPartBesideACoverIsHidden(read: Range<Int>) throws {
        let name = "Ruprecht Adelmann"
        func found(beside other: TextLine) throws -> [HiddenThing] {
            try things([line(name, at: 100, width: 280)], name, read: read, otherwise: { _ in [other] }) { index in
                var bytes = [UInt8](repeating: 90, count: 320 * 180)
                if !read.contains(index) {
                    for y in 40..<80 { for x in 135..<285 { bytes[y * 320 + x] = 250 } }
                }
                return Picture(format: .luma, width: 320, height: 180, bytes: bytes)
            }
        }
        let part = try found(beside: line("Ruprecht Ad", at: 100, width: 170))
        #expect(part.count == 1 && part[0].start == .zero && part[0].end.seconds > 0.99, "\(part)")
        let other = try found(beside: line("Somebody", at: 100, width: 170))
        #expect(other.count == 1 && (other[0].end - other[0].start).seconds < 0.7, "\(other)")
        let elsewhere = try found(beside: line("Ruprecht Ad", at: 100, 200, width: 170))
        #expect(elsewhere.count == 1 && (elsewhere[0].end - elsewhere[0].start).seconds < 0.7, "\(elsewhere)")
    }

    private func bounds(_ things: [HiddenThing]) -> [Rect] {
        things.flatMap(\.paths).map { $0.quad(at: StreamTime(seconds: 0.5)).bounds }
    }

    @Test func theRestOfALineIsHiddenWithIt() throws {
        let found = bounds(
            try things([line("jane.doe@example", at: 100, width: 240), line(".com", at: 344, width: 60)], ":email"))
        #expect(found.contains { $0.minX < 100 && $0.maxX > 404 }, "\(found)")
        let apart = bounds(
            try things([line("jane.doe@example.com", at: 100, width: 240), line("Save", at: 400, width: 60)], ":email"))
        #expect(!apart.isEmpty && apart.allSatisfy { $0.maxX < 400 }, "\(apart)")
    }

    /// A copy: what stands right beside a bar was part of what is under it, and means nothing by itself.
    @Test(arguments: [(342.0, true), (430.0, false)]) func whatIsLeftBesideABarIsHidden(x: Double, isRest: Bool) throws
    {
        let bar = HiddenThing(
            id: 1, reason: ":card", start: .zero, end: StreamTime(seconds: 9),
            places: [HiddenPath.Place(time: .zero, quad: Quad(Rect(x: 88, y: 92, width: 252, height: 46)))])
        let lines = [line("11", at: x, width: 50)]
        #expect(try things(lines, ":card", besides: HidingPlan([bar])).isEmpty == !isRest)
        #expect(try things(lines, ":card").isEmpty)
        // Of words that were found whole nothing else is hidden.
        var words = bar
        words.reason = "pattern 1"
        #expect(try things(lines, "Jane Doe", besides: HidingPlan([words])).isEmpty)
    }

    /// What passes a bar was no part of what is under it; what is typed beside it was.
    @Test func whatPassesABarIsNotHidden() throws {
        let bar = HiddenThing(
            id: 1, reason: ":card", start: .zero, end: StreamTime(seconds: 9),
            places: [HiddenPath.Place(time: .zero, quad: Quad(Rect(x: 88, y: 92, width: 252, height: 46)))])
        func isHidden(_ other: (Int) -> TextLine) throws -> Bool {
            let found = try things(
                [], ":card", besides: HidingPlan([bar]), read: 0..<0, otherwise: { [other($0)] })
            return !found.isEmpty
        }
        #expect(try isHidden { _ in line("4411", at: 344, width: 90) })
        #expect(
            try isHidden { line(String(repeating: "1", count: 2 + $0 / 3), at: 344, width: 40 + 20 * Double($0 / 3)) })
        #expect(try !isHidden { line("CARGO", at: 480 - 6 * Double($0), width: 90) })
        // It is right beside the bar when it is first read, or when it is last read.
        #expect(try !isHidden { line("CARGO", at: 344 + 6 * Double($0), width: 90) })
        #expect(try !isHidden { line("CARGO", at: 344 + 6 * Double(24 - $0), width: 90) })
    }

    /// The edge cuts through a line that was read whole before, or is after: its letters are known. Of one that never was
    /// whole they are not, and no more of another text that comes to its place.
    @Test(arguments: [("Departures", false), ("", true), ("Rmhdnm", true)])
    func aLineThatWasReadWholeIsKnownAtTheEdge(text: String, isHidden: Bool) throws {
        func line(_ text: String, y: Double, confidence: Double) -> TextLine {
            let quad = Quad(Rect(x: 200, y: y, width: 180, height: 30))
            let words = [TextWord(text: text, quad: quad, confidence: confidence)]
            return TextLine(quad: quad, words: words, confidence: confidence)
        }
        for leaves in [true, false] {
            let found = try things([], ":email", read: 0..<0) { frame in
                let time = leaves ? 24 - frame : frame
                if time < 8 { return [line("Departunos", y: -14 + 2 * Double(time), confidence: 0.8)] }
                return text.isEmpty ? [] : [line(text, y: -14 + 2 * Double(time), confidence: 0.99)]
            }
            #expect(found.isEmpty != isHidden, "\(found)")
        }
    }

    /// A text is read once on its way over a picture, and not as the pattern needs it afterwards: it is not hidden for
    /// seconds where it was, because its place goes on changing. Where nothing tells that it has left, it is.
    @Test func aTextThatMovesOnLeavesNothingBehind() throws {
        func isHidden(moving speed: Double, isRead: Bool) throws -> Bool {
            let text = "Ruprecht Adelmann"
            let found = try things(
                [line(text, at: 200, width: 280)], text, read: 0..<1,
                otherwise: { isRead ? [line("echt Adelmann", at: 200 + 66 + speed * Double($0), width: 214)] : [] }
            ) { index in
                var bytes = [UInt8](repeating: 90, count: 320 * 180)
                for y in 40..<80 { for x in 80..<260 where (x / 4 + index) % 3 == 0 { bytes[y * 320 + x] = 100 } }
                return Picture(format: .luma, width: 320, height: 180, bytes: bytes)
            }
            let time = FrameTime(index: 20, start: StreamTime(seconds: 0.8), duration: StreamTime(seconds: 0.04))
            return found.flatMap { $0.quads(in: time) }.contains { $0.holdsPoint(Point(215, 115)) }
        }
        #expect(try !isHidden(moving: 8, isRead: true))
        #expect(try isHidden(moving: 0, isRead: true))
        #expect(try isHidden(moving: 8, isRead: false))
    }
}
