import Foundation
import GStreamerMedia
import TestSupport
import Testing

@testable import Spotter

@Suite struct CopyEncodingTests {
    /// Noise needs more than any bound on the rate, and so much of it that threads wait for each other.
    private static let noise =
        "videotestsrc pattern=snow num-buffers=24 ! video/x-raw,format=I420,width=960,height=544,framerate=24/1"

    private func stream(of recording: Recording, in folder: TemporaryFolder) async throws -> Data {
        try await ShortClips.play("\(Self.noise) ! \(RecordingDescription.encoder(to: recording, isCopy: true))")
        let stream = folder.file("stream")
        try await ShortClips.play("filesrc location=\(recording.path) ! qtdemux ! filesink location=\(stream)")
        return try Data(contentsOf: URL(fileURLWithPath: stream))
    }

    /// However the threads take turns, and however many processors there are: x264 writes its options into the stream.
    @Test(arguments: [false, true]) func aCopyHasTheSameBytesInEveryRun(_ hidesPlaces: Bool) async throws {
        let folder = try TemporaryFolder()
        var recording = Recording(path: folder.file("copy.mp4"), container: .mp4)
        recording.hidesPlaces = hidesPlaces
        let first = try await stream(of: recording, in: folder)
        #expect(first.range(of: Data(" threads=4 ".utf8)) != nil)
        for _ in 0..<2 { #expect(try await stream(of: recording, in: folder) == first) }
    }
}
