import Foundation
import GStreamerMedia
import Synchronization
import TestSupport
import Testing
import TextSpotting

/// Browsers get the colors of the frames, whatever numbers a camera uses for them.
@Suite(.timeLimit(.minutes(2))) struct FrameEncoderTests {
    /// Encodes a gray of 200 in a camera's colorimetry; returns the luma at its center as browsers interpret it.
    private func luma(_ kind: FrameEncoder.Kind, _ colors: String) async throws -> Int {
        let folder = try TemporaryFolder()
        let files = try await collect(
            "videotestsrc num-buffers=1 pattern=solid-color foreground-color=0xffc8c8c8 ! video/x-raw,format=RGB,width=64,height=48 "
                + "! videoconvert dither=none ! video/x-raw,format=I420,colorimetry=\(colors) ! appsink name=frames"
        ) { sample in
            guard let info = sample.info else { return EncodedFrame?.none }
            let encoder = try FrameEncoder(kind, like: info, longestSide: 640)
            return encoder.encode(sample.retained(), at: .zero, asKey: true)
        }
        let file = try #require(files.first ?? nil)
        #expect(file.isKey)
        try Data(file.bytes).write(to: URL(fileURLWithPath: folder.file("frame")))
        let decoder = kind == .h264 ? "h264parse ! avdec_h264" : "jpegdec"
        let middle = try await collect(
            "filesrc location=\(folder.file("frame")) ! \(decoder) ! appsink name=frames"
        ) { sample in
            try sample.withPlane(0) { Int($0.unsafeLoad(fromByteOffset: 24 * $1 + 32, as: UInt8.self)) }
        }
        return try #require(middle.first)
    }

    @Test(arguments: ["1:4:0:0", "1:3:5:1", "bt601", "bt709"])
    func grayStaysTheSameGray(colors: String) async throws {
        // This is 200 of 255: scaled to 16 to 235 for H.264, and unchanged in JPEG files. GStreamer's own conversions
        // are off by some.
        #expect(abs(try await luma(.h264, colors) - 188) <= 2)
        #expect(abs(try await luma(.jpeg, colors) - 200) <= 6)
    }
}
