import Foundation
import Processes
import TestSupport
import Testing
import Threads

/// A pipe of one page that is not read until requested.
final class StuckPipe: Sendable {
    private let (read, write): (Int32, Int32)

    /// - Parameter blocks: whether a write that does not fit blocks; otherwise it fails, as if another program had made
    ///   the pipe non-blocking.
    init(blocks: Bool = true) throws {
        let pipe = try #require(Spawn.pipe())
        (read, write) = (pipe.read, pipe.write)
        // F_SETPIPE_SZ, which Glibc has for GNU programs only.
        _ = fcntl(write, 1031, 4096)
        if !blocks { _ = fcntl(write, F_SETFL, O_NONBLOCK) }
    }

    var handle: FileHandle { FileHandle(fileDescriptor: write, closeOnDealloc: false) }

    /// Whether it is so full that another ordinary line does not fit.
    var isFull: Bool {
        var count: Int32 = 0
        return ioctl(read, UInt(FIONREAD), &count) == 0 && count > 3500
    }

    func fill() {
        _ = fcntl(write, F_SETFL, O_NONBLOCK)
        let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: 4096)
        while Foundation.write(write, bytes, bytes.count) > 0 {}
        while Foundation.write(write, bytes, 1) > 0 {}
        _ = fcntl(write, F_SETFL, 0)
    }

    /// Returns all data until every writer but this test is gone. Call it once.
    func rest() async throws -> String {
        close(write)
        return try await DedicatedThread.run(named: "reader") { [read] in
            String(decoding: PipeBytes.readAll(atMost: 64 << 20, from: read), as: UTF8.self)
        }
    }

    deinit { close(read) }
}

/// Commands of every kind whose output is not read: the first signal ends each, and the status shows which signal it
/// was.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StuckOutputTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// An output that accepts nothing.
    enum Stuck: String, CaseIterable, Sendable {
        /// Standard output is a pipe that is not read.
        case output
        /// Standard error is the same pipe.
        case both
        /// `FIFO` among the arguments stands for a pipe without a reader.
        case file
    }

    struct Job: Sendable, CustomStringConvertible {
        var name: String
        var arguments: [String]
        var stuck = Stuck.output
        var signals: [Int32] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
        /// Whether the pipe is filled beforehand, because there are only a few results.
        var isFilled = false
        /// A file that exists once there is something to read.
        var makes: String? = nil
        var input: String? = nil

        var description: String { "\(name) (\(stuck.rawValue))" }
    }

    static let engine = ["--engine", "tesseract", "--language", "eng"]
    static let pipeline =
        "videotestsrc is-live=true pattern=white ! video/x-raw,width=320,height=180,framerate=25/1 "
        + "! textoverlay text=EXIT color=0xff000000 font-desc=\"Sans Bold 30\" ! appsink name=frames"

    /// `CLIP` stands for a clip with a word, `VALUE` for one with a value after it.
    static let jobs = [
        Job(name: "find", arguments: ["find", "GATE", "CLIP", "--format", "jsonl", "--boxes", "-"] + engine),
        Job(
            name: "find", arguments: ["find", "GATE", "CLIP", "--format", "jsonl", "--boxes", "-"] + engine,
            stuck: .both,
            signals: [SIGTERM]),
        Job(
            name: "find --timeout", arguments: ["find", "GATE", "CLIP", "--boxes", "-", "--timeout", "1000s"] + engine,
            signals: [SIGINT]),
        Job(name: "find -o", arguments: ["find", "GATE", "CLIP", "-o", "FIFO"] + engine, stuck: .file),
        Job(
            name: "find --boxes", arguments: ["find", "GATE", "CLIP", "--boxes", "FIFO"] + engine, stuck: .file,
            signals: [SIGTERM]),
        Job(
            name: "values", arguments: ["values", "VALUE", "--near", "GATE"] + engine, signals: [SIGINT, SIGTERM],
            isFilled: true),
        Job(
            name: "values -o", arguments: ["values", "VALUE", "--near", "GATE", "-o", "FIFO"] + engine, stuck: .file,
            signals: [SIGTERM]),
        Job(
            name: "values --plot", arguments: ["values", "VALUE", "--near", "GATE", "-q", "--plot", "FIFO"] + engine,
            stuck: .file, signals: [SIGINT, SIGQUIT]),
        Job(
            name: "live", arguments: ["live", "GATE", "CLIP", "--headless", "--format", "jsonl", "--stats"] + engine,
            isFilled: true),
        Job(
            name: "run",
            arguments: ["run", pipeline, "--find", "EXIT", "--format", "jsonl", "--boxes", "--stats"] + engine,
            signals: [SIGINT, SIGTERM]),
        Job(
            name: "run -o", arguments: ["run", pipeline, "--find", "EXIT", "--format", "jsonl", "-o", "FIFO"] + engine,
            stuck: .file, signals: [SIGTERM]),
        Job(
            name: "redact", arguments: ["redact", "GATE", "CLIP", "-o", "copy.mp4"] + engine,
            signals: [SIGINT, SIGQUIT],
            isFilled: true, makes: "copy-unfinished.mp4"),
        Job(
            name: "index", arguments: ["index", "CLIP", "-v"] + engine, stuck: .both, signals: [SIGTERM], isFilled: true
        ),
        Job(name: "index status", arguments: ["index", "status"], signals: [SIGINT, SIGTERM], isFilled: true),
        Job(
            name: "service", arguments: ["live", "--config", "SERVICE", "--format", "jsonl", "--stats"],
            signals: [SIGINT, SIGTERM], isFilled: true),
        Job(
            name: "mcp", arguments: ["mcp"], signals: [SIGINT, SIGTERM],
            input: String(repeating: #"{"jsonrpc":"2.0","id":1,"method":"ping"}"# + "\n", count: 200)),
        Job(name: "--help", arguments: ["find", "--help"], signals: [SIGINT]),
    ]

    /// As with `find` in a pipe to a program that makes its end non-blocking, such as a terminal multiplexer.
    @Test func aPipeThatDoesNotBlockLosesNothing() async throws {
        let job = Job(
            name: "find", arguments: ["find", "GATE", "CLIP", "--format", "jsonl", "--boxes", "-"] + Self.engine)
        let clip = try await standingClip()
        let whole = try await Framegrep.run(job.arguments.map { $0 == "CLIP" ? clip : $0 })
        let pipe = try StuckPipe(blocks: false)
        let running = try await start(job, pipe)
        #expect(await running.wait { pipe.isFull })
        let rest = try await pipe.rest()
        let outcome = await running.end()
        #expect(outcome.status == 0 && outcome.stderr.isEmpty, "\(outcome)")
        #expect(rest == whole.stdout && rest.utf8.count > 8192)
    }

    /// Output that could not be delivered in time is an error, because results are missing.
    /// It would otherwise be noticed with the next event, which may come tomorrow.
    @Test func aReaderThatLeavesEndsALiveJobThatHasNothingToSay() async throws {
        let pipeline = "videotestsrc is-live=true ! video/x-raw,width=64,height=48 ! appsink name=frames"
        let running = try Running(
            "/bin/bash",
            [
                "-c",
                #""$0" run "$1" --find NOTHING --format jsonl --engine tesseract | head -n 2; exit ${PIPESTATUS[0]}"#,
                Framegrep.path, pipeline,
            ])
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.lines.count == 2 && outcome.stderr.isEmpty, "\(outcome)")
    }

    @Test func theTimeIsOverAlsoWhereNobodyReads() async throws {
        let job = Job(
            name: "find", arguments: ["find", "GATE", "CLIP", "--boxes", "-", "--timeout", "15s"] + Self.engine)
        let pipe = try StuckPipe()
        let outcome = await (try await start(job, pipe)).end(within: 120)
        #expect(!outcome.timedOut && outcome.status == 2 && outcome.stderr.contains("standard output"), "\(outcome)")
    }

    /// "2 an error: nothing is written."
    @Test func withoutItsListThereIsNoCopy() async throws {
        let running = try Running(
            Framegrep.path, ["redact", "GATE", try await standingClip(), "-o", "r.mp4"] + Self.engine,
            folder: folder.path, output: "/dev/full")
        let outcome = await running.end(within: 120)
        #expect(outcome.status == 2 && outcome.stderr.contains("No space left"), "\(outcome)")
        #expect(folder.names.isEmpty, "\(folder.names)")
    }

    @Test(arguments: jobs) func theFirstSignalEndsIt(job: Job) async throws {
        for signal in job.signals { try await check(job, signal) }
    }

    private func check(_ job: Job, _ signal: Int32) async throws {
        let pipe = try StuckPipe()
        if job.isFilled { pipe.fill() }
        let running = try await start(job, pipe)
        #expect(await running.wait(within: 60) { isReady(job, pipe, running) }, "\(job)")
        running.send(signal)
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 128 + signal, "\(job) \(signal): \(outcome)")
        if let made = job.makes { #expect(!FileManager.default.fileExists(atPath: folder.file(made)), "\(job)") }
    }

    private func start(_ job: Job, _ pipe: StuckPipe) async throws -> Running {
        let clip = try await standingClip()
        let fifo = folder.file("fifo")
        if job.stuck == .file { mkfifo(fifo, 0o600) }
        let service = try folder.write(
            """
            [[source]]
            name = "a"
            address = "\(clip)"
            words = "GATE"
            engine = "tesseract"
            language = "eng"
            repeat = true
            """, to: "service.toml")
        let value = try await ClipCache.shared.path(
            "value.mp4",
            KnownClip(
                width: 320, height: 180, frameCount: 50,
                words: [KnownWord(text: "GATE 12", x: 40, y: 50, frames: 0..<50)]))
        let names = ["CLIP": clip, "VALUE": value, "FIFO": fifo, "SERVICE": service]
        // Do not inherit signals ignored by a terminal or a test, and write no core files.
        let script = "ulimit -c 0; exec env --default-signal \"$0\" \"$@\""
        let input = try job.input.map { try #require(FileHandle(forReadingAtPath: try folder.write($0, to: "input"))) }
        return try Running(
            "/bin/bash", ["-c", script, Framegrep.path] + job.arguments.map { names[$0] ?? $0 },
            environment: ["FRAMEGREP_INDEX": try await index()], folder: folder.path, input: input,
            outputHandle: job.stuck == .file ? nil : pipe.handle, errorHandle: job.stuck == .both ? pipe.handle : nil)
    }

    private func index() async throws -> String {
        let path = folder.file("index")
        if !FileManager.default.fileExists(atPath: path) {
            let outcome = try await Framegrep.run(
                ["index", try await cutsClip()] + Self.engine, environment: ["FRAMEGREP_INDEX": path])
            #expect(outcome.status == 0, "\(outcome)")
        }
        return path
    }

    /// Returns whether it waits, or will in a moment.
    private func isReady(_ job: Job, _ pipe: StuckPipe, _ running: Running) -> Bool {
        if let made = job.makes { return FileManager.default.fileExists(atPath: folder.file(made)) }
        guard job.stuck == .file || job.isFilled else { return pipe.isFull }
        return running.hasThread("framegrep-displ") || running.isIdle
    }
}

extension Running {
    /// Returns whether one of its threads has this name, as far as the system keeps names.
    func hasThread(_ name: String) -> Bool {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task")) ?? []
        return tasks.contains { text(of: "/proc/\(id)/task/\($0)/comm") == name + "\n" }
    }

    /// Whether the program is idle for a moment. On a busy machine this may be true too early.
    var isIdle: Bool {
        guard text(of: "/proc/\(id)/comm") == "framegrep\n" else { return false }
        let before = used
        usleep(300_000)
        return used == before
    }

    /// The processor time used, in ticks.
    private var used: Int {
        text(of: "/proc/\(id)/stat").split(separator: " ").dropFirst(13).prefix(2).reduce(0) { $0 + (Int($1) ?? 0) }
    }

    private func text(of path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
