import GStreamerMedia
import Testing
import TextSpotting

@Suite struct RedactionTests {
    @Test func passwordsDoNotReachMessages() async throws {
        let uri = "rtsp://someone:s3cret@127.0.0.1:1/stream"
        let pipeline = try Pipeline(parsing: "rtspsrc location=\(uri) ! decodebin ! appsink name=frames")
        let error = await framegrepError {
            _ = try await pipeline.prepare()
            try await pipeline.play()
            for await message in pipeline.bus.messages {
                if case .error(let report) = message {
                    #expect(!report.debug.contains("s3cret"))
                    throw report.error
                }
            }
        }
        await pipeline.stop()
        #expect(error?.code == .sourceUnavailable)
        #expect(error?.message.contains("s3cret") == false && error?.message.contains("someone") == false)
        #expect(error?.message.contains("127.0.0.1") == true)
    }

    @Test func parseErrorsKeepPasswords() async {
        let error = await framegrepError {
            _ = try Pipeline(
                parsing: "rtspsrc location=rtsp://a:s3cret@host/ user-pw=hunter2 nosuch=1 ! appsink name=frames")
        }
        #expect(error?.message.contains("s3cret") == false && error?.message.contains("hunter2") == false)
    }

    @Test func sourcesAreShownWithoutPasswords() throws {
        let source = try SourceURI("https://user:pa55@example.org/a.mp4?token=abc&x=1")
        #expect(source.redacted == "https://example.org/a.mp4?token=***&x=1")
        #expect("\(source)" == source.redacted)
        #expect(source.text == "https://user:pa55@example.org/a.mp4?token=abc&x=1")
    }
}
