import Foundation
import TestSupport
import Testing

/// Sends signals of every kind to jobs of every kind.
@Suite(.serialized, .timeLimit(.minutes(5))) struct InterruptionTests {
    private let camera =
        "videotestsrc is-live=true pattern=white ! video/x-raw,width=320,height=180,framerate=25/1 "
        + "! textoverlay text=EXIT color=0xff000000 font-desc=\"Sans Bold 30\" ! appsink name=frames"

    private func running(_ arguments: [String] = []) throws -> Running {
        try Running(
            Framegrep.path,
            ["run", camera, "--find", "EXIT", "--engine", "tesseract", "--format", "jsonl", "--stats"]
                + arguments)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func theStatusSaysWhichSignalEndedIt(signal: Int32) async throws {
        let job = try running()
        #expect(await job.wait { job.stdout.contains("\"appeared\"") }, "\(job.stderr)")
        job.send(signal)
        let outcome = await job.end(within: 60)
        // Only a program that died of Ctrl-C stops a shell's loop; its exit status is the same.
        #expect(!outcome.timedOut && outcome.signal == signal && outcome.status == 128 + signal, "\(outcome)")
        #expect(outcome.objects.last?["reason"] as? String == "signal")
        #expect(outcome.objects.contains { $0["type"] as? String == "disappeared" })
    }

    /// Swift's runtime handles this signal if it finds its own tool, as on every machine with a compiler.
    @Test func theSignalOfLastResortEndsIt() async throws {
        let script = "ulimit -c 0; exec env --default-signal \"$0\" \"$@\""
        let job = try Running(
            "/bin/bash",
            [
                "-c", script, Framegrep.path, "run", camera, "--find", "EXIT", "--engine", "tesseract", "--format",
                "jsonl",
            ])
        #expect(await job.wait { job.stdout.contains("\"appeared\"") }, "\(job.stderr)")
        job.send(SIGQUIT)
        let outcome = await job.end(within: 60)
        #expect(!outcome.timedOut && outcome.signal == SIGQUIT, "\(outcome)")
    }

    /// `timeout` does this: it signals its child and then the child's process group.
    @Test func twoSignalsAtOnceAreOne() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("seen.mp4")
        let job = try Running(
            Framegrep.path,
            [
                "live", "GATE", try await standingClip(), "--headless", "--engine", "tesseract", "--record", file,
                "--events", "jsonl",
            ])
        #expect(await job.wait { job.stdout.contains("\"running\"") })
        for _ in 0..<3 {
            job.send(SIGTERM)
            try await Task.sleep(for: .milliseconds(40))
        }
        let outcome = await job.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 143, "\(outcome)")
        #expect(try boxes(of: file).last == "moov", "the recording was completed")
    }

    @Test func aShellsLoopStops() async throws {
        let folder = try TemporaryFolder()
        let clip = try await standingClip()
        let script =
            "for i in 1 2 3; do echo $i >> rounds; \"$0\" live GATE \"$1\" --headless --engine tesseract --events jsonl > said; done; echo after >> rounds"
        let shell = try #require(Tool("env"))
        let loop = try Running(
            shell.path, ["--default-signal", "bash", "-c", script, Framegrep.path, clip], folder: folder.path)
        func text(_ name: String) -> String {
            (try? String(contentsOfFile: folder.file(name), encoding: .utf8)) ?? ""
        }
        #expect(await loop.wait { text("said").contains("\"running\"") })
        loop.sendToAll(SIGINT)
        #expect(!(await loop.end(within: 60)).timedOut)
        #expect(text("rounds") == "1\n")
    }

    @Test func aStraySignalIsNoEnd() async throws {
        let job = try running()
        #expect(await job.wait { job.stdout.contains("\"appeared\"") })
        job.send(SIGUSR1)
        job.send(SIGUSR2)
        let count = job.stdout.count
        #expect(await job.wait { job.stdout.count > count + 100 } && job.isRunning)
        job.send(SIGINT)
        #expect(await job.end(within: 60).status == 130)
    }

    /// A server that is down at first is waited for if requested.
    @Test func aServerIsWaitedForFromTheBeginning() async throws {
        let address = try SilentServer().address
        let job = try Running(
            Framegrep.path,
            ["live", "GATE", address, "--headless", "--engine", "tesseract", "--reconnect", "forever"])
        #expect(await job.wait(within: 30) { job.stderr.contains("try 2") }, "\(job.stderr)")
        #expect(job.isRunning)
        job.send(SIGINT)
        #expect(await job.end(within: 60).status == 130)
    }
}
