import Foundation
import TestSupport
import Testing

@testable import framegrep

/// `live --config`: several sources in one program, as run by a service manager.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ServiceTests {
    private func start(
        _ file: String, _ arguments: [String] = ["--format", "jsonl"], environment: [String: String] = [:]
    ) throws -> Running {
        try Running(Framegrep.path, ["live", "--config", file] + arguments, environment: environment)
    }

    private func check(_ text: String, mode: Int = 0o600, environment: [String: String] = [:]) async throws
        -> Framegrep.Outcome
    {
        let folder = try TemporaryFolder()
        let file = try folder.write(text, to: "f.toml")
        chmod(file, mode_t(mode))
        let outcome = await (try start(file, ["--check"], environment: environment)).end()
        return Framegrep.Outcome(
            status: outcome.status, signal: outcome.signal, stdout: outcome.stdout,
            stderr: outcome.stderr.replacing(folder.path + "/", with: ""), timedOut: outcome.timedOut)
    }

    /// Returns the settings of a source that plays a clip repeatedly.
    private func source(_ name: String, _ address: String, _ words: String) -> String {
        """

        [[source]]
        name = "\(name)"
        address = "\(address)"
        words = \(words)
        engine = "tesseract"
        language = "eng"
        repeat = true

        """
    }

    private func events(_ running: Running, _ source: String, _ type: String) -> [[String: Any]] {
        running.stdout.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }.filter { $0["source"] as? String == source && $0["type"] as? String == type }
    }

    private func has(_ running: Running, _ source: String, appeared pattern: String) async -> Bool {
        await running.wait(within: 120) {
            events(running, source, "appeared").contains { $0["pattern"] as? String == pattern }
        }
    }

    /// --check reports everything that would make every run fail, once and with its line.
    @Test func whatTheRunWouldFailOnIsSaidBefore() async throws {
        let outcome = try await check(
            """
            max-picture = 0
            [[source]]
            name = "door"
            address = "rtsp://127.0.0.1:1/x"
            words = "EXIT"
            mqtt = "mqtts://127.0.0.1:1"
            mqtt-ca = "/nothere.pem"
            webhook = "http://127.0.0.1:1/a\\r\\nb"
            [[source]]
            name = "hall"
            address = "a.mp4"
            words = "EXIT"
            fps = 30
            remember = true
            save-frames = "/dev/null"
            [[source]]
            name = "gate"
            device = "c920"
            words = "EXIT"
            size = "many"
            webhook = "http://127.0.0.1:1/"
            outbox = "/dev/null"
            """)
        #expect(outcome.status == 2, "\(outcome)")
        for line in ["1: ", "8: --webhook takes"] {
            #expect(outcome.stderr.components(separatedBy: "f.toml:\(line)").count == 2, "\(line) \(outcome.stderr)")
        }
        #expect(outcome.stderr.components(separatedBy: "max-picture").count == 2, "\(outcome.stderr)")
        let rest = try await check(
            """
            [[source]]
            name = "door"
            address = "rtsp://127.0.0.1:1/x"
            words = "EXIT"
            mqtt = "mqtts://127.0.0.1:1"
            mqtt-ca = "/nothere.pem"
            [[source]]
            name = "hall"
            address = "a.mp4"
            words = "EXIT"
            fps = 30
            remember = true
            [[source]]
            name = "gate"
            device = "c920"
            words = "EXIT"
            size = "many"
            """)
        for line in ["6: The file /nothere.pem", "11: --fps is for", "12: 'a.mp4' is a recording", "17: The size"] {
            #expect(
                rest.stderr.replacing("12: a.mp4", with: "12: 'a.mp4'").components(separatedBy: "f.toml:\(line)").count
                    == 2,
                "\(line) \(rest.stderr)")
        }
        #expect(rest.stderr.split(separator: "\n").count == 4, "\(rest.stderr)")
        let files = try await check(
            """
            [[source]]
            name = "hall"
            address = "a.mp4"
            words = "EXIT"
            save-frames = "/dev/null"
            webhook = "http://127.0.0.1:1/"
            outbox = "/dev/null"
            """)
        #expect(
            files.stderr.contains("f.toml:5: /dev/null is a file")
                && files.stderr.contains("f.toml:7: Notices cannot wait"),
            "\(files.stderr)")
    }

    @Test func filesThatOthersReadHoldNoPasswords() async throws {
        let folder = try TemporaryFolder()
        let address = try folder.write("rtsp://user:hunter2@127.0.0.1:1/x\n", to: "address")
        let login = try folder.write("user:hunter2\n", to: "login")
        let text = """
            [[source]]
            name = "door"
            address-file = "\(address)"
            words = "EXIT"
            mqtt = "mqtt://127.0.0.1:1"
            mqtt-credentials = "\(login)"
            """
        for (open, line) in [(address, 3), (login, 6)] {
            for file in [address, login] { chmod(file, file == open ? 0o644 : 0o600) }
            let outcome = try await check(text)
            #expect(outcome.status == 2 && outcome.stderr.contains("f.toml:\(line): The file \(open)"), "\(outcome)")
            #expect(outcome.stderr.contains("chmod o-r") && !outcome.stderr.contains("hunter2"), "\(outcome)")
        }
        for file in [address, login] { chmod(file, 0o640) }
        #expect(try await check(text).status == 0)
        let bytes = try folder.write(Array("# a\n# b\nname = \"".utf8) + [0xFF, 0x22], to: "bytes.toml")
        let bad = await (try start(bytes, ["--check"])).end()
        #expect(bad.status == 2 && bad.stderr.contains("bytes.toml:3:"), "\(bad)")
    }

    @Test func theCheckShowsNoKeysOfWebhooks() async throws {
        let outcome = try await check(
            """
            webhook = ["https://host.example/hunter2/x", "http://other.example:81/?key=hunter2"]
            [[source]]
            name = "door"
            address = "a.mp4"
            words = "EXIT"
            """)
        #expect(outcome.status == 0 && !outcome.stdout.contains("hunter2"), "\(outcome)")
        for shown in ["https://host.example", "http://other.example:81"] {
            #expect(outcome.lines.contains("  --webhook=\(shown)"), "\(outcome)")
        }
    }

    @Test func commandsDoNotGetTheVariableOfAnAddress() async throws {
        let folder = try TemporaryFolder()
        let seen = folder.file("seen")
        let file = try folder.write(
            """
            [[source]]
            name = "hall"
            address-variable = "HALL_ADDRESS"
            words = "GATE"
            engine = "tesseract"
            exec = "env > '\(seen)'"
            """, to: "f.toml")
        let service = try start(
            file, ["--format", "text"], environment: ["HALL_ADDRESS": try await standingClip(), "OTHER": "x"])
        #expect(await service.end(within: 120).status == 0, "\(service.stderr)")
        let variables = try String(contentsOfFile: seen, encoding: .utf8).split(separator: "\n")
        #expect(variables.contains("OTHER=x") && !variables.contains { $0.hasPrefix("HALL_ADDRESS") }, "\(variables)")
    }

    @Test func whatIsWrongIsSaidWithItsLine() async throws {
        let outcome = try await check(
            """
            min-score = 3
            wordz = "EXIT"

            [[source]]
            name = "door"
            address = "a.mp4"
            words = ["EXIT", ""]
            headless = true

            [[source]]
            name = "door"
            address = "b.mp4"
            device = "c920"
            words = ["(", "x"]
            extended-regexp = true
            min-score = 0.5
            [[source]]
            name = "hall"
            fps = "many"
            words = ["EXIT"]
            remember = 1
            """)
        #expect(outcome.status == 2 && outcome.stdout == "", "\(outcome)")
        for line in [
            "f.toml:1: --min-score must be between 0 and 1",
            "f.toml:2: 'wordz' is not a key of the file; did you mean 'words'?",
            "f.toml:7: 'words' contains an empty text.", "f.toml:8: 'headless' is not a key of a source",
            "f.toml:13: 'address' and 'device' both say what the source is",
            "f.toml:21: 'remember' takes true or false, not",
        ] {
            #expect(outcome.stderr.contains(line), "\(outcome.stderr)")
        }
        #expect(!outcome.stderr.contains("f.toml:6:"), "\(outcome.stderr)")
    }

    @Test(arguments: [
        (
            "[[source]]\nname = \"a\"\naddress = \"x.mp4\"\nwords = [\n\"EXIT\",\n\"(\"]\nextended-regexp = true",
            "f.toml:6: "
        ),
        ("[[source]]\nname = \"a\"\naddress = \"x.mp4\"", "f.toml:1: The source 'a' has no words"),
        ("words = [\"x\"]", "f.toml:1: There is no source"),
        ("words = [\"x\"\n[[source]]", "f.toml:2: The list that begins in line 1"),
        ("[[source]]\nname = \"a\"\nwords = \"x\"\naddress = \"udp://1\"", "f.toml:4: "),
        (
            "[[source]]\nname = \"a\"\nwords = \"x\"\naddress = \"x.mp4\"\nremember = true",
            "f.toml:5: x.mp4 is a recording"
        ),
        ("[[source]]\nname = \"a\"\nwords = \"x\"\nrecord = \"x.mkv\"", "f.toml:4: 'record' needs {time}"),
        ("[[source]]\nname = \"a\"\nwords = \"x\"\nmqtt-node = \"n\"", "f.toml:4: --mqtt-node needs --mqtt URL."),
        (
            "[[source]]\nname = \"a b\"\nwords = \"x\"\n[[source]]\nname = \"a-b\"\nwords = \"x\"",
            "f.toml:5: Another source is already called 'a b'"
        ),
        (
            "[[source]]\nname = \"a\"\nwords = \"x\"\naddress-variable = \"NOBODY_SET_IT\"",
            "f.toml:4: The variable NOBODY_SET_IT"
        ),
        // The system would cut the name off there.
        (
            "[[source]]\nname = \"a\"\nwords = \"x\"\naddress = \"x.mp4\\u0000y\"",
            "f.toml:4: 'address' contains a zero byte"
        ),
        (
            "[[source]]\nname = \"a\"\nwords = [\"x\", \"y\\u0000\"]\naddress = \"x.mp4\"",
            "f.toml:3: 'words' contains a zero"
        ),
        ("\(Array(repeating: "a", count: 100_000).joined(separator: ".")) = 1", "f.toml:1: A key has at most 32 parts"),
        (
            String(repeating: "[[source]]\nname = \"a\"\n", count: 1001),
            "f.toml:1: There are 1001 sources; a service takes 1000"
        ),
    ])
    func isRefused(file: String, sentence: String) async throws {
        let outcome = try await check(file)
        #expect(outcome.status == 2 && outcome.stderr.contains(sentence), "\(outcome)")
        #expect(outcome.stderr.split(separator: "\n").count == 1, "\(outcome)")
    }

    @Test func whatItWouldDoIsSaidWithoutPasswords() async throws {
        let file = """
            mqtt = "mqtt://broker.invalid"
            [[source]]
            name = "door"
            address = "rtsp://guard:s3same@camera.invalid/stream"
            words = ["EXIT", ":plate"]
            [[source]]
            name = "hall"
            address-variable = "THE_ADDRESS"
            words = "GATE"
            """
        let secret = ["THE_ADDRESS": "rtsp://guard:0pen@hall.invalid/"]
        let outcome = try await check(file, environment: secret)
        #expect(outcome.status == 0 && outcome.stderr == "", "\(outcome)")
        #expect(outcome.lines.first == "door: rtsp://camera.invalid/stream")
        #expect(
            outcome.stdout.contains("searches for: EXIT, :plate")
                && outcome.stdout.contains("hall: rtsp://hall.invalid/"))
        let open = try await check(file, mode: 0o644, environment: secret)
        #expect(open.status == 2 && open.stderr.contains("f.toml:4: 'address' contains a password"), "\(open)")
        for text in [outcome.stdout, open.stderr] {
            #expect(!text.contains("s3same") && !text.contains("0pen") && !text.contains("guard"), "\(text)")
        }
    }

    @Test(arguments: [["--headless"], ["EXIT"], ["-m", "1"], ["-qv"], ["--format", "srt"]])
    func whatIsOfOneSourceIsRefused(arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("[[source]]\nname = \"a\"\naddress = \"x.mp4\"\nwords = \"x\"", to: "f.toml")
        let outcome = await (try start(file, ["--check"] + arguments)).end()
        #expect(outcome.status == 2 && outcome.stderr.contains("--config"), "\(outcome)")
    }

    @Test func theExamplesAreRightAndTheDocumentHasEveryKey() async throws {
        let text = try Checkout.text("docs/SERVICE.md")
        let folder = try TemporaryFolder()
        chmod(try folder.write("guard:x", to: "broker"), 0o600)
        _ = try folder.write("M4 12", to: "parts.txt")
        let block = try #require(text.split(separator: "```toml\n").last?.split(separator: "```").first)
        for example in [String(block), try Checkout.text("packaging/framegrep.toml")] {
            let outcome = try await check(example.replacing("/etc/framegrep", with: folder.path))
            #expect(outcome.status == 0 && outcome.stdout.contains("searches for: "), "\(outcome)")
        }
        let keys = Set(ServiceKeys.words.keys).union(ServiceKeys.others.keys).union(ServiceKeys.source.keys)
        for key in keys.union(ServiceKeys.program.keys) where !text.contains("`\(key)`") {
            Issue.record("docs/SERVICE.md does not have the key \(key).")
        }
    }

    /// A job reads the file of the password when it begins, so another password needs another job.
    @Test func anotherPasswordOfTheBrokerRestartsItsSource() async throws {
        let folder = try TemporaryFolder()
        let login = try folder.write("user:old\n", to: "login")
        chmod(login, 0o600)
        let file = try folder.write(
            """
            [[source]]
            name = "door"
            address = "rtsp://127.0.0.1:1/x"
            words = "EXIT"
            mqtt = "mqtt://127.0.0.1:1"
            mqtt-credentials = "\(login)"
            outbox = "\(folder.file("outbox"))"
            """, to: "f.toml")
        let service = try start(file)
        #expect(await service.wait(within: 120) { !events(service, "door", "state").isEmpty }, "\(service.stderr)")
        service.send(SIGHUP)
        #expect(await service.wait { service.stderr.contains("0 restarted, 0 new") }, "\(service.stderr)")
        _ = try folder.write("user:new\n", to: "login")
        chmod(login, 0o600)
        service.send(SIGHUP)
        #expect(await service.wait { service.stderr.contains("1 restarted, 0 new") }, "\(service.stderr)")
        service.send(SIGTERM)
        #expect(await service.end(within: 60).status == 143)
    }

    /// The whole life of a service: one source is missing, the words change, a source is added and another removed, and
    /// the service is stopped.
    @Test func sourcesLiveApart() async throws {
        let folder = try TemporaryFolder()
        let clip = try await standingClip()
        let missing = source("gone", folder.file("nowhere.mp4"), "[\"x\"]")
        let file = try folder.write(source("hall", clip, "[\"GATE\"]") + missing, to: "f.toml")
        let socket = try NotifySocket(folder.file("notify"))
        let service = try start(file, environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "60000000"])
        #expect(await has(service, "hall", appeared: "GATE"), "\(service.stderr)")
        #expect(service.stderr.contains("gone: ") && service.stderr.contains("It is tried again in 1 s."))
        // A missing source does not make others wait.
        #expect(
            await service.wait { socket.count("READY=1") == 1 && socket.count("WATCHDOG=1") > 0 }, "\(socket.lines)")
        #expect(
            await service.wait {
                socket.lines.contains { $0.hasPrefix("STATUS=2 sources: ") && $0.contains("1 running") }
            })

        // An invalid file changes nothing.
        _ = try folder.write("words = [", to: "f.toml")
        service.send(SIGHUP)
        #expect(await service.wait { service.stderr.contains("the sources continue as before") }, "\(service.stderr)")
        #expect(service.stderr.contains("f.toml:1: A list begins here"))

        _ = try folder.write(source("hall", clip, "[\"BUBBLES\"]") + source("new", clip, "[\"GATE\"]"), to: "f.toml")
        let begun = events(service, "hall", "end").count
        service.send(SIGHUP)
        #expect(await has(service, "hall", appeared: "BUBBLES"), "\(service.stderr)")
        #expect(await has(service, "new", appeared: "GATE"), "\(service.stderr)")
        #expect(
            await service.wait { socket.count("READY=1") == 3 && socket.count("RELOADING=1") == 2 }, "\(socket.lines)")
        #expect(socket.lines.contains { $0.hasPrefix("MONOTONIC_USEC=") && (Int($0.dropFirst(15)) ?? 0) > 0 })
        #expect(service.stderr.contains("1 with other words, 0 restarted, 1 new, 1 ended"), "\(service.stderr)")
        // The words changed in the running job: it ended only when its clip did.
        let ends = events(service, "hall", "end").dropFirst(begun)
        #expect(ends.allSatisfy { $0["reason"] as? String == "eos" })

        service.send(SIGTERM)
        let outcome = await service.end(within: 60)
        #expect(outcome.status == 143 && !outcome.timedOut, "\(outcome.stderr)")
        #expect(socket.lines.last == "STOPPING=1" || socket.count("STOPPING=1") > 0)
        #expect(events(service, "hall", "end").last?["reason"] as? String == "signal")
        #expect(events(service, "new", "end").last?["reason"] as? String == "signal")
    }

    @Test func whatIsPutBackWhileItEndsBeginsAgain() async throws {
        let (folder, clip) = (try TemporaryFolder(), try await standingClip())
        // Its commands, and so its end, wait for a file.
        let command = "exec = \"until [ -e '\(folder.file("go"))' ]; do sleep 0.1; done\"\n"
        let other = source("other", clip, "[\"zebra\"]")
        let file = try folder.write(source("hall", clip, "[\"GATE\"]") + command + other, to: "f.toml")
        let service = try start(file)
        #expect(await has(service, "hall", appeared: "GATE"), "\(service.stderr)")
        _ = try folder.write(other, to: "f.toml")
        service.send(SIGHUP)
        #expect(await service.wait { service.stderr.contains("0 new, 1 ended.") }, "\(service.stderr)")
        _ = try folder.write(source("hall", clip, "[\"BUBBLES\"]") + command + other, to: "f.toml")
        service.send(SIGHUP)
        #expect(
            await service.wait { service.stderr.components(separatedBy: "file was read again").count == 3 },
            "\(service.stderr)")
        _ = try folder.write("", to: "go")
        #expect(await has(service, "hall", appeared: "BUBBLES"), "\(service.stderr)")
        service.send(SIGTERM)
        #expect(await service.end(within: 60).status == 143)
    }

    @Test func filesEndAndOneThatFailsEndsNoOther() async throws {
        let folder = try TemporaryFolder()
        let clip = try await standingClip()
        let once = source("once", clip, "[\"GATE\"]").replacing("repeat = true\n", with: "")
        let broken = try folder.write(String(repeating: "no video ", count: 500), to: "broken.mp4")
        let file = try folder.write(once + source("broken", broken, "[\"GATE\"]"), to: "f.toml")
        let socket = try NotifySocket("@framegrep-test-\(UUID().uuidString)")
        let service = try start(file, ["--format", "text"], environment: ["NOTIFY_SOCKET": socket.name])
        #expect(await service.wait(within: 120) { service.stdout.contains("once:") }, "\(service.stderr)")
        // It is retried repeatedly, and the other has reached its end.
        #expect(await service.wait(within: 60) { service.stderr.contains("tried again in 4 s") }, "\(service.stderr)")
        #expect(await service.wait { socket.count("READY=1") == 1 }, "\(socket.lines)")
        service.send(SIGINT)
        let outcome = await service.end(within: 60)
        #expect(outcome.status == 130 && outcome.lines.count == 1, "\(outcome)")
        #expect(!outcome.stderr.contains("once: "), "\(outcome.stderr)")
    }

    @Test func aServiceOfFilesEndsWithThem() async throws {
        let folder = try TemporaryFolder()
        let clip = try await standingClip()
        let text = source("a", clip, "[\"GATE\"]") + source("b", clip, "[\"zebra\"]")
        let file = try folder.write(text.replacing("repeat = true\n", with: ""), to: "f.toml")
        let outcome = await (try start(file, ["--format", "csv", "-o", folder.file("seen.csv")])).end(within: 120)
        let seen = try String(contentsOfFile: folder.file("seen.csv"), encoding: .utf8).split(separator: "\n")
        #expect(outcome.status == 0 && seen.count == 2 && seen[0].hasPrefix("source,"), "\(outcome) \(seen)")
    }

    /// Messages have priorities if standard error is connected to the journal.
    @Test func theJournalGetsPriorities() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("words = [\n1", to: "f.toml")
        let log = folder.file("log")
        // The shell knows its standard error only after it is open.
        let script =
            "exec 2>\"$2\"; JOURNAL_STREAM=$(stat -L -c %d:%i /dev/fd/2) exec \"$0\" live --config \"$1\""
        let shell = try Running("/bin/sh", ["-c", script, Framegrep.path, file, log])
        _ = await shell.end()
        let entry = try String(contentsOfFile: log, encoding: .utf8)
        #expect(entry.hasPrefix("<3>") && entry.contains("f.toml:1: ") && !entry.contains("framegrep: "), "\(entry)")
        let outcome = await (try start(file, [], environment: ["JOURNAL_STREAM": "1:2"])).end()
        #expect(outcome.stderr.hasPrefix("framegrep: "), "\(outcome)")
    }
}
