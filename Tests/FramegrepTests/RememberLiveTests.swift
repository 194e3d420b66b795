import Foundation
import TestSupport
import Testing

/// Text that a live job reads is found later, with the time of day.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RememberLiveTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var environment: [String: String] { ["FRAMEGREP_INDEX": folder.file("index")] }

    private func framegrep(_ arguments: String...) async throws -> Framegrep.Outcome {
        try await Framegrep.run(arguments, environment: environment)
    }

    /// A source that continues until it is stopped.
    private static let endless =
        "videotestsrc is-live=true pattern=white ! video/x-raw,width=320,height=180,framerate=25/1 ! "
        + "textoverlay text=\"EXIT 12\" color=0xff000000 draw-shadow=false draw-outline=false font-desc=\"Sans Bold 30\" ! "
        + "appsink name=frames"

    /// After a signal the text read so far is in the index, including text that was not searched for.
    @Test(arguments: [SIGINT, SIGTERM])
    func whatWasShownIsFound(signal: Int32) async throws {
        let began = Date()
        let job = try Running(
            Framegrep.path,
            ["run", Self.endless, "--find", "EXIT", "--engine", "tesseract", "--format", "jsonl", "--remember"],
            environment: environment)
        #expect(await job.wait { job.stdout.contains("\"appeared\"") }, "\(job.stderr)")
        job.send(signal)
        let outcome = await job.end()
        #expect(outcome.status == 128 + signal && !outcome.timedOut, "\(outcome)")
        let text = try await framegrep("find", "12")
        #expect(text.status == 0)
        let line = /the pipeline:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-\S*\d\d:\d\d:\d\d\.\d{3}: EXIT 12/
        #expect(text.lines.count == 1 && text.lines[0].wholeMatch(of: line) != nil, "\(text)")
        #expect(text.stderr.contains("of 1 live source, of which not every picture was read, searched in the index"))
        let found = try await framegrep("find", "EXIT", "--format", "jsonl")
        let wall = try #require(found.objects.first?["wall_start"] as? String)
        let date = try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(wall)
        #expect(date > began - 1 && date < Date(), "\(wall)")
        #expect((found.objects.last?["live_seconds"] as? Double ?? 0) > 0)
        #expect(try await framegrep("find", "elevator").status == 1)
        let pictures = try await framegrep("find", "EXIT", "--save-frames", folder.file("pictures"))
        #expect(pictures.status == 0 && pictures.stderr.contains("there are no pictures of it"), "\(pictures)")
        let shown = try await framegrep("show", text.lines[0], "--save-frames", folder.file("pictures"))
        #expect(shown.status == 2 && shown.stderr.contains("was shown live"), "\(shown)")
        #expect(try await framegrep("index", "sources").stdout.contains("the pipeline@"))
        #expect(try await framegrep("index", "check").status == 0)
    }

    /// Each run is kept separately; removed runs are reported by name.
    @Test func runsAreKeptApart() async throws {
        let short = Self.endless.replacing("is-live=true", with: "is-live=true num-buffers=30")
        for _ in 0..<2 {
            let run = try await framegrep("run", short, "--find", "EXIT", "--engine", "tesseract", "--remember")
            #expect(run.status == 0, "\(run)")
        }
        let found = try await framegrep("find", "EXIT", "--format", "jsonl")
        let sightings = found.objects.filter { $0["type"] as? String == "sighting" }
        #expect(Set(sightings.compactMap { $0["source"] as? String }).count == 2, "\(found.stdout)")
        let name = try #require(sightings.first?["source"] as? String)
        #expect(try await framegrep("index", "forget", name).stderr.contains("1 recording removed from the index"))
        #expect(try await framegrep("find", "EXIT").lines.count == 1)
    }

    /// This includes standard input, which cannot be read a second time.
    @Test func whatComesThroughAPipeIsKept() async throws {
        let clip = try #require(FileHandle(forReadingAtPath: try await standingClip()))
        let pipe = Pipe()
        let feeding = Task.detached {
            while let data = try? clip.read(upToCount: 1 << 16), !data.isEmpty {
                try? pipe.fileHandleForWriting.write(contentsOf: data)
            }
            try? pipe.fileHandleForWriting.close()
        }
        let job = try Running(
            Framegrep.path, ["live", "GATE", "-", "--headless", "--engine", "tesseract", "--remember"],
            environment: environment, input: pipe.fileHandleForReading)
        let outcome = await job.end()
        await feeding.value
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try await framegrep("find", "GATE").status == 0)
    }

    @Test func aRecordingIsForIndex() async throws {
        let clip = try await standingClip()
        let refused = try await framegrep("live", "GATE", clip, "--headless", "--remember")
        #expect(refused.status == 2 && refused.stderr.contains("framegrep index"), "\(refused)")
        let lone = try await framegrep("live", "GATE", clip, "--headless", "--index", folder.file("index"))
        #expect(lone.status != 0 && lone.stderr.contains("--remember"), "\(lone)")
        let file = try folder.write("no folder", to: "file")
        let nowhere = try await framegrep("run", Self.endless, "--find", "EXIT", "--remember", "--index", file)
        #expect(nowhere.status == 2 && nowhere.stdout.isEmpty, "\(nowhere)")
    }
}
