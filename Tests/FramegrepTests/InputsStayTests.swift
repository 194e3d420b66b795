import Foundation
import TestSupport
import Testing

@testable import framegrep

/// A run overwrites nothing that it reads and writes nothing into the folder of an index; it reports both before it
/// reads the first frame.
@Suite(.serialized, .timeLimit(.minutes(5))) struct InputsStayTests {
    private let folder: TemporaryFolder
    private let engine = ["--engine", "tesseract", "--language", "eng"]

    init() throws { folder = try TemporaryFolder() }

    /// A piece of a stream, as lists have them, with the word BUBBLES in it.
    private func piece(named name: String) async throws -> String {
        var clip = KnownClip.cuts
        clip.encoding = "x264enc bframes=0 speed-preset=veryfast key-int-max=25 ! mpegtsmux"
        let path = folder.file(name)
        try FileManager.default.copyItem(atPath: try await ClipCache.shared.path("piece.ts", clip), toPath: path)
        return path
    }

    /// Returns every file in a folder and those below, with its bytes.
    private func contents(_ path: String) -> [String: Data] {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return Dictionary(
            uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: path + "/" + $0) ?? Data()) })
    }

    /// Runs it, and checks that it fails with one sentence and changes no file.
    private func refused(
        _ arguments: [String], environment: [String: String] = [:], mentions words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = contents(folder.path)
        let outcome = try await Framegrep.run(arguments, environment: environment, in: folder.path)
        #expect(outcome.status == 2 && outcome.stdout == "", "\(arguments) \(outcome)", sourceLocation: sourceLocation)
        #expect(
            outcome.stderr.split(separator: "\n").count == 1, "\(arguments) \(outcome)", sourceLocation: sourceLocation)
        for word in words {
            #expect(outcome.stderr.contains(word), "\(arguments) \(outcome)", sourceLocation: sourceLocation)
        }
        #expect(contents(folder.path) == before, "\(arguments)", sourceLocation: sourceLocation)
    }

    // MARK: What the environment names

    @Test func nothingIsWrittenWhereTheProgramReadsByItself() async throws {
        for name in ["home/neural", "data", "state/framegrep/outbox"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(name), withIntermediateDirectories: true)
        }
        _ = try folder.write("network", to: "home/neural/pp-ocr.onnx")
        _ = try folder.write("letters", to: "data/eng.traineddata")
        _ = try folder.write("notices", to: "state/framegrep/outbox/a.db")
        let environment = [
            "FRAMEGREP_HOME": folder.file("home"), "TESSDATA_PREFIX": folder.file("data"),
            "XDG_STATE_HOME": folder.file("state"),
        ]
        let find = ["find", "GATE", try await cutsClip()]
        for target in [
            "home/neural/pp-ocr.onnx", "home/neural/new", "./home/../home/neural/new", "data/eng.traineddata",
            "state/framegrep/outbox/a.db", "state/framegrep/searches",
        ] {
            try await refused(find + ["-o", target], environment: environment, mentions: "-o", "its own files")
        }
    }

    // MARK: The index

    @Test func nothingIsWrittenIntoAnIndex() async throws {
        let manager = FileManager.default
        try manager.copyItem(atPath: try await cutsClip(), toPath: folder.file("c.mp4"))
        let made = try await Framegrep.run(["index", "-q", "--index", "x", "c.mp4"] + engine, in: folder.path)
        #expect(made.status == 0, "\(made)")
        try manager.createSymbolicLink(atPath: folder.file("soft"), withDestinationPath: "x")
        try manager.createSymbolicLink(atPath: folder.file("soft.mp4"), withDestinationPath: "x/new.mp4")
        try manager.linkItem(atPath: folder.file("x/catalog.db"), toPath: folder.file("hard.mp4"))
        let month = try #require(try manager.contentsOfDirectory(atPath: folder.file("x/segments")).first)
        let find = ["find", "GATE", "--index", "x"]
        let into = "into the index in"
        for target in [
            "x/catalog.db", "./x/../x/new.mp4", "soft/new.mp4", "soft.mp4", folder.file("x/segments/\(month)/new.mp4"),
            "hard.mp4", "x/lock",
        ] {
            try await refused(find + ["-o", target], mentions: "-o", into)
        }
        for outputs in [
            ["--boxes", "x/catalog.db"], ["--save-video", "x/new.mp4"], ["--save-frames", "x/new/pictures"],
            ["--remember", "--no-index", "-o", "x/new"],
        ] {
            try await refused(find + ["c.mp4"] + engine + outputs, mentions: outputs.dropLast().last ?? "", into)
        }
        // An index that this run does not use, and one that the environment names.
        try await refused(["find", "GATE", "c.mp4", "-o", "x/new"] + engine, mentions: into)
        try await refused(
            ["find", "GATE", "-o", "y/new"], environment: ["FRAMEGREP_INDEX": folder.file("x")], mentions: "y/new")
        try await refused(
            ["find", "GATE", "-o", "x/catalog.db"], environment: ["FRAMEGREP_INDEX": folder.file("x")], mentions: into)
        // An index that does not exist yet.
        try await refused(
            ["find", "GATE", "c.mp4", "--no-index", "--remember", "--index", "new", "--save-frames", "new/pictures"]
                + engine, mentions: into)
        let live = ["live", "GATE", "c.mp4", "--headless"] + engine
        for outputs in [
            ["-o", "x/catalog.db"], ["--record", "x/new.mp4"], ["--save-frames", "x"],
        ] {
            try await refused(live + outputs, mentions: outputs[0], into)
        }
        try await refused(
            live.filter { $0 != "--headless" } + ["--snapshots", "soft"], mentions: "--snapshots", into)
        try await refused(
            live + ["--webhook", "http://127.0.0.1:9/", "--outbox", "x/segments"], mentions: "--outbox", into)
        let run = "filesrc location=c.mp4 ! decodebin ! appsink name=frames"
        try await refused(["run", run, "--find", "GATE", "-o", "x/catalog.db"] + engine, mentions: into)
        try await refused(
            [
                "run",
                "filesrc location=c.mp4 ! tee name=t ! queue ! decodebin ! appsink name=frames "
                    + "t. ! queue ! filesink location=x/catalog.db", "--find", "GATE",
            ] + engine, mentions: "the pipeline", into)
        _ = try folder.write("", to: "units.jsonl")
        try await refused(["index", "run", "units.jsonl", "--out", "x/new"], mentions: "--out", into)
        try await refused(
            ["show", folder.file("c.mp4") + ":00:00:00.500", "--index", "x", "--save-frames", "x/new"], mentions: into)
        let service = """
            [[source]]
            name = "door"
            address = "c.mp4"
            words = ["GATE"]
            """
        for line in [
            "save-frames = \"x\"", "record = \"x/{time}.mp4\"", "outbox = \"x\"\nwebhook = \"http://127.0.0.1:9/\"",
        ] {
            _ = try folder.write(service + "\n" + line, to: "c.toml")
            try await refused(["live", "--config", "c.toml", "--check"], mentions: "c.toml:", into)
        }
        let shell = try #require(Tool("sh"))
        let appended = try await shell.run([
            "-c", "cd \"$0\"; exec \"$1\" find GATE --index x >> x/catalog.db", folder.path, Framegrep.path,
        ])
        #expect(appended.status == 2 && appended.stderr.contains(into), "\(appended)")
        // The index is complete.
        let found = try await Framegrep.run(find, in: folder.path)
        #expect(found.status == 0 && found.stdout.contains("GATE"), "\(found)")
        // Writing next to it does no harm.
        #expect(try await Framegrep.run(find + ["-o", "xx"], in: folder.path).status == 0)
    }

    // MARK: Lists

    @Test func whatAListLeadsToIsAnInput() async throws {
        let cap = try await piece(named: "cap.ts")
        let head = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n#EXTINF:3.0,\n"
        _ = try folder.write(head + "cap.ts\n#EXT-X-ENDLIST\n", to: "l.m3u8")
        _ = try folder.write("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nl.m3u8\n", to: "master.m3u8")
        try FileManager.default.createSymbolicLink(atPath: folder.file("soft.mp4"), withDestinationPath: "cap.ts")
        try FileManager.default.linkItem(atPath: cap, toPath: folder.file("hard.mp4"))
        let leads = "l.m3u8 leads to it"
        for (list, target) in [("l.m3u8", "cap.ts"), ("l.m3u8", "soft.mp4"), ("l.m3u8", "./hard.mp4")] {
            try await refused(["find", "BUBBLES", list, "-o", target] + engine, mentions: leads)
            try await refused(["find", "BUBBLES", list, "--boxes", target] + engine, mentions: leads)
            try await refused(["live", "BUBBLES", list, "--headless", "-o", target] + engine, mentions: leads)
        }
        try await refused(["find", "BUBBLES", "master.m3u8", "-o", "cap.ts"] + engine, mentions: "master.m3u8")
        try await refused(["find", "BUBBLES", "master.m3u8", "-o", "l.m3u8"] + engine, mentions: "master.m3u8")
        try await refused(["find", "BUBBLES", "l.m3u8", "--save-video", "soft.mp4"] + engine, mentions: leads)
        try await refused(
            ["live", "BUBBLES", "l.m3u8", "--headless", "--record", "hard.mp4"] + engine, mentions: leads)
        try await refused(
            [
                "run", "uridecodebin uri=file://\(folder.file("l.m3u8")) ! appsink name=frames", "--find", "BUBBLES",
                "-o",
            ]
                + ["cap.ts"] + engine, mentions: "leads to it")
        _ = try folder.write("l.m3u8\n", to: "names")
        try await refused(["find", "BUBBLES", "--files-from", "names", "-o", "cap.ts"] + engine, mentions: leads)
        let shell = try #require(Tool("sh"))
        let before = contents(folder.path)
        let appended = try await shell.run([
            "-c", "cd \"$0\"; exec \"$1\" find BUBBLES l.m3u8 --engine tesseract >> cap.ts", folder.path,
            Framegrep.path,
        ])
        #expect(appended.status == 2 && contents(folder.path) == before, "\(appended)")
        // Other files may be written next to it.
        let found = try await Framegrep.run(["find", "BUBBLES", "l.m3u8", "-o", "out"] + engine, in: folder.path)
        #expect(found.status == 0, "\(found)")
    }

    /// A list on the network cannot be examined beforehand; `--allow file` lets it lead to a local file.
    @Test func whatNobodyCouldTellIsKeptAllTheSame() async throws {
        let (first, second) = (try await piece(named: "first.ts"), try await piece(named: "second.ts"))
        let server = try PageServer()
        server.put(
            list:
                "#EXT-X-TARGETDURATION:4\n#EXTINF:3.0,\nfile://\(first)\n#EXTINF:3.0,\nfile://\(second)\n#EXT-X-ENDLIST",
            at: "/l.m3u8")
        let bytes = try folder.bytes(of: "second.ts")
        let source = [server.address("/l.m3u8"), "--allow", "file", "-o", "second.ts"] + engine
        for job in [["find", "BUBBLES"], ["live", "BUBBLES", "--headless", "--reconnect", "never"]] {
            let outcome = try await Framegrep.run(job + source, in: folder.path)
            #expect(
                outcome.status == 2 && outcome.stderr.contains("second.ts"), "\(outcome), asked for: \(server.asked)")
            #expect(try folder.bytes(of: "second.ts") == bytes)
        }
    }

    @Test(arguments: [
        ("#EXTM3U\n#EXT-X-MAP:URI=\"cap.ts\"\nother.ts", "cap.ts"),
        ("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"key file\"\nother.ts", "key file"),
        ("#EXTM3U\r\n#EXTINF:1,\r\ncap%20one.ts?token=1#x\r\n", "cap one.ts"),
        ("#EXTM3U\nfile://HERE/cap.ts\n", "cap.ts"), ("#EXTM3U\nHERE/cap.ts\n", "cap.ts"),
        ("<MPD><Period><BaseURL>below/</BaseURL><BaseURL>cap.ts</BaseURL></Period></MPD>", "below/cap.ts"),
        (
            "<?xml version='1.0'?>\n<MPD><Representation id='v'><SegmentTemplate initialization='init-$RepresentationID$.mp4'"
                + " media='chunk-$RepresentationID$-$Number%05d$.m4s'/></Representation></MPD>", "chunk-v-00007.m4s"
        ),
        (
            "<SmoothStreamingMedia><StreamIndex Url='QualityLevels({bitrate})/Fragments(video={start time})'/>",
            "QualityLevels(1)/Fragments(video=0)"
        ),
        ("ffconcat version 1.0\nfile 'a clip.mp4'\nduration 3\n", "a clip.mp4"),
        ("ffconcat version 1.0\nfile clip.mp4\n", "clip.mp4"),
        ("<svg xmlns='http://www.w3.org/2000/svg'><image href='sign.png'/></svg>", "sign.png"),
    ])
    func listsOfAllKindsAreUnderstood(text: String, name: String) throws {
        let manager = FileManager.default
        for made in ["below", "QualityLevels(1)"] {
            try manager.createDirectory(atPath: folder.file(made), withIntermediateDirectories: true)
        }
        let file = try #require(FileIdentity(ofFileAt: try folder.write("x", to: name)))
        let other = try #require(FileIdentity(ofFileAt: try folder.write("x", to: "bystander.ts")))
        let list = try folder.write(text.replacing("HERE", with: folder.path), to: "list")
        let found = Set(ListedFiles.files(listedBy: list).compactMap { FileIdentity(ofFileAt: $0) })
        #expect(found.contains(file) && !found.contains(other))
    }

    @Test func listsOfHarmfulKindsEnd() throws {
        // A circular list, one whose bytes are not text, and one that is a pipe.
        let first = try folder.write("#EXTM3U\nsecond.m3u8\n", to: "first.m3u8")
        _ = try folder.write("#EXTM3U\nfirst.m3u8\nfirst.m3u8?\n", to: "second.m3u8")
        #expect(ListedFiles.files(listedBy: first).contains(folder.file("second.m3u8")))
        #expect(ListedFiles.files(listedBy: try folder.write([0, 1, 2] + Array("\ncap.ts".utf8), to: "b")) == [])
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        #expect(ListedFiles.files(listedBy: folder.file("pipe")) == [])
        #expect(ListedFiles.files(listedBy: folder.file("nothere")) == [])
        #expect(ListedFiles.files(listedBy: folder.path) == [])
    }

    // MARK: All options that take files

    private struct OptionHelp: Decodable {
        struct Name: Decodable { let name: String }
        struct Completion: Decodable { let file: [String: [String]]? }

        let kind: String
        let names: [Name]?
        let valueName: String?
        let completionKind: Completion?

        /// The option as written on a command line.
        var shown: String? { names?.map { $0.name.count == 1 ? "-\($0.name)" : "--\($0.name)" }.last }
        var takesFile: Bool { kind == "option" && (valueName == "file" || completionKind?.file != nil) }
    }

    private struct CommandHelp: Decodable {
        let commandName: String
        let arguments: [OptionHelp]?
        let subcommands: [CommandHelp]?
    }

    private struct Help: Decodable { let command: CommandHelp }

    /// Options that write the file they name; all other options with a file read it.
    private static let written: Set<String> = [
        "--output", "--boxes", "--save-video", "--record", "--plot", "--plan", "--report",
    ]
    /// With these no argument is the pattern.
    private static let inPlaceOfThePattern: Set<String> = [
        "--apply", "--pattern-file", "--voice-from", "--voice-model",
    ]
    /// The options that another option needs.
    private static let companions = [
        "--mqtt-credentials": ["--mqtt", "mqtt://127.0.0.1:1"], "--mqtt-ca": ["--mqtt", "mqtts://127.0.0.1:1"],
        "--voice-model": ["--voice-from", "nobody.wav"],
    ]

    /// Options added later are tested here too: they must use ``FileArgument``.
    @Test func noOptionsFileIsWrittenOver() async throws {
        let dump = try await Framegrep.run("--experimental-dump-help")
        let help = try JSONDecoder().decode(Help.self, from: Data(dump.stdout.utf8)).command
        try FileManager.default.copyItem(atPath: try await cutsClip(), toPath: folder.file("c.mp4"))
        let run = "filesrc location=c.mp4 ! decodebin ! appsink name=frames"
        let sources = [
            "find": ["GATE", "c.mp4"], "live": ["GATE", "c.mp4", "--headless"], "run": [run, "--find", "GATE"],
            "values": ["c.mp4", "--live", "--near", "GATE"], "redact": ["GATE", "c.mp4"],
        ]
        var tried: [String] = []
        for command in help.subcommands ?? [] {
            let options = (command.arguments ?? []).filter(\.takesFile)
            guard let source = sources[command.commandName] else {
                // These commands overwrite nothing because they write nothing.
                #expect(options.allSatisfy { !Self.written.contains($0.shown ?? "") }, "\(command.commandName)")
                continue
            }
            for option in options {
                let name = try #require(option.shown)
                guard !Self.written.contains(name) else { continue }
                tried.append("\(command.commandName) \(name)")
                _ = try folder.write("GATE:x\nc.mp4\n", to: "victim")
                let isService = name == "--config"
                if isService {
                    _ = try folder.write(
                        "[[source]]\nname = \"a\"\naddress = \"c.mp4\"\nwords = \"GATE\"\n", to: "victim")
                }
                let beside =
                    isService
                    ? []
                    : (source[0] == "GATE" && Self.inPlaceOfThePattern.contains(name)
                        ? Array(source.dropFirst()) : source)
                        + engine + (Self.companions[name] ?? [])
                try await refused(
                    [command.commandName, name, "victim"] + beside + ["-o", "victim"],
                    mentions: "is an input and would be overwritten by -o")
            }
        }
        #expect(tried.count >= 9 && tried.contains("live --config") && tried.contains("run --mqtt-ca"), "\(tried)")
    }

    @Test func whatAServicesFileNamesIsAnInputOfAll() async throws {
        try FileManager.default.copyItem(atPath: try await cutsClip(), toPath: folder.file("c.mp4"))
        let cap = try await piece(named: "cap.ts")
        _ = try folder.write("#EXTM3U\n#EXTINF:3.0,\ncap.ts\n#EXT-X-ENDLIST\n", to: "l.m3u8")
        _ = try folder.write("GATE\n", to: "words")
        _ = try folder.write("user:word", to: "credentials")
        _ = try folder.write("-----BEGIN CERTIFICATE-----", to: "ca")
        _ = try folder.write("c.mp4", to: "address")
        for name in ["credentials", "address"] { chmod(folder.file(name), 0o600) }
        _ = try folder.write(
            """
            mqtt = "mqtts://127.0.0.1:1"
            mqtt-credentials = "credentials"
            mqtt-ca = "ca"

            [[source]]
            name = "door"
            address-file = "address"
            word-files = ["words"]

            [[source]]
            name = "hall"
            address = "l.m3u8"
            words = "BUBBLES"
            """, to: "c.toml")
        for name in ["c.toml", "words", "credentials", "ca", "address", "c.mp4", "l.m3u8", cap] {
            for check in [["--check"], []] {
                try await refused(
                    ["live", "--config", "c.toml", "-o", name] + check, mentions: "is an input", "overwritten by -o")
            }
        }
        // This includes files that another source reads.
        try FileManager.default.createSymbolicLink(atPath: folder.file("seen-{time}.mp4"), withDestinationPath: "c.mp4")
        _ = try folder.write(
            "[[source]]\nname = \"door\"\naddress = \"c.mp4\"\nwords = \"GATE\"\nsave-frames = \"c.mp4\"\n",
            to: "c.toml")
        try await refused(["live", "--config", "c.toml", "--check"], mentions: "c.toml:5", "c.mp4 is a file")
    }

    @Test func aPipelineWritesNothingThatIsRead() async throws {
        try FileManager.default.copyItem(atPath: try await cutsClip(), toPath: folder.file("c.mp4"))
        _ = try folder.write("GATE\n", to: "words")
        let text =
            "filesrc location=c.mp4 ! tee name=t ! queue ! decodebin ! appsink name=frames t. ! queue ! filesink location="
        for (name, arguments) in [("c.mp4", ["--find", "GATE"]), ("words", ["-f", "words"])] {
            try await refused(["run", text + name] + arguments + engine, mentions: name, "overwritten by the pipeline")
        }
        let script = try folder.write(text + "out.bin", to: "p.launch")
        try await refused(["run", "p.launch", "--find", "GATE", "-o", script] + engine, mentions: "is an input")
        try await refused(["run", "p.launch", "--find", "GATE", "-o", "out.bin"] + engine, mentions: "both write")
        try await refused(["run", text + "p.launch", "-f", "words", "-o", "words"] + engine, mentions: "is an input")
    }
}
