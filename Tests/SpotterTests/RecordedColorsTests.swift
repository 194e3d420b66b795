import GStreamerMedia
import Testing
import TextSpotting

@testable import Spotter

/// The colors represented by the pixels of a recorded picture.
@Suite struct RecordedColorsTests {
    /// Returns the colors passed to an encoder.
    ///
    /// - Parameter container: the container; nil for unencoded pictures.
    private func colors(_ colorimetry: String, into container: RecordingContainer?) async throws -> (String?, Float) {
        let pipeline = try Pipeline(
            parsing: "videotestsrc num-buffers=5 pattern=solid-color foreground-color=0xff1a222e "
                + "! video/x-raw,format=I420,width=322,height=241,framerate=25/1,colorimetry=(string)\(colorimetry) "
                + "! \(container.map { RecordedPicture.elements(for: $0) } ?? "identity") ! appsink name=frames")
        RecordedPicture.settle(in: pipeline)
        let sink = try pipeline.appSink(named: Pipeline.framesName)
        _ = try sink.configure(maxBuffers: 5, drop: false, sync: false)
        _ = try await pipeline.prepare()
        guard let sample = sink.firstSample() else { return (nil, 0) }
        let picture = try PictureConverter().picture(from: sample, format: .rgb)
        let result = (sample.info?.colorimetry, Float(picture.bytes[0]))
        await pipeline.stop()
        return result
    }

    @Test(arguments: ["bt709", "bt2100-pq", "1:4:0:0", "bt601"]) func staysInAFileThatCanSaySo(
        colorimetry: String
    ) async throws {
        let (found, red) = try await colors(colorimetry, into: .mp4)
        #expect(found == colorimetry)
        #expect(abs(red - (try await colors(colorimetry, into: nil).1)) <= 4)
    }

    @Test func areBroughtToTheRangeThatVP8Has() async throws {
        let (found, red) = try await colors("1:4:0:0", into: .webm)
        #expect(found?.hasPrefix("2:") ?? false)
        #expect(abs(red - (try await colors("1:4:0:0", into: nil).1)) <= 4)
    }
}
