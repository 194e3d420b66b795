import Foundation
import TestSupport
import Testing

/// `find -j`: several inputs in parallel, with the same output as without it.
@Suite(.serialized, .timeLimit(.minutes(4))) struct JobsTests {
    private func find(_ arguments: [String]) async throws -> Framegrep.Outcome {
        try await Framegrep.run(["find", "--engine", "tesseract"] + arguments)
    }

    /// Returns a long input first, so that the others finish before it, and some that cannot be searched.
    private func inputs(in folder: TemporaryFolder) async throws -> [String] {
        let long = try await ClipCache.shared.path(
            "long-job.mp4",
            KnownClip(
                frameCount: 80,
                words: [
                    KnownWord(text: "GATE", x: 30, y: 40, frames: 10..<30),
                    KnownWord(text: "EXIT", x: 30, y: 90, frames: 40..<75),
                ]))
        let whole = try Data(contentsOf: URL(fileURLWithPath: long))
        let short = try await cutsClip()
        return [
            long, try folder.write("no video", to: "text.mp4"), short, folder.file("missing.mp4"),
            try await standingClip(),
            try folder.write(whole.prefix(whole.count / 2), to: "half.mp4"), short,
        ]
    }

    @Test(arguments: [
        [], ["--format", "jsonl", "--boxes", "-"], ["--format", "srt"], ["-c"], ["-l"], ["-L"], ["-m", "1"],
        ["-v", "--exact"],
        ["--all-text", "-m", "2"],
    ])
    func whatIsPrintedIsTheSame(options: [String]) async throws {
        let folder = try TemporaryFolder()
        let arguments = options + ["-e", "GATE", "-e", "EXIT"] + (try await inputs(in: folder))
        let (one, many) = try await (find(arguments), find(["-j", "3"] + arguments))
        #expect(one.stdout == many.stdout && one.status == many.status, "\(one)\n\(many)")
        // Times and speeds differ between runs.
        func told(_ outcome: Framegrep.Outcome) -> [Substring] {
            outcome.stderr.split(separator: "\n").filter { !$0.contains("real time") && !$0.contains("reading with") }
        }
        #expect(told(one) == told(many))
        #expect(options == ["-L"] || !one.stdout.isEmpty)
    }

    @Test func picturesHaveTheSameNames() async throws {
        let folder = try TemporaryFolder()
        let clip = try await cutsClip()
        try FileManager.default.createDirectory(atPath: folder.file("other"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: try await standingClip(), toPath: folder.file("other/cuts.mp4"))
        var names: [[String]] = []
        for jobs in ["1", "2"] {
            let pictures = folder.file("pictures" + jobs)
            _ = try await find(["-j", jobs, "GATE", "--save-frames", pictures, clip, folder.file("other/cuts.mp4")])
            names.append(try FileManager.default.contentsOfDirectory(atPath: pictures).sorted())
        }
        #expect(names[0] == names[1] && names[0].count == 2)
    }

    @Test func anInterruptionKeepsWhatWasFound() async throws {
        let server = try SilentServer()
        let clip = try await cutsClip()
        let job = try Running(
            Framegrep.path, ["find", "--engine", "tesseract", "GATE", "-j", "3", clip, server.address, clip])
        #expect(await job.wait { server.hasGuest && job.stdout.contains("GATE") }, "\(job.stderr)")
        job.send(SIGINT)
        let outcome = await job.end(within: 30)
        #expect(
            outcome.signal == SIGINT && !outcome.timedOut && outcome.lines.contains { $0.hasSuffix(": GATE") },
            "\(outcome)")
    }

    @Test func afterACrashTheSearchGoesOnOneByOne() async throws {
        let server = try SilentServer()
        let (clip, last) = (try await cutsClip(), try await standingClip())
        let job = try Running(
            Framegrep.path,
            ["find", "--engine", "tesseract", "GATE", "-j", "3", "--format", "srt", clip, server.address, last])
        #expect(await job.wait { server.hasGuest && job.stdout.contains("GATE") }, "\(job.stderr)")
        while server.takeGuest() {}
        job.send(SIGSEGV)
        #expect(await job.wait { server.takeGuest() }, "\(job.stderr)")
        #expect(job.stderr.contains("one at a time"), "\(job.stderr)")
        job.send(SIGSEGV)
        let outcome = await job.end(within: 60)
        #expect(
            outcome.status == 2 && outcome.stderr.contains("\(server.address) could not be searched to its end"),
            "\(outcome)")
        // Nothing is printed twice or lost, and the numbering continues.
        #expect(outcome.lines.filter { $0 == "GATE" || $0.hasSuffix(": GATE") }.count == 2, "\(outcome)")
        #expect(outcome.lines.filter { Int($0) != nil } == ["1", "2"], "\(outcome)")
    }

    /// `--threads` limits the threads of all inputs together, however many are searched in parallel.
    @Test(.enabled(if: Scripts.areRead, "the networks are not installed"), arguments: [1, 2])
    func threadsAreCountedForAllInputsTogether(threads: Int) async throws {
        let most = try await networkThreads(Framegrep.path, ["find", "-j", "4", "--threads", "\(threads)"], clips: 4)
        #expect(most == threads)
    }

    /// Without `--threads`, a program that `taskset` restricts to one processor has one thread for the networks.
    @Test(.enabled(if: Scripts.areRead, "the networks are not installed"))
    func processorsThatMayNotBeUsedDoNotCount() async throws {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        // `Cpus_allowed_list:\t0-3,8` (proc(5)).
        let allowed = try #require(status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") })
        let first = allowed.drop { !$0.isNumber }.prefix(while: \.isNumber)
        let most = try await networkThreads(
            "/usr/bin/env", ["taskset", "-c", "\(first)", Framegrep.path, "find"], clips: 1)
        #expect(most == 1)
    }

    /// Returns the largest number of threads of the networks while some clips are searched.
    private func networkThreads(_ program: String, _ arguments: [String], clips: Int) async throws -> Int {
        let clip = try await standingClip()
        let job = try Running(
            program,
            arguments + ["--engine", "neural", "--no-index", "--every-frame", "EXIT"]
                + Array(repeating: clip, count: clips))
        var most = 0
        _ = await job.wait {
            let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(job.id)/task")) ?? []
            let names = tasks.map {
                (try? String(contentsOfFile: "/proc/\(job.id)/task/\($0)/comm", encoding: .utf8)) ?? ""
            }
            // Threads that the networks' library starts on such a thread have its name.
            most = max(most, Set(names.filter { $0.hasPrefix("neural") }).count)
            return false
        }
        let outcome = await job.end()
        #expect(outcome.status == 1 && outcome.stderr == "", "\(outcome)")
        return most
    }

    /// The same bytes for any number of threads, also with several inputs in parallel.
    @Test(.enabled(if: Scripts.areRead, "the networks are not installed"))
    func theNetworksFindTheSameWithAnyNumberOfThreads() async throws {
        let clips = [try await cutsClip(), try await standingClip(), try await cutsClip()]
        let search = ["find", "--no-index", "-e", "E", "-e", "GATE", "--all-text", "--format", "jsonl"] + clips
        let first = try await Framegrep.run(search)
        #expect(first.status == 0 && first.stdout.contains("GATE"), "\(first)")
        for extra in [["--threads", "1"], ["--threads", "2"], ["--threads", "4"], ["--threads", "16"]] {
            #expect(try await Framegrep.run(search + extra).stdout == first.stdout, "\(extra)")
            #expect(try await Framegrep.run(search + extra + ["-j", "3"]).stdout == first.stdout, "-j 3 \(extra)")
        }
    }

    @Test func aNumberOfJobsThatIsNone() async throws {
        for number in ["0", "65", "x"] { #expect(try await find(["-j", number, "x", "y"]).status == 2) }
    }
}
