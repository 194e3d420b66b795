import GStreamerMedia
import Synchronization
import Testing
import TextMatching
import TextSpotting

@testable import Spotter

/// A recognizer gets one request after the other, with frames of a real stream's size.
@Suite(.timeLimit(.minutes(1))) struct RecognizerTests {
    /// A picture with one bright blot in its left half, read at a time.
    private func request(_ index: Int, _ geometry: FrameGeometry) -> ReadRequest {
        var bytes = [UInt8](repeating: 20, count: 64 * 32)
        for y in 8..<16 { for x in 4..<24 { bytes[y * 64 + x] = 240 } }
        return ReadRequest(
            frames: [],
            frame: FrameTime(
                index: index, start: StreamTime(seconds: Double(index)), duration: StreamTime(seconds: 1)),
            picture: Picture(format: .luma, width: 64, height: 32, bytes: bytes), geometry: geometry)
    }

    private func texts(_ tracker: TextTracker?) -> [String] { tracker?.visible.map(\.line.text) ?? [] }

    @Test func whatIsKnownGoesOnFromReadingToReading() async throws {
        let geometry = try await FrameGeometry.ofCaps("width=64,height=32")
        let recognizer = Recognizer(engine: BlotReader(), tracking: TextTracker.Settings())
        let first = try #require(try await recognizer.reading(request(0, geometry)))
        let second = try #require(try await recognizer.reading(request(1, geometry)))
        #expect(texts(first) == ["LEFT"] && texts(second) == ["LEFT"])
        #expect(first.visible.map(\.id) == second.visible.map(\.id), "the same line keeps its number")
    }

    @Test func nothingToReadIsNoWork() async throws {
        let geometry = try await FrameGeometry.ofCaps("width=64,height=32")
        let reader = BlotReader()
        let recognizer = Recognizer(engine: reader, tracking: TextTracker.Settings())
        var empty = request(0, geometry)
        empty.picture = nil
        #expect(try await recognizer.reading(empty) == nil)
        #expect(reader.readings == 0)
    }

    @Test(arguments: ["width=64,height=48", "anew"])
    func picturesThatHaveNothingInCommonAreReadAnew(other: String) async throws {
        let geometry = try await FrameGeometry.ofCaps("width=64,height=32")
        let recognizer = Recognizer(engine: BlotReader(), tracking: TextTracker.Settings())
        let known = try #require(try await recognizer.reading(request(1, geometry)))
        #expect(known.visible.map(\.first.index) == [1])
        if other == "anew" { await recognizer.startAnew() }
        let next = other == "anew" ? geometry : try await FrameGeometry.ofCaps(other)
        let anew = try #require(try await recognizer.reading(request(2, next)))
        #expect(anew.visible.map(\.first.index) == [2], "a line of another picture is another line")
    }
}

extension Recognizer {
    /// Returns the knowledge after a request is read; nil if there was nothing to read.
    fileprivate func reading(_ request: ReadRequest) async throws -> TextTracker? { try await begin(request)?.value }
}
