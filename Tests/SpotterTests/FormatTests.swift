import GStreamerMedia
import Testing
import TextSpotting

@testable import Spotter

/// Pixel formats that decoders return, and their conversion before they are searched.
@Suite struct FormatTests {
    /// Returns the address of a frame's buffer before and after the conversion, as reported by GStreamer's `identity`.
    private func buffers(_ format: String) async throws -> (before: String, behind: String) {
        let pipeline = try Pipeline(
            parsing: "videotestsrc num-buffers=1 ! video/x-raw,format=\(format),width=64,height=48 "
                + "! identity name=before silent=false ! \(SourceDescription.conversion) "
                + "! identity name=behind silent=false ! appsink name=frames")
        _ = try await pipeline.prepare()
        let addresses = try ["before", "behind"].map { name in
            let message = try #require(pipeline.propertyString("last-message", ofElementNamed: name))
            return try #require(message.split(separator: " ").last { $0.hasPrefix("0x") }.map(String.init))
        }
        await pipeline.stop()
        return (addresses[0], addresses[1])
    }

    @Test(arguments: ["I420", "NV12", "Y444", "I420_10LE", "GRAY8", "BGRx"])
    func commonFormatsAreNotCopied(format: String) async throws {
        let (before, behind) = try await buffers(format)
        #expect(before == behind)
    }

    @Test(arguments: ["Y42B", "Y41B", "A420", "GBR", "GBR_10LE", "ARGB64", "YUV9", "v210"])
    func otherFormatsAreSearchedToo(format: String) async throws {
        let reader = BlotReader()
        let spotter = FileSpotter(
            description: "videotestsrc pattern=black num-buffers=5 ! \(ShortClips.format) "
                + ShortClips.words(left: true, right: false)
                + "! videoconvert ! video/x-raw,format=\(format) ! \(SourceDescription.normalization) ! appsink name=frames",
            sourceName: "the stream", settings: FindSettings(), reader: reader, matcher: try matcher("LEFT"))
        let summary = try await spotter.search { _ in }
        #expect(summary.frames == 5 && summary.sightings == 1)
    }
}
