import Errors
import Foundation
import Synchronization
import Testing
import TextSpotting

@testable import Spotter

/// Streams that say little about themselves, or change.
@Suite struct OddStreamsTests {
    private func search(
        _ description: String, _ settings: FindSettings = FindSettings()
    ) async throws -> (sightings: [Sighting], summary: FindSummary) {
        let found = Mutex<[Sighting]>([])
        let spotter = FileSpotter(
            description: description, sourceName: "the stream", settings: settings, reader: BlotReader(),
            matcher: try matcher("LEFT", "RIGHT"))
        let summary = try await spotter.search { event in
            if case .sighting(let sighting) = event { found.withLock { $0.append(sighting) } }
        }
        return (found.withLock { $0 }, summary)
    }

    @Test func framesWithoutTimesFollowOneAnother() async throws {
        // Bytes that count from 0 to 255: bright pixels in both halves. No frame rate, no timestamps.
        let result = try await search(
            "fakesrc num-buffers=5 format=time sizetype=fixed sizemax=6400 filltype=pattern-span ! "
                + "video/x-raw,format=GRAY8,width=80,height=80,framerate=0/1,interlace-mode=progressive ! appsink name=frames"
        )
        #expect(result.summary.frames == 5)
        #expect(result.sightings.count == 2)
        #expect(result.sightings.allSatisfy { $0.start == .zero && $0.end == StreamTime(seconds: 5) })
    }

    @Test func aPictureThatChangesItsSizeIsReadOn() async throws {
        let words = ShortClips.words(left: true, right: false)
        let result = try await search(
            """
            concat name=c ! appsink name=frames \
            videotestsrc pattern=black num-buffers=10 ! \(ShortClips.format) \(words)! c. \
            videotestsrc pattern=black num-buffers=10 ! \(ShortClips.format.replacing("160", with: "202").replacing("90", with: "130")) \(words)! c.
            """)
        #expect(result.summary.frames == 20)
        #expect(result.sightings.count == 2)
        #expect(result.sightings.map(\.id) == [1, 2])
    }

    @Test func wideAndNarrowPixelsAreCounted() async throws {
        let words = ShortClips.words(left: false, right: true)
        func box(_ aspect: String) async throws -> Rect {
            let result = try await search(
                "videotestsrc pattern=black num-buffers=5 ! \(ShortClips.format),pixel-aspect-ratio=1/1 \(words)"
                    + "! capssetter caps=video/x-raw,pixel-aspect-ratio=\(aspect) ! appsink name=frames")
            return try #require(result.sightings.first?.peak.quad.bounds)
        }
        let square = try await box("1/1")
        let wide = try await box("2/1")
        #expect(abs(wide.x - 2 * square.x) < 0.01 && abs(wide.width - 2 * square.width) < 0.01)
        #expect(wide.y == square.y && wide.height == square.height)
    }

    @Test func oneSinglePixelIsAPictureToo() async throws {
        let result = try await search(
            "videotestsrc pattern=white num-buffers=3 ! video/x-raw,format=GRAY8,width=1,height=1,framerate=25/1 ! appsink name=frames"
        )
        #expect(result.summary.frames == 3)
    }

    @Test func noPictureAtAllIsAnError() async throws {
        let error = await #expect(throws: FramegrepError.self) {
            try await search("videotestsrc num-buffers=0 ! appsink name=frames")
        }
        #expect(error?.code == .sourceNotVideo)
        #expect(error?.message.contains("the stream") == true)
    }

    @Test func anErrorInTheMiddleKeepsWhatWasBefore() async throws {
        let words = ShortClips.words(left: true, right: false)
        let result = try await search(
            "videotestsrc pattern=black num-buffers=30 ! \(ShortClips.format) \(words)! identity error-after=20 ! appsink name=frames"
        )
        #expect(result.summary.damage != nil)
        #expect(result.summary.frames > 10 && result.summary.frames < 21)
        #expect(result.sightings.map(\.text) == ["LEFT"])
    }

    @Test func timesThatJumpBackGoOn() async throws {
        // Two recordings in a row, each with times from 0 on: a word in both is one sighting, and a word in the second
        // is found, although all its times have occurred before.
        func part(_ frames: Int, right: Bool) -> String {
            "videotestsrc pattern=black num-buffers=\(frames) ! \(ShortClips.format) "
                + "\(ShortClips.words(left: true, right: right)) ! c. "
        }
        let result = try await search(
            "concat name=c ! appsink name=frames " + part(150, right: false) + part(20, right: false)
                + part(60, right: true))
        #expect(result.summary.frames == 230 && result.summary.end == StreamTime(seconds: 9.2))
        let sightings = result.sightings.sorted { $0.text < $1.text }
        #expect(sightings.map(\.text) == ["LEFT", "RIGHT"])
        #expect(sightings.map(\.start.seconds) == [0, 6.8])
        #expect(sightings.map(\.end.seconds) == [9.2, 9.2])
    }

    @Test(.timeLimit(.minutes(1))) func aSourceThatStallsIsAnErrorOnceThereIsNothingToDo() async throws {
        let pipe = Pipe()
        let frames = Data(repeating: 200, count: 160 * 90 * 3 / 2 * 3)
        try pipe.fileHandleForWriting.write(contentsOf: frames.prefix(60_000))
        var settings = FindSettings()
        settings.patience = .seconds(2)
        let result = try await search(
            "fdsrc fd=\(pipe.fileHandleForReading.fileDescriptor) blocksize=4096 ! "
                + "rawvideoparse format=i420 width=160 height=90 framerate=25/1 ! appsink name=frames", settings)
        // A row that is bright from edge to edge is a word to the reader.
        #expect(result.summary.frames == 2 && result.sightings.count == 2)
        #expect(result.summary.damage?.code == .sourceUnavailable)
        #expect(result.summary.damage?.message.contains("2 seconds") == true)
        try pipe.fileHandleForWriting.close()
    }

    @Test func withoutFramesTheContractIsNamed() async throws {
        let error = await #expect(throws: FramegrepError.self) {
            try await search("videotestsrc num-buffers=3 ! fakesink")
        }
        #expect(error?.code == .badPipeline)
        #expect(error?.message.contains("appsink name=frames") == true)
    }
}
