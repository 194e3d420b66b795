import Foundation
import TestSupport
import Testing

/// `live` and `run` have the words of `find`, and `find --all-text` needs no pattern.
@Suite(.serialized, .timeLimit(.minutes(5))) struct VocabularyTests {
    private let engine = ["--engine", "tesseract"]

    /// An endless video with a word in it.
    private let endless =
        "videotestsrc is-live=true pattern=white ! video/x-raw,width=320,height=180,framerate=25/1 "
        + "! textoverlay text=EXIT color=0xff000000 draw-shadow=false draw-outline=false font-desc=\"Sans Bold 30\" ! appsink name=frames"

    private func run(_ arguments: String...) async throws -> Framegrep.Outcome {
        try await Framegrep.run(["run", endless] + arguments + engine, timeout: 30)
    }

    @Test func liveEndsWhenEnoughWasSeen() async throws {
        let quiet = try await run("-e", "EXIT", "-q")
        #expect(quiet.status == 0 && quiet.stdout == "" && quiet.stderr == "" && !quiet.timedOut, "\(quiet)")
        let first = try await run("-e", "EXIT", "-e", "X", "-m", "1", "--format", "jsonl")
        #expect(first.status == 0 && !first.timedOut, "\(first)")
        #expect(first.objects.count { $0["type"] as? String == "appeared" } == 1)
        #expect(first.objects.count { $0["type"] as? String == "disappeared" } == 1)
        let end = try #require(first.objects.last)
        #expect(end["reason"] as? String == "count" && end["sightings"] as? Int == 1)
        let line = try await run("-e", "EXIT", "-m", "1")
        #expect(line.status == 0 && line.lines.count == 1 && line.stdout.hasSuffix(": EXIT\n"), "\(line)")
        let count = try await run("-e", "EXIT", "-m", "1", "-c")
        #expect(count.status == 0 && count.stdout == "1\n", "\(count)")
    }

    @Test func timeoutEndsTheWait() async throws {
        let missed = try await run("-e", "zebra", "-m", "1", "--timeout", "1s", "--format", "jsonl")
        #expect(missed.status == 1 && !missed.timedOut, "\(missed)")
        #expect(missed.objects.last?["reason"] as? String == "timeout")
        let seen = try await run("-e", "EXIT", "--timeout", "4s", "-c")
        #expect(seen.status == 0 && seen.stdout == "1\n" && !seen.timedOut, "\(seen)")
        let none = try await run("-e", "zebra", "--timeout", "500ms", "-c")
        #expect(none.status == 1 && none.stdout == "0\n", "\(none)")
        for time in ["0", "x"] { #expect(try await run("-e", "x", "--timeout", time).status == 2) }
    }

    @Test func findHasATimeoutToo() async throws {
        let clip = try await ClipCache.shared.path(
            "stream.mkv",
            KnownClip(
                frameCount: 100, words: [KnownWord(text: "MOVING", x: 20, y: 150, frames: 0..<100, speed: 4)],
                encoding: "x264enc speed-preset=veryfast ! matroskamux"))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: clip))
        let pipe = Pipe()
        // The rest never arrives, and the program waits for it.
        try pipe.fileHandleForWriting.write(contentsOf: bytes.prefix(min(bytes.count * 3 / 4, 60_000)))
        let running = try Running(
            Framegrep.path, ["find", "zebra", "-", "--timeout", "3s"] + engine, input: pipe.fileHandleForReading)
        let outcome = await running.end(within: 25)
        #expect(outcome.status == 1 && !outcome.timedOut && outcome.stderr.contains("--timeout"), "\(outcome)")
        try pipe.fileHandleForWriting.close()
    }

    @Test func formatsOfFindAreThoseOfLive() async throws {
        let csv = try await run("-e", "EXIT", "-m", "1", "--format", "csv")
        #expect(csv.lines.count == 2 && csv.lines[0].hasPrefix("source,id,pattern"), "\(csv)")
        let vtt = try await run("-e", "EXIT", "-m", "1", "--format", "vtt")
        #expect(vtt.stdout.hasPrefix("WEBVTT\n\n1\n") && vtt.stdout.hasSuffix("\nEXIT\n\n"), "\(vtt)")
        let events = try await run("-e", "EXIT", "-m", "1", "--events", "jsonl")
        #expect(events.objects.last?["type"] as? String == "end", "\(events)")
        #expect(try await run("-e", "EXIT", "--events", "jsonl", "--format", "csv").status == 2)
    }

    @Test func allTextNeedsNoPattern() async throws {
        let clip = try await cutsClip()
        let other = try await ClipCache.shared.path(
            "other.mp4", KnownClip(frameCount: 20, words: [KnownWord(text: "OTHER", x: 50, y: 50, frames: 0..<20)]))
        func find(_ arguments: String..., in folder: String? = nil) async throws -> Framegrep.Outcome {
            try await Framegrep.run(["find", "--all-text"] + arguments + engine, in: folder)
        }
        let all = try await find(clip)
        #expect(all.status == 0 && all.stderr == "", "\(all)")
        // Each line once.
        for line in ["BUBBLES", "EXIT 12", "GATE"] {
            #expect(all.lines.count { $0.hasSuffix(": \(line)") } == 1, "\(all)")
        }
        let both = try await find(clip, other)
        #expect(both.stdout == all.stdout + (try await find(other)).stdout)
        #expect(try await find(clip, "-c").stdout == "\(all.lines.count)\n")
        #expect(try await find(clip, "-m", "2").lines == Array(all.lines.prefix(2)))
        #expect(try await find(other, clip, "-l").lines == [other, clip])
        let quiet = try await find(clip, "-q")
        #expect(quiet.status == 0 && quiet.stdout == "" && quiet.stderr == "", "\(quiet)")
        // A word that is not a file is still a pattern.
        let word = try await find("zebra", other)
        #expect(word.status == 1 && word.lines.count == 1, "\(word)")
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: other, toPath: folder.file("a.mp4"))
        #expect(try await find("-r", in: folder.path).lines.map { $0.hasPrefix("a.mp4:") } == [true])
        #expect(try await find("-r", ".", in: folder.path).lines.count == 1)
        let missing = try await find("nothere.mp4")
        #expect(missing.status == 2 && missing.stderr.contains("nothere.mp4"), "\(missing)")
        for option in [["--boxes", folder.file("b")], ["--all"], ["--exec", "cat"]] {
            let outcome = try await Framegrep.run(["find", "--all-text", clip] + option + engine)
            #expect(outcome.status == 2 && outcome.stderr.contains("no pattern"), "\(outcome)")
        }
    }

    @Test func allTextOfARunningPicture() async throws {
        let line = try await run("--all-text", "-m", "1")
        #expect(line.status == 0 && line.lines.count == 1 && line.stdout.hasSuffix(": EXIT\n"), "\(line)")
        let quiet = try await run("--all-text", "-q")
        #expect(quiet.status == 0 && quiet.stdout == "" && quiet.stderr == "" && !quiet.timedOut, "\(quiet)")
        let count = try await run("--all-text", "-m", "1", "-c")
        #expect(count.status == 0 && count.stdout == "1\n", "\(count)")
        let both = try await run("--all-text", "-e", "EXIT", "-m", "1", "--format", "jsonl")
        #expect(both.objects.compactMap { $0["type"] as? String }.filter { $0 != "state" }.contains("text"), "\(both)")
        #expect(both.objects.last?["sightings"] as? Int == 1)
        // The only argument is the source; each line comes once.
        let clip = try await cutsClip()
        let live = try await Framegrep.run(["live", "--all-text", clip, "--headless"] + engine)
        #expect(live.status == 0, "\(live)")
        for word in ["BUBBLES", "EXIT 12", "GATE"] {
            #expect(live.lines.count { $0.hasSuffix(": \(word)") } == 1, "\(live)")
        }
        for option in [["--boxes", "--format", "jsonl"], ["--save-frames", "x"], ["--all"]] {
            let outcome = try await Framegrep.run(["run", endless, "--all-text"] + option + engine)
            #expect(outcome.status == 2 && outcome.stderr.contains("no pattern"), "\(outcome)")
        }
    }

    @Test func optionsOfGrepInLive() async throws {
        let bare = try await run("-i", "-F", "-n", "-h", "-e", "EXIT", "-m", "1")
        #expect(bare.status == 0 && bare.stdout.hasPrefix("00:00:") && bare.lines.count == 1, "\(bare)")
        let named = try await run("-H", "-e", "EXIT", "-m", "1")
        #expect(named.status == 0 && named.stdout.hasPrefix("the pipeline:"), "\(named)")
        for option in ["-l", "-L", "--files-with-matches"] {
            let outcome = try await run(option, "-e", "EXIT")
            #expect(outcome.status == 2 && outcome.stderr.contains("one source"), "\(outcome)")
        }
        let context = try await run("-A1", "-e", "EXIT")
        #expect(
            context.status == 2 && context.stderr.contains("grep") && !context.stderr.contains("mean"), "\(context)")
        #expect(try await run("-H", "-h", "-e", "EXIT").status == 2)
        for command in ["live", "run"] {
            let help = try await Framegrep.run([command, "-h"])
            #expect(help.status == 0 && help.stdout.hasPrefix("OVERVIEW"), "\(help)")
        }
    }

    @Test func eachChangeOfALineThatIsTyped() async throws {
        let clip = try await ClipCache.shared.path(
            "typed.mp4",
            KnownClip(
                frameCount: 75,
                words: [
                    KnownWord(text: "BUBBLES", x: 30, y: 60, frames: 0..<25),
                    KnownWord(text: "BUBBLES IN", x: 30, y: 60, frames: 25..<50),
                    KnownWord(text: "BUBBLES IN GLASS", x: 30, y: 60, frames: 50..<75),
                ]))
        let whole = "BUBBLES IN GLASS"
        let typed = try await ClipCache.shared.path(
            "letters.mp4",
            KnownClip(
                frameCount: 75,
                words: (1...whole.count).map { count in
                    let text = whole.prefix(count).trimmingCharacters(in: .whitespaces)
                    return KnownWord(
                        text: text, x: 30, y: 60, frames: 3 * (count - 1)..<(count == whole.count ? 75 : 3 * count))
                }))
        func lines(
            _ arguments: String..., of clip: String
        ) async throws -> [(text: String, start: Double, end: Double)] {
            let outcome = try await Framegrep.run(["find"] + arguments + [clip, "--format", "jsonl"] + engine)
            return outcome.objects.map {
                ($0["line"] as? String ?? "", $0["start"] as? Double ?? -1, $0["end"] as? Double ?? -1)
            }
        }
        #expect(try await lines("--all-text", of: typed).map(\.text) == [whole])
        // One word per second is not typing: these are consecutive texts.
        #expect(try await lines("--all-text", of: clip).map(\.text) == ["BUBBLES", "BUBBLES IN", whole])
        let each = try await lines("--each-change", of: clip)
        #expect(each.map(\.text) == ["BUBBLES", "BUBBLES IN", whole])
        #expect(zip(each, each.dropFirst()).allSatisfy { $0.end <= $1.start + 0.001 }, "\(each)")
    }

    @Test func livePicturesOfSightings() async throws {
        let folder = try TemporaryFolder()
        let pictures = folder.file("pictures")
        let outcome = try await run("-e", "EXIT", "-m", "1", "--save-frames", pictures)
        #expect(outcome.status == 0, "\(outcome)")
        let names = try FileManager.default.contentsOfDirectory(atPath: pictures)
        #expect(names.count == 1 && names[0].hasSuffix("-1-EXIT.png"), "\(names)")
        let found = try await Framegrep.run(["find", "EXIT", pictures + "/" + (names.first ?? "")] + engine)
        #expect(found.status == 0, "\(found)")
        // Nothing is left if nothing was seen, and an output that cannot be written is reported at once.
        let none = try await run("-e", "zebra", "--timeout", "1s", "--save-frames", folder.file("none"))
        #expect(none.status == 1 && !folder.names.contains("none"), "\(none)")
        let file = try folder.write("x", to: "file")
        #expect(try await run("-e", "EXIT", "--save-frames", file).status == 2)
    }
}
