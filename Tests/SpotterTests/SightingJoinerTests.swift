import Synchronization
import Testing
import TextMatching
import TextSpotting

@testable import Spotter

@Suite struct SightingJoinerTests {
    /// Collects events in order. Thread-safe.
    private final class Log: Sendable {
        private let all = Mutex<[LiveEvent]>([])
        func add(_ event: LiveEvent) { all.withLock { $0.append(event) } }

        /// Returns the events since the last call: `+GATE 1` for a sighting that appeared, `-GATE 1` for one that is
        /// over.
        func news() -> [String] {
            let events = all.withLock { all in
                defer { all = [] }
                return all
            }
            return events.compactMap {
                switch $0 {
                case .appeared(let sighting, _, _): "+\(sighting.text) \(sighting.id)"
                case .disappeared(let sighting, _): "-\(sighting.text) \(sighting.id)"
                default: nil
                }
            }
        }

        var quads: [Quad] {
            all.withLock { $0 }.compactMap {
                if case .appeared(let sighting, _, _) = $0 { sighting.peak.quad } else { nil }
            }
        }
    }

    /// The joiner of a job without a visible picture, so that sightings are reported at once.
    private struct Job {
        let log = Log()
        let words: SearchedWords
        let latestBoxes = LatestBoxes()
        let joiner: SightingJoiner

        init(_ matcher: Matcher, minimumScore: Double = 0.5) {
            words = SearchedWords(matcher)
            let report = LiveReport(log.add)
            let sightings = SightingReport(report, LiveMeasurements(), isShown: false, tellsBoxes: false)
            var settings = SightingJoiner.Settings()
            settings.minimumScore = minimumScore
            joiner = SightingJoiner(words, settings, frameHistory: LiveFrameHistory()) { [latestBoxes] event in
                switch event {
                case .began(let sighting, let arrival): sightings.appeared(sighting, arrival: arrival)
                case .over(let sighting, _): sightings.disappeared(sighting)
                case .boxes(let reading): latestBoxes.post(reading)
                default: break
                }
            }
        }
    }

    private static let thumbnail = "width=640,height=360"

    private static let place = Rect(x: 100, y: 80, width: 90, height: 20)

    /// Returns the reading of a frame, of which there are ten per second.
    private func reading(
        _ index: Int, _ words: String..., confidence: Double = 0.95, in geometry: FrameGeometry
    ) -> SightingJoiner.Reading {
        let lines = words.enumerated().map { row, word in
            let quad = Quad(Self.place).moved(by: Point(0, Double(row) * 60))
            return TextLine(
                quad: quad, words: [TextWord(text: word, quad: quad, confidence: confidence)], confidence: confidence)
        }
        return SightingJoiner.Reading(
            lines: lines,
            time: FrameTime(
                index: index, start: StreamTime(seconds: Double(index) / 10), duration: StreamTime(seconds: 0.1)),
            arrival: .now, geometry: geometry)
    }

    @Test func aWordIsOneSightingUntilItIsGone() async throws {
        let geometry = try await FrameGeometry.ofCaps(Self.thumbnail)
        let job = Job(try matcher("GATE"))
        for index in 0..<5 { _ = await job.joiner.join(reading(index, "GATE", in: geometry)) }
        #expect(job.log.news() == ["+GATE 1"])
        #expect(job.latestBoxes.take()?.found.map(\.id) == [1])
        // Without pictures that could show otherwise, a word counts as present for a while.
        for index in 5..<40 { _ = await job.joiner.join(reading(index, in: geometry)) }
        #expect(job.log.news() == ["-GATE 1"])
        #expect(job.latestBoxes.take()?.found.isEmpty == true)
        _ = await job.joiner.join(reading(40, "GATE", in: geometry))
        #expect(job.log.news() == ["+GATE 2"])
    }

    @Test func somethingElseIsFoundInTheLatestLinesWithoutAnotherReading() async throws {
        let geometry = try await FrameGeometry.ofCaps(Self.thumbnail)
        let job = Job(try matcher("GATE"))
        _ = await job.joiner.join(reading(0, "GATE", "BUBBLES", in: geometry))
        #expect(job.log.news() == ["+GATE 1"])
        #expect(job.latestBoxes.take()?.isNewSearch == true)
        job.words.replace(with: try matcher("BUBBLES"))
        await job.joiner.searchAgain()
        #expect(job.log.news() == ["-GATE 1", "+BUBBLES 2"])
        let posted = try #require(job.latestBoxes.take())
        #expect(posted.isNewSearch && posted.found.map(\.match.text) == ["BUBBLES"])
        // The same change is answered once.
        await job.joiner.searchAgain()
        #expect(job.log.news().isEmpty && job.latestBoxes.take() == nil)
    }

    @Test func aChangeBeforeTheFirstReadingNeedsNoAnswer() async throws {
        let geometry = try await FrameGeometry.ofCaps(Self.thumbnail)
        let job = Job(try matcher("GATE"))
        job.words.replace(with: try matcher("BUBBLES"))
        await job.joiner.searchAgain()
        #expect(job.latestBoxes.take() == nil)
        _ = await job.joiner.join(reading(0, "GATE", "BUBBLES", in: geometry))
        #expect(job.log.news() == ["+BUBBLES 1"])
    }

    @Test func whatScoresTooLittleIsNoMatch() async throws {
        let geometry = try await FrameGeometry.ofCaps(Self.thumbnail)
        for (minimum, isFound) in [(0.3, true), (0.9, false)] {
            let job = Job(try matcher("GATE"), minimumScore: minimum)
            _ = await job.joiner.join(reading(0, "GATE", confidence: 0.6, in: geometry))
            #expect(job.log.news().isEmpty != isFound, "\(minimum)")
        }
    }

    @Test func placesAreThoseOfTheSearchedPartAndEventsThoseOfThePictureAsDisplayed() async throws {
        let geometry = try await FrameGeometry.ofCaps(
            "width=640,height=360,pixel-aspect-ratio=2/1", region: "30,40,600,300")
        let job = Job(try matcher("GATE"))
        _ = await job.joiner.join(reading(0, "GATE", in: geometry))
        let found = try #require(job.latestBoxes.take()?.found.first?.match.quad)
        #expect(found.bounds.x.rounded() == Self.place.x && found.bounds.y.rounded() == Self.place.y)
        let told = try #require(job.log.quads.first)
        #expect(told.bounds.x.rounded() == 2 * (Self.place.x + 30) && told.bounds.y.rounded() == Self.place.y + 40)
    }

    @Test func aLostSourceEndsWhatWasSeenThroughIt() async throws {
        let geometry = try await FrameGeometry.ofCaps(Self.thumbnail)
        let job = Job(try matcher("GATE"))
        await job.joiner.forget()
        #expect(job.log.news().isEmpty)
        _ = await job.joiner.join(reading(0, "GATE", in: geometry))
        await job.joiner.forget()
        #expect(job.log.news() == ["+GATE 1", "-GATE 1"])
        // Its lines say nothing about what comes.
        job.words.replace(with: try matcher("GATE"))
        await job.joiner.searchAgain()
        #expect(job.log.news().isEmpty)
        _ = await job.joiner.join(reading(1, "GATE", in: geometry))
        #expect(job.log.news() == ["+GATE 2"])
    }

    @Test func aPictureOfAnotherSizeBeginsAnew() async throws {
        let job = Job(try matcher("GATE"))
        _ = await job.joiner.join(reading(0, "GATE", in: try await FrameGeometry.ofCaps(Self.thumbnail)))
        _ = job.latestBoxes.take()
        _ = await job.joiner.join(reading(1, "GATE", in: try await FrameGeometry.ofCaps("width=1280,height=720")))
        #expect(job.log.news() == ["+GATE 1", "-GATE 1", "+GATE 2"])
        #expect(job.latestBoxes.take()?.isNewSearch == true)
    }

    @Test func atTheEndWhatIsOpenIsClosedAndNothingIsSearchedAgain() async throws {
        let geometry = try await FrameGeometry.ofCaps(Self.thumbnail)
        let job = Job(try matcher("GATE"))
        _ = await job.joiner.join(reading(0, "GATE", "BUBBLES", in: geometry))
        await job.joiner.finish()
        #expect(job.log.news() == ["+GATE 1", "-GATE 1"])
        job.words.replace(with: try matcher("BUBBLES"))
        await job.joiner.searchAgain()
        #expect(job.log.news().isEmpty)
    }

    @Test func ofWordsThatMustBeSeenTogetherNoneCountsAlone() async throws {
        let geometry = try await FrameGeometry.ofCaps(Self.thumbnail)
        let job = Job(try SearchMode(requiresAll: true).matcher(for: ["GATE", "BUBBLES"]))
        _ = await job.joiner.join(reading(0, "GATE", in: geometry))
        #expect(job.log.news().isEmpty)
        _ = await job.joiner.join(reading(1, "GATE", "BUBBLES", in: geometry))
        #expect(job.log.news().sorted() == ["+BUBBLES 2", "+GATE 1"])
    }
}
