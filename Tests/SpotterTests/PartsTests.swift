import Foundation
import GStreamerMedia
import Synchronization
import TestSupport
import Testing
import TextMatching
import TextSpotting

@testable import Spotter

@Suite struct PartGridTests {
    private func borders(_ grid: PartGrid, until end: Double) -> [Double] {
        (1..<1000).map { grid.beginning(of: $0).seconds }.filter { $0 < end }
    }

    @Test func aRecordingOfLessThanAMinuteHasNoBorder() {
        #expect(borders(PartGrid(stating: StreamTime(seconds: 59.9)), until: 59.9).isEmpty)
        #expect(borders(PartGrid(stating: nil), until: 59.9).isEmpty)
    }

    @Test func bordersAreThirtySecondsApart() {
        #expect(borders(PartGrid(stating: StreamTime(seconds: 125)), until: 125) == [30, 60, 90, 120])
        #expect(borders(PartGrid(stating: nil), until: 125) == [60, 90, 120])
    }

    @Test func aFrameBelongsToThePartInWhichItBegins() {
        for length in [StreamTime(seconds: 600), nil] {
            let grid = PartGrid(stating: length)
            #expect(grid.part(at: .zero) == 0)
            for part in 1..<15 {
                let begin = grid.beginning(of: part)
                #expect(grid.part(at: begin) == part)
                #expect(grid.part(at: begin - StreamTime(nanoseconds: 1)) == part - 1)
            }
        }
    }
}

@Suite struct PartPlanTests {
    @Test(
        "one part for each two processors, divided among the inputs",
        arguments: [(1, 1, 1), (2, 1, 1), (3, 1, 2), (4, 1, 2), (8, 1, 4), (16, 1, 8), (16, 4, 2), (16, 20, 1)])
    func parts(processors: Int, inputs: Int, expected: Int) {
        #expect(SideBySide(processors: processors, memory: 1 << 30, inputs: inputs).parts == expected)
    }

    private func plan(_ from: Double, _ to: Double, parts: Int, megabytes: Int) -> PartPlan? {
        PartPlan(
            PartGrid(stating: StreamTime(seconds: 600)), StreamTime(seconds: from)..<StreamTime(seconds: to),
            SideBySide(parts: parts, memory: megabytes << 20), frameBytes: 3 << 20)
    }

    @Test func thereAreNoMorePartsThanInTheSearchedTime() throws {
        let two = try #require(plan(70, 120, parts: 8, megabytes: 8000))
        #expect(two.first == 2 && two.last == 3 && two.atATime == 2)
        #expect(plan(70, 85, parts: 8, megabytes: 8000) == nil)
    }

    @Test func thereAreNoMorePartsThanMemory() throws {
        let four = try #require(plan(0, 600, parts: 8, megabytes: 500))
        #expect(four.atATime == 4)
        #expect(four.atATime * (72 << 20) + four.window * four.memory <= 500 << 20 && four.memory >= 24 << 20)
        #expect(plan(0, 600, parts: 8, megabytes: 200) == nil)
    }
}

/// Recordings of more than a minute, with words across the borders of their parts.
@Suite struct PartsTests {
    /// Everything that a search reports, in order.
    private struct Outcome: Equatable {
        var sightings: [Sighting] = []
        var texts: [Sighting] = []
        /// The frames of each reading, and the lines that were read in it.
        var frames: [[FrameTime]] = []
        var lines: [[String]] = []
        var summary = FindSummary()
    }

    /// - Parameter change: changes the settings.
    private func search(
        _ description: String, in path: String? = nil, _ reader: any TextReader = BlotReader(),
        _ change: (inout FindSettings) -> Void = { _ in }
    ) async throws -> Outcome {
        var settings = FindSettings()
        settings.parts = SideBySide()
        settings.keepsBoxes = true
        settings.reportsAllText = true
        settings.reportsFindings = true
        change(&settings)
        let spotter = FileSpotter(
            description: description, sourceName: "the clip", settings: settings, reader: reader,
            matcher: try matcher("LEFT", "RIGHT"), file: path.flatMap(SourceFile.init))
        let outcome = Mutex(Outcome())
        let summary = try await spotter.search { event in
            outcome.withLock { outcome in
                switch event {
                case .sighting(let sighting): outcome.sightings.append(sighting)
                case .text(let text): outcome.texts.append(text)
                case .finding(let finding):
                    outcome.frames.append(finding.frames.map(\.time))
                    outcome.lines.append(finding.tracks.map { "\($0.id) \($0.line.text) \($0.read.index)" })
                case .onePicture, .progress, .warning: break
                }
            }
        }
        return outcome.withLock { outcome in
            outcome.summary = summary
            return outcome
        }
    }

    /// LEFT is visible from 20 to 70 s and RIGHT from 65 to 95 s, in 100 s of four pictures per second.
    private static let parts: [ShortClips.Part] = [
        .init(frames: 80), .init(frames: 180, left: true), .init(frames: 20, left: true, right: true),
        .init(frames: 100, right: true), .init(frames: 20),
    ]

    private static func make(_ encoding: String, _ ending: String) async throws -> String {
        let name = NSTemporaryDirectory() + "framegrep-\(UUID().uuidString)"
        let (drawn, path) = ("\(name).drawn.avi", "\(name).\(ending)")
        defer { try? FileManager.default.removeItem(atPath: drawn) }
        let branches = parts.map {
            "videotestsrc pattern=black num-buffers=\($0.frames) ! \(format) "
                + "\(ShortClips.words(left: $0.left, right: $0.right))! c."
        }
        // An encoder that handles several pictures at a time changes the times at the joints.
        try await ShortClips.play(
            "concat name=c ! jpegenc quality=95 ! avimux ! filesink location=\(drawn) "
                + branches.joined(separator: " "))
        try await ShortClips.play(
            "filesrc location=\(drawn) ! avidemux ! jpegdec ! \(encoding) ! filesink location=\(path)")
        return path
    }

    private static let format = "video/x-raw,format=I420,width=160,height=90,framerate=4/1"

    @Test func aSightingOverABorderIsOneAndThePictureIsReadAnewThere() async throws {
        let path = try await Self.make("jpegenc quality=95 ! matroskamux", "mkv")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let description = "filesrc location=\(path) ! matroskademux ! jpegdec ! appsink name=frames"
        let whole = try await search(description) { $0.parts = nil }
        let found = try await search(description) { $0.reportsEachChange = true }
        #expect(found.sightings.map(\.text) == ["LEFT", "RIGHT"])
        #expect(found.sightings.map(\.start.seconds) == [20, 65] && found.sightings.map(\.end.seconds) == [70, 95])
        #expect(found.texts.map(\.text) == ["LEFT", "RIGHT"])
        // A new part loses no result, and takes no frame twice.
        #expect(found.frames.flatMap(\.self).map(\.index) == Array(0..<400))
        #expect(found.summary.frames == 400)
        #expect(Set(found.lines.flatMap(\.self).map { $0.split(separator: " ").prefix(2).joined() }).count == 2)
        // At each border the text there is read once more, because nothing is known.
        let borders = found.frames.indices.filter {
            found.frames[$0].last.map { [30, 60, 90].contains($0.start.seconds) } ?? false
        }
        #expect(borders.count == 3)
        #expect(whole.sightings.map(\.boxes.count) == found.sightings.map(\.boxes.count))
        for concurrency in [4, 16] {
            let reader = BlotReader(concurrency: concurrency) { _ in
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...5)))
            }
            #expect(try await search(description, reader) { $0.reportsEachChange = true } == found)
        }
    }

    /// Notes the frames that are read.
    private final class NotingReader: TextReader {
        let name = "noted blots"
        let pictureFormat = Picture.Format.luma
        let concurrency = 2
        private let blots = BlotReader(concurrency: 2)
        private let frames = Mutex<[FrameTime]>([])

        func read(_ picture: Picture) async throws -> [TextLine] { try await blots.read(picture) }

        func read(_ picture: Picture, at time: FrameTime, after previous: PreviousReading) async throws -> TextTracker {
            frames.withLock { $0.append(time) }
            return try await blots.read(picture, at: time, after: previous)
        }

        /// Returns the numbers of the frames, by their start times.
        var numbers: [StreamTime: Int] { frames.withLock { Dictionary($0.map { ($0.start, $0.index) }) { $1 } } }

        /// Returns the parts whose reader began with them: such a reader counts frames from there.
        func movedParts(against one: NotingReader) -> Set<Int> {
            let whole = one.numbers
            let moved = numbers.filter { start, number in whole[start].map { $0 != number } ?? false }
            let grid = PartGrid(stating: StreamTime(seconds: 100))
            return Set(moved.keys.map(grid.part))
        }
    }

    private struct Form: Sendable {
        var encoding: String
        var ending: String
        /// Whether its parts are read in parallel; nil if that depends on the muxer's output.
        var isProven: Bool? = true
    }

    /// Key frames are 12 s apart and pictures refer to later ones, so the reader of a later part starts decoding far
    /// before it.
    private static let forms = [
        Form(
            encoding: "x264enc key-int-max=48 bframes=2 ! mp4mux", ending: "mp4"),
        Form(
            encoding: "x264enc key-int-max=48 bframes=2 ! matroskamux", ending: "mkv"),
        Form(
            encoding: "vp8enc keyframe-max-dist=48 deadline=1 ! webmmux", ending: "webm"),
        Form(encoding: "jpegenc ! avimux", ending: "avi"),
        Form(
            encoding: "x264enc key-int-max=48 bframes=2 ! mp4mux fragment-duration=5000", ending: "mp4", isProven: nil),
        Form(
            encoding: "x264enc key-int-max=48 bframes=2 ! mpegtsmux", ending: "ts", isProven: false),
    ]

    private static func with(
        _ form: Form, _ body: (_ description: String, _ path: String) async throws -> Void
    ) async throws {
        let path = try await make("timeoverlay halignment=right valignment=bottom ! \(form.encoding)", form.ending)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body("filesrc location=\(path) ! decodebin ! videoconvert ! appsink name=frames", path)
    }

    private static let much = 1 << 30

    @Test(arguments: forms.indices)
    func theResultDoesNotDependOnTheNumberOfPartsAtATime(_ form: Int) async throws {
        try await Self.with(Self.forms[form]) { description, path in
            let whole = NotingReader()
            let one = try await search(description, in: path, whole)
            #expect(one.summary.frames > 390, "\(one.summary)")
            #expect(!one.sightings.isEmpty)
            for (parts, memory) in [(2, Self.much), (4, Self.much), (4, 150 << 20)] {
                let reader = NotingReader()
                let several = try await search(description, in: path, reader) {
                    $0.parts = SideBySide(parts: parts, memory: memory)
                }
                #expect(several == one)
                guard parts == 4, memory == Self.much, let isProven = Self.forms[form].isProven else { continue }
                #expect(reader.movedParts(against: whole) == (isProven ? [1, 2, 3] : []))
            }
        }
    }

    /// Its sound begins earlier, so the first frame is not in the first part.
    @Test func aPictureThatBeginsLateIsReadToItsEnd() async throws {
        let path = NSTemporaryDirectory() + "framegrep-\(UUID().uuidString).mkv"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await ShortClips.play(
            "matroskamux name=m ! filesink location=\(path) "
                + "audiotestsrc num-buffers=830 ! audio/x-raw,rate=8000,channels=1 ! m. "
                + "videotestsrc pattern=black num-buffers=240 timestamp-offset=45000000000 ! \(Self.format) "
                + "\(ShortClips.words(left: true, right: false))! jpegenc quality=95 ! m.")
        var outcomes: [Outcome] = []
        for parts in [1, 4] {
            outcomes.append(
                try await search("filesrc location=\(path) ! decodebin ! videoconvert ! appsink name=frames", in: path)
                {
                    $0.parts = SideBySide(parts: parts, memory: Self.much)
                })
        }
        #expect(outcomes[0] == outcomes[1])
        #expect(outcomes[0].summary.frames == 240)
        #expect(outcomes[0].summary.end.seconds == 105, "it begins after the first border")
    }

    @Test func ofAPartOfTheTimeTheSameIsTrue() async throws {
        try await Self.with(Self.forms[0]) { description, path in
            for (from, to) in [(45.0, 95.0), (31.1, 61.3), (70, 200), (0, 29)] {
                var outcomes: [Outcome] = []
                for parts in [1, 4] {
                    outcomes.append(
                        try await search(description, in: path) {
                            $0.parts = SideBySide(parts: parts, memory: Self.much)
                            ($0.from, $0.to) = (StreamTime(seconds: from), StreamTime(seconds: to))
                        })
                }
                #expect(outcomes[0] == outcomes[1])
            }
        }
    }

    /// Every frame shows the time since the last seek of the decoder, so no two readers see the same.
    @Test func whereFramesDifferAfterAMoveOneReaderReadsEverything() async throws {
        try await Self.with(Self.forms[1]) { description, path in
            let changing = description.replacing(
                "! appsink", with: "! timeoverlay time-mode=running-time valignment=top ! appsink")
            let one = try await search(changing, in: path)
            let several = try await search(changing, in: path) { $0.parts = SideBySide(parts: 4, memory: Self.much) }
            #expect(several == one)
        }
    }

    @Test func enoughIsEnough() async throws {
        try await Self.with(Self.forms[1]) { description, path in
            var outcomes: [Outcome] = []
            for parts in [1, 4] {
                outcomes.append(
                    try await search(description, in: path) {
                        $0.parts = SideBySide(parts: parts, memory: Self.much)
                        $0.maximumCount = 1
                    })
            }
            #expect(outcomes[0] == outcomes[1] && outcomes[0].summary.end < StreamTime(seconds: 60))
        }
    }
}
