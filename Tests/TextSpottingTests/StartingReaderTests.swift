import Errors
import Testing
import TextSpotting

@Suite("A reader that is still being loaded")
struct StartingReaderTests {
    private struct OneLine: TextReader {
        let name = "one line"
        let pictureFormat = Picture.Format.luma
        let concurrency = 1

        func read(_ picture: Picture) async throws -> [TextLine] {
            let quad = Quad(Rect(x: 0, y: 0, width: 4, height: 2))
            return [
                TextLine(quad: quad, words: [TextWord(text: "EXIT", quad: quad, confidence: 1)], confidence: 1)
            ]
        }
    }

    private let picture = Picture(format: .luma, width: 4, height: 4, bytes: [UInt8](repeating: 0, count: 16))

    @Test("the first reading waits for it")
    func firstReadingWaits() async throws {
        let (go, start) = AsyncStream<Void>.makeStream()
        let reader = StartingReader(pictureFormat: .luma, concurrency: 1) {
            for await _ in go { break }
            return OneLine()
        }
        async let lines = reader.read(picture)
        start.yield()
        #expect(try await lines.map(\.text) == ["EXIT"])
        #expect(try await reader.loaded.name == "one line")
    }

    @Test("what keeps it from loading is thrown by every reading")
    func failureIsThrown() async {
        let reader = StartingReader(pictureFormat: .luma, concurrency: 1) {
            throw FramegrepError(.engineUnavailable, "There is no engine.")
        }
        for _ in 0..<2 {
            await #expect(throws: FramegrepError.self) { try await reader.read(picture) }
        }
    }

    @Test("what is known from before reaches the reader that was loaded")
    func previousReadingIsPassedOn() async throws {
        let quad = Quad(Rect(x: 0, y: 0, width: 4, height: 2))
        let time = FrameTime(index: 0, start: .zero, duration: .zero)
        var known = TextTracker()
        known.add(
            [TextLine(quad: quad, words: [TextWord(text: "EXIT", quad: quad, confidence: 1)], confidence: 1)], in: nil,
            at: time)
        let reader = StartingReader(pictureFormat: .luma, concurrency: 1) { KnowsAll() }
        let before = known
        let after = try await reader.read(picture, at: time, after: PreviousReading(changed: nil) { before })
        #expect(after.lines.map(\.text) == ["EXIT"])
    }

    /// Reads nothing, but takes what was known.
    private struct KnowsAll: TextReader {
        let name = "knows all"
        let pictureFormat = Picture.Format.luma
        let concurrency = 1

        func read(_ picture: Picture) async throws -> [TextLine] { [] }

        func read(_ picture: Picture, at time: FrameTime, after previous: PreviousReading) async throws -> TextTracker {
            try await previous.tracker()
        }
    }
}
