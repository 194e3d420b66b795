import Foundation
import TestSupport
import Testing

/// A recording that is changed while it is read does not count as searched, whichever command reads it and whichever
/// container it has.
///
/// The program is stopped (SIGSTOP) while the file is changed, so that nothing depends on its speed.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ChangedSourcesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A recording that takes long enough to be read: its text changes in every frame.
    private static let clip = KnownClip(
        frameCount: 300,
        words: (0..<60).map { KnownWord(text: "GATE \($0)", x: 60, y: 70, size: 40, frames: 5 * $0..<5 * $0 + 5) })

    private func source(_ ending: String) async throws -> String {
        var clip = Self.clip
        let muxer = ["mp4": "mp4mux", "mkv": "matroskamux", "ts": "mpegtsmux", "avi": "avimux"][ending] ?? ""
        clip.encoding = "x264enc bframes=0 speed-preset=veryfast key-int-max=25 ! \(muxer)"
        let path = folder.file("a.\(ending)")
        try FileManager.default.copyItem(
            atPath: try await ClipCache.shared.path("changing.\(ending)", clip), toPath: path)
        return path
    }

    /// Runs the program, and changes the file once it has printed or shown its first result, or has opened the file.
    private func run(_ arguments: [String], changing path: String, _ change: () throws -> Void) async throws
        -> Framegrep.Outcome
    {
        let job = try Running(
            Framegrep.path, arguments + ["--engine", "tesseract", "--language", "eng"],
            environment: ["FRAMEGREP_INDEX": folder.file("index")], folder: folder.path)
        // An open file appears among its descriptors.
        let isReading = {
            let files = "/proc/\(job.id)/fd/"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: files)) ?? []
            return names.contains {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: files + $0)) == path
                    && Self.position(job.id, $0) > 0
            }
        }
        #expect(await job.wait { isReading() && (!job.stdout.isEmpty || Self.work(of: job.id) > 100) }, "\(job.stderr)")
        job.send(SIGSTOP)
        try change()
        job.send(SIGCONT)
        return await job.end(within: 120)
    }

    private static func position(_ id: Int32, _ descriptor: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(id)/fdinfo/\(descriptor)", encoding: .utf8)) ?? ""
        return text.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// Returns the processor time so far, in ticks.
    private static func work(of id: Int32) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
        return text.split(separator: " ").dropFirst(13).first.flatMap { Int($0) } ?? 0
    }

    @Test(arguments: ["mp4", "mkv", "ts", "avi"])
    func anEmptiedOrCutRecordingIsAnError(ending: String) async throws {
        for isEmptied in [true, false] {
            let path = try await source(ending)
            let length = try FileManager.default.attributesOfItem(atPath: path)[.size] as? off_t ?? 0
            let outcome = try await run(["find", "--all-text", path], changing: path) {
                truncate(path, isEmptied ? 0 : length / 2)
            }
            #expect(outcome.status == 2, "\(ending) \(outcome)")
            #expect(outcome.stderr.contains(isEmptied ? "It was emptied" : "It was cut from"), "\(ending) \(outcome)")
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func everyCommandSaysSo() async throws {
        for arguments in [
            ["values", "--near", "GATE"], ["redact", "GATE", "-o", "r.mp4"], ["index", "add"],
            ["find", "GATE", "--remember", "--no-index"],
        ] {
            let path = try await source("mp4")
            let words = arguments[0] == "redact" ? ["redact", "GATE", path, "-o", "r.mp4"] : arguments + [path]
            let outcome = try await run(words, changing: path) { truncate(path, 0) }
            #expect(outcome.status == 2 && outcome.stderr.contains("It was emptied"), "\(arguments) \(outcome)")
            #expect(!folder.names.contains { $0.hasPrefix("r") }, "\(folder.names)")
            if arguments[0] == "index" { #expect(outcome.stderr.contains("0 read"), "\(outcome)") }
            let index = try await Framegrep.run(
                ["index", "status", "--index", folder.file("index")], in: folder.path)
            #expect(!index.stdout.contains("recordings: 1"), "\(index)")
            try FileManager.default.removeItem(atPath: path)
        }
    }

    /// Everything that existed when the search began is searched.
    @Test func aGrowingRecordingIsSearchedAndToldOf() async throws {
        let path = try await source("ts")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let outcome = try await run(["find", "--all-text", path], changing: path) {
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.seekToEnd()
            try file.write(contentsOf: bytes.prefix(30_000))
        }
        #expect(outcome.status == 0 && outcome.stderr.contains("It grew while it was read"), "\(outcome)")
    }

    @Test func enoughIsEnough() async throws {
        let path = try await source("mp4")
        let outcome = try await run(["find", "--all-text", "-m", "3", path], changing: path) {}
        #expect(outcome.status == 0 && outcome.stderr.isEmpty, "\(outcome)")
    }
}
