import Foundation
import TestSupport
import Testing

/// Inputs that can be read only once: standard input, FIFOs and a shell's process substitutions.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PipeInputTests {
    private let find = "\"$0\" find --engine tesseract --language eng"

    /// Runs a script of bash with the program as `$0` and a clip as `$1`.
    private func shell(_ script: String, _ clip: String, in folder: TemporaryFolder) async throws -> Framegrep.Outcome {
        let bash = try #require(Tool("bash"))
        return await (try Running(bash.path, ["-c", script, Framegrep.path, clip], folder: folder.path)).end(within: 40)
    }

    private func clip(_ name: String, _ encoding: String) async throws -> String {
        var clip = KnownClip.cuts
        clip.encoding = encoding
        return try await ClipCache.shared.path(name, clip)
    }

    @Test(arguments: [
        ("pipe.mkv", "jpegenc ! matroskamux"),
        // Its index is at its end.
        ("pipe.mp4", "x264enc bframes=0 speed-preset=veryfast ! mp4mux"),
        ("pipe.ts", "x264enc bframes=0 speed-preset=veryfast ! mpegtsmux"),
    ])
    func aRecordingThroughAPipeIsWhatItIsAsAFile(name: String, encoding: String) async throws {
        let folder = try TemporaryFolder()
        let clip = try await clip(name, encoding)
        let file = try await shell("\(find) BUBBLES \"$1\" -h", clip, in: folder)
        let ways = [
            "cat \"$1\" | \(find) BUBBLES -", "\(find) BUBBLES <(cat \"$1\")",
            "mkfifo pipe; cat \"$1\" > pipe & \(find) BUBBLES pipe", "\(find) BUBBLES - < \"$1\"",
            "cat \"$1\" | \(find) BUBBLES /dev/stdin",
        ]
        for way in ways {
            let outcome = try await shell(way + " -h", clip, in: folder)
            #expect(
                outcome.status == 0 && outcome.stdout == file.stdout && outcome.stderr.isEmpty, "\(way): \(outcome)")
            try? FileManager.default.removeItem(atPath: folder.file("pipe"))
        }
        let named = try await shell("cat \"$1\" | \(find) BUBBLES - --format jsonl", clip, in: folder)
        #expect(named.objects.first?["source"] as? String == "-")
        let live = try await shell(
            "cat \"$1\" | \"$0\" live --headless --engine tesseract --language eng GATE -", clip, in: folder)
        #expect(live.status == 0 && live.stdout.hasPrefix("-:"), "\(live)")
    }

    @Test func aStillThroughAPipeHasNoTimes() async throws {
        let folder = try TemporaryFolder()
        let still = folder.file("gate.png")
        try KnownClip.cuts.picture(10).writePNG(to: still)
        let outcome = try await shell("cat \"$1\" | \(find) GATE -", still, in: folder)
        #expect(outcome.status == 0 && outcome.stdout == "-: GATE\n", "\(outcome)")
    }

    @Test func aPartOfATimeIsFoundByReading() async throws {
        let folder = try TemporaryFolder()
        let clip = try await clip("pipe.mkv", "jpegenc ! matroskamux")
        let script = "cat \"$1\" 2>/dev/null | \(find) GATE - --format jsonl"
        let outcome = try await shell(script + " --from 1 --to 2", clip, in: folder)
        #expect(outcome.status == 0 && outcome.stderr.isEmpty, "\(outcome)")
        #expect(try #require(outcome.objects.first?["start"] as? Double) >= 0.95)
        #expect(try #require(outcome.objects.first?["end"] as? Double) <= 2.05)
    }

    @Test func whatNeedsASecondPassIsRefusedBeforeAnythingIsRead() async throws {
        let folder = try TemporaryFolder()
        let clip = try await cutsClip()
        for option in ["--save-video out.mp4", "--save-frames out"] {
            let outcome = try await shell("cat \"$1\" | \(find) GATE - \(option); wc -c", clip, in: folder)
            #expect(outcome.stderr.contains("can be read only once"), "\(outcome)")
            // Nothing writes into this one, so opening it would wait.
            let fifo = try await shell("mkfifo pipe; \(find) GATE pipe \(option)", clip, in: folder)
            #expect(fifo.status == 2 && !fifo.timedOut && fifo.stderr.contains("can be read only once"), "\(fifo)")
            try FileManager.default.removeItem(atPath: folder.file("pipe"))
        }
        #expect(folder.names.isEmpty)
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aFIFOWithoutAWriterAnswersToASignal(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        for command in [["find"], ["live", "--headless"]] {
            let running = try Running(
                Framegrep.path, command + ["--engine", "tesseract", "GATE", folder.file("pipe")])
            // It is open once a writer need not wait.
            let isOpen = await running.wait(within: 20) {
                let end = open(folder.file("pipe"), O_WRONLY | O_NONBLOCK)
                return end >= 0
            }
            #expect(isOpen)
            running.send(signal)
            let outcome = await running.end(within: 10)
            #expect(!outcome.timedOut && outcome.signal == signal, "\(outcome)")
        }
    }

    @Test func whatIsNoRecordingIsSaid() async throws {
        let folder = try TemporaryFolder()
        let clip = try await cutsClip()
        for (script, words) in [
            ("\(find) x - < /dev/null", "'-'"), ("true | \(find) x -", "'-' is empty"),
            ("echo only some words of text | \(find) x -", "'-'"), ("\(find) x - <&-", "'-' cannot be read"),
            ("\(find) x /dev/zero", "'/dev/zero'"), ("\(find) x fd://0 < \"$1\"", "--allow fd"),
            ("cat \"$1\" 2>/dev/null | \(find) x - -", "Standard input can be read once"),
            ("echo EXIT | \(find) -f - -", "-f -"),
        ] {
            let outcome = try await shell(script, clip, in: folder)
            #expect(outcome.status == 2 && !outcome.timedOut, "\(script): \(outcome)")
            #expect(outcome.stderr.contains(words), "\(script): \(outcome.stderr)")
            #expect(outcome.stderr.split(separator: "\n").count == 1, "\(script): \(outcome.stderr)")
        }
    }

    @Test func aListThroughAPipeLeadsNowhere() async throws {
        let folder = try TemporaryFolder()
        let clip = try await clip("pipe.ts", "x264enc bframes=0 speed-preset=veryfast ! mpegtsmux")
        let list = "#EXTM3U\\n#EXT-X-TARGETDURATION:4\\n#EXTINF:3.0,\\nfile://$1\\n#EXT-X-ENDLIST\\n"
        let outcome = try await shell("printf \"\(list)\" | \(find) BUBBLES -", clip, in: folder)
        #expect(outcome.status == 2 && outcome.stdout == "" && !outcome.timedOut, "\(outcome)")
    }

    @Test func patternsAndPipelinesComeThroughPipes() async throws {
        let folder = try TemporaryFolder()
        let clip = try await standingClip()
        for script in [
            "\(find) -f <(printf 'zebra\\nBUBBLES\\n') \"$1\" -h", "printf 'BUBBLES\\n' | \(find) -f - \"$1\" -h",
            "\"$0\" run --headless --engine tesseract --language eng <(echo \"filesrc location=$1 ! decodebin ! appsink name=frames\") --find BUBBLES",
            "echo BUBBLES | \"$0\" live --headless --engine tesseract -f - \"$1\"",
        ] {
            let outcome = try await shell(script, clip, in: folder)
            #expect(outcome.status == 0 && outcome.stdout.contains("BUBBLES"), "\(script): \(outcome)")
        }
    }
}
