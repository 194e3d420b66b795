import Foundation
import GStreamerMedia
import TestSupport
import Testing

@testable import Page

/// Pictures by a program that stands in for a decoding process.
@Suite struct PictureManagerTests {
    @Test(.timeLimit(.minutes(1))) func aProcessThatHasDiedIsNotUsedAgain() async throws {
        let folder = try TemporaryFolder()
        // Answers once: a picture of 1 x 1 whose file is an x.
        let program = try folder.write(
            """
            #!/bin/bash
            cd '\(folder.path)'
            read -r line
            echo $$ > number
            printf '\\001\\000\\000\\000\\001\\000\\000\\000\\001\\000\\000\\000\\001x'

            """, to: "worker")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        let manager = PictureManager(program: program)
        for time in [1.0, 2.0] {
            let picture = try await manager.picture(MediaJob(path: "/clip.mp4", time: time, width: 100), tag: "")
            #expect(picture.bytes == Array("x".utf8) && picture.width == 1 && picture.height == 1)
            let number = try String(contentsOfFile: folder.file("number"), encoding: .utf8).dropLast()
            // It has ended, and the system keeps its status until it is waited for.
            func hasDied() -> Bool {
                let state = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
                return state?.contains(") Z") ?? true
            }
            while !hasDied() {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        #expect(manager.made == 2)
    }

    /// A process keeps a recording open for its next picture: of a file that was replaced, or written again under the
    /// same name, the next picture is of what is there now.
    @Test(.timeLimit(.minutes(1)), arguments: ["moved", "written"])
    func picturesAreOfTheFileThatIsThere(how: String) async throws {
        let folder = try TemporaryFolder()
        func clip(_ name: String, _ pattern: String) async throws -> String {
            let path = folder.file(name)
            let caps = "video/x-raw,width=64,height=48,framerate=10/1"
            try await Pipeline(
                parsing:
                    "videotestsrc num-buffers=30 pattern=\(pattern) ! \(caps) ! x264enc ! mp4mux ! filesink location=\(path)"
            ).playToItsEnd()
            return path
        }
        let path = try await clip("a.mp4", "white")
        let job = MediaJob(path: path, time: 1, width: 64)
        let source = try await FrameSource.open(path)
        #expect(source.hasPicture(of: job))
        #expect(!source.hasPicture(of: MediaJob(path: path, time: nil, width: 64)))
        #expect(!source.hasPicture(of: MediaJob(path: folder.file("b.mp4"), time: 1, width: 64)))
        let other = try await clip("other.mp4", "snow")
        if how == "moved" {
            rename(other, path)
        } else {
            try Data(contentsOf: URL(fileURLWithPath: other)).write(to: URL(fileURLWithPath: path), options: [])
        }
        #expect(!source.hasPicture(of: job))
        await source.close()
    }
}
