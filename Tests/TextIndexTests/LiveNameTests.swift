import Foundation
import Testing
import TextSpotting

@testable import TextIndex

/// The names of live hours.
@Suite struct LiveNameTests {
    private let folder = IndexTestFolder()

    @Test func aNameSaysAllOfIt() throws {
        let name = LiveName(source: "rtsp://a@b/stream", start: Date(timeIntervalSince1970: 1_795_269_909.123_4))
        #expect(name.text == "rtsp://a@b/stream@2026-11-21T14:05:09.123Z")
        #expect(LiveName(name.text) == name)
        #expect(LiveName("a@b") == nil && LiveName("lobby.mp4") == nil && LiveName("@") == nil)
    }

    /// A lost catalog is rebuilt, and still knows the live recordings and their times.
    @Test func whatWasLiveStaysKnown() throws {
        let name = LiveName(source: "camera", start: Date(timeIntervalSince1970: 1_795_269_909.5))
        let source = IndexedSource(
            id: .drawn(), name: name.text, manner: LiveName.manner("neural fast"), stamp: nil, digest: nil,
            state: .complete, end: StreamTime(seconds: 1), wallStart: name.start, isLive: true)
        do {
            let index = try TextIndex.forWriting(try folder.folder())
            _ = try index.add(Lines.part([Lines.line("EXIT")]), of: source, inPlaceOf: nil)
        }
        try FileManager.default.removeItem(atPath: try folder.folder().catalog)
        let index = try TextIndex.forWriting(try folder.folder())
        let known = try #require(try index.sources().first)
        #expect(known.isLive && known.state == .complete && known.wallStart == name.start && known.lack == nil)
    }
}
