import Foundation
import TestSupport
import Testing
import TextIndex

@testable import Page

/// Clean copies made from the page: its routes, without HTTP, and the program itself.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PageRedactionTests {
    private let folder: TemporaryFolder
    private let keys = SessionKeys(port: 8437)
    private let service: PageService
    private let number: String

    init() async throws {
        folder = try TemporaryFolder()
        let path = folder.file("screen.mp4")
        try FileManager.default.copyItem(atPath: try await cutsClip(), toPath: path)
        let indexed = try await Framegrep.run(
            ["index", "--engine", "tesseract", "-q", path], environment: ["FRAMEGREP_INDEX": folder.file("index")])
        #expect(indexed.status == 0, "\(indexed)")
        var watch = WatchSettings()
        watch.program = Framegrep.path
        service = PageService(
            index: try IndexFolder(folder.file("index")), hosts: HostList(port: 8437), keys: keys,
            decoder: "/bin/false", watch: watch)
        let source = try #require(try service.view.snapshot().sources.first)
        number = SourceNumber.text(source.id)
    }

    /// Signs a browser in.
    private func browser() throws -> String {
        String(try #require(keys.open(with: keys.key)).prefix { $0 != ";" })
    }

    private func ask(_ browser: String, _ path: String, sending body: String? = nil) async throws -> (Int, [UInt8]) {
        let headers = [
            ("Host", "127.0.0.1:8437"), ("Cookie", browser), ("Sec-Fetch-Site", "same-origin"),
            ("Origin", "http://127.0.0.1:8437"), ("Content-Type", "application/json"),
        ]
        let answer = await service.answer(
            PageRequest(
                method: body == nil ? "GET" : "POST", path: path, query: "", headers: headers,
                body: Array((body ?? "").utf8)))
        switch answer.body {
        case .bytes(let bytes): return (answer.status, bytes)
        case .chunks(let chunks, let length):
            var bytes: [UInt8] = []
            while let more = try await chunks.next() { bytes += more }
            #expect(length.map { Int($0) == bytes.count } ?? true)
            return (answer.status, bytes)
        }
    }

    private func object(_ answer: (Int, [UInt8])) throws -> [String: String] {
        #expect(answer.0 == 200, "\(String(decoding: answer.1, as: UTF8.self))")
        let all = try JSONSerialization.jsonObject(with: Data(answer.1)) as? [String: Any] ?? [:]
        return all.compactMapValues { $0 as? String }
    }

    /// Waits until nothing is running; returns the state.
    private func settled(_ browser: String, _ id: String) async throws -> [String: String] {
        let deadline = ContinuousClock.now + .seconds(120)
        while .now < deadline {
            let now = try object(try await ask(browser, "/api/redactions/\(id)"))
            if !["searching", "hiding"].contains(now["state"]) { return now }
            try await Task.sleep(for: .milliseconds(100))
        }
        return [:]
    }

    @Test func aCleanCopyIsMadeAsOneLikesIt() async throws {
        let own = try browser()
        let begun = try object(
            try await ask(
                own, "/api/redactions", sending: "{\"source\":\"\(number)\",\"query\":\"q=BUBBLES&q=GATE\"}"))
        let id = try #require(begun["id"])
        #expect(begun["state"] == "searching")
        // No other browser has access to it, and it does not report results before it has them.
        let other = try browser()
        #expect(try await ask(other, "/api/redactions/\(id)").0 == 404)
        #expect(try await ask(own, "/api/redactions/\(id)/copy").0 == 409)
        #expect(try await settled(own, id)["state"] == "planned")
        let plan = try await ask(own, "/api/redactions/\(id)/plan")
        let lines = String(decoding: plan.1, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 3 && !lines.joined().contains("BUBBLES"), "\(lines)")

        // All of it, searched again; then without the first thing, which is GATE.
        for (left, found) in [("", Set<String>()), ("1", ["GATE"])] {
            _ = try object(
                try await ask(own, "/api/redactions/\(id)/hide", sending: "{\"without\":[\(left)]}"))
            let now = try await settled(own, id)
            #expect(now["state"] == "ready", "\(now)")
            let copy = try await ask(own, "/api/redactions/\(id)/copy")
            #expect(copy.0 == 200)
            let path = try folder.write(copy.1, to: "copy\(left).mp4")
            for word in ["BUBBLES", "GATE"] {
                let again = try await Framegrep.run(["find", word, path, "--engine", "tesseract"])
                #expect((again.status == 0) == found.contains(word), "\(word): \(again)")
            }
        }
        let place = try service.redactions.redaction(id, session: own.session).plan
        #expect(try await ask(own, "/api/redactions/\(id)/end", sending: "{}").0 == 204)
        #expect(try await ask(own, "/api/redactions/\(id)").0 == 404)
        #expect(!FileManager.default.fileExists(atPath: place))
    }

    @Test func whatCannotWorkIsSaid() async throws {
        let own = try browser()
        for (body, status) in [
            ("{}", 400), ("{\"source\":\"\(number)\",\"query\":\"\"}", 400),
            ("{\"source\":\"9\",\"query\":\"q=EXIT\"}", 404), ("{\"source\":\"../x\",\"query\":\"q=EXIT\"}", 404),
            ("{\"source\":\"\(number)\",\"query\":\"q=EXIT&source=../x\"}", 404),
        ] { #expect(try await ask(own, "/api/redactions", sending: body).0 == status, "\(body)") }
        // A refusal by the program is shown with its message.
        let begun = try object(
            try await ask(own, "/api/redactions", sending: "{\"source\":\"\(number)\",\"query\":\"q=%3Anonsense\"}"))
        let now = try await settled(own, try #require(begun["id"]))
        #expect(now["state"] == "failed" && now["message"]?.contains(":nonsense") == true, "\(now)")
        // A browser that signs out leaves nothing behind.
        let place = try service.redactions.redaction(try #require(begun["id"]), session: own.session).plan
        #expect(try await ask(own, "/api/session/end", sending: "{}").0 == 204)
        #expect(!FileManager.default.fileExists(atPath: (place as NSString).deletingLastPathComponent))
    }
}

extension String {
    /// The session that a cookie names.
    fileprivate var session: String { split(separator: "=", maxSplits: 1).last.map(String.init) ?? "" }
}
