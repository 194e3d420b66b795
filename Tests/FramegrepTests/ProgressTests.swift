import Foundation
import TestSupport
import Testing

/// The line of progress stays one line, however narrow the terminal is.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: Tool.exists("script", "stty") && Tool.hasTerminals, "needs script, of bsdutils, and /dev/pts"))
struct ProgressTests {
    /// Returns the output on a terminal of this width while a recording is searched.
    private func shown(columns: Int, name: String, _ options: String = "") async throws -> String {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.file(name), withDestinationPath: try await cutsClip())
        let log = folder.file("log")
        let outcome = try await #require(Tool("script")).run([
            "-qec",
            "stty cols \(columns) rows 20; cd '\(folder.path)'; '\(Framegrep.path)' find GATE '\(name)' \(options) --engine tesseract > /dev/null",
            log,
        ])
        #expect(outcome.status == 0, "\(outcome)")
        let text = String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
        // Messages of `script` itself are on separate lines.
        return text.split(separator: "\n").first { $0.contains("\u{1B}[K") }.map(String.init) ?? ""
    }

    /// Returns the width in columns; all letters outside the test's names are narrow.
    private func width(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ((0x3000...0xD7A3).contains($1.value) || $1.value > 0x1F000 ? 2 : 1) }
    }

    @Test(arguments: [1, 20, 50, 100])
    func itNeverWraps(columns: Int) async throws {
        for name in ["감시카메라녹화영상오후세시🎬🎬🎬🎬🎬🎬정문앞.mp4"] {
            let text = try await shown(columns: columns, name: name)
            let drawn = text.components(separatedBy: "\r\u{1B}[K").dropFirst()
            #expect(drawn.count >= 2, "\(text.debugDescription)")
            for line in drawn {
                let seen = line.replacing(/\u{1B}\[[?0-9;]*[a-zA-Z]/, with: "").filter { $0 != "\r" }
                #expect(width(of: seen) < max(columns, 2), "\(columns): \(seen)")
                if columns >= 12, line != drawn.last { #expect(seen.contains("%"), "\(columns): \(seen)") }
            }
            // The line is erased at the end.
            #expect(drawn.last?.filter { $0 != "\r" } == "", "\(text.debugDescription)")
        }
    }

    @Test func aWideTerminalHasAllOfIt() async throws {
        // This takes long enough to show progress on any machine.
        let text = try await shown(columns: 132, name: "감시카메라.mp4", "--every-frame --threads 1")
        #expect(text.contains("감시카메라.mp4  ━") && text.contains("real time") && text.contains(" left"))
        let narrow = try await shown(
            columns: 40, name: "a-long-name-of-a-recording-lobby.mp4", "--every-frame --threads 1")
        #expect(narrow.contains("…") && narrow.contains("lobby.mp4  ") && narrow.contains("%"), "\(narrow)")
    }
}
