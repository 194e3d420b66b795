import Foundation
import TestSupport
import Testing

/// Files of a service that block: pipes without a writer, and ordinary files that cannot be opened, as on a disk that
/// is gone.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SlowFilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func source(_ name: String, _ lines: String...) -> String {
        "\n[[source]]\nname = \"\(name)\"\nengine = \"tesseract\"\nlanguage = \"eng\"\nrepeat = true\n"
            + lines.joined(separator: "\n") + "\n"
    }

    private func fifo(_ name: String) -> String {
        #expect(mkfifo(folder.file(name), 0o600) == 0)
        return folder.file(name)
    }

    /// Makes any program that opens the file wait until this is closed, or for the system's limit of 45 s (fcntl(2),
    /// leases).
    private func held(_ path: String) throws -> Int32 {
        // F_SETLEASE, which Glibc has for C only; the system asks for the file back by this signal.
        signal(SIGIO, SIG_IGN)
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        return fcntl(descriptor, 1024, F_WRLCK) == 0 ? descriptor : -1
    }

    @Test func aPipeInAFilesPlaceIsSaidToSendNothing() async throws {
        let pipe = fifo("pipe")
        let clip = try await cutsClip()
        let files = [
            "address-file": source("a", "address-file = \"\(pipe)\"", "words = \"GATE\""),
            "word-files": source("a", "address = \"\(clip)\"", "word-files = \"\(pipe)\""),
            "mqtt-credentials": source(
                "a", "address = \"\(clip)\"", "words = \"GATE\"", "mqtt = \"mqtt://127.0.0.1:1\"",
                "mqtt-credentials = \"\(pipe)\""),
        ]
        await withTaskGroup(of: Void.self) { group in
            for (key, text) in files {
                group.addTask {
                    do {
                        let file = try folder.write(text, to: key + ".toml")
                        let outcome = try await Framegrep.run(["live", "--config", file, "--check"])
                        #expect(outcome.status == 2 && !outcome.timedOut, "\(key) \(outcome)")
                        #expect(outcome.stderr.contains("\(key).toml:"), "\(key) \(outcome)")
                        #expect(outcome.stderr.split(separator: "\n").count == 1, "\(key) \(outcome)")
                    } catch { Issue.record(error) }
                }
            }
            group.addTask {
                do {
                    let outcome = try await Framegrep.run(["live", "--config", pipe])
                    #expect(outcome.status == 2 && outcome.stderr.contains("nothing comes from it"), "\(outcome)")
                } catch { Issue.record(error) }
            }
        }
        // Data that comes is read.
        let shell = try #require(Tool("bash"))
        let given = try await shell.run([
            "-c", "exec \"$0\" live --check --config <(cat \"$1\")", Framegrep.path,
            try folder.write(source("a", "address = \"\(clip)\"", "words = \"GATE\""), to: "good.toml"),
        ])
        #expect(given.status == 0 && given.stdout.contains("GATE"), "\(given)")
    }

    @Test(arguments: ["pipe", "held"]) func aServiceGoesOnAndEndsWhereItsFileDoesNotAnswer(how: String) async throws {
        let clip = try await cutsClip()
        func text(_ words: String) -> String { source("door", "address = \"\(clip)\"", "words = \"\(words)\"") }
        let file = try folder.write(text("GATE"), to: "f.toml")
        let service = try Running(Framegrep.path, ["live", "--config", file, "--format", "jsonl"])
        #expect(await service.wait(within: 120) { service.stdout.contains("\"GATE\"") }, "\(service.stderr)")
        var lease: Int32 = -1
        if how == "held" {
            lease = try held(file)
            guard lease >= 0 else { return service.send(SIGKILL) }
        } else {
            try FileManager.default.removeItem(atPath: file)
            _ = fifo("f.toml")
        }
        service.send(SIGHUP)
        #expect(await service.wait { service.stderr.contains("the sources continue as before") }, "\(service.stderr)")
        // The service still searches.
        let count = service.stdout.count
        #expect(await service.wait { service.stdout.count > count })
        // A file that can be opened again is applied.
        if lease >= 0 { close(lease) }
        try? FileManager.default.removeItem(atPath: file)
        _ = try folder.write(text("BUBBLES"), to: "f.toml")
        service.send(SIGHUP)
        #expect(await service.wait(within: 120) { service.stdout.contains("\"BUBBLES\"") }, "\(service.stderr)")
        // While it waits for the file it can still be stopped.
        try FileManager.default.removeItem(atPath: file)
        _ = fifo("f.toml")
        service.send(SIGHUP)
        service.send(SIGTERM)
        let outcome = await service.end(within: 60)
        #expect(outcome.status == 143 && !outcome.timedOut, "\(outcome)")
    }

    @Test func patienceIsForPipesToo() async throws {
        let pipe = fifo("pipe")
        let outcome = try await Framegrep.run(["find", "GATE", pipe, "--engine", "tesseract", "--patience", "1"])
        #expect(outcome.status == 2 && !outcome.timedOut && outcome.stderr.contains("--patience"), "\(outcome)")
    }
}
