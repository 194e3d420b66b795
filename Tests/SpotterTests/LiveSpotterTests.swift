import Errors
import Foundation
import Synchronization
import Testing
import TextMatching
import TextSpotting

@testable import Spotter

@Suite(.timeLimit(.minutes(2))) struct LiveSpotterTests {
    /// Collects events in order. Thread-safe.
    private final class Log: Sendable {
        private let all = Mutex<[LiveEvent]>([])
        func add(_ event: LiveEvent) { all.withLock { $0.append(event) } }
        var events: [LiveEvent] { all.withLock { $0 } }

        var names: [String] {
            events.compactMap {
                switch $0 {
                case .appeared(let sighting, _, _): "appeared \(sighting.text)"
                case .disappeared(let sighting, _): "disappeared \(sighting.text)"
                case .end(let end): "end \(end.reason.rawValue)"
                case .warning(let warning): "warning \(warning.code.rawValue)"
                case .state, .box, .statistics, .snapshot, .text, .textAppeared: nil
                }
            }
        }
    }

    /// Returns a file's worth of frames in real time, with words in both halves.
    private func source(_ frames: Int, rate: Int = 50, right: Bool = true) -> String {
        let format = ShortClips.format.replacing("25/1", with: "\(rate)/1")
        return
            "videotestsrc pattern=black num-buffers=\(frames) ! \(format) \(ShortClips.words(left: true, right: right))! appsink name=frames"
    }

    private func spotter(
        _ description: String, _ reader: BlotReader, _ words: String..., change: (inout LiveSettings) -> Void = { _ in }
    ) throws -> LiveSpotter {
        var settings = LiveSettings()
        change(&settings)
        return LiveSpotter(
            description: description, settings: settings, reader: reader,
            matcher: Matcher(patterns: try words.map { try Pattern(text: $0) }))
    }

    @Test func aWordAppearsAndTheEndIsTheLastEvent() async throws {
        let log = Log()
        let reader = BlotReader()
        let end = try await spotter(source(30), reader, "LEFT").run(log.add)
        #expect(log.names == ["appeared LEFT", "disappeared LEFT", "end eos"])
        #expect(end.reason == .eos && end.sightings == 1 && end.failure == nil)
        guard case .end = log.events.last else {
            Issue.record("the last event is not the end")
            return
        }
    }

    /// A still part is not read again, as with the whole picture, and its places stay those of the picture.
    @Test func aStillPictureIsNotReadAgainAndNeitherIsAPartOfIt() async throws {
        var places: [Rect] = []
        for region in [nil, "0,0,60%,100%", "3,10,80,70"] {
            let log = Log()
            let reader = BlotReader()
            let end = try await spotter(
                source(40, right: false) + " appsrc name=overlay ! fakesink", reader, "LEFT"
            ) {
                $0.reading.region = try? region.map(RegionOfInterest.init(parsing:))
                $0.reportsBoxes = true
            }.run(log.add)
            #expect(log.names == ["appeared LEFT", "disappeared LEFT", "end eos"])
            #expect(reader.readings == 1 && end.statistics.unchanged > 0, "\(region ?? "all of it")")
            let boxes = log.events.compactMap { if case .box(_, let quad, _) = $0 { quad.bounds } else { nil } }
            places.append(try #require(boxes.last))
        }
        // The reader that stands in places a word in the middle of the part that it is given.
        for place in places {
            #expect(abs(place.x - places[0].x) < 1.5 && abs(place.y - places[0].y) < 1.5, "\(places)")
            #expect(abs(place.height - places[0].height) < 1.5, "\(places)")
        }
        #expect(places[0].y > 11)
    }

    @Test func aFrameIsReadOrCountedAsSkipped() async throws {
        let reader = BlotReader { _ in try await Task.sleep(for: .milliseconds(120)) }
        let end = try await spotter(source(60), reader, "LEFT").run { _ in }
        #expect(end.statistics.skipped + end.statistics.unchanged + reader.readings == 60)
        #expect(end.statistics.skipped > 0 && reader.readings < 40)
    }

    @Test func thePictureNeverWaitsForTheReader() async throws {
        // The shown frames are written to a file; the first reading ends only when many of them are written.
        let path = NSTemporaryDirectory() + "framegrep-\(UUID().uuidString).raw"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let frameSize = 160 * 90 * 3 / 2
        let size = { @Sendable in
            (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        }
        let reader = BlotReader { number in
            while number == 0, size() < 40 * frameSize { try await Task.sleep(for: .milliseconds(5)) }
        }
        let end = try await spotter(
            "\(source(60)) appsrc name=overlay ! filesink buffer-mode=unbuffered location=\(path)", reader, "LEFT"
        )
        .run { _ in }
        #expect(end.reason == .eos)
        #expect(size() == 60 * frameSize)
        #expect(end.statistics.skipped >= 38)
    }

    @Test func boxesAreDrawnOnThePicture() async throws {
        /// Returns the brightness of every tenth shown frame.
        func frames(searchedFor word: String) async throws -> [[UInt8]] {
            let path = NSTemporaryDirectory() + "framegrep-\(UUID().uuidString).raw"
            defer { try? FileManager.default.removeItem(atPath: path) }
            _ = try await spotter("\(source(150)) appsrc name=overlay ! filesink location=\(path)", BlotReader(), word)
            {
                $0.showsStatus = false
            }.run { _ in }
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            let size = 160 * 90 * 3 / 2
            return stride(from: 0, to: bytes.count / size, by: 10).map {
                Array(bytes[($0 * size)..<($0 * size + 160 * 90)])
            }
        }
        let without = try #require(try await frames(searchedFor: "NOWHERE").last)
        let changes = try await frames(searchedFor: "LEFT").map { frame in
            (0..<(160 * 90)).filter { frame[$0] != without[$0] }
        }
        #expect(changes.contains { $0.count > 50 })
        #expect(changes.allSatisfy { $0.allSatisfy { $0 % 160 < 100 } })
    }

    @Test func wordsCanChangeWhileItRuns() async throws {
        let log = Log()
        let spotter = try spotter(source(150), BlotReader(), "LEFT")
        let words = try matcher("RIGHT")
        let end = try await spotter.run { event in
            log.add(event)
            if case .appeared(let sighting, _, _) = event, sighting.text == "LEFT" {
                spotter.words.replace(with: words)
            }
        }
        #expect(log.names == ["appeared LEFT", "disappeared LEFT", "appeared RIGHT", "disappeared RIGHT", "end eos"])
        #expect(end.sightings == 2)
    }

    @Test func wordsThatStayGoOnWhenOthersCome() async throws {
        let log = Log()
        let ids = Mutex<[String: Set<Int>]>([:])
        let spotter = try spotter(source(150), BlotReader(), "LEFT")
        let words = try matcher("RIGHT", "LEFT")
        let end = try await spotter.run { event in
            log.add(event)
            guard case .appeared(let sighting, _, _) = event else { return }
            ids.withLock { _ = $0[sighting.pattern, default: []].insert(sighting.id) }
            if sighting.text == "LEFT" { spotter.words.replace(with: words) }
        }
        #expect(log.names.prefix(2) == ["appeared LEFT", "appeared RIGHT"])
        #expect(log.names.count == 5 && end.sightings == 2, "\(log.names)")
        #expect(ids.withLock { $0 } == ["LEFT": [1], "RIGHT": [2]])
    }

    @Test func whatWasReadIsSearchedAgainAtOnceWithoutAnotherReading() async throws {
        let log = Log()
        // The first reading sees both words; the next ones never end.
        let reader = BlotReader { number in
            if number > 0 { try await Task.sleep(for: .seconds(3600)) }
        }
        let spotter = try spotter(source(100_000), reader, "LEFT") {
            $0.reading.maximumAge = StreamTime(seconds: 0.01)
        }
        let words = try matcher("RIGHT")
        let end = try await spotter.run { event in
            log.add(event)
            guard case .appeared(let sighting, _, _) = event else { return }
            if sighting.text == "LEFT" { spotter.search(for: words) } else { spotter.stop() }
        }
        #expect(
            log.names == ["appeared LEFT", "disappeared LEFT", "appeared RIGHT", "disappeared RIGHT", "end signal"])
        #expect(end.sightings == 2 && reader.readings <= 2)
    }

    @Test func anEngineThatFailsEndsWhatIsInView() async throws {
        struct OutOfInk: Error {}
        let log = Log()
        let reader = BlotReader { number in if number > 0 { throw OutOfInk() } }
        // A moving picture is read more than once.
        let moving = source(100_000).replacing("pattern=black", with: "pattern=ball")
        let end = try await spotter(moving, reader, "LEFT").run(log.add)
        #expect(end.failure?.code == .engineUnavailable)
        #expect(log.names == ["appeared LEFT", "disappeared LEFT", "end error"])
    }

    @Test func ofSeveralWordsThatMustBeSeenTogetherNoneCountsAlone() async throws {
        for right in [true, false] {
            let log = Log()
            let all = try SearchMode(requiresAll: true).matcher(for: ["LEFT", "RIGHT"])
            let spotter = LiveSpotter(
                description: source(40, right: right), settings: LiveSettings(), reader: BlotReader(), matcher: all)
            let end = try await spotter.run(log.add)
            #expect(end.sightings == (right ? 2 : 0), "\(log.names)")
        }
    }

    @Test func stoppingEndsItAsASignalDoes() async throws {
        let log = Log()
        // Readings that last until they are cancelled must not delay the end.
        let reader = BlotReader { number in
            if number > 0 { try await Task.sleep(for: .seconds(3600)) }
        }
        let spotter = try spotter(source(100_000), reader, "LEFT")
        let end = try await spotter.run { event in
            log.add(event)
            if case .appeared = event { spotter.stop() }
        }
        #expect(end.reason == .signal)
        #expect(log.names == ["appeared LEFT", "disappeared LEFT", "end signal"])
    }

    @Test func stoppedBeforeItBeganItEnds() async throws {
        let spotter = try spotter(source(100_000), BlotReader(), "LEFT")
        spotter.stop()
        #expect(try await spotter.run { _ in }.reason == .signal)
    }

    @Test func cancellingTheTaskEndsItToo() async throws {
        let log = Log()
        let (found, finding) = AsyncStream.makeStream(of: Void.self)
        let spotter = try spotter(source(100_000), BlotReader(), "LEFT")
        let task = Task {
            try await spotter.run { event in
                log.add(event)
                if case .appeared = event { finding.yield() }
            }
        }
        for await _ in found { break }
        task.cancel()
        #expect(try await task.value.reason == .signal)
    }

    @Test func cancellingTheTaskCompletesTheRecording() async throws {
        let path = NSTemporaryDirectory() + "framegrep-\(UUID().uuidString).mov"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (found, finding) = AsyncStream.makeStream(of: Void.self)
        let spotter = try spotter(
            "\(source(100_000)) appsrc name=overlay ! jpegenc ! qtmux ! filesink location=\(path)", BlotReader(), "LEFT"
        )
        let task = Task {
            try await spotter.run { event in
                if case .appeared = event { finding.yield() }
            }
        }
        for await _ in found { break }
        task.cancel()
        #expect(try await task.value.reason == .signal)
        // Such a file cannot be played before its index is written, which comes last.
        try await ShortClips.play("filesrc location=\(path) ! qtdemux ! fakesink")
    }

    @Test func stoppedWhileItOpensItEndsAtOnce() async throws {
        let log = Log()
        // Its first frame never arrives, and the wait would take half a minute.
        let spotter = try spotter(
            "appsrc format=time ! video/x-raw,width=16,height=16 ! appsink name=frames", BlotReader(), "LEFT")
        let end = try await spotter.run { event in
            log.add(event)
            if case .state(.opening, _) = event { spotter.stop() }
        }
        #expect(end.reason == .signal && end.sightings == 0 && log.names == ["end signal"])
    }

    @Test func anErrorInTheMiddleIsTheReason() async throws {
        let log = Log()
        let description = source(200).replacing("! appsink", with: "! identity error-after=30 ! appsink")
        let end = try await spotter(description, BlotReader(), "LEFT").run(log.add)
        #expect(end.reason == .error)
        #expect(end.failure != nil)
        #expect(log.names.last == "end error")
    }

    @Test func anEngineThatFailsIsTheReason() async throws {
        let reader = BlotReader { _ in throw FramegrepError(.engineUnavailable, "The engine is out of ink.") }
        let end = try await spotter(source(100_000), reader, "LEFT").run { _ in }
        #expect(end.reason == .error)
        #expect(end.failure?.message == "The engine is out of ink.")
    }

    @Test func anErrorOfTheEnginesOwnKindIsTheReasonToo() async throws {
        /// An error of an engine's library, which is not one of ours.
        struct Odd: Error, CustomStringConvertible { let description = "ink is dry" }
        let spotter = try spotter(source(100_000), BlotReader { _ in throw Odd() }, "LEFT")
        // The test checks that it ends by itself, but does not wait forever if it does not.
        let patience = Task {
            try await Task.sleep(for: .seconds(20))
            spotter.stop()
        }
        let end = try await spotter.run { _ in }
        patience.cancel()
        #expect(end.reason == .error && end.failure?.code == .engineUnavailable)
        #expect(
            end.failure?.message
                == "The picture cannot be read any more, because blots failed with an error of its own: ink is dry.")
    }

    @Test func boxesAreReportedOnlyWhenAskedFor() async throws {
        for asked in [false, true] {
            let log = Log()
            _ = try await spotter("\(source(75)) appsrc name=overlay ! fakesink sync=true", BlotReader(), "LEFT") {
                $0.reportsBoxes = asked
            }.run(log.add)
            let boxes = log.events.filter { if case .box = $0 { true } else { false } }
            #expect(boxes.isEmpty != asked)
        }
    }
}
