import Errors
import Foundation
import GStreamerMedia
import Synchronization
import Testing
import TextMatching
import Threads

@testable import Spotter
@testable import TextSpotting

/// Running pictures in which what is found is hidden: no frame goes on that was not read.
@Suite(.timeLimit(.minutes(2))) struct HidingStageTests {
    private static let width = 160
    private static let height = 96
    /// Where the word stands that a ``BlotReader`` reads as LEFT.
    private static let word = Rect(x: 20, y: 30, width: 40, height: 14)

    /// Pushes pictures, with or without the word, through a pipeline, and hands on what comes out.
    ///
    /// - Parameter aspect: the width of a pixel, as caps say it.
    private func samples(
        _ shown: [Bool], aspect: String = "1/1", _ body: (consuming Sample) throws -> Void
    ) async throws {
        let pipeline = try Pipeline(
            parsing: "appsrc name=in ! videoconvert ! video/x-raw,format=I420 ! "
                + "capssetter caps=video/x-raw,pixel-aspect-ratio=\(aspect) ! appsink name=frames")
        let source = try #require(pipeline.appSource(named: "in"))
        source.configure(maxBuffers: 400, block: false, isLive: false)
        let sink = try pipeline.appSink(named: "frames")
        _ = try sink.configure(maxBuffers: 400, drop: false, sync: false)
        let frame = StreamTime(seconds: 0.04)
        for (index, isShown) in shown.enumerated() {
            let time = StreamTime(nanoseconds: Int64(index) * frame.nanoseconds)
            #expect(
                source.push(
                    bgra: Self.picture(isShown), width: Self.width, height: Self.height, at: time, duration: frame)
                    == .ok)
        }
        source.endOfStream()
        _ = try await pipeline.prepare()
        try await pipeline.play()
        while case .sample(let sample) = sink.pull(timeout: .seconds(5)) { try body(sample) }
        await pipeline.stop()
    }

    private static func picture(_ isShown: Bool) -> [UInt8] {
        var bytes = [UInt8](repeating: 40, count: width * height * 4)
        guard isShown else { return bytes }
        for y in Int(word.minY)..<Int(word.maxY) {
            for x in Int(word.minX)..<Int(word.maxX) where (x + y) % 3 != 0 {
                for color in 0..<3 { bytes[(y * width + x) * 4 + color] = 230 }
            }
        }
        return bytes
    }

    /// Words that come and go at random, for one frame or some.
    private static func blinking(_ count: Int) -> [Bool] {
        var (chance, result, isShown) = (SystemRandomNumberGenerator(), [Bool](), false)
        while result.count < count {
            result += Array(repeating: isShown, count: Int.random(in: 1...9, using: &chance))
            isShown.toggle()
        }
        return Array(result.prefix(count))
    }

    private func stage(
        _ reader: BlotReader, refuses: Bool = false, report: @escaping @Sendable (LiveEvent) -> Void = { _ in }
    ) throws -> HidingStage {
        var settings = RunningHidingSettings()
        settings.refusesFrames = refuses
        settings.delay = StreamTime(seconds: 0.2)
        return HidingStage(settings, try matcher("LEFT"), reader: reader, report: report)
    }

    private func covers(_ places: [Quad], _ rect: Rect) -> Bool {
        stride(from: rect.minX, through: rect.maxX, by: 2).allSatisfy { x in
            stride(from: rect.minY, through: rect.maxY, by: 2).allSatisfy { y in
                places.contains { $0.holds(Point(x, y)) }
            }
        }
    }

    /// - Parameters:
    ///   - refuses: the frames come whether there is time or not.
    ///   - pause: how long a reading takes, in milliseconds.
    @Test(arguments: [(false, 0), (false, 3), (true, 0), (true, 30)])
    func everyFrameThatShowsTheWordIsCovered(refuses: Bool, pause: Int) async throws {
        let shown = Self.blinking(300)
        let reader = BlotReader { _ in if pause > 0 { try await Task.sleep(for: .milliseconds(pause)) } }
        let stage = try stage(reader, refuses: refuses)
        var (taken, index): ([(FrameTime, Bool)], Int) = ([], 0)
        try await samples(shown) { sample in
            // Frames are shown half a second after they arrived, as a delay would have it, also while others are refused.
            let now = StreamTime(nanoseconds: Int64(index) * 40_000_000)
            while let (time, isShown) = taken.first, now - time.start > StreamTime(seconds: 0.5) {
                taken.removeFirst()
                let places = try #require(stage.places(on: time))
                #expect(!isShown || covers(places, Self.word), "frame \(time.index)")
            }
            if let newest = try stage.take(sample) { taken.append((newest, shown[index])) }
            index += 1
        }
        stage.finish()
        // Without a pause it is the machine's business whether there is time.
        #expect(index == 300 && (refuses && pause == 0 || refuses == (stage.refusedFrames > 0)))
        for (time, isShown) in taken {
            let places = try #require(stage.places(on: time))
            #expect(!isShown || covers(places, Self.word), "frame \(time.index)")
        }
    }

    @Test func whereWhoTakesFramesWaitsTheSameIsHiddenHoweverFarTheReaderIs() async throws {
        let shown = Self.blinking(120)
        var hidden: [[[Quad]]] = []
        for lead in [0, 20] {
            let stage = try stage(BlotReader())
            var (taken, places): ([FrameTime], [[Quad]]) = ([], [])
            try await samples(shown) { sample in
                taken.append(try #require(try stage.take(sample)))
                guard taken.count > 8 else { return }
                // Long enough for the reader to have read the newest frame as well.
                if lead > 0 { usleep(UInt32(lead) * 1000) }
                places.append(try #require(stage.places(on: taken.removeFirst())))
            }
            stage.finish()
            places += try taken.map { try #require(stage.places(on: $0)) }
            hidden.append(places)
        }
        #expect(hidden[0].count == 120 && hidden[0] == hidden[1])
    }

    /// It is read every two seconds only, and its frames do not pile up for longer: also over the time after which the past is forgotten.
    @Test func whatStandsStillIsHiddenAndSeldomReadAgain() async throws {
        let reader = BlotReader()
        let stage = try stage(reader)
        let shown = Array(repeating: false, count: 5) + Array(repeating: true, count: 250)
        var index = 0
        try await samples(shown) { sample in
            let time = try #require(try stage.take(sample))
            let places = try #require(stage.places(on: time, waits: false))
            #expect(covers(places, Self.word) == shown[index] || index < 5, "frame \(index)")
            index += 1
        }
        stage.finish()
        #expect(index == shown.count && (6..<20).contains(reader.readings), "\(reader.readings)")
    }

    @Test func placesOnAFrameAreInItsOwnPixelsWhateverComesAfterIt() async throws {
        let stage = try stage(BlotReader())
        var held: [FrameTime] = []
        let shown = Array(repeating: true, count: 10)
        try await samples(shown, aspect: "2/1") { sample in held.append(try #require(try stage.take(sample))) }
        try await samples(shown) { sample in _ = try #require(try stage.take(sample)) }
        stage.finish()
        #expect(held.count == 10)
        for time in held.prefix(5) {
            let places = try #require(stage.places(on: time))
            #expect(covers(places, Self.word), "frame \(time.index): \(places)")
        }
    }

    @Test func nothingGoesOnWhereTheReaderFails() async throws {
        struct Broken: Error {}
        let failures = Mutex(0)
        let stage = try stage(
            BlotReader { if $0 == 3 { throw Broken() } },
            report: { if case .end = $0 { failures.withLock { $0 += 1 } } })
        var passed: [Bool] = []
        // Each picture is another one, so that each is read.
        try await samples((0..<20).map { $0 % 2 == 0 }) { sample in
            let time = try #require(try stage.take(sample))
            passed.append(stage.places(on: time, waits: false) != nil)
        }
        stage.finish()
        #expect(passed == (0..<20).map { $0 < 3 }, "\(passed)")
        #expect(failures.withLock { $0 } == 1)
    }

    /// A picture counts as standing where nothing follows it for long. What was taken after it is waited for all the same.
    @Test func aPictureThatStandsWaitsForWhatFollowedIt() async throws {
        let isOpen = Atomic<Bool>(false)
        let isRead = Atomic<Bool>(false)
        let stage = try stage(
            BlotReader { number in
                // Frames are read one after the other.
                if number > 0 { isRead.store(true, ordering: .relaxed) }
                while number > 0, !isOpen.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(1)) }
            })
        var taken: [FrameTime] = []
        try await samples([false, true]) { sample in taken.append(try #require(try stage.take(sample))) }
        #expect(!stage.isReady(taken[1]), "more may follow")
        while !isRead.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(1)) }
        #expect(!stage.isReady(taken[0], isStanding: true))
        isOpen.store(true, ordering: .relaxed)
        while !stage.isReady(taken[1], isStanding: true) { try await Task.sleep(for: .milliseconds(1)) }
        #expect(stage.isReady(taken[0], isStanding: true) && !stage.isReady(taken[0]))
        stage.finish()
        #expect(taken.allSatisfy { stage.isReady($0) })
    }

    @Test(arguments: [(60.0, 3.0), (60.0, 5.0), (240.0, 0.35)])
    func asManyFramesAreHeldAsTheDelayAsksFor(rate: Double, delay: Double) {
        let limit = HoldingLimit(delay: StreamTime(seconds: delay))
        func room(_ frames: Int, isLive: Bool, bytes: Int = 1_000_000) -> HoldingLimit.Room {
            limit.room(
                beside: StreamTime(seconds: Double(frames - 1) / rate), frames: frames, bytes: frames * bytes,
                isLive: isLive)
        }
        // So many come until the time of the first has come.
        let needed = Int(rate * delay)
        for isLive in [true, false] {
            #expect(room(needed, isLive: isLive) == .enough)
            #expect(room(needed, isLive: isLive, bytes: 1 << 31) == .noMemory)
            #expect(room(needed + Int(5 * rate), isLive: isLive) == .full)
            // A frame that is held for longer than requested is late, however long it takes.
            #expect(room(needed + Int(rate), isLive: isLive, bytes: 1 << 31) == .full)
        }
        #expect(room(needed + Int(rate), isLive: false) == .full)
        #expect(room(needed + Int(rate), isLive: true) == .enough)
    }

    @Test func whatIsToldHasNoText() async throws {
        let told = Mutex<[Sighting]>([])
        let stage = try stage(
            BlotReader(),
            report: { event in
                switch event {
                case .appeared(let sighting, _, _), .disappeared(let sighting, _):
                    told.withLock { $0.append(sighting) }
                default: break
                }
            })
        try await samples((0..<60).map { (10..<30).contains($0) }) { sample in
            if let time = try stage.take(sample) { _ = stage.places(on: time, waits: false) }
        }
        stage.finish()
        let sightings = told.withLock { $0 }
        #expect(sightings.count == 2, "\(sightings)")
        for sighting in sightings {
            #expect([sighting.pattern, sighting.text, sighting.line] == ["pattern 1", "pattern 1", "pattern 1"])
        }
    }
}
