import Foundation
import TestSupport
import Testing

/// If the system allows too few files or threads, one sentence names the limit: nothing crashes, hangs or reports
/// another reason.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SystemLimitsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the program with limits that the shell sets.
    private func run(
        _ limits: String, as user: [String] = [], _ arguments: [String]
    ) async throws -> Framegrep.Outcome {
        let shell = try #require(Tool("bash"))
        let job = try Running(
            shell.path, ["-c", "ulimit -c 0; \(limits); exec \"$0\" \"$@\""] + user + [Framegrep.path] + arguments,
            folder: folder.path)
        return await job.end(within: 60)
    }

    private func named(_ outcome: Framegrep.Outcome, _ limit: String, _ context: String) {
        #expect(outcome.status == 2 && outcome.stdout == "", "\(context): \(outcome)")
        #expect(outcome.stderr.split(separator: "\n").count == 1, "\(context): \(outcome)")
        #expect(outcome.stderr.hasPrefix("framegrep: ") && outcome.stderr.contains(limit), "\(context): \(outcome)")
    }

    @Test(arguments: [5, 6, 8, 10, 11, 12, 13, 14, 16, 18, 20, 24, 32, 47])
    func tooFewFilesAreNamed(limit: Int) async throws {
        let clip = try await cutsClip()
        for arguments in [["find", "GATE", clip], ["redact", "GATE", clip, "-o", "r.mp4"], ["doctor"]] {
            named(try await run("ulimit -n \(limit)", arguments), "ulimit -n", "\(limit) \(arguments)")
        }
        #expect(folder.names.isEmpty)
    }

    @Test func enoughFilesAreEnough() async throws {
        let clip = try await cutsClip()
        let least = try await run(
            "ulimit -n 48", ["find", "GATE", clip, "--engine", "tesseract", "--language", "eng"])
        #expect(least.status == 0 && least.stderr == "", "\(least)")
        // A limit that this user may raise is raised.
        let soft = try await run("ulimit -Sn 12", ["explain", "EXIT", "EX1T"])
        #expect(soft.status == 0, "\(soft)")
        let several = try await run("ulimit -n 60", ["find", "GATE", clip, clip, clip, clip, "-j", "4"])
        named(several, "ulimit -n", "four side by side")
        named(try await run("ulimit -n 12", ["--help"]), "ulimit -n", "help")
    }

    /// A library's variables of each thread are taken from the stacks of threads.
    @Test(.enabled(if: Tool.exists("cc"))) func variablesOfEachThreadLeaveRoomForThreads() async throws {
        _ = try folder.write("__thread char room[100000]; char *begin(void) { return room; }", to: "room.c")
        let make = "cc -shared -fPIC -o room.so room.c; export LD_PRELOAD=$PWD/room.so"
        let outcome = try await run(
            make, ["find", "GATE", try await cutsClip(), "--engine", "tesseract", "--language", "eng"])
        #expect(outcome.status == 0 && outcome.stderr == "", "\(outcome)")
    }

    /// OpenBLAS, which comes with OpenCV in Ubuntu 26.04, takes memory and starts threads before the program begins, and
    /// ends it by itself if it gets none. These tests have the same libraries as the program.
    private static let hasOpenBLAS = dlsym(nil, "openblas_get_config") != nil

    /// From about the limit at which the libraries just fit: with less, the system's loader reports that they do not.
    @Test(.enabled(if: !hasOpenBLAS, "OpenBLAS needs more"), arguments: [220_000, 260_000, 300_000, 327_000])
    func tooLittleAddressSpaceIsNamed(limit: Int) async throws {
        for arguments in [["find", "GATE", "nothing.mp4"], ["--version"]] {
            named(try await run("ulimit -v \(limit)", arguments), "ulimit -v", "\(limit) \(arguments)")
        }
    }

    /// A user without other processes; root has no such limit.
    private static let user: [String]? =
        getuid() != 0
        ? [] : Tool("setpriv").map { [$0.path, "--reuid=\(64_123 + getpid() % 1000)", "--clear-groups", "--"] }

    @Test(
        .enabled(if: user != nil, "setpriv is not installed"),
        arguments: [1, 2, 3, 4, 5, 6, 8, 12, 16, 20, ProcessInfo.processInfo.activeProcessorCount + 4].filter {
            !hasOpenBLAS || $0 > ProcessInfo.processInfo.activeProcessorCount
        })
    func tooFewThreadsAreNamed(limit: Int) async throws {
        let user = try #require(Self.user)
        let outcome = try await run("ulimit -u \(limit)", as: user, ["find", "GATE", "nothing.mp4"])
        named(outcome, "ulimit -u", "\(limit)")
    }
}
