import Foundation
import TestSupport
import Testing

/// Mistakes are reported before anything is read, and grep's options work as in grep or are explained.
@Suite(.serialized, .timeLimit(.minutes(5))) struct EarlyChecksTests {
    /// A recording of a word in a few frames.
    private static func clip() async throws -> String {
        try await ClipCache.shared.path(
            "short.mp4",
            KnownClip(
                width: 320, height: 180, frameCount: 25, words: [KnownWord(text: "GATE", x: 40, y: 50, frames: 0..<25)])
        )
    }

    private let tesseract = ["--engine", "tesseract"]

    @Test func languagesAndLevels() async throws {
        let clip = try await Self.clip()
        for engine in ["auto", "tesseract"] {
            let unknown = try await Framegrep.run(["find", "x", clip, "--language", "xxx", "--engine", engine])
            #expect(unknown.status == 2 && unknown.stderr.contains("xxx"), "\(unknown)")
        }
        let level = try await Framegrep.run(["find", "x", clip, "--level", "accurate"] + tesseract)
        #expect(level.status == 2 && level.stderr.contains("--level accurate"), "\(level)")
        let nothing = ["FRAMEGREP_HOME": "/nonexistent"]
        let without = try await Framegrep.run(["find", "x", clip, "--level", "accurate"], environment: nothing)
        #expect(without.status == 2 && without.stderr.contains("framegrep setup"), "\(without)")
    }

    /// A name that the networks do not know must not select the usual precision, or make Tesseract read.
    @Test(.enabled(if: Scripts.areRead, "the neural engine is not installed"))
    func aPrecisionThatThereIsNoneOf() async throws {
        let clip = try await Self.clip()
        let wrong = try await Framegrep.run(["find", "GATE", clip], environment: ["FRAMEGREP_PRECISION": "fp16"])
        #expect(wrong.status == 2 && wrong.stderr.contains("FRAMEGREP_PRECISION is 'fp16'"), "\(wrong)")
        for precision in ["f32", "bf16", ""] {
            let right = try await Framegrep.run(
                ["find", "GATE", clip, "--engine", "neural"], environment: ["FRAMEGREP_PRECISION": precision])
            #expect(right.status == 0 && right.stderr == "", "\(precision): \(right)")
        }
    }

    /// An option that would have no effect is refused.
    @Test(arguments: [
        (["find", "GATE", "CLIP", "--exec-limit", "2"], "--exec-limit is about --exec"),
        (["find", "GATE", "CLIP", "--voice-model", "/tmp"], "--voice-model is about --voice"),
        (["live", "GATE", "CLIP", "--headless", "--reconnect", "3"], "--reconnect is for sources on a network"),
        (["live", "GATE", "CLIP", "--headless", "--on-lost", "exit"], "--on-lost is for local cameras"),
        (
            ["live", "GATE", "rtsp://127.0.0.1:9/x", "--headless", "--on-lost", "exit"],
            "--on-lost is for local cameras"
        ),
        (["live", "GATE", "screen:", "--headless", "--reconnect", "3"], "--reconnect is for sources on a network"),
        (
            ["live", "GATE", "/dev/video97", "--headless", "--reconnect", "3"],
            "--reconnect is for sources on a network"
        ),
        (["live", "GATE", "CLIP", "--headless", "--boxes"], "--boxes is about --format jsonl"),
        (["live", "GATE", "CLIP", "--headless", "--overlay-delay", "1s"], "--overlay-delay is about --overlay exact"),
        (["live", "GATE", "CLIP", "--headless", "--snapshots", "."], "--snapshots is about the window"),
        (["live", "GATE", "CLIP", "--headless", "--outbox", "o"], "--outbox is about --webhook and --mqtt"),
        (["live", "GATE", "CLIP", "--headless", "--webhook-timeout", "1s"], "--webhook-timeout is about --webhook"),
        (["live", "GATE", "CLIP", "--headless", "--mqtt-discovery", "none"], "--mqtt-discovery is about --mqtt"),
        (
            ["run", "videotestsrc ! appsink name=frames", "-e", "GATE", "--exec-limit", "2"],
            "--exec-limit is about --exec"
        ),
        (["index", "CLIP", "--min-score", "0.5"], "--min-score is about matches"),
        (["index", "plan", "CLIP", "--min-score", "0.5"], "--min-score is about matches"),
        (["redact", "GATE", "CLIP", "--plan", "-", "--style", "blur"], "--style"),
        (["redact", "CLIP", "--region", "0,0,9,9", "-o", "x.mp4", "--min-score", "0.5"], "--min-score"),
        (["redact", "CLIP", "--apply", "p", "-o", "x.mp4", "--only-words"], "--only-words"),
    ]) func anOptionThatWouldDoNothingIsRefused(_ arguments: [String], sentence: String) async throws {
        let clip = try await Self.clip()
        let outcome = try await Framegrep.run(arguments.map { $0 == "CLIP" ? clip : $0 } + tesseract, timeout: 30)
        #expect(outcome.status == 2 && outcome.stderr.contains(sentence), "\(outcome)")
        #expect(outcome.stdout.isEmpty && outcome.stderr.split(separator: "\n").count <= 6, "\(outcome)")
    }

    /// An empty name is what a shell leaves of an unset variable.
    @Test(arguments: [
        ["find", "GATE", ""], ["find", "GATE", "CLIP", ""], ["find", "-r", "GATE", ""], ["find", "-f", "", "CLIP"],
        ["find", "GATE", "--files-from", ""], ["find", "GATE", "CLIP", "-o", ""],
        ["find", "GATE", "CLIP", "--save-video", ""], ["find", "GATE", "CLIP", "--save-frames", ""],
        ["find", "GATE", "CLIP", "--save-clips", ""], ["find", "GATE", "--index", ""], ["values", ""],
        ["live", "GATE", "", "--headless"], ["live", "GATE", "CLIP", "--headless", "--record", ""],
        ["live", "--config", ""], ["redact", "GATE", "", "-o", "x.mp4"], ["redact", "GATE", "CLIP", "-o", ""],
        ["redact", "-r", "GATE", "", "-o", "x"], ["redact", "-r", "GATE", ".", "-o", ""],
        ["redact", "GATE", "CLIP", "-o", "x.mp4", "--report", ""], ["index", ""], ["index", "plan", ""],
        ["index", "merge", "", "x"], ["index", "merge", "x", ""], ["index", "run", "--out", "x", ""],
    ]) func anEmptyNameIsRefused(_ arguments: [String]) async throws {
        let clip = try await Self.clip()
        let folder = try TemporaryFolder()
        let outcome = try await Framegrep.run(
            arguments.map { $0 == "CLIP" ? clip : $0 }, environment: ["FRAMEGREP_INDEX": folder.file("index")],
            in: folder.path, timeout: 30)
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.stderr.contains("is empty") || outcome.stderr.contains("The value ''"), "\(outcome)")
    }

    @Test func theWeakerEngineIsNeverKeptQuiet() async throws {
        let clip = try await Self.clip()
        let nothing = ["FRAMEGREP_HOME": "/nonexistent"]
        let auto = try await Framegrep.run(["find", "GATE", clip], environment: nothing)
        #expect(auto.status == 0 && auto.stderr.contains("Tesseract reads"), "\(auto)")
        #expect(auto.stderr.split(separator: "\n").count == 1)
        let asked = try await Framegrep.run(["find", "GATE", clip] + tesseract, environment: nothing)
        #expect(asked.status == 0 && asked.stderr == "", "\(asked)")
    }

    @Test func kindsThatThereAreNoneOf() async throws {
        for kind in [":URL", ":foo"] {
            let outcome = try await Framegrep.run("find", kind, "nothere.mp4")
            #expect(outcome.status == 2 && outcome.stderr.contains(":url :email"), "\(outcome)")
            #expect(!outcome.stderr.contains("nothere"))
        }
    }

    @Test func grepsOptions() async throws {
        let clip = try await Self.clip()
        let name = "\(clip):"
        let plain = try await Framegrep.run(["GATE", clip] + tesseract).stdout
        #expect(plain.hasPrefix(name))
        #expect(try await Framegrep.run(["-iFn", "gate", clip] + tesseract).stdout == plain)
        #expect(
            try await Framegrep.run(["-h", "GATE", clip] + tesseract).stdout == String(plain.dropFirst(name.count)))
        #expect(try await Framegrep.run(["-H", "-c", "GATE", clip] + tesseract).stdout == "\(name)1\n")
        let absent = try await Framegrep.run(["-L", "zebra", clip] + tesseract)
        #expect(absent.stdout == "\(clip)\n" && absent.status == 1)
        #expect(try await Framegrep.run(["-L", "GATE", clip] + tesseract).stdout == "")
        for (arguments, word) in [
            (["-A1", "x"], "--save-clips"), (["x", "-B", "2"], "--all-text"), (["-C3"], "--from"),
            (["-5"], "--from"),
            (["-V"], "--version"), (["-P", "x"], "-E"), (["--after-context=3"], "--from"), (["--json"], "jsonl"),
            (["-iC1"], "--from"),
        ] {
            let outcome = try await Framegrep.run(["find"] + arguments + ["x", "nothere.mp4"])
            #expect(outcome.status == 2 && outcome.stderr.contains(word), "\(arguments) \(outcome)")
            #expect(outcome.stderr.contains("grep") && !outcome.stderr.contains("Did you mean"))
        }
        for arguments in [["-h"], ["find", "-h"], ["live", "-h"]] {
            #expect(try await Framegrep.run(arguments).stdout.contains("USAGE"))
        }
    }

    @Test func timesOfAllForms() async throws {
        let clip = try await Self.clip()
        for (time, start) in [
            ("0.4", 0.4), ("0:00.4", 0.4), ("0m0.4s", 0.4), ("400ms", 0.4), ("40%", 0.4), ("-0.6s", 0.4),
        ] {
            let outcome = try await Framegrep.run(
                ["find", "GATE", clip, "--from", time, "--format", "jsonl"] + tesseract)
            #expect(outcome.objects.first?["start"] as? Double == start, "\(time) \(outcome)")
        }
        let late = try await Framegrep.run(["find", "GATE", clip, "--from", "1:30"] + tesseract)
        #expect(late.status == 1 && late.stderr.contains("behind the end"), "\(late)")
        let nothing = try await Framegrep.run(["find", "GATE", clip, "--to", "0"] + tesseract)
        #expect(nothing.status == 2 && nothing.stderr.contains("--to is the beginning of"), "\(nothing)")
        let none = try await Framegrep.run(["find", "GATE", clip, "--from", "90%", "--to", "10%"] + tesseract)
        #expect(none.status == 2 && none.stderr.contains("not before"), "\(none)")
        for time in ["", "x", "1x", "101%", "-", "1:2:3:4", "1s2m", "nan", "1e3", "--5"] {
            #expect(try await Framegrep.run(["find", "GATE", clip, "--from", time]).status == 2, "\(time)")
        }
    }

    @Test func aPipelineCallsItsSourceByName() async throws {
        let clip = try await Self.clip()
        let outcome = try await Framegrep.run(
            ["run", "filesrc location=\(clip) ! decodebin ! appsink name=frames", "--find", "GATE"] + tesseract)
        #expect(outcome.status == 0 && outcome.stdout.hasPrefix("\(clip):"), "\(outcome)")
    }
}
