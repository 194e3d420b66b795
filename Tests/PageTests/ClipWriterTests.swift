import Foundation
import GStreamerMedia
import TestSupport
import Testing

@testable import Page

@Suite struct ClipWriterTests {
    /// The output fails like a browser that is gone, or a file on a full disk.
    @Test(.timeLimit(.minutes(1)), arguments: [true, false]) func aClipThatCannotBeWrittenEnds(isFull: Bool)
        async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.file("clip.mp4")
        let clip = try Pipeline(
            parsing:
                "videotestsrc num-buffers=250 pattern=snow ! video/x-raw,width=320,height=240,framerate=25/1 ! x264enc ! mp4mux ! filesink location=\(path)"
        )
        try await clip.playToItsEnd()
        var descriptor = open("/dev/full", O_WRONLY)
        if !isFull {
            let pipe = Pipe()
            descriptor = dup(pipe.fileHandleForWriting.fileDescriptor)
            signal(SIGPIPE, SIG_IGN)
        }
        defer { close(descriptor) }
        let writer = ClipWriter(job: MediaJob(path: path, time: 0, width: 320, end: 10), output: descriptor)
        await #expect(throws: (any Error).self) { try await writer.run() }
    }
}
