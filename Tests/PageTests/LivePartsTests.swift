import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TestSupport
import Testing
import TextMatching
import Threads

@testable import Page

/// The page's handling of cameras, tested without a camera.
@Suite struct LivePartsTests {
    private func frame(_ source: Int, isKey: Bool, size: Int = 1000) -> ViewerRecord {
        ViewerRecord(.h264, isKey: isKey, source: source, head: "{}", body: Array(repeating: 7, count: size))
    }

    @Test func aRecordComesBack() throws {
        let record = ViewerRecord(.jpeg, isKey: true, source: 513, head: "{\"t\":1}", body: [1, 2, 3])
        let bytes = record.bytes
        #expect(ViewerRecord.number(bytes, 0) == bytes.count - 4)
        let back = try #require(ViewerRecord(Array(bytes[4...])))
        #expect(
            back.kind == .jpeg && back.isKey && back.source == 513 && back.head == "{\"t\":1}"
                && back.body == [1, 2, 3])
    }

    /// Output of a job that misbehaves is not a record.
    @Test(arguments: [
        [], [1], [9, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 255, 255, 255, 255], [3, 0, 0, 0, 0, 0, 0, 9, 1],
    ])
    func nonsenseIsNoRecord(bytes: [UInt8]) { #expect(ViewerRecord(bytes) == nil) }

    @Test func anOrderComesBack() throws {
        let manner = SearchMode(kind: .expression, options: MatchOptions(caseSensitive: true, wholeWords: true))
        let order = ViewerCommand(
            look: .init(kinds: [.jpeg], longestSide: 640), words: .init(["a\nb", "\u{1F600}"], manner), keep: true)
        let line = order.line()
        #expect(line.last == 0x0A && line.count { $0 == 0x0A } == 1)
        let back = try JSONDecoder().decode(ViewerCommand.self, from: Data(line))
        #expect(back == order && back.words?.manner == manner)
    }

    /// A viewer that joins in the middle begins with a frame that can be decoded.
    @Test func aViewerBeginsWithAWholeFrame() async {
        let queue = StreamQueue(.h264, longestSide: 640)
        #expect(queue.put(frame(1, isKey: false)) == .dropped)
        #expect(queue.put(frame(1, isKey: true)) == .taken)
        #expect(queue.put(frame(1, isKey: false)) == .taken)
        #expect(queue.put(frame(2, isKey: false)) == .dropped)
        #expect(await queue.next()?.count == frame(1, isKey: true).bytes.count * 2)
    }

    /// A browser that reads nothing causes only a few frames to be buffered, and continues with a key frame.
    @Test func aSlowViewerLosesFramesAndNoEvents() async throws {
        let queue = StreamQueue(.h264, longestSide: 640)
        _ = queue.put(frame(1, isKey: true))
        _ = queue.put(ViewerRecord(.event, source: 1, head: "{\"type\":\"appeared\"}"))
        var outcomes: [StreamQueue.Outcome] = []
        for _ in 0..<200 { outcomes.append(queue.put(frame(1, isKey: false, size: 100_000))) }
        #expect(outcomes.count { $0 == .needsKey } == 1)
        #expect(outcomes.last == .dropped)
        let bytes = try #require(await queue.next())
        #expect(bytes.count < 1000 && String(decoding: bytes, as: UTF8.self).contains("appeared"))
        #expect(queue.put(frame(1, isKey: true)) == .taken)
        #expect(queue.put(frame(1, isKey: false)) == .taken)
    }

    @Test func ofPicturesTheNewestWaits() async throws {
        let queue = StreamQueue(.jpeg, longestSide: 640)
        for number in 0..<50 {
            _ = queue.put(ViewerRecord(.jpeg, source: 1, head: "{\"t\":\(number)}", body: [0]))
            _ = queue.put(ViewerRecord(.jpeg, source: 2, head: "{\"t\":\(number)}", body: [0]))
        }
        let text = String(decoding: try #require(await queue.next()), as: UTF8.self)
        #expect(text.count { $0 == "t" } == 2 && text.contains("49"))
        queue.close()
        #expect(await queue.next() == nil)
        #expect(queue.put(frame(1, isKey: true)) == .dropped)
    }

    @Test func eventsTellTheState() {
        var state = WatchState()
        #expect(state.hear("nonsense") == nil && state.hear("[]") == nil)
        #expect(state.hear("{\"type\":\"state\",\"state\":\"running\",\"message\":\"\"}") == "state")
        #expect(state.hear("{\"type\":\"stats\",\"fps_in\":15.5,\"fps_read\":4,\"skipped\":3}") == "stats")
        for _ in 0..<300 { _ = state.hear("{\"type\":\"appeared\",\"id\":1}") }
        #expect(state.state == "running" && state.framesIn == 15.5 && state.skipped == 3)
        #expect(state.sightings == 300 && state.appeared.count == WatchState.mostAppeared)
        state.become("reconnecting", "gone")
        #expect(state.framesIn == 0 && state.message == "gone")
    }

    // MARK: From another machine

    @Test func anEncryptedPageHasNamesOfItsOwn() throws {
        let settings = try ServeSettings(arguments: [
            "--address", "192.168.1.5", "--certificate", "c", "--key", "k", "--password-file", "p", "--name",
            "Cam.Example",
        ])
        let hosts = settings.hosts(port: 8437, machine: "box")
        for host in ["192.168.1.5:8437", "box:8437", "cam.example:8437", "localhost:8437"] {
            #expect(hosts.allows(host: host) && hosts.allows(origin: "https://" + host), "\(host)")
            #expect(!hosts.allows(origin: "http://" + host))
        }
        for host in ["evil.example:8437", "192.168.1.6:8437", "box", "0.0.0.0:8437"] {
            #expect(!hosts.allows(host: host), "\(host)")
        }
        #expect(SessionKeys(port: 1, isEncrypted: true).open().hasSuffix("; Secure"))
    }

    @Test func aPasswordOpensASessionAndAWrongOneDoesNot() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("correct horse battery\n", to: "password")
        chmod(file, 0o600)
        var settings = ServeSettings()
        settings.passwordFile = file
        let password = try #require(try settings.password())
        #expect(try await password.allows("correct horse battery"))
        for wrong in ["", "correct horse batter", "correct horse battery ", "correct horse batterx", "x"] {
            #expect(try await !password.allows(wrong))
        }
        chmod(file, 0o644)
        #expect(throws: FramegrepError.self) { try settings.password() }
        let short = try folder.write("short\n", to: "short")
        chmod(short, 0o600)
        settings.passwordFile = short
        #expect(throws: FramegrepError.self) { try settings.password() }
    }

    /// More wrong passwords wait than there are slots: the right one is accepted, with the same delay as always,
    /// because an immediate answer would show that all others are wrong.
    @Test func whoKnowsThePasswordIsNotLockedOut() async throws {
        let password = PagePassword("correct horse battery")
        let guesses = (0..<40).map { number in Task { try await password.allows("guess \(number) of somebody") } }
        let begun = ContinuousClock.now
        let right = (0..<200).map { _ in Task { try await password.allows("correct horse battery") } }
        for one in right { #expect(try await one.value) }
        #expect(ContinuousClock.now - begun >= .milliseconds(500))
        for guess in guesses { guess.cancel() }
        for guess in guesses {
            // The guess is cancelled or rejected, never accepted.
            #expect((try? await guess.value) != true)
        }
    }

    /// A client that does not wait for the answer to a guess still delays the next one.
    @Test func hangingUpMakesNoGuessFaster() async throws {
        let password = PagePassword("correct horse battery")
        for number in 0..<8 {
            let guess = Task { try await password.allows("guess \(number) of somebody") }
            try await Task.sleep(for: .milliseconds(20))
            guess.cancel()
            _ = try? await guess.value
        }
        let begun = ContinuousClock.now
        #expect(try await !password.allows("one that waits"))
        #expect(ContinuousClock.now - begun >= .milliseconds(4000))
    }

    // MARK: Sessions end

    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock { $0 } }
        func pass(_ duration: Duration) { time.withLock { $0 += duration } }
    }

    @Test func aSessionEndsWithoutUseAndAfterAMonth() throws {
        let clock = Clock()
        let keys = SessionKeys(port: 1, now: { clock.now })
        func opened() -> PageRequest {
            let cookie = String(keys.open().prefix { $0 != ";" })
            return PageRequest(path: "/", headers: [("Cookie", cookie)])
        }
        let (used, forgotten) = (opened(), opened())
        clock.pass(.seconds(6 * 86_400))
        #expect(keys.session(of: used) != nil)
        clock.pass(.seconds(2 * 86_400))
        #expect(keys.session(of: used) != nil && keys.session(of: forgotten) == nil)
        for _ in 0..<7 {
            clock.pass(.seconds(3 * 86_400))
            #expect(keys.session(of: used) != nil)
        }
        // It is used every three days, and still expires.
        clock.pass(.seconds(2 * 86_400))
        #expect(keys.session(of: used) == nil)
    }

    @Test func whoSignsOutIsOut() async throws {
        let page = try PageFixture()
        let own = [
            ("Host", "127.0.0.1:8437"), ("Origin", "http://127.0.0.1:8437"), ("Content-Type", "application/json"),
            ("Cookie", page.cookie),
        ]
        func end(_ headers: [(String, String)]) async -> PageResponse {
            await page.ask("/api/session/end", method: "POST", headers: headers, body: "{}")
        }
        #expect(await end(Array(own.dropLast())).status == 401)
        #expect(await page.get("/api/sources").status == 200)
        let other = String(page.keys.open().prefix { $0 != ";" })
        let answer = await end(own)
        #expect(answer.status == 204)
        #expect(answer.header("Set-Cookie")?.hasPrefix("framegrep-8437=; HttpOnly") ?? false)
        #expect(answer.header("Set-Cookie")?.contains("; Max-Age=0") ?? false)
        #expect(await page.get("/api/sources").status == 401)
        #expect(await end(own).status == 401)
        // Another browser's session goes on.
        let headers = [("Host", "127.0.0.1:8437"), ("Cookie", other)]
        #expect(await page.ask("/api/sources", headers: headers).status == 200)
    }

    /// A stream ends only with its session.
    @Test func aStreamEndsWithItsSession() async throws {
        var settings = WatchSettings()
        settings.sources = ["/nonexistent"]
        let manager = LiveManager(settings, index: "/nonexistent")
        let isOpen = Mutex(true)
        let stream = try manager.look(.jpeg, longestSide: 320) { isOpen.withLock { $0 } }
        #expect(try await stream.next() != nil)
        manager.dismissViewers()
        _ = try manager.look(.jpeg, longestSide: 320) { true }
        isOpen.withLock { $0 = false }
        manager.dismissViewers()
        #expect(try await stream.next() == nil)
    }

    // MARK: What changes something

    @Test func nothingIsChangedWithoutASession() async throws {
        let page = try PageFixture()
        let number = try page.number()
        let own = [
            ("Host", "127.0.0.1:8437"), ("Origin", "http://127.0.0.1:8437"), ("Content-Type", "application/json"),
        ]
        for target in ["/api/watches", "/api/sources/\(number)/forget"] {
            #expect(await page.ask(target, method: "POST", headers: own, body: "{\"q\":[\"x\"]}").status == 401)
            let foreign = [
                ("Host", "127.0.0.1:8437"), ("Origin", "http://evil.example"), ("Content-Type", "application/json"),
                ("Cookie", page.cookie),
            ]
            #expect(await page.ask(target, method: "POST", headers: foreign, body: "{\"q\":[\"x\"]}").status == 403)
        }
        let mine = own + [("Cookie", page.cookie)]
        #expect(await page.ask("/api/watches", method: "POST", headers: mine, body: "{\"q\":[\"x\"]}").status == 404)
        #expect(await page.ask("/api/watches", method: "POST", headers: mine, body: "{}").status == 400)
        #expect(
            await page.ask("/api/session", method: "POST", headers: mine, body: "{\"password\":\"x\"}").status == 403)
        #expect(await page.ask("/api/sources/99/forget", method: "POST", headers: mine, body: "{}").status == 404)
        #expect(
            await page.ask("/api/sources/\(number)/forget", method: "POST", headers: mine, body: "{}").status == 204)
        #expect(try await page.get("/api/search?q=EXIT").objects().count == 1)
    }

    /// A search that has waited long enough for new text returns; one that came later waits for its own answer.
    @Test(.timeLimit(.minutes(1))) func whoeverWaitsNoLongerLetsNobodyElseGo() async throws {
        let folder = try TemporaryFolder()
        let running = ViewerRecord(.event, head: #"{"type":"state","state":"running"}"#)
        let kept = ViewerRecord(.event, head: #"{"type":"kept"}"#)
        try Data(running.bytes).write(to: URL(fileURLWithPath: folder.path + "/running"))
        try Data(kept.bytes).write(to: URL(fileURLWithPath: folder.path + "/kept"))
        // Stands in for a slow job: it answers the second order once it may, and the first one with it.
        let program = try folder.write(
            """
            #!/bin/bash
            cd '\(folder.path)'
            cat running
            while IFS= read -r line; do
                case "$line" in *'"keep"'*) count=$((count + 1)) ;; esac
                if [[ $count == 2 ]]; then
                    until [[ -e go ]]; do sleep 0.02; done
                    touch answered
                    cat kept kept
                    count=0
                fi
            done

            """, to: "job")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        var settings = WatchSettings()
        settings.program = program
        let source = WatchedSource(1, "camera", settings, index: "")
        async let job: Void = source.run { _ in }
        while source.known.state != "running" { try await Task.sleep(for: .milliseconds(5)) }
        async let first: Void = source.keep(atMost: .milliseconds(300))
        try await Task.sleep(for: .milliseconds(50))
        async let second: Void = source.keep(atMost: .seconds(600))
        await first
        // This is long enough to notice a search that is released together with it.
        try await Task.sleep(for: .milliseconds(100))
        try Data().write(to: URL(fileURLWithPath: folder.path + "/go"))
        await second
        #expect(FileManager.default.fileExists(atPath: folder.path + "/answered"))
        source.finish()
        _ = await job
    }

    /// A program that stands in for a job.
    private func program(_ lines: String, in folder: TemporaryFolder) throws -> String {
        let program = try folder.write("#!/bin/bash\ncd '\(folder.path)'\n\(lines)\n", to: "job")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        return program
    }

    /// Shows one camera with a program that stands in for a job.
    private func startedManager(_ lines: String, in folder: TemporaryFolder) throws -> LiveManager {
        var settings = WatchSettings()
        settings.sources = ["camera"]
        settings.program = try program(lines, in: folder)
        let manager = LiveManager(settings, index: "")
        manager.start()
        return manager
    }

    @Test(.timeLimit(.minutes(1))) func jobsHearOfChangesInTheirOrder() async throws {
        let folder = try TemporaryFolder()
        // Its output stays open until it ends.
        let manager = try startedManager("exec 3>&1\nexec cat > told", in: folder)
        while manager.sources[0].known.starts == 0 { try await Task.sleep(for: .milliseconds(5)) }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { manager.search(for: JobPlan.Search(["\(number)"], SearchMode())) }
            }
        }
        try await DedicatedThread.run(named: "finish") { manager.finish(within: .seconds(50)) }
        let lines = try String(contentsOfFile: folder.file("told"), encoding: .utf8).split(separator: "\n")
        let last = try #require(lines.last)
        #expect(try JSONDecoder().decode(ViewerCommand.self, from: Data(last.utf8)).words == manager.words)
    }

    @Test(.timeLimit(.minutes(1))) func whatDoesNotEndInTimeIsEnded() async throws {
        let folder = try TemporaryFolder()
        let manager = try startedManager("echo $$ > new\nmv new number\nexec sleep 600", in: folder)
        while !FileManager.default.fileExists(atPath: folder.file("number")) {
            try await Task.sleep(for: .milliseconds(5))
        }
        let text = try String(contentsOfFile: folder.file("number"), encoding: .utf8)
        let number = try #require(pid_t(text.dropLast()))
        try await DedicatedThread.run(named: "finish") { manager.finish(within: .milliseconds(50)) }
        while kill(number, 0) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// A job that accepts no orders hangs: it is ended before they fill the memory.
    @Test(.timeLimit(.minutes(1))) func ordersThatAreNotTakenEndTheJob() async throws {
        let job = try LiveJobProcess("/bin/sleep", ["sleep", "600"])
        for _ in 0..<20_000 { job.tell(ViewerCommand(needsKey: true)) }
        #expect(try await DedicatedThread.run(named: "record") { job.next() == nil })
    }
}
