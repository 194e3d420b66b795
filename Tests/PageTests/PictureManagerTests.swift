import Foundation
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
}
