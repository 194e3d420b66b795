import Testing

@testable import TextSpotting

@Suite("Sightings: what all patterns have in common")
struct CommonTimesTests {
    private func sighting(_ id: Int, _ pattern: Int, _ frames: Range<Int>, peak: Int? = nil) -> Sighting {
        func box(_ index: Int) -> Sighting.Box {
            Sighting.Box(time: frameTime(index), quad: Quad(Rect(x: Double(index), y: 0, width: 10, height: 10)))
        }
        return Sighting(
            id: id, patternIndex: pattern, pattern: "p\(pattern)", text: "t", line: "l",
            start: frameTime(frames.lowerBound).start,
            end: frameTime(frames.upperBound - 1).end, score: 0.9, peak: box(peak ?? frames.lowerBound),
            boxes: frames.map(box))
    }

    private func cut(_ sightings: Sighting..., of count: Int) -> [(pattern: Int, frames: Range<Int>)] {
        var common = CommonTimes(patternCount: count)
        for sighting in sightings { common.add(sighting) }
        return common.cut().map { ($0.patternIndex, $0.frames) }
    }

    @Test("sightings are cut to the time in which all patterns are in view")
    func overlap() {
        let parts = cut(sighting(1, 0, 0..<50), sighting(2, 1, 20..<80), of: 2)
        #expect(parts.map(\.pattern) == [0, 1] && parts.allSatisfy { $0.frames == 20..<50 })
        #expect(cut(sighting(1, 0, 0..<20), sighting(2, 1, 20..<80), of: 2).isEmpty)
        #expect(cut(sighting(1, 0, 0..<20), of: 2).isEmpty)
        #expect(cut(sighting(1, 0, 0..<20), of: 1).map(\.frames) == [0..<20])
    }

    @Test("a sighting that reaches into two stretches is seen in both")
    func stretches() {
        let parts = cut(sighting(1, 0, 0..<100), sighting(2, 1, 10..<20), sighting(3, 1, 60..<70), of: 2)
        #expect(parts.map(\.frames) == [10..<20, 10..<20, 60..<70, 60..<70])
        #expect(parts.map(\.pattern) == [0, 1, 0, 1])
    }

    @Test("two places of one pattern together cover a time")
    func united() {
        let parts = cut(sighting(1, 0, 0..<30), sighting(2, 0, 25..<60), sighting(3, 1, 20..<40), of: 2)
        #expect(parts.map(\.frames).map(\.lowerBound) == [20, 20, 25])
        #expect(parts.map(\.frames).map(\.upperBound).sorted() == [30, 40, 40])
    }

    @Test("boxes and peak lie within, and numbers begin anew")
    func peak() throws {
        var common = CommonTimes(patternCount: 2)
        common.add(sighting(7, 0, 0..<100, peak: 90))
        common.add(sighting(9, 1, 20..<40, peak: 30))
        let parts = common.cut()
        #expect(parts.map(\.id) == [1, 2])
        #expect(parts[0].peak.time == frameTime(39) && parts[1].peak.time == frameTime(30))
        #expect(parts[0].boxes.map(\.time) == (20..<40).map(frameTime))
        #expect(common.cut(with: [sighting(10, 1, 50..<60)]).count == 4)
    }

    @Test("boxes that lie on a straight path need not be kept: cuts and peaks are the same", arguments: 0..<40)
    func thinned(number: Int) {
        let turns = (1 + number * 17 % 59, 60 + number * 23 % 59)
        let frames = 0..<120
        // 29.97 frames a second, whose times are no whole nanoseconds.
        func time(_ index: Int) -> FrameTime {
            func start(_ index: Int) -> StreamTime { StreamTime(nanoseconds: Int64(index) * 1_001_000_000 / 30) }
            return FrameTime(index: index, start: start(index), duration: start(index + 1) - start(index))
        }
        func sighting(_ id: Int, _ pattern: Int, _ frames: Range<Int>) -> Sighting {
            var sighting = self.sighting(id, pattern, frames)
            (sighting.start, sighting.end) = (time(frames.lowerBound).start, time(frames.upperBound - 1).end)
            sighting.boxes = []
            sighting.peak.time = time(frames.lowerBound)
            return sighting
        }
        let whole = frames.map { index in
            // It stands, moves and stands again.
            let x = 3 * Double(min(max(index, turns.0), turns.1))
            return Sighting.Box(time: time(index), quad: Quad(Rect(x: x, y: 9, width: 30, height: 10)))
        }
        let thinned = Sighting.Box.thinned(whole)
        #expect(thinned.count < 8)
        let stretch = (number * 31 % 60)..<(61 + number * 13 % 59)
        let peak = number * 47 % 120
        let parts = [whole, thinned].map { boxes in
            var long = sighting(1, 0, frames)
            (long.boxes, long.peak) = (boxes, whole[peak])
            var common = CommonTimes(patternCount: 2)
            common.add(long)
            common.add(sighting(2, 1, stretch))
            return common.cut()[0]
        }
        #expect(parts[0].start == parts[1].start && parts[0].end == parts[1].end)
        let (exact, near) = (parts[0].peak, parts[1].peak)
        #expect(exact.time.index == near.time.index)
        #expect(abs((exact.time.start - near.time.start).nanoseconds) <= 1)
        #expect(near.quad.isOnWay(from: exact.quad, to: exact.quad, at: 0, within: 1.5))
        #expect(parts[1].boxes.first?.time.index == stretch.lowerBound)
        #expect(parts[1].boxes.last?.time.index == stretch.upperBound - 1)
    }

    @Test("in a running picture one missed reading does not end a pattern's presence")
    func presence() {
        var presence = PatternPresence()
        let (a, b) = (match("A", pattern: 0), match("B", pattern: 1))
        #expect(presence.together([a], of: 2).isEmpty)
        #expect(presence.together([b], of: 2) == [b])
        #expect(presence.together([b], of: 2).isEmpty)
        #expect(presence.together([a, b], of: 2).count == 2)
        #expect(presence.together([], of: 2).isEmpty)
        #expect(presence.together([a, b], of: 2).count == 2)
    }
}
