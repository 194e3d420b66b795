import Foundation
import Processes
import Testing

@Suite(.timeLimit(.minutes(1))) struct ChildProcessTests {
    private func shell(_ command: String, input: ChildProcess.Stream = .nothing) throws -> ChildProcess {
        try ChildProcess("sh", ["sh", "-c", command], input: input, output: .pipe, errors: .pipe)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func itIsWrittenToAndReadFrom() throws {
        let process = try shell("cat; echo complaint >&2; exit 3", input: .pipe)
        #expect(process.write(Array("told".utf8)))
        process.closeInput()
        #expect(!process.write(Array("late".utf8)))
        #expect(text(PipeBytes.readAll(atMost: 1000, from: process.output)) == "told")
        let errors = try #require(process.takeErrors())
        defer { close(errors) }
        #expect(text(PipeBytes.readAll(atMost: 1000, from: errors)) == "complaint\n")
        #expect(process.takeErrors() == nil)
        #expect(process.wait() == .exited(3))
        #expect(process.wait().status == 3)
        #expect(!process.isRunning)
    }

    @Test func withoutAPipeThereIsNothingToReadOrWrite() throws {
        let process = try ChildProcess("cat", ["cat"], input: .nothing, output: .nothing)
        #expect(!process.write([0x0A]))
        #expect(process.takeErrors() == nil)
        #expect(process.wait() == .exited(0))
    }

    @Test func variablesOfThisProgramAloneAreKeptFromOthers() throws {
        setenv("FRAMEGREP_TEST_OWN", "1", 1)
        setenv("FRAMEGREP_TEST_OWNED", "2", 1)
        Spawn.withhold("FRAMEGREP_TEST_OWN")
        let process = try shell("echo \"${FRAMEGREP_TEST_OWN-none} $FRAMEGREP_TEST_OWNED ${PATH:+path}\"")
        #expect(text(PipeBytes.readAll(atMost: 100, from: process.output)) == "none 2 path\n")
        #expect(process.wait() == .exited(0))
    }

    @Test func whyItCannotBeStartedIsSaid() {
        let failure = #expect(throws: Spawn.Failure.self) {
            _ = try ChildProcess("/no/such/program", ["program"], input: .pipe, output: .pipe, errors: .pipe)
        }
        #expect(failure?.reason == ENOENT)
    }

    @Test func oneThatIsGoneShowsByAnErrorOfAWrite() throws {
        let process = try shell("exec <&-; echo ready", input: .pipe)
        #expect(LineReader(process.output).next() == .line(Array("ready".utf8)))
        // A process that another thread is just starting has the pipe for a moment too.
        while process.write([0x0A]) {}
        #expect(process.wait() == .exited(0))
    }

    /// With the last reference it is told to end, and taken leave of elsewhere: nothing of it stays, not in the system's list either.
    @Test func nothingOfItStays() async throws {
        var ids: [pid_t] = []
        for number in 0..<8 {
            var process: ChildProcess? = try shell("echo $$; exec sleep 1000")
            let line = LineReader(try #require(process).output).next()
            guard case .line(let bytes) = line, let id = pid_t(text(bytes)) else {
                Issue.record("it did not say its number")
                continue
            }
            // One that stands still is ended as well.
            if number % 2 == 0 { kill(id, SIGSTOP) }
            ids.append(id)
            process = nil
        }
        for id in ids {
            // Its number stays its own until it was taken leave of.
            while kill(id, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(errno == ESRCH)
        }
    }

    @Test func itIsEndedAtOnce() throws {
        let process = try shell("trap '' TERM; cat", input: .pipe)
        #expect(process.isRunning)
        process.end()
        #expect(!process.isRunning)
        #expect(process.wait() == .killed(by: SIGKILL))
        #expect(process.wait().status == 128 + SIGKILL)
    }

    @Test func aSignalReachesWhatItHasStarted() throws {
        let process = try shell("sleep 1000 & echo started; wait")
        #expect(LineReader(process.output).next() == .line(Array("started".utf8)))
        process.send(SIGTERM)
        // Both have the other end, so that the end comes with the last of them.
        #expect(PipeBytes.readAll(atMost: 1000, from: process.output).isEmpty)
        #expect(process.wait() == .killed(by: SIGTERM))
    }

    @Test(.timeLimit(.minutes(1))) func itEndsWithTheLastReference() async throws {
        func number() throws -> pid_t? {
            let process = try shell("echo $$; exec cat", input: .pipe)
            return withExtendedLifetime(process) {
                guard case .line(let line)? = LineReader(process.output).next() else { return nil }
                return pid_t(text(line))
            }
        }
        let id = try #require(try number())
        // It is waited for, too, on a thread of its own.
        while kill(id, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(errno == ESRCH)
    }

    @Test func noOtherInheritsItsPipes() throws {
        let first = try shell("cat", input: .pipe)
        let second = try shell("cat", input: .pipe)
        first.closeInput()
        #expect(PipeBytes.readAll(atMost: 1000, from: first.output).isEmpty)
        #expect(first.wait() == .exited(0))
        #expect(second.isRunning)
    }
}
