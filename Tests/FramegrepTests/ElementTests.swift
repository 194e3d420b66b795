import Foundation
import TestSupport
import Testing

/// The element as used by other programs: GStreamer's own, and Python (Tests/element).
enum ElementPlugin {
    /// The folder with `libgstframegrep.so`: that of the program.
    static let folder = URL(fileURLWithPath: Framegrep.path).deletingLastPathComponent().path

    static var isThere: Bool { FileManager.default.fileExists(atPath: folder + "/libgstframegrep.so") }

    /// The tests have their own registry, so that no other is written to.
    static let environment = [
        "GST_PLUGIN_PATH": folder,
        "GST_REGISTRY": NSTemporaryDirectory() + "framegrep-registry-\(ProcessInfo.processInfo.processIdentifier).bin",
    ]

    /// The first Python with GStreamer's bindings (Debian: python3-gi, gir1.2-gst-plugins-base-1.0); nil if there is
    /// none.
    static let python: String? = {
        let candidates = [Tool("python3")?.path, "/usr/bin/python3"].compactMap(\.self)
        return candidates.first { path in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = [
                "-c", "import gi; gi.require_version('GstVideo', '1.0'); from gi.repository import Gst, GstVideo",
            ]
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }()

    static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], timeout: Double = 90
    ) async throws -> Framegrep.Outcome {
        let running = try Running(
            program, arguments, environment: Self.environment.merging(environment) { $1 }, folder: nil)
        return await running.end(within: timeout)
    }

    /// Runs a pipeline, which prints its messages on standard output.
    static func launch(_ arguments: String..., environment: [String: String] = [:]) async throws -> Framegrep.Outcome {
        try await run(try #require(Tool("gst-launch-1.0")).path, ["-m"] + arguments, environment: environment)
    }

    /// Returns the JSON of the messages of a kind in the output of `gst-launch-1.0 -m`.
    static func lines(_ kind: String, in output: String) throws -> [NSDictionary] {
        try output.split(separator: "\n").filter { $0.contains("framegrep-\(kind), ") }.map { line in
            // This follows GStreamer's own rules: a backslash keeps what follows it.
            let start = try #require(line.range(of: "json=(string)\"")).upperBound
            var text = ""
            var rest = line[start...].makeIterator()
            while let character = rest.next(), character != "\"" {
                text.append(character == "\\" ? rest.next() ?? character : character)
            }
            return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
        }
    }
}

@Suite(.serialized, .enabled(if: ElementPlugin.isThere, "needs libgstframegrep.so beside framegrep"))
struct ElementTests {
    @Test func isLoadedAndTeaches() async throws {
        let outcome = try await ElementPlugin.run(try #require(Tool("gst-inspect-1.0")).path, ["framegrep"])
        #expect(outcome.status == 0 && outcome.stderr.isEmpty, "\(outcome)")
        for word in ["patterns ", "mode ", "stats ", "\"appeared\"", "SINK template", "Example: gst-launch-1.0"] {
            #expect(outcome.stdout.contains(word), "\(word)")
        }
    }

    @Test func hasSwiftInside() async throws {
        let tool = try #require(Tool("readelf"), "readelf of binutils, which Swift needs for linking")
        let outcome = try await tool.run(["-d", "-W", ElementPlugin.folder + "/libgstframegrep.so"])
        #expect(outcome.stdout.contains("libgstbase") && outcome.stdout.contains("NODELETE"))
        #expect(!outcome.stdout.contains("libswift") && !outcome.stdout.contains("libFoundation"), "\(outcome.stdout)")
    }

    /// In complete mode it finds the same sightings as `find`, to the frame, with and without boxes.
    @Test(arguments: ["true", "false"]) func findsWhatFindFinds(overlay: String) async throws {
        let clip = try await cutsClip()
        let found = try await Framegrep.run(
            "find", "-e", "GATE", "-e", "BUBBLES", "-e", "EXIT", clip, "--format", "jsonl")
        let outcome = try await ElementPlugin.launch(
            "filesrc", "location=\(clip)", "!", "decodebin", "!", "videoconvert", "!", "framegrep",
            "patterns=<GATE, BUBBLES, EXIT>", "overlay=\(overlay)", "attach-meta=\(overlay)", "!", "fakesink")
        #expect(outcome.status == 0, "\(outcome)")
        let lines = try ElementPlugin.lines("disappeared", in: outcome.stdout)
        let fields = ["id", "pattern", "text", "line", "start", "end", "score", "peak"]
        func told(_ object: [AnyHashable: Any]) -> NSDictionary {
            NSDictionary(dictionary: object.filter { fields.contains($0.key as? String ?? "") })
        }
        #expect(lines.map { told($0 as? [AnyHashable: Any] ?? [:]) } == found.objects.map(told))
        #expect(lines.count >= 3)
    }

    /// All text without lines in a script that the networks do not know, which is reported once, even if lines still
    /// wait at the end.
    @Test(.enabled(if: Scripts.areRead && Scripts.has("eng"), "the networks or tesseract-ocr-eng are not installed"))
    func leavesUnknownScriptsOut() async throws {
        let folder = try TemporaryFolder()
        let english = try Scripts.english(in: folder)
        func lines(_ path: String, _ settings: String...) async throws -> (texts: [String], stderr: String) {
            let outcome = try await ElementPlugin.run(
                try #require(Tool("gst-launch-1.0")).path,
                ["-m", "filesrc", "location=\(path)", "!", "decodebin", "!", "videoconvert", "!", "framegrep"]
                    + ["all-text=true"] + settings + ["!", "fakesink"], environment: english)
            #expect(outcome.status == 0, "\(outcome)")
            let told = try ElementPlugin.lines("line", in: outcome.stdout)
            return (told.compactMap { $0["text"] as? String }.sorted(), outcome.stdout + outcome.stderr)
        }
        let path = try await Scripts.clip(of: Scripts.russian, in: folder)
        let found = try await lines(path)
        #expect(found.texts == ["Gate 12", "Platform closed"], "\(found)")
        #expect(found.stderr.contains("Lines look Cyrillic"), "\(found.stderr)")
        #expect(found.stderr.contains("apt install tesseract-ocr-rus"), "\(found.stderr)")
        // With a named language, lines are read as before.
        let named = try await lines(path, "language=eng")
        #expect(named.texts.count == 5 && !named.stderr.contains("Cyrillic"), "\(named)")
        // One line that is clearly in such a script is enough.
        let one = try await lines(try await Scripts.clip(of: ["Выход", "Gate 12"], in: folder))
        #expect(one.texts == ["Gate 12"] && one.stderr.contains("Cyrillic"), "\(one)")
    }

    /// In live mode no frame waits for a reading, and the results are those of `live`.
    @Test func isAsLiveIs() async throws {
        let clip = try await standingClip()
        let live = try await Framegrep.run(
            "live", "-e", "GATE", "-e", "BUBBLES", clip, "--headless", "--format", "jsonl")
        let outcome = try await ElementPlugin.launch(
            "-v", "filesrc", "location=\(clip)", "!", "decodebin", "!", "videoconvert", "!", "framegrep", "mode=live",
            "patterns=<GATE, BUBBLES>", "!", "identity", "silent=false", "name=counted", "!", "fakesink", "sync=true")
        #expect(outcome.status == 0, "\(outcome)")
        let frames = outcome.stdout.split(separator: "\n").filter { $0.contains("chain   ******* (counted:sink)") }
        #expect(frames.count == 150)
        func told(_ objects: [[String: Any]]) -> [String] {
            objects.filter { $0["type"] as? String == "disappeared" }.compactMap { object in
                guard let pattern = object["pattern"], let start = object["start"] as? Double,
                    let end = object["end"] as? Double
                else { return nil }
                return "\(pattern) \((start * 2).rounded()) \((end * 2).rounded())"
            }.sorted()
        }
        let lines = try ElementPlugin.lines("disappeared", in: outcome.stdout).compactMap { $0 as? [String: Any] }
        #expect(told(lines) == told(live.objects))
        #expect(told(lines).count == 2)
    }

    /// A run leaks nothing, by GStreamer's own tracer, beyond what is leaked without the element.
    @Test(arguments: ["complete", "live"]) func leavesNothing(mode: String) async throws {
        let clip = try await cutsClip()
        func left(_ element: String...) async throws -> [Substring] {
            let outcome = try await ElementPlugin.run(
                try #require(Tool("gst-launch-1.0")).path,
                ["filesrc", "location=\(clip)", "!", "decodebin", "!", "videoconvert", "!"] + element + [
                    "!", "fakesink",
                ],
                environment: ["GST_TRACERS": "leaks", "GST_DEBUG": "GST_TRACER:7", "GST_DEBUG_NO_COLOR": "1"])
            #expect(outcome.status == 0)
            return outcome.stderr.split(separator: "\n").filter { $0.contains("object-alive") }
        }
        let with = try await left("framegrep", "mode=\(mode)", "patterns=GATE")
        let without = try await left("identity")
        #expect(with.count == without.count, "\(with.joined(separator: "\n").prefix(2000))")
    }

    /// Returns the blocks of one language in docs/ELEMENT.md.
    private static func blocks(_ language: String) throws -> [String] {
        try Checkout.text("docs/ELEMENT.md").components(separatedBy: "```\(language)\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
    }

    /// Runs each shell command in docs/ELEMENT.md, as printed.
    @Test(
        .enabled(
            if: ReadmeTests.hasRenderer && Framegrep.hasNetworks && Tool.exists("Xvfb", "bash"),
            "needs render-clips beside framegrep, the networks and xvfb")
    )
    func documentsCommandsRun() async throws {
        let folder = try TemporaryFolder()
        #expect(
            await (try Running(ReadmeTests.renderer, ["demo", "--output", folder.path])).end(within: 120).status == 0)
        // Where `swift build` puts it.
        try FileManager.default.createDirectory(atPath: folder.file(".build"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file(".build/release"), withDestinationPath: ElementPlugin.folder)
        let display = try await VirtualDisplay(width: 1300, height: 740)
        let environment = ElementPlugin.environment.merging(["DISPLAY": display.name]) { $1 }
        // The text that each must also print; for those that only show something, a successful end is enough.
        let told = [
            ["pattern=(string)EXIT, text"], [], ["Text finder"],
            ["pattern=(string)EXIT, text", "pattern=(string)\"M3\\ nuts\""], ["pattern=(string)\"M3\\ nuts\""],
        ]
        let commands = try Self.blocks("sh").flatMap { block in
            // Exported variables apply to the next line.
            block.hasPrefix("export") ? [block] : block.components(separatedBy: "\n")
        }
        #expect(commands.count == told.count, "\(commands)")
        for (command, words) in zip(commands, told) {
            let running = try Running(
                "/bin/bash", ["-c", command], environment: environment, folder: folder.path)
            let outcome = await running.end(within: 120)
            #expect(outcome.status == 0 && !outcome.stderr.contains("erroneous pipeline"), "\(command): \(outcome)")
            for word in words { #expect(outcome.stdout.contains(word), "\(command): \(word): \(outcome)") }
        }
        await display.close()
    }

    /// Runs the program in docs/ELEMENT.md, as printed.
    @Test(.enabled(if: ElementPlugin.python != nil, "needs Debian's python3-gi and gir1.2-gst-plugins-base-1.0"))
    func documentsProgramRuns() async throws {
        let clip = try await cutsClip()
        let folder = try TemporaryFolder()
        let script = try folder.write(try #require(try Self.blocks("python").first), to: "example.py")
        let outcome = try await ElementPlugin.run(
            try #require(ElementPlugin.python), [script, clip, "GATE", "EXIT"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.lines.contains { $0.hasPrefix("EXIT 1.4 3 on ") }, "\(outcome)")
        #expect(outcome.lines.contains { $0.hasPrefix("GATE 0 3.0 on ") || $0.hasPrefix("GATE 0 3 on ") }, "\(outcome)")
    }

    @Test func saysWhatIsWrong() async throws {
        let outcome = try await ElementPlugin.launch(
            "videotestsrc", "num-buffers=3", "!", "framegrep", "engine=neural", "patterns=x", "!", "fakesink",
            environment: ["FRAMEGREP_HOME": "/nowhere"])
        #expect(outcome.status != 0)
        #expect(outcome.stderr.contains("ERROR: from element"), "\(outcome)")
        #expect(outcome.stderr.contains("framegrep setup"), "\(outcome)")
    }

    /// The checks of Tests/element/checks.py: each drives an element from Python.
    @Test(
        .enabled(if: ElementPlugin.python != nil, "needs Debian's python3-gi and gir1.2-gst-plugins-base-1.0"),
        arguments: [
            "cycles", "flush", "segment", "gap", "end", "resize", "formats", "redact", "strides", "untouched",
            "metadata",
            "patterns", "signals", "lateness", "automatic", "interrupted", "ten", "refusals", "missing", "interval",
            "ends",
            "region", "growth", "lastframe",
        ])
    func holdsForPython(check: String) async throws {
        let outcome = try await ElementPlugin.run(
            try #require(ElementPlugin.python), [Checkout.path + "/Tests/element/checks.py", check],
            environment: check == "missing" ? ["FRAMEGREP_HOME": "/nowhere"] : [:], timeout: 600)
        #expect(outcome.status == 0, "\(check): \(outcome.stdout)\(outcome.stderr)")
    }
}
