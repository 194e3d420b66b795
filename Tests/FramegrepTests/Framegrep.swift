import Foundation
import NeuralOCR
import Synchronization
import TestSupport

/// Runs the built program as a person would.
enum Framegrep {
    /// The program that `FRAMEGREP` names, else the one beside the tests.
    static let path: String = {
        if let path = ProcessInfo.processInfo.environment["FRAMEGREP"], !path.isEmpty { return path }
        let bundle = URL(fileURLWithPath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
        var folder = bundle.deletingLastPathComponent()
        while folder.path.count > 1 {
            let program = folder.appendingPathComponent("framegrep").path
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: program, isDirectory: &isFolder), !isFolder.boolValue {
                return program
            }
            folder.deleteLastPathComponent()
        }
        return "framegrep"
    }()

    /// Whether the networks are installed; without them, Tesseract reads alone, which finds less.
    static let hasNetworks = NeuralLevel.allCases.allSatisfy(NeuralEngine.installation().hasLevel)

    /// The result of a run.
    struct Outcome: Sendable {
        /// As a shell sees it: 128 + signal for a program that a signal ended.
        var status: Int32
        /// The signal that ended it; nil if it exited by itself.
        var signal: Int32?
        var stdout: String
        var stderr: String
        var timedOut: Bool

        var lines: [String] { stdout.split(separator: "\n", omittingEmptySubsequences: true).map(String.init) }

        /// Each line of standard output as a JSON object.
        var objects: [[String: Any]] {
            lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        }
    }

    /// Runs it to its end.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil,
        output: String? = nil, timeout: Double = 90
    ) async throws -> Outcome {
        let running = try Running(path, arguments, environment: environment, folder: folder, output: output)
        return await running.end(within: timeout)
    }

    static func run(_ arguments: String...) async throws -> Outcome { try await run(arguments) }
}

/// A running program whose output goes to files: an unread pipe would block it. Thread-safe.
// `process` is queried only for its ID and, after its end, its status; the files are only read.
final class Running: @unchecked Sendable {
    private let process = Process()
    private let folder: TemporaryFolder
    private let ended = AsyncStream.makeStream(of: Void.self)
    private let capturesOutput: Bool

    init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], folder workingFolder: String? = nil,
        output: String? = nil, input: FileHandle? = nil, outputHandle: FileHandle? = nil,
        errorHandle: FileHandle? = nil
    ) throws {
        folder = try TemporaryFolder()
        capturesOutput = output == nil && outputHandle == nil
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment
        variables["DISPLAY"] = nil
        variables["WAYLAND_DISPLAY"] = nil
        // `scripts/test` also sets another locale, to check that nothing depends on it.
        variables["LC_ALL"] = variables["FRAMEGREP_TEST_LOCALE"] ?? "C.UTF-8"
        // The user's own index and earlier searches are left alone.
        variables["FRAMEGREP_INDEX"] = folder.file("no-index")
        variables["XDG_STATE_HOME"] = folder.file("state")
        variables.merge(environment) { $1 }
        process.environment = variables.filter { !$0.value.isEmpty }
        if let workingFolder { process.currentDirectoryURL = URL(fileURLWithPath: workingFolder) }
        for name in ["out", "err"] { _ = FileManager.default.createFile(atPath: folder.file(name), contents: nil) }
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = outputHandle ?? FileHandle(forWritingAtPath: output ?? folder.file("out"))
        process.standardError = errorHandle ?? FileHandle(forWritingAtPath: folder.file("err"))
        process.terminationHandler = { [ended] _ in ended.continuation.finish() }
        try process.runUnmasked()
    }

    var id: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    var stdout: String { text("out") }
    var stderr: String { text("err") }

    /// Sends it a signal, as `kill` does.
    func send(_ signal: Int32) { if process.isRunning { kill(process.processIdentifier, signal) } }

    /// Sends a signal to it and to all processes that it has started, as a terminal does: each program that Foundation
    /// starts has its own process group.
    func sendToAll(_ signal: Int32) {
        let group = getpgid(process.processIdentifier)
        if process.isRunning, group == process.processIdentifier { kill(-group, signal) }
    }

    /// Waits until a condition holds or the program ends; returns false after the timeout.
    func wait(within seconds: Double = 60, until condition: () -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < deadline {
            if condition() { return true }
            if !process.isRunning { return condition() }
            try? await Task.sleep(for: .milliseconds(30))
        }
        return false
    }

    /// Waits for its end; kills it by its ID if it does not end in time.
    func end(within seconds: Double = 60) async -> Framegrep.Outcome {
        let isLate = Mutex(false)
        let watchdog = Task { [self] in
            guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
            isLate.withLock { $0 = true }
            send(SIGKILL)
        }
        for await _ in ended.stream {}
        watchdog.cancel()
        process.waitUntilExit()
        let wasKilled = process.terminationReason == .uncaughtSignal
        return Framegrep.Outcome(
            status: (wasKilled ? 128 : 0) + process.terminationStatus,
            signal: wasKilled ? process.terminationStatus : nil,
            stdout: capturesOutput ? stdout : "", stderr: stderr, timedOut: isLate.withLock { $0 })
    }

    private func text(_ name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: folder.file(name)) ?? Data(), as: UTF8.self)
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}

/// Checks a condition repeatedly until it holds; returns false if it does not within a time that should be enough for
/// any machine.
func holds(within seconds: Double = 60, _ condition: () async throws -> Bool) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
        if try await condition() { return true }
        if ContinuousClock.now >= deadline { return false }
        try await Task.sleep(for: .milliseconds(100))
    }
}

/// A program other than framegrep, found on the search path; nil if it is not installed.
struct Tool: Sendable {
    let path: String

    init?(_ name: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard let found = folders.map({ "\($0)/\(name)" }).first(where: FileManager.default.isExecutableFile(atPath:))
        else { return nil }
        path = found
    }

    func run(_ arguments: [String], environment: [String: String] = [:], timeout: Double = 60) async throws
        -> Framegrep.Outcome
    {
        await (try Running(path, arguments, environment: environment)).end(within: timeout)
    }

    static func exists(_ names: String...) -> Bool { names.allSatisfy { Tool($0) != nil } }

    /// Whether a program can be given a terminal here: some containers have no terminals.
    static var hasTerminals: Bool { access("/dev/pts/ptmx", F_OK) == 0 }
}
