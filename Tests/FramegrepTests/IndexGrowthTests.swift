import Foundation
import TestSupport
import Testing

/// New files in folders are read, old recordings are removed, and moments are shown.
@Suite(.serialized, .timeLimit(.minutes(5))) struct IndexGrowthTests {
    private let index: TemporaryFolder
    private let clips: TemporaryFolder

    init() throws {
        (index, clips) = (try TemporaryFolder(), try TemporaryFolder())
    }

    private var environment: [String: String] { ["FRAMEGREP_INDEX": index.file("index")] }

    private func framegrep(_ arguments: String...) async throws -> Framegrep.Outcome {
        try await Framegrep.run(arguments, environment: environment)
    }

    private func clip(_ name: String) async throws -> String {
        let path = clips.file(name)
        try FileManager.default.copyItem(atPath: try await cutsClip(), toPath: path)
        return path
    }

    @Test func whatIsTooOldGoesAndStaysAway() async throws {
        let path = try await clip("old.mp4")
        #expect(try await framegrep("index", "--engine", "tesseract", "-q", path).status == 0)
        #expect(try await framegrep("index", "expire", "--retain", "1d").stderr.contains("nothing expired"))
        #expect(try await framegrep("find", "GATE").status == 0)
        let expired = try await framegrep("index", "expire", "--budget", "1kB")
        #expect(expired.status == 0 && expired.stderr.contains("1 recording expired"))
        #expect(try await framegrep("find", "GATE").status == 1)
        #expect(try await framegrep("index", "status").stdout.contains("expired: 1"))
        let again = try await framegrep("index", "--engine", "tesseract", path)
        #expect(again.stderr.contains("0 read") && again.stderr.contains("1 expired earlier"))
        #expect(try await framegrep("index", "forget", path).status == 0)
        #expect(try await framegrep("index", "--engine", "tesseract", path).stderr.contains("1 read"))
    }

    @Test(
        arguments: [
            (["expire"], "Say what to remove"), (["expire", "--budget", "5 potatoes"], "--budget"),
            (["expire", "--retain", "soon"], "--retain"), (["expire", "--retain", "30"], "12h, 30d, 8w, 1y"),
            (["expire", "--retain", "6m"], "12h, 30d, 8w, 1y"), (["a.mp4", "--retain", "30"], "12h, 30d, 8w, 1y"),
            (["expire", "--retain", "1:30"], "12h, 30d, 8w, 1y"), (["expire", "--retain", "1d"], "There is no index"),
            (["merge"], "dest"), (["merge", "a"], "shard"), (["merge", "a", "b"], "There is no index"),
            (["--watch", "a.mp4"], "--watch waits"),
        ])
    func wrongOptionsAreSaid(arguments: [String], part: String) async throws {
        let outcome = try await Framegrep.run(["index"] + arguments, environment: environment, in: clips.path)
        #expect(outcome.status == 2 && outcome.stderr.contains(part), "\(outcome.stderr)")
        #expect(!FileManager.default.fileExists(atPath: index.file("index")))
    }

    @Test func indexesAreMerged() async throws {
        let (first, second) = (try await clip("first.mp4"), try await clip("second.mp4"))
        let (one, other) = (index.file("one"), index.file("other"))
        #expect(try await framegrep("index", "--index", one, "--engine", "tesseract", "-q", first).status == 0)
        #expect(try await framegrep("index", "--index", other, "--engine", "tesseract", "-q", second).status == 0)
        let merged = try await framegrep("index", "merge", one, other)
        #expect(merged.status == 0 && merged.stderr.contains("1 copied, 0 already there"))
        #expect(try await framegrep("find", "--index", one, "GATE").lines.count == 2)
        #expect(try await framegrep("find", "--index", other, "GATE").lines.count == 1)
        let same = try await framegrep("index", "merge", one, one)
        #expect(same.status == 2 && same.stderr.contains("the index that the others are copied into"))
    }

    /// A file that appears while it watches is read when it is complete; Ctrl-C ends it, and the text is found.
    @Test func whatComesIsRead() async throws {
        let folder = clips.file("in")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let job = try Running(
            Framegrep.path, ["index", "--watch", "--engine", "tesseract", folder], environment: environment)
        #expect(await job.wait { job.stderr.contains("watching 1 folder") }, "\(job.stderr)")
        // The file arrives in a new folder, in two pieces.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: try await cutsClip()))
        let below = folder + "/below"
        try FileManager.default.createDirectory(atPath: below, withIntermediateDirectories: false)
        let path = below + "/new.mp4"
        _ = FileManager.default.createFile(atPath: path, contents: bytes.prefix(bytes.count / 2))
        try await Task.sleep(for: .milliseconds(700))
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: bytes.suffix(from: bytes.count / 2))
        try handle.close()
        #expect(await job.wait { job.stderr.contains("1 read (3 s)") }, "\(job.stderr)")
        #expect(!job.stderr.contains("with an error"))
        // No lock is held while it waits.
        #expect(try await framegrep("index", "repair").status == 0)
        job.send(SIGINT)
        let outcome = await job.end(within: 20)
        #expect(outcome.signal == SIGINT && outcome.stderr.contains("no longer watched"), "\(outcome)")
        #expect(try await framegrep("find", "GATE").stdout.contains("below/new.mp4"))
    }

    @Test func aMomentIsShown() async throws {
        let path = try await clip("shown.mp4")
        #expect(try await framegrep("index", "--engine", "tesseract", "-q", path).status == 0)
        let line = try #require(try await framegrep("find", "EXIT").lines.first)
        let pictures = clips.file("pictures")
        let shown = try await framegrep("show", line, "EXIT", "--save-frames", pictures)
        #expect(shown.status == 0 && shown.stdout.contains("EXIT"), "\(shown.stderr)")
        let files = try FileManager.default.contentsOfDirectory(atPath: pictures)
        #expect(files.count == 1 && files[0].hasPrefix("shown-00.00.") && files[0].hasSuffix("EXIT.png"))
        // Without a pattern there is one picture of everything.
        let all = try await framegrep("show", "\(path):00:00:01.500", "--save-frames", clips.file("all"))
        #expect(all.status == 0 && all.lines.count > 1, "\(all.stderr)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: clips.file("all")).count == 1)
        for (arguments, part) in [
            ([line], "no display"), (["lobby"], "is not a moment"), (["nowhere.mp4:00:00:01"], "is not in the index"),
            ([path + ":00:01:01"], "has nothing"), ([line, "elevator"], "was not read there"),
        ] {
            let outcome = try await Framegrep.run(["show"] + arguments, environment: environment)
            #expect(outcome.status == 2 && outcome.stderr.contains(part), "\(outcome.stderr)")
        }
    }
}
