import Errors
import Synchronization
import TestSupport
import Testing
import TextMatching
import TextSpotting

@testable import Spotter

/// Frames last 40 ms; words appear and vanish by hard cuts.
@Suite struct FileSpotterTests {
    private struct Outcome {
        var sightings: [Sighting] = []
        var texts: [Sighting] = []
        var progress: [StreamTime] = []
        var warnings: [FramegrepError] = []
        var summary = FindSummary()
    }

    private func search(
        _ description: String, for words: [String] = ["LEFT", "RIGHT"], _ reader: BlotReader = BlotReader(),
        _ change: (inout FindSettings) -> Void = { _ in }, onSighting: @escaping @Sendable () -> Void = {}
    ) async throws -> Outcome {
        var settings = FindSettings()
        change(&settings)
        let spotter = FileSpotter(
            description: description, sourceName: "the clip", settings: settings, reader: reader,
            matcher: Matcher(patterns: try words.map { try Pattern(text: $0) }))
        let outcome = Mutex(Outcome())
        let summary = try await spotter.search { event in
            outcome.withLock { outcome in
                switch event {
                case .sighting(let sighting): outcome.sightings.append(sighting)
                case .text(let text): outcome.texts.append(text)
                case .progress(let time, _): outcome.progress.append(time)
                case .warning(let warning): outcome.warnings.append(warning)
                case .onePicture, .finding: break
                }
            }
            if case .sighting = event { onSighting() }
        }
        return outcome.withLock { outcome in
            outcome.summary = summary
            return outcome
        }
    }

    private func frames(_ sighting: Sighting) -> Range<Int> {
        Int((sighting.start.seconds / 0.04).rounded())..<Int((sighting.end.seconds / 0.04).rounded())
    }

    private static let threeWords: [ShortClips.Part] = [
        .init(frames: 11), .init(frames: 20, left: true), .init(frames: 17), .init(frames: 22, left: true, right: true),
        .init(frames: 20), .init(frames: 13, right: true), .init(frames: 9),
    ]

    @Test func onlyTheTimeInWhichAllAreInViewCounts() async throws {
        try await ShortClips.with([
            .init(frames: 20, left: true), .init(frames: 15, left: true, right: true), .init(frames: 20, right: true),
            .init(frames: 10),
        ]) { clip in
            let found = Mutex<[Sighting]>([])
            for maximum in [nil, 1] {
                found.withLock { $0 = [] }
                var settings = FindSettings()
                settings.maximumCount = maximum
                let spotter = FileSpotter(
                    description: clip, sourceName: "the clip", settings: settings, reader: BlotReader(),
                    matcher: try SearchMode(requiresAll: true).matcher(for: ["LEFT", "RIGHT"]))
                let summary = try await spotter.search { event in
                    if case .sighting(let sighting) = event { found.withLock { $0.append(sighting) } }
                }
                let sightings = found.withLock { $0 }
                #expect(summary.sightings == maximum ?? 2 && sightings.count == maximum ?? 2)
                #expect(sightings.allSatisfy { frames($0).lowerBound == 20 && $0.boxes.isEmpty })
                if maximum == nil { #expect(sightings.allSatisfy { frames($0) == 20..<35 }) }
                #expect(sightings.allSatisfy { $0.peak.time.start >= $0.start && $0.peak.time.start < $0.end })
            }
        }
    }

    @Test func hardCutsAreExactAndFewFramesAreRead() async throws {
        try await ShortClips.with(Self.threeWords) { clip in
            let reader = BlotReader()
            let outcome = try await search(clip, reader)
            #expect(outcome.sightings.map(\.text).sorted() == ["LEFT", "LEFT", "RIGHT", "RIGHT"])
            #expect(
                outcome.sightings.map(frames).sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
                    == [11..<31, 48..<70, 48..<70, 90..<103])
            #expect(Set(outcome.sightings.map(\.id)) == [1, 2, 3, 4])
            #expect(outcome.summary.frames == 112)
            #expect(outcome.summary.sightings == 4)
            #expect(outcome.summary.readings == reader.readings)
            #expect(reader.readings < 30)
            #expect(outcome.summary.damage == nil)
            #expect(outcome.progress == outcome.progress.sorted())
            #expect(outcome.warnings.isEmpty)
        }
    }

    @Test func theResultDoesNotDependOnSpeedOrConcurrency() async throws {
        try await ShortClips.with(Self.threeWords) { clip in
            let boxes: (inout FindSettings) -> Void = { $0.keepsBoxes = true }
            let expected = try await search(clip, BlotReader(), boxes)
            for (concurrency, delay) in [(1, 3), (4, 0), (4, 20), (4, 7), (16, 20)] {
                let reader = BlotReader(concurrency: concurrency) { _ in
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...delay)))
                }
                let outcome = try await search(clip, reader, boxes)
                #expect(outcome.sightings == expected.sightings)
                #expect(outcome.progress == expected.progress)
                #expect(outcome.summary == expected.summary)
            }
            for sighting in expected.sightings {
                #expect(sighting.boxes.map { Int(($0.time.start.seconds / 0.04).rounded()) } == Array(frames(sighting)))
            }
        }
    }

    /// Something that changes in every frame is read again in each; what came and went beside it between two readings is read too.
    @Test(arguments: [31..<37, 34..<40, 37..<40]) func aShortWordBesideARunningTimeIsFound(shown: Range<Int>)
        async throws
    {
        try await ShortClips.withRunningTime(80, word: shown) { clip in
            let outcome = try await search(clip, for: ["LEFT"])
            #expect(outcome.sightings.map(frames) == [shown])
        }
    }

    @Test func theYardstickReadsEveryFrameAndFindsTheSame() async throws {
        try await ShortClips.with(Self.threeWords) { clip in
            let reader = BlotReader()
            let outcome = try await search(clip, reader) { $0.gate.policy = .everyFrame }
            #expect(reader.readings == 112)
            let usual = try await search(clip)
            #expect(outcome.sightings.map(frames) == usual.sightings.map(frames))
        }
    }

    @Test func enoughIsEnough() async throws {
        try await ShortClips.with(Self.threeWords) { clip in
            for maximum in [1, 2, 3] {
                let outcome = try await search(clip) { $0.maximumCount = maximum }
                #expect(outcome.sightings.count == maximum)
                #expect(outcome.summary.sightings == maximum)
            }
            let first = try await search(clip) { $0.maximumCount = 1 }
            #expect(first.summary.end.seconds < 3.5)
        }
    }

    @Test func aPartOfTheRecordingKeepsItsTimes() async throws {
        try await ShortClips.with(Self.threeWords) { clip in
            let outcome = try await search(clip) {
                $0.from = StreamTime(seconds: 2.08)
                $0.to = StreamTime(seconds: 2.4)
            }
            #expect(outcome.sightings.map(frames) == [52..<60, 52..<60])
            #expect(outcome.summary.frames == 8)
            let late = try await search(clip) { $0.from = StreamTime(seconds: 3) }
            #expect(late.sightings.map(frames) == [90..<103])
            let beyond = try await search(clip) { $0.from = StreamTime(seconds: 100) }
            #expect(beyond.sightings.isEmpty && beyond.summary.frames == 0)
        }
    }

    /// Seeking in a program stream of MPEG leads to the key frame behind the time, here two seconds later.
    @Test func nothingIsLeftOutWhereSeekingLeadsTooFar() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("clip.mpg")
        let parts = [(60, false), (10, true), (50, false)].map { frames, isThere in
            "videotestsrc pattern=black num-buffers=\(frames) ! \(ShortClips.format) "
                + "\(ShortClips.words(left: isThere, right: false))! c."
        }
        try await ShortClips.play(
            "concat name=c ! x264enc key-int-max=50 bframes=0 ! h264parse ! mpegpsmux "
                + "! filesink location=\(path) " + parts.joined(separator: " "))
        let clip = "filesrc location=\(path) ! mpegpsdemux ! h264parse ! avdec_h264 ! appsink name=frames"
        let all = try await search(clip).sightings
        let word = try #require(all.first)
        #expect(all.count == 1 && frames(word).count == 10)
        for before in [1.6, 0.3, -0.16] {
            let from = word.start - StreamTime(seconds: before)
            let part = try await search(clip) { $0.from = from }.sightings
            #expect(part.map(\.end) == [word.end], "\(before) s before")
            #expect(part.map(\.start) == [max(word.start, from)], "\(before) s before")
        }
    }

    @Test func onlyWhatIsSearchedForIsFound() async throws {
        try await ShortClips.with(Self.threeWords) { clip in
            let right = try await search(clip, for: ["RIGHT"])
            #expect(right.sightings.map(frames) == [48..<70, 90..<103])
            let absent = try await search(clip, for: ["ELEVATOR"])
            #expect(absent.sightings.isEmpty)
            let unsure = try await search(clip) { $0.reading.minimumScore = 0.95 }
            #expect(unsure.sightings.isEmpty)
        }
    }

    /// Users of the libraries find what the program finds.
    @Test func anUnsureMatchCountsWithoutAWordAboutIt() async throws {
        try await ShortClips.with(Self.threeWords) { clip in
            let unsure = try await search(clip, BlotReader(confidence: 0.4))
            let dreamt = try await search(clip, BlotReader(confidence: 0.2))
            #expect(!unsure.sightings.isEmpty && dreamt.sightings.isEmpty)
        }
    }

    @Test func allTextIsReportedBesides() async throws {
        try await ShortClips.with(Self.threeWords) { clip in
            let outcome = try await search(clip, for: ["RIGHT"]) { $0.reportsAllText = true }
            #expect(outcome.sightings.count == 2)
            #expect(outcome.texts.map(\.text).sorted() == ["LEFT", "LEFT", "RIGHT", "RIGHT"])
            #expect(outcome.texts.allSatisfy { $0.pattern.isEmpty })
        }
    }

    @Test func aRegionIsSearchedAloneAndPlacesStayThoseOfThePicture() async throws {
        try await ShortClips.with(Self.threeWords) { clip in
            let whole = try await search(clip).sightings.filter { $0.text == "RIGHT" }
            let right = try await search(clip) { $0.reading.region = try? RegionOfInterest(parsing: "40%,20%,60%,60%") }
            #expect(right.sightings.map(frames) == whole.map(frames))
            for (a, b) in zip(right.sightings, whole) { #expect(a.peak.quad.bounds.overlap(b.peak.quad.bounds) > 0.9) }
            await #expect(throws: FramegrepError.self) {
                try await search(clip) { $0.reading.region = try? RegionOfInterest(parsing: "400,0,10,10") }
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func cancellingReturnsWhatWasFound() async throws {
        try await ShortClips.with(Self.threeWords) { clip in
            let (found, finding) = AsyncStream.makeStream(of: Void.self)
            // The readings after the first sighting last until they are cancelled.
            let seen = Atomic<Bool>(false)
            let reader = BlotReader(concurrency: 2) { _ in
                if seen.load(ordering: .acquiring) { try await Task.sleep(for: .seconds(3600)) }
            }
            let task = Task {
                try await search(
                    clip, reader,
                    onSighting: {
                        seen.store(true, ordering: .releasing)
                        finding.yield()
                    })
            }
            for await _ in found { break }
            task.cancel()
            let outcome = try await task.value
            #expect(outcome.sightings.first?.text == "LEFT")
            #expect(outcome.sightings.first.map(frames) == 11..<31)
        }
    }

    /// A word that stands in a picture without end. Pictures are slow to come, so that memory stays small.
    private static let endless =
        "videotestsrc pattern=black ! \(ShortClips.format) \(ShortClips.words(left: true, right: false))"
        + "! identity sleep-time=2000 ! appsink name=frames"

    @Test(.timeLimit(.minutes(1)), arguments: [1, 8]) func whatIsReadIsJoinedHoweverLittleItIs(concurrency: Int)
        async throws
    {
        let (joined, joining) = AsyncStream.makeStream(of: Void.self)
        let found = Mutex<[Sighting]>([])
        let spotter = FileSpotter(
            description: Self.endless, sourceName: "the clip", settings: FindSettings(),
            reader: BlotReader(concurrency: concurrency), matcher: try matcher("LEFT"))
        let task = Task {
            try await spotter.search { event in
                switch event {
                case .progress: joining.yield()
                case .sighting(let sighting): found.withLock { $0.append(sighting) }
                default: break
                }
            }
        }
        for await _ in joined { break }
        try await Task.sleep(for: .milliseconds(300))
        task.cancel()
        let summary = try await task.value
        let sighting = try #require(found.withLock { $0.first })
        #expect(sighting.text == "LEFT" && sighting.start == .zero)
        // It was seen in all frames that were looked at, not only in the one that was read.
        #expect(summary.frames > 5 && sighting.end == summary.end)
        #expect(summary.damage == nil)
    }

    @Test(.timeLimit(.minutes(1))) func theFirstEvidenceIsEnough() async throws {
        let outcome = try await search(Self.endless, for: ["LEFT"], BlotReader(concurrency: 4)) { $0.maximumCount = 1 }
        #expect(outcome.sightings.map(\.text) == ["LEFT"])
        #expect(outcome.sightings.map(frames) == [0..<1])
        #expect(outcome.summary.frames == 1 && outcome.summary.readings == 1)
    }

    @Test func whatIsEnoughDoesNotDependOnSpeed() async throws {
        try await ShortClips.with(Self.threeWords) { clip in
            let all = try await search(clip).sightings.sorted { $0.id < $1.id }
            for maximum in 1...4 {
                let first = try await search(clip) { $0.maximumCount = maximum }
                #expect(first.sightings.map(\.id).sorted() == Array(1...maximum))
                for (some, whole) in zip(first.sightings.sorted { $0.id < $1.id }, all) {
                    #expect(some.text == whole.text && some.start == whole.start && some.end <= whole.end)
                }
                for delay in [0, 3, 15] {
                    let reader = BlotReader(concurrency: 8) { _ in
                        try await Task.sleep(for: .milliseconds(Int.random(in: 0...delay)))
                    }
                    let again = try await search(clip, reader) { $0.maximumCount = maximum }
                    #expect(again.sightings == first.sightings && again.summary == first.summary)
                }
            }
        }
    }

    @Test func whatWasFoundBeforeAnEngineFailedIsReported() async throws {
        try await ShortClips.with([.init(frames: 30, left: true), .init(frames: 30, right: true)]) { clip in
            let found = Mutex<[String]>([])
            let reader = BlotReader { if $0 == 1 { throw FramegrepError(.engineUnavailable, "Out of ink.") } }
            let spotter = FileSpotter(
                description: clip, sourceName: "the clip", settings: FindSettings(), reader: reader,
                matcher: try matcher("LEFT", "RIGHT"))
            await #expect(throws: FramegrepError.self) {
                try await spotter.search { event in
                    if case .sighting(let sighting) = event { found.withLock { $0.append(sighting.text) } }
                }
            }
            #expect(found.withLock { $0 } == ["LEFT"])
        }
    }

    @Test(.timeLimit(.minutes(1))) func cancelledBeforeItBeganItEnds() async throws {
        try await ShortClips.with([.init(frames: 30, left: true)]) { clip in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try? await search(clip, BlotReader { _ in try await Task.sleep(for: .seconds(3600)) })
            }
            #expect((await task.value)?.sightings.isEmpty != false)
        }
    }

    @Test func anEngineThatFailsEndsTheSearch() async throws {
        try await ShortClips.with(Self.threeWords) { clip in
            for concurrency in [1, 4] {
                let reader = BlotReader(concurrency: concurrency) { number in
                    if number == 2 { throw FramegrepError(.engineUnavailable, "The engine is out of ink.") }
                }
                let error = await #expect(throws: FramegrepError.self) { try await search(clip, reader) }
                #expect(error?.message == "The engine is out of ink.")
            }
        }
    }
}
