import Foundation
import OverlayDrawing
import Painting
import TestSupport
import Testing
import TextSpotting

@testable import framegrep

/// Commands that work in grep, make and ripgrep work here too, or the error says what does.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FirstHourTests {
    private let folder: TemporaryFolder
    private let engine = ["--engine", "tesseract", "--language", "eng"]

    init() throws { folder = try TemporaryFolder() }

    private func framegrep(_ arguments: [String]) async throws -> Framegrep.Outcome {
        try await Framegrep.run(arguments, environment: ["FRAMEGREP_INDEX": folder.file("index")], in: folder.path)
    }

    private func still(_ name: String, _ text: String = "EXIT 12") throws -> String {
        let canvas = try Canvas(width: 480, height: 160, color: OverlayColor(hex: 0xE8E4D8))
        _ = canvas.draw(CanvasText(text, font: .sansBold, size: 60), at: .move(to: Point(40, 40)))
        try PNGWriter.write(canvas, to: folder.file(name))
        return name
    }

    /// As in grep, make and rg.
    @Test func aValueStandsDirectlyBehindItsLetter() async throws {
        let clip = try await cutsClip()
        let plain = try await framegrep(["find", "-e", "BUBBLES", "-e", "EXIT", "-m", "1", "-j", "2", clip] + engine)
        #expect(plain.status == 0 && plain.lines.count == 1, "\(plain)")
        for arguments in [["-eBUBBLES", "-eEXIT", "-m1", "-j2", clip], ["-i", "-eBUBBLES", "-eEXIT", "-m1", clip]] {
            let joined = try await framegrep(["find"] + arguments + engine)
            #expect(joined.stdout == plain.stdout && joined.status == 0, "\(arguments): \(joined)")
        }
        let words = try folder.write("BUBBLES\nEXIT\n", to: "words")
        #expect(try await framegrep(["-f\(words)", "-m1", clip] + engine).stdout == plain.stdout)
        let clips = try await framegrep(["BUBBLES", clip, "--save-clips", "clips", "-B200ms", "-A1s"] + engine)
        #expect(clips.status == 0 && folder.names.contains("clips"), "\(clips)")
        #expect(try await framegrep(["-mx", "BUBBLES", clip] + engine).stderr.contains("'x' is invalid for '-m"))
    }

    @Test(arguments: [
        (["fnd", "EXIT", "no.mp4"], "did you mean 'framegrep find'?"), (["find", "fnd", "no.mp4"], "Check the name"),
        (["version"], "did you mean 'framegrep --version'?"), (["vesion"], "nothing to search in"),
        (["indxe", "no.mp4"], "did you mean 'framegrep index'?"),
        (["Redcat", "no.mp4"], "did you mean 'framegrep redact'?"),
        (["find", "--webhook", "http://x", "EXIT", "no.mp4"], "'framegrep live' and 'framegrep run' have it"),
        (["EXIT", "no.mp4", "--mqtt", "mqtt://x"], "--mqtt is not an option of 'framegrep find'"),
        (
            ["live", "--save-clips", "x", "EXIT"],
            "--save-clips is not an option of 'framegrep live': 'framegrep find' has it."
        ),
        (["find", "--no-such-option", "x", "y"], "Unknown option '--no-such-option'"),
        (["run", "videotestsrc num-buffers=3 ! appsink name=frames", "EXIT"], "--find 'EXIT'"),
        (["run", "videotestsrc num-buffers=3 ! appsink name=frames"], "--find EXIT"),
        (["explain"], "framegrep explain EXIT"),
    ]) func whatWasMeantIsSaid(_ arguments: [String], sentence: String) async throws {
        let outcome = try await framegrep(arguments)
        #expect(outcome.status == 2 && outcome.stdout.isEmpty && outcome.stderr.contains(sentence), "\(outcome)")
        if arguments.first == "find" { #expect(!outcome.stderr.contains("did you mean"), "\(outcome)") }
    }

    /// Only a name that is nearly the same was meant.
    @Test(
        arguments: [
            ("foo", nil), ("fp", "fps"), ("fsp", nil), ("fpss", "fps"), ("ten", nil), ("name", nil),
            ("tocrh", "torch"),
            ("wrds", "words"), ("min_score", "min-score"), ("x", nil), ("", nil), ("siz", "size"), ("zize", "size"),
            ("zise", nil),
        ] as [(String, String?)])
    func aNearKeyIsSuggested(written: String, meant: String?) {
        let keys = Array(ServiceKeys.words.keys) + ServiceKeys.others.keys
        #expect(ServiceKeys.near(written, among: keys) == meant)
    }

    /// What the parser could not use is explained, and nothing else of the line: what follows an option is its value, or
    /// should be.
    @Test(arguments: [
        (["-m", "-1", "EXIT", "x.mp4"], "-m needs a value, and '-1' behind it"),
        (["-im", "-1", "EXIT", "x.mp4"], "-m needs a value, and '-1' behind it"),
        (["live", "--max-count", "-1", "EXIT"], "--max-count needs a value, and '-1' behind it"),
        (["-j", "-x", "EXIT", "x.mp4"], "-j needs a value, and '-x' behind it"),
        (["-5", "EXIT", "x.mp4"], "-5 is an option of grep's"),
        (["-i5", "EXIT", "x.mp4"], "-5 is an option of grep's"),
        (["-inC3", "EXIT", "x.mp4"], "-C is an option of grep's"),
        (["--from", "-5", "--frm", "1", "EXIT", "x.mp4"], "Did you mean '--from'?"),
        (["--from", "-5", "-m", "0", "EXIT", "x.mp4"], "--max-count must be at least 1"),
        (["-m", "many", "-y", "EXIT", "x.mp4"], "'many' is invalid"),
        (["-e", "-5", "-y", "x.mp4"], "-y is an option of grep's"),
        (["live", "-l", "EXIT"], "live and run have one source"),
        (["live", "-A3", "EXIT"], "live and run have --record"),
        (["live", "--files-with-matches", "EXIT"], "live and run have one source"),
        (["--colour=never", "EXIT", "x.mp4"], "--color auto"), (["--json", "EXIT", "x.mp4"], "ripgrep's"),
    ]) func whatCannotBeUsedIsExplained(_ arguments: [String], sentence: String) async throws {
        let outcome = try await framegrep(arguments)
        #expect(outcome.status == 2 && outcome.stderr.contains(sentence), "\(outcome)")
        let isGreps = sentence.contains("grep's") || sentence.contains("live and run") || sentence.contains("--color")
        #expect(isGreps || !outcome.stderr.contains("grep's"), "\(outcome)")
    }

    /// Searched words must not be taken as commands.
    @Test func aWordThatIsLikeACommandIsSearchedFor() async throws {
        let clip = try await cutsClip()
        for word in ["Finds", "Shop", "LIVER", "scream"] {
            let outcome = try await framegrep([word, clip] + engine)
            #expect(outcome.status == 1 && outcome.stderr == "", "\(outcome)")
        }
        for word in ["EXIT", "a", "is", "LIFE 12", "find", "Index"] {
            #expect(CommandHint.meant(by: word) == nil, "\(word)")
        }
        #expect(CommandHint.distance("fnd", "find") == 1 && CommandHint.distance("idnex", "index") == 1)
        #expect(CommandHint.distance("", "run") == 3 && CommandHint.distance("serve", "serve") == 0)
    }

    @Test func aPipeIsNamedByADash() async throws {
        let shell = try #require(Tool("sh"))
        let clip = try await cutsClip()
        let environment = ["FRAMEGREP_INDEX": folder.file("none")]
        let piped = try await shell.run(
            ["-c", "cat \"$1\" | \"$0\" BUBBLES", Framegrep.path, clip], environment: environment)
        #expect(piped.status == 2 && piped.stderr.contains("'cat lobby.mp4 | framegrep EXIT -'"), "\(piped)")
        let unpiped = try await shell.run(
            ["-c", "\"$0\" BUBBLES < /dev/null", Framegrep.path], environment: environment)
        #expect(unpiped.status == 2 && !unpiped.stderr.contains("pipe"), "\(unpiped)")
        let dash = try await shell.run(
            ["-c", "cat \"$1\" | \"$0\" BUBBLES - --engine tesseract", Framegrep.path, clip], environment: environment)
        #expect(dash.status == 0 && dash.lines.count == 1, "\(dash)")
    }

    // MARK: Copies

    @Test func aCopyIsAsSecretAsItsRecording() async throws {
        try FileManager.default.copyItem(atPath: try await cutsClip(), toPath: folder.file("in.mp4"))
        func mode(_ name: String) throws -> Int {
            try #require(FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int)
        }
        for rights in [0o600, 0o640, 0o644] {
            try FileManager.default.setAttributes([.posixPermissions: rights], ofItemAtPath: folder.file("in.mp4"))
            let name = "clean\(rights).mp4"
            let outcome = try await framegrep(["redact", "BUBBLES", "in.mp4", "-o", name] + engine)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try mode(name) == rights)
            // An existing file keeps its permissions.
            try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: folder.file(name))
            #expect(try await framegrep(["redact", "BUBBLES", "in.mp4", "-o", name] + engine).status == 0)
            #expect(try mode(name) == rights & 0o664)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.file("in.mp4"))
        for (options, rights) in [([], 0o644), (["--show"], 0o600)] {
            let name = "plan\(options.count).jsonl"
            let outcome = try await framegrep(["redact", "BUBBLES", "in.mp4", "--plan", name] + options + engine)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try mode(name) == rights)
        }
    }

    @Test func someOfAFolderIsRedacted() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("in/old"), withIntermediateDirectories: true)
        for name in ["a.mp4", "b.mp4", "old/c.mp4"] {
            try FileManager.default.copyItem(atPath: try await cutsClip(), toPath: folder.file("in/\(name)"))
        }
        _ = try folder.write("words", to: "in/notes.txt")
        let outcome = try await framegrep(
            [
                "redact", "BUBBLES", "-r", "in", "--include", "*.mp4", "--exclude", "b.*", "--exclude", "old", "-o",
                "out",
            ] + engine)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(FileManager.default.subpaths(atPath: folder.file("out")) == ["a.mp4"])
        // Recipients of the copies must not take them for the complete set.
        #expect(
            outcome.stderr.contains(
                "left out by --include and --exclude, so without a copy: 3 (file or folder) (in/b.mp4, in/notes.txt, in/old)."
            ),
            "\(outcome)")
        let alone = try await framegrep(
            ["redact", "BUBBLES", "in/a.mp4", "--include", "*.mp4", "-o", "o.mp4"] + engine)
        #expect(alone.status == 2 && alone.stderr.contains("add -r"), "\(alone)")
    }

    // MARK: Stills and the index

    /// A still has no length.
    @Test func theSameStillsCountTheSameEverywhere() async throws {
        let names = try (1...3).map { try still("\($0).png") }
        let indexed = try await framegrep(["index"] + names + [try await cutsClip()] + engine)
        #expect(indexed.status == 0 && indexed.stderr.contains("4 read (3 s)"), "\(indexed)")
        let status = try await framegrep(["index", "status"])
        #expect(status.stdout.contains("recordings: 4 (3 s)"), "\(status)")
        let found = try await framegrep(["find", "EXIT"])
        #expect(found.stderr.contains("4 recordings (3 s) searched"), "\(found)")
    }

    /// A line that `find` prints for a still is accepted like one for a recording.
    @Test func aStillIsShown() async throws {
        // These names contain the separators of names and lines.
        for name in ["plain.png", "a: b.png", "at 12:00:00.png"] {
            _ = try still(name)
            #expect(try await framegrep(["index", "-q", name] + engine).status == 0)
            let line = try #require(try await framegrep(["find", "EXIT", name] + engine).lines.first)
            #expect(line == "\(name): EXIT 12")
            for moment in [line, name, "\(name): "] {
                let shown = try await framegrep(["show", moment, "EXIT", "--save-frames", "seen"])
                #expect(shown.status == 0 && shown.stdout == "\(name): EXIT 12\n", "\(moment): \(shown)")
            }
        }
        #expect(FileManager.default.subpaths(atPath: folder.file("seen"))?.count == 3)
        let unknown = try await framegrep(["show", "other.png: EXIT 12", "--save-frames", "seen"])
        #expect(unknown.status == 2 && unknown.stderr.contains("is not a moment"), "\(unknown)")
    }

    /// If file dates count, that is reported once for all.
    @Test func datesOfFilesAreSpokenOfOnce() async throws {
        let names = try (1...5).map { try still("\($0).png") }
        for jobs in ["1", "3"] {
            let outcome = try await framegrep(["find", "EXIT", "--since", "2020-01-01", "-j", jobs] + names + engine)
            #expect(outcome.status == 0 && outcome.lines.count == 5, "\(outcome)")
            let said = outcome.stderr.split(separator: "\n")
            #expect(said.count == 1 && said[0].contains("1.png, 2.png, 3.png and 2 more do not say"), "\(outcome)")
        }
    }

    /// A person wants to see that something was done; a script checks the status.
    @Test(.enabled(if: Tool.exists("script") && Tool.hasTerminals, "needs script, of bsdutils, and /dev/pts"))
    func onATerminalNothingEndsWithoutAWord() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("empty"), withIntermediateDirectories: true)
        #expect(try await framegrep(["index", "-q", try await cutsClip()] + engine).status == 0)
        for (command, status, words) in [
            ("find EXIT -r empty", 1, "there are no recordings or stills"), ("find -q EXIT -r empty", 1, ""),
            ("index check", 0, "every part of the index is intact (1 segment)"),
        ] as [(String, Int32, String)] {
            let outcome = try await #require(Tool("script")).run(
                ["-qec", "cd '\(folder.path)'; '\(Framegrep.path)' \(command)", "/dev/null"],
                environment: ["FRAMEGREP_INDEX": folder.file("index")])
            #expect(outcome.status == status && (words.isEmpty || outcome.stdout.contains(words)), "\(outcome)")
            #expect(outcome.stdout.isEmpty == words.isEmpty, "\(outcome)")
            let piped = try await framegrep(command.split(separator: " ").map(String.init))
            #expect(piped.status == status && piped.stdout == "" && piped.stderr == "", "\(piped)")
        }
    }
}
