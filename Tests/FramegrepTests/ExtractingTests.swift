import Foundation
import TestSupport
import Testing
import TextSpotting

/// Results that users of grep expect: only the matches, custom lines, everything that does not match, and context.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ExtractingTests {
    private let engine = ["--engine", "tesseract", "--language", "eng"]

    private func find(_ arguments: String..., in folder: String? = nil) async throws -> Framegrep.Outcome {
        try await Framegrep.run(["find"] + engine + arguments, in: folder)
    }

    @Test func onlyTheMatch() async throws {
        let clip = try await cutsClip()
        let whole = try await find("EXIT", clip)
        #expect(whole.lines.map { $0.hasSuffix(": EXIT 12") } == [true], "\(whole)")
        let part = try await find("EXIT", clip, "--only-matching")
        #expect(part.lines.map { $0.hasSuffix(": EXIT") } == [true], "\(part)")
        let cue = try await find("EXIT", clip, "--only-matching", "--format", "srt")
        #expect(cue.lines.contains("EXIT"), "\(cue)")
    }

    @Test func linesOfOnesOwn() async throws {
        let clip = try await cutsClip()
        let outcome = try await find("EXIT", clip, "--print", "{start}\\t{end_seconds} {{{text}}} {pattern}")
        #expect(outcome.status == 0 && outcome.stdout == "00:00:01.400\t3 {EXIT} EXIT\n", "\(outcome)")
        for template in ["{nothing}", "{start", "start}"] {
            let wrong = try await find("EXIT", "nothere.mp4", "--print", template)
            #expect(wrong.status == 2 && wrong.stderr.contains("{start_seconds}"), "\(template) \(wrong)")
        }
        let both = try await find("EXIT", "nothere.mp4", "--print", "{text}", "--format", "csv")
        #expect(both.status == 2 && both.stderr.contains("--print"), "\(both)")
    }

    @Test func whenItWasNotThere() async throws {
        let clip = try await cutsClip()
        let name = "\(clip):"
        let one = try await find("BUBBLES", clip, "--invert")
        #expect(
            one.lines == [
                name + "00:00:00.000-00:00:00.800: no BUBBLES", name + "00:00:02.000-00:00:03.000: no BUBBLES",
            ], "\(one)")
        let both = try await find("-e", "BUBBLES", "-e", "EXIT", clip, "--invert", "--format", "jsonl")
        #expect(both.objects.map { $0["type"] as? String } == ["absence"], "\(both)")
        #expect(both.objects.first?["end"] as? Double == 0.8)
        #expect(both.objects.first?["patterns"] as? [String] == ["BUBBLES", "EXIT"])
        let always = try await find("GATE", clip, "--invert")
        #expect(always.status == 1 && always.stdout == "", "\(always)")
        #expect(try await find("BUBBLES", clip, "--invert-match", "-c").stdout == "2\n")
        #expect(try await find("BUBBLES", clip, "--invert", "-m", "1").lines.count == 1)
        #expect(try await find("BUBBLES", clip, "--invert", "-q").status == 0)
        #expect(try await find("zebra", clip, "--invert", "--from", "1").lines.first?.contains("00:00:01.000-") == true)
        for option in [["--boxes", "-"], ["--all-text"], ["--save-clips", "clips"]] {
            let wrong = try await Framegrep.run(["find", "GATE", clip, "--invert"] + option + engine)
            #expect(wrong.status == 2 && wrong.stderr.contains("--invert"), "\(option) \(wrong)")
        }
    }

    @Test func aLineWithSeveralMatchesIsPrintedOnce() async throws {
        let folder = try TemporaryFolder()
        try KnownClip(
            width: 500, height: 200,
            words: [
                KnownWord(text: "FUSES 10A", x: 40, y: 20, frames: 0..<1),
                KnownWord(text: "FUSES 5A", x: 40, y: 110, frames: 0..<1),
            ]
        ).picture(0).writePNG(to: folder.file("box.png"))
        let both = try await find("-e", "FUSES", "-e", "10A", "box.png", in: folder.path)
        #expect(both.lines == ["box.png: FUSES 10A  [FUSES, 10A]", "box.png: FUSES 5A"], "\(both)")
        let colored = try await find("-e", "FUSES", "-e", "10A", "box.png", "--color", "always", in: folder.path)
        #expect(
            colored.lines.first?.contains("\u{1B}[01;31mFUSES\u{1B}[m \u{1B}[01;31m10A\u{1B}[m") == true, "\(colored)")
        let twice = try await find("S", "box.png", "--exact", in: folder.path)
        #expect(twice.lines == ["box.png: FUSES 10A  [S ×2]", "box.png: FUSES 5A  [S ×2]"], "\(twice)")
        // There is one object per sighting, and the count agrees.
        #expect(
            try await find("-e", "FUSES", "-e", "10A", "box.png", "--format", "jsonl", in: folder.path).lines.count == 3
        )
        #expect(try await find("-e", "FUSES", "-e", "10A", "box.png", "-c", in: folder.path).stdout == "3\n")
        #expect(
            try await find("-e", "FUSES", "-e", "10A", "box.png", "--only-matching", in: folder.path).lines.count == 3)
    }

    /// Returns the number of frames; those of the clip with cuts are distinguished by the words that they show.
    private func frameCount(of path: String) async throws -> Int { try await pictures(of: path).count }

    @Test func aClipOfEach() async throws {
        let clip = try await cutsClip()
        let folder = try TemporaryFolder()
        let outcome = try await find("-e", "BUBBLES", "-e", "EXIT", clip, "--save-clips", folder.file("clips"))
        #expect(outcome.status == 0 && outcome.stderr == "", "\(outcome)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("clips")).sorted()
        #expect(names.count == 2 && names.allSatisfy { $0.hasPrefix("cuts-") && $0.hasSuffix(".mp4") }, "\(names)")
        let bubbles = try #require(names.first { $0.contains("BUBBLES") })
        #expect(try await frameCount(of: folder.file("clips/\(bubbles)")) == 30)
        // The clip shows the word, in its box, from its first frame on.
        let seen = try await find("BUBBLES", folder.file("clips/\(bubbles)"), "--format", "jsonl")
        #expect(seen.objects.first?["start"] as? Double == 0, "\(seen)")
        // With context; existing files are not overwritten.
        let more = try await find("BUBBLES", clip, "--save-clips", folder.file("clips"), "-B", "0.4", "-A", "200ms")
        #expect(more.status == 0, "\(more)")
        let all = Set(try FileManager.default.contentsOfDirectory(atPath: folder.file("clips"))).subtracting(names)
        let wider = try #require(all.first)
        #expect(try await frameCount(of: folder.file("clips/\(wider)")) == 45)
        let none = try await find("zebra", clip, "--save-clips", folder.file("none"))
        #expect(none.status == 1 && !FileManager.default.fileExists(atPath: folder.file("none")), "\(none)")
    }

    @Test func aVideoOfWhatIsAround() async throws {
        let clip = try await cutsClip()
        let folder = try TemporaryFolder()
        let video = folder.file("found.mp4")
        let outcome = try await find("-e", "BUBBLES", clip, "--save-video", video, "-B", "200ms")
        #expect(outcome.status == 0 && outcome.stderr == "", "\(outcome)")
        #expect(try await frameCount(of: video) == 35)
        let seen = try await find("BUBBLES", video, "--format", "jsonl")
        #expect(seen.objects.first?["start"] as? Double == 0.2, "\(seen)")
        let none = try await find("zebra", clip, "--save-video", folder.file("none.mp4"), "-A", "1")
        #expect(none.status == 1 && none.stderr.contains("not written"), "\(none)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("none.mp4")))
    }

    @Test func optionsThatGrepMeansOtherwise() async throws {
        let clip = try await cutsClip()
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: clip, toPath: folder.file("a.mp4"))
        try FileManager.default.copyItem(atPath: clip, toPath: folder.file("b.mp4"))
        // -o WORD FILE: the word is taken as the results file, and the file as the pattern.
        let taken = try await find("-o", "GATE", "a.mp4", in: folder.path)
        #expect(taken.status == 2 && taken.stderr.contains("--only-matching"), "\(taken)")
        let two = try await find("-o", "GATE", "a.mp4", "b.mp4", in: folder.path)
        #expect(two.status == 1 && two.stderr.contains("--only-matching"), "\(two)")
        // A recording is never replaced by results.
        let over = try await find("GATE", "a.mp4", "-o", "b.mp4", in: folder.path)
        #expect(over.status == 2 && over.stderr.contains("--only-matching"), "\(over)")
        #expect(FileManager.default.contentsEqual(atPath: clip, andPath: folder.file("b.mp4")))
        let verbose = try await find("-v", "GATE", "a.mp4", in: folder.path)
        #expect(verbose.status == 0 && verbose.stderr.contains("--invert"), "\(verbose)")
        let plain = try await find("GATE", "a.mp4", "-o", "results", in: folder.path)
        #expect(plain.status == 0 && plain.stderr == "", "\(plain)")
    }

    @Test func aFileOnStandardInputIsTheInput() async throws {
        let clip = try await cutsClip()
        func find(_ arguments: String..., from path: String, at offset: UInt64 = 0) async throws -> Framegrep.Outcome {
            let file = try #require(FileHandle(forReadingAtPath: path))
            try file.seek(toOffset: offset)
            let job = try Running(Framegrep.path, ["find"] + engine + arguments, input: file)
            return await job.end()
        }
        let outcome = try await find("EXIT", from: clip)
        #expect(outcome.status == 0 && outcome.lines.map { $0.hasPrefix("-:") } == [true], "\(outcome)")
        #expect(try await find("-e", "EXIT", "-c", from: clip).stdout == "1\n")
        // The program must not read the input of a shell's loop.
        let loop = try await find("EXIT", from: clip, at: 1)
        #expect(loop.status == 2 && loop.stderr.contains("nothing to search in"), "\(loop)")
    }

    @Test func segmentsOfAListAreSearchedOnce() async throws {
        let folder = try TemporaryFolder()
        var clip = KnownClip.cuts
        clip.encoding = "x264enc bframes=0 speed-preset=veryfast key-int-max=25 ! mpegtsmux"
        let segment = try await ClipCache.shared.path("pipe.ts", clip)
        try FileManager.default.createDirectory(atPath: folder.file("parts"), withIntermediateDirectories: true)
        for name in ["parts/one 1.ts", "two.ts", "other.ts"] {
            try FileManager.default.copyItem(atPath: segment, toPath: folder.file(name))
        }
        _ = try folder.write(
            "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nparts/one%201.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:3,\ntwo.ts\n#EXT-X-ENDLIST\n",
            to: "list.m3u8")
        _ = try folder.write("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\nlist.m3u8\n", to: "master.m3u8")
        func names(_ arguments: String...) async throws -> [String] {
            try await Framegrep.run(["find", "-l", "GATE", "-r"] + arguments + engine, in: folder.path).lines
        }
        #expect(try await names().sorted() == ["master.m3u8", "other.ts"])
        #expect(try await names("--include", "*.ts").sorted() == ["other.ts", "parts/one 1.ts", "two.ts"])
    }
}
