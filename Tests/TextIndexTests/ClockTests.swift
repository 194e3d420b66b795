import Foundation
import GRDB
import Testing
import TextMatching
import TextSpotting

@testable import TextIndex

/// Clocks in the picture: which lines count as one, and how they are stored.
@Suite struct ClockTests {
    private let folder = IndexTestFolder()

    @Test(
        arguments: [
            ("2026-11-20 14:05:33", 20_777, 50_733), ("CAM 01 2026/11/20 14:05:33", 20_777, 50_733),
            ("20.11.2026 14:05:33", 20_777, 50_733), ("11/20/2026 2:05:33 PM", 20_777, 50_733),
            ("20/11/2026 02:05:33 a.m.", 20_777, 7_533), ("2026-11-2014:05:33", 20_777, 50_733),
            ("2026年11月20日 星期五 14:05:33", 20_777, 50_733), ("20 Nov 2026 12:00:00 AM", 20_777, 0),
            ("Nov 20, 2026 Fri 23:59:59", 20_777, 86_399), ("14:05:33.120 2O26-11-20", 20_777, 50_733),
            ("2026-11-20T14:05:33Z", 20_777, 50_733), ("12:30:00 PM 2026-11-20", 20_777, 45_000),
            // Day and month could be in either order, so the date is unknown.
            ("11/12/2026 14:05:33", nil, 50_733), ("14:05:33", nil, 50_733), ("REC 1:02:03", nil, 3_723),
        ] as [(String, Int?, Int)])
    func aClockIsRead(text: String, day: Int?, second: Int) throws {
        let clock = try #require(ClockText(text))
        #expect(clock.day == day && clock.second == second, "\(clock)")
    }

    @Test(
        arguments: [
            "EXIT 12", "14:05", "14:65:00", "25:00:00", "13:00:00 PM", "2026-11-20", "00:01:02 / 01:30:00",
            "2026-11-20 2026-11-21 14:05:33", "1:2:3", "10:20:30:40:50", "fe80:12:34:56", "2026-13-20",
        ])
    func whatIsNoClockIsNot(text: String) { #expect(ClockText(text) == nil) }

    // MARK: Finding it among lines

    private static let place = Rect(x: 20, y: 10, width: 300, height: 24)

    private func shown(_ text: String, at time: Double, y: Double = 10, confidence: Double = 0.95) -> ClockFinder.Shown
    {
        var place = Self.place
        place = Rect(x: place.minX, y: y, width: place.width, height: place.height)
        return ClockFinder.Shown(
            words: text.split(separator: " ").map(String.init), quad: Quad(place), confidence: confidence,
            first: time, last: time)
    }

    /// Returns a clock from 14:05:30 on, read 0.1 s after each of its seconds began; its first second begins 0.4 s
    /// after the recording.
    private func clock(_ seconds: Range<Int>, jump: Int = 0, pace: Int = 1, y: Double = 10) -> [ClockFinder.Shown] {
        seconds.map { second in
            let value = 50_730 + pace * second + jump
            func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
            let text = "2026-11-20 \(two(value / 3600)):\(two(value / 60 % 60)):\(two(value % 60)) CAM 01"
            return shown(text, at: Double(second) + 0.5, y: y)
        }
    }

    @Test func aClockIsOneTrack() throws {
        var lines = clock(0..<60)
        lines += [shown("EXIT 12", at: 3, y: 200), shown("2026-11-20 10:00:00 was the day", at: 4, y: 300)]
        // Misread: a wrong number, and text that is not a time.
        lines[20] = shown("2026-11-20 14:09:50 CAM 01", at: 20.5)
        lines[30] = shown("2026-11-20 14:06:0 01", at: 30.5)
        let found = try #require(ClockFinder.find(in: lines))
        #expect(found.lines.isSuperset(of: Set(0..<60).subtracting([20])) && found.lines.isDisjoint(with: [60, 61]))
        #expect(found.track.hasDate && found.track.pieces.count == 1)
        let offset = Double(try #require(found.track.pieces.first).offset) / 1000
        #expect(abs(offset - (20_777 * 86_400 + 50_729.6)) <= 0.5, "\(offset)")
        #expect(found.labels.map(\.words) == [[0, 2, 3]])
        #expect(found.track.drift == nil && found.track.jumps.isEmpty)
    }

    @Test func whatDoesNotGoAsTheRecordingIsNoClock() {
        let still = (0..<60).map { shown("2026-11-20 14:05:33", at: Double($0)) }
        #expect(ClockFinder.find(in: still) == nil)
        #expect(ClockFinder.find(in: clock(0..<60, pace: 2)) == nil)
        #expect(ClockFinder.find(in: clock(0..<3)) == nil)
        // The last line of a log: the time is right, but the other text changes.
        let log = clock(0..<60).enumerated().map { number, line in
            shown(line.words[0...1].joined(separator: " ") + " request \(number * 7919) done", at: line.first)
        }
        #expect(ClockFinder.find(in: log) == nil)
        // Two clocks that differ: it is unknown which is right.
        #expect(ClockFinder.find(in: clock(0..<60) + clock(0..<60, jump: 300, y: 400)) == nil)
    }

    @Test func aClockThatIsSetTellsNoTime() throws {
        let found = try #require(ClockFinder.find(in: clock(0..<60) + clock(60..<120, jump: 3600)))
        #expect(found.track.pieces.count == 2 && found.track.wallStart == nil)
        let jump = try #require(found.track.jumps.first)
        #expect(abs(jump.seconds - 3600) < 1 && abs(jump.at.seconds - 60.5) < 1)
        var source = Lines.source("a")
        source.note(found.track)
        #expect(source.wallStart == nil)
        #expect(source.clockTroubles.joined().contains("jumps by +1:00:00 h"), "\(source.clockTroubles)")
    }

    @Test func driftIsToldAndTheRecordingsOwnTimeCountsMore() throws {
        let piece = ClockTrack.Piece(
            start: .zero, end: StreamTime(seconds: 7200), offset: 1_800_000_000_000, lastOffset: 1_800_000_006_000)
        let track = ClockTrack(hasDate: true, pieces: [piece], quad: Quad(Self.place))
        #expect(track.drift == 3)
        var source = Lines.source("a")
        source.note(track)
        #expect(source.hasTimeOfClock && source.clockTroubles == ["its clock is fast by 3.0 s an hour"])
        var other = Lines.source("b")
        other.wallStart = try #require(track.wallStart) + 100
        other.note(track)
        #expect(!other.hasTimeOfClock && other.clockTroubles.last?.contains("0:01:40 h behind") == true)
    }

    // MARK: In the index

    /// It is found by its times, in a rebuilt catalog too, without false results.
    @Test func aClockIsFoundByWhatItShows() throws {
        let index = try TextIndex.forWriting(try folder.folder())
        var part = Lines.part((0..<60).map { _ in Lines.line("EXIT") })
        let start = 20_777 * 86_400 + 50_730
        part.clock = ClockTrack(
            hasDate: true,
            pieces: [
                .init(
                    start: .zero, end: StreamTime(seconds: 119), offset: Int64(start) * 1000,
                    lastOffset: Int64(start) * 1000)
            ], quad: Quad(Self.place))
        var source = Lines.source("a")
        source.note(part.clock!)
        _ = try index.add(part, of: source, inPlaceOf: nil)
        try index.rewrite(try index.catalog.segments().map(\.name))
        for _ in 0..<2 {
            func times(_ pattern: String) throws -> [[Double]] {
                let matcher = Matcher(patterns: [try Pattern(text: pattern)])
                return try index.search(for: matcher, minimumScore: 0.3).sightings.values.flatMap(\.self)
                    .map { [$0.start.seconds, $0.end.seconds] }
            }
            #expect(try times("14:05:40") == [[10, 11]])
            #expect(try times("2026-11-20 14:06") == [[30, 90]])
            #expect(try times("2:06 PM").isEmpty || times("2:06 PM") == [[30, 90]])
            #expect(try times("2026-11-21 14:06").isEmpty && times("15:06").isEmpty && times("14:08:00").isEmpty)
            #expect(try index.sources().first?.burntIn == part.clock)
            try index.catalog.write { try $0.execute(sql: "DELETE FROM source; DELETE FROM segment; DELETE FROM part") }
            #expect(try index.repair().map(\.kind) == [.unknown])
        }
    }
}
