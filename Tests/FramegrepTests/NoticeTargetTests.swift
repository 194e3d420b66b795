import Foundation
import TestSupport
import Testing

/// `--mqtt` and `--webhook`: exactly two notices per sighting, to real brokers and servers.
@Suite(.serialized, .timeLimit(.minutes(5))) struct NoticeTargetTests {
    /// Returns a short video with a word in it.
    private static func picture(_ text: String = "EXIT", frames: Int = 20) -> String {
        "videotestsrc is-live=true pattern=white num-buffers=\(frames) ! video/x-raw,width=480,height=200,framerate=15/1 ! "
            + "textoverlay text=\"\(text)\" color=0xff000000 draw-shadow=false draw-outline=false font-desc=\"Sans Bold 32\" "
            + "! appsink name=frames"
    }

    private let key = "a key of the test's"

    private func run(
        _ arguments: [String], outbox: String, picture: String = Self.picture(), pattern: String = "EXIT"
    ) throws -> Running {
        try Running(
            Framegrep.path,
            ["run", picture, "--find", pattern, "--engine", "tesseract", "--format", "jsonl", "--outbox", outbox]
                + arguments, environment: ["FRAMEGREP_WEBHOOK_KEY": key])
    }

    @Test(.enabled(if: TestBroker.isInstalled, "needs mosquitto and mosquitto-clients"))
    func aSightingIsTwoNoticesToEach() async throws {
        let folder = try TemporaryFolder()
        let (broker, server) = (try await TestBroker(), try HookServer())
        defer { server.stop() }
        let listener = try broker.listen()
        // Its first notice shows that it listens.
        #expect(
            try await holds {
                try await broker.publish("x", to: "test/begin")
                return listener.stdout.contains("test/begin")
            })
        let outcome = await
            (try run(
                ["--mqtt", broker.address, "--mqtt-node", "n+1", "--webhook", server.address], outbox: folder.path))
            .end(within: 120)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            try await holds {
                Heard.all(in: listener.stdout).contains { $0.topic.hasSuffix("/status") && $0.text == "offline" }
            })
        let heard = Heard.all(in: listener.stdout)
        let sightings = heard.filter { $0.topic.hasSuffix("/sighting") }
        let told = outcome.objects.filter { ["appeared", "disappeared"].contains($0["type"] as? String) }
        #expect(told.count == 2 && sightings.count == 2 && server.requests.count == 2, "\(outcome.lines)")
        #expect(sightings.map { $0.object["event_type"] as? String } == ["appeared", "disappeared"])
        #expect(sightings.allSatisfy { $0.object["text"] as? String == "EXIT" && !$0.isRetained })
        // The same notices go to both, with the fields of the events.
        #expect(sightings.map { $0.object["id"] as? String } == server.requests.map { $0.headers["idempotency-key"] })
        for (event, request) in zip(told, server.requests) {
            #expect(Set(event.keys).isSubset(of: request.object.keys), "\(request.object)")
            #expect(event["id"] as? Int == request.object["sighting"] as? Int)
            try await checkSignature(request)
        }
        let picture = server.requests.last?.object["picture"] as? [String: String]
        let jpeg = Data(base64Encoded: picture?["data"] ?? "")
        #expect(jpeg?.prefix(2) == Data([0xFF, 0xD8]) && server.requests.first?.object["picture"] == nil)
        let topic = try #require(sightings.first?.topic.dropLast("/sighting".count)) + "/EXIT"
        func states(_ name: String) -> [Heard] { heard.filter { $0.topic == "\(topic)/\(name)" } }
        // It is sent once more at the end.
        #expect(states("present").map(\.text).suffix(3) == ["ON", "OFF", "OFF"])
        #expect(states("text").last?.text == "EXIT" && states("picture").last?.payload == jpeg)
        #expect(heard.contains { $0.topic.hasPrefix("homeassistant/device/framegrep_") && $0.object["cmps"] != nil })
        #expect(!heard.contains { $0.topic.contains("n+1") })
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count > 0)
        await TestBroker.kill(listener)
        await broker.stop()
    }

    /// Checks the signature as a receiver would, with an independent tool.
    private func checkSignature(_ request: HookServer.Request) async throws {
        let folder = try TemporaryFolder()
        let body = try folder.write(request.body, to: "body")
        let tool = try #require(Tool("openssl"))
        let digest = try await tool.run(["dgst", "-sha256", "-hmac", key, "-r", body])
        let expected = digest.stdout.split(separator: " ").first.map { "sha256=\($0)" }
        #expect(request.headers["x-framegrep-signature"] == expected)
    }

    private func stop(_ running: Running) async -> Framegrep.Outcome {
        running.send(SIGTERM)
        return await running.end(within: 30)
    }

    @Test func aServerThatFailsGetsEachNoticeOnce() async throws {
        let folder = try TemporaryFolder()
        let server = try HookServer([
            .answer(500), .close, .hang, .answer(503, headers: "Retry-After: 1\r\n"), .answer(404),
        ])
        defer { server.stop() }
        let running = try run(
            ["--webhook", server.address, "--webhook-timeout", "1"], outbox: folder.path,
            picture: Self.picture(frames: 1_000_000))
        #expect(await running.wait { server.taken.count == 1 }, "\(running.stderr)")
        let outcome = await stop(running)
        #expect(server.taken.map { $0.object["event_type"] as? String } == ["appeared", "disappeared"])
        // Repeated requests had the same ID and the same bytes. A busy machine may not answer within the second.
        #expect(server.requests.count >= 7 && Set(server.requests.map(\.body)).count == 2)
        #expect(
            outcome.stderr.contains("do not arrive") && outcome.stderr.contains("arrive again")
                || outcome.stdout.contains("notice-failed"))
    }

    @Test func whatWasNotTakenIsSentAtTheNextStart() async throws {
        let folder = try TemporaryFolder()
        let closed = try LoopbackSocket()
        let port = closed.port
        close(closed.descriptor)
        let address = "http://127.0.0.1:\(port)/seen"
        // One run ends normally, one is killed while the word is in view.
        let first = await (try run(["--webhook", address], outbox: folder.path)).end(within: 120)
        #expect(first.status == 0 && first.stderr.contains("2 notices were not delivered"), "\(first)")
        let second = try run(["--webhook", address], outbox: folder.path, picture: Self.picture(frames: 1_000_000))
        #expect(await second.wait { second.stdout.contains("appeared") })
        #expect(try await holds { await self.waiting(in: folder.path) == 4 })
        second.send(SIGKILL)
        _ = await second.end(within: 30)
        let server = try HookServer(port: port)
        defer { server.stop() }
        // Nothing is seen this time.
        let third = await (try run(["--webhook", address], outbox: folder.path, pattern: "NOWHERE 4711")).end(
            within: 120)
        #expect(third.status == 1, "\(third)")
        let objects = server.taken.map(\.object)
        #expect(objects.map { $0["event_type"] as? String } == ["appeared", "disappeared", "appeared", "disappeared"])
        #expect(objects.map { $0["interrupted"] as? Bool } == [nil, nil, nil, true])
        #expect(Set(objects.compactMap { $0["id"] as? String }).count == 4)
        #expect(await waiting(in: folder.path) == 0)
    }

    /// Returns the number of rows in all files there, including held-back ones.
    private func waiting(in folder: String) async -> Int {
        let script = """
            import glob, sqlite3, sys
            files = glob.glob(sys.argv[1] + "/*.db")
            print(sum(sqlite3.connect(f).execute("SELECT count(*) FROM notice").fetchone()[0] for f in files))
            """
        let outcome = try? await Tool("python3")?.run(["-c", script, folder])
        return outcome.flatMap { Int($0.stdout.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? -1
    }

    @Test(.enabled(if: Tool.exists("python3"), "needs python3"))
    func theDocumentsReceiverKnowsWhatIsGenuine() async throws {
        let document = try Checkout.text("docs/NOTICES.md")
        let code = try #require(
            document.components(separatedBy: "```python\n").dropFirst().first?.components(separatedBy: "```").first)
        let check = """

            body = b'{"event_type":"appeared"}'
            # openssl dgst -sha256 -hmac key
            good = "sha256=" + "\(Self.digest)"
            assert is_genuine(body, good, b"key")
            assert not is_genuine(body + b" ", good, b"key")
            assert not is_genuine(body, good, b"other") and not is_genuine(body, None, b"key")
            """
        let outcome = try #require(try await Tool("python3")?.run(["-c", code + check]))
        #expect(outcome.status == 0, "\(outcome.stderr)")
    }

    private static let digest = "64d0c11d6098e7a7609bb94e9877e346dea733e423787f0d94dadfb0b16625d7"

    @Test func theEndIsTheLastEventWhateverWasNotDelivered() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Framegrep.run(
            [
                "live", "GATE", try await standingClip(), "--headless", "--format", "jsonl", "--engine", "tesseract",
                "--webhook", "http://127.0.0.1:1/", "--outbox", folder.file("outbox"),
            ])
        #expect(outcome.status == 0 && outcome.stderr.contains("were not delivered"), "\(outcome.stderr)")
        #expect(outcome.objects.last?["type"] as? String == "end", "\(outcome.lines.last ?? "")")
    }

    @Test func aRedirectionToAnotherServerIsNotFollowed() async throws {
        let folder = try TemporaryFolder()
        let other = try HookServer()
        let server = try HookServer([
            .answer(307, headers: "Location: \(other.address)\r\n"), .answer(307, headers: "Location: /moved\r\n"),
        ])
        defer {
            server.stop()
            other.stop()
        }
        let outcome = await (try run(["--webhook", server.address], outbox: folder.path)).end(within: 120)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(other.requests.isEmpty)
        #expect(server.requests.map(\.path).contains("/moved"))
    }

    @Test(.enabled(if: TestBroker.isInstalled, "needs mosquitto and mosquitto-clients"))
    func aBrokerChangesTheWordsWhereItMay() async throws {
        let folder = try TemporaryFolder()
        let broker = try await TestBroker(user: "camera", password: "p#ss:w/rd")
        // Some editors end lines like this.
        let credentials = try folder.write("camera:p#ss:w/rd\r\n", to: "credentials")
        let login = ["-u", "camera", "-P", "p#ss:w/rd"]
        let listener = try broker.listen(login)
        let hostile = #"a"},{/+#\"#
        let running = try run(
            [
                "--mqtt", broker.address, "--mqtt-node", "n", "--mqtt-patterns", "--mqtt-forget", "--mqtt-credentials",
                credentials,
            ], outbox: folder.file("outbox"), picture: Self.picture(frames: 1_000_000), pattern: hostile)
        #expect(
            await running.wait { Heard.all(in: listener.stdout).contains { $0.text == "online" } }, "\(running.stderr)")
        let source = try #require(
            try await Self.found {
                Heard.all(in: listener.stdout).first { $0.topic.hasSuffix("/present") }?.topic.split(separator: "/")[2]
            })
        // The subscription may not be active yet, so the message is repeated until it arrives.
        #expect(
            try await holds {
                _ = try await Tool("mosquitto_pub")?.run(
                    [
                        "-h", "127.0.0.1", "-p", String(broker.port), "-t", "framegrep/n/\(source)/patterns/set", "-m",
                        "EXIT\nDOOR",
                    ] + login)
                return running.stdout.contains("\"appeared\"")
            })
        #expect(
            try await holds {
                Heard.all(in: listener.stdout).contains { $0.topic.hasSuffix("/EXIT/present") && $0.text == "ON" }
            })
        // Nothing remains of the earlier words at the broker; the source does.
        #expect(
            try await holds {
                let heard = Heard.all(in: listener.stdout)
                return ["present", "text", "picture"].allSatisfy { name in
                    heard.contains { $0.topic.hasSuffix("/\(name)") && $0.payload.isEmpty }
                } && heard.last { $0.topic.hasSuffix("/available") }?.text == "online"
            })
        let outcome = await stop(running)
        #expect(!outcome.timedOut && !outcome.stderr.contains("p#ss"))
        #expect(outcome.stderr.contains("chmod o-r"), "\(outcome)")
        #expect(
            try await holds {
                Heard.all(in: listener.stdout).contains { $0.topic.hasSuffix("/status") && $0.text == "offline" }
            })
        let heard = Heard.all(in: listener.stdout)
        let devices = heard.filter { $0.topic.hasSuffix("/config") }
        #expect(
            devices.last?.payload.isEmpty == true
                && devices.contains { ($0.object["cmps"] as? [String: Any])?.count ?? 0 > 6 })
        #expect(heard.last { $0.topic.hasSuffix("/EXIT/present") }?.payload.isEmpty == true)
        await TestBroker.kill(listener)
        await broker.stop()
    }

    private static func found<Value>(_ look: () -> Value?) async throws -> Value? {
        _ = try await holds { look() != nil }
        return look()
    }

    @Test func whatCannotWorkIsSaidAtOnce() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("x", to: "file")
        for (options, expected) in [
            (["--mqtt", "http://host"], "mqtt://host"), (["--mqtt", "mqtt://user:geheim@host"], "FRAMEGREP_MQTT_USER"),
            (["--webhook", "ftp://host/x"], "HTTP"),
            (["--webhook", "http://user:geheim@host/"], "FRAMEGREP_WEBHOOK_KEY"),
            (["--mqtt-node", "x"], "--mqtt"), (["--webhook", "http://127.0.0.1:9/", "--outbox", file], "--outbox"),
            (["--mqtt", "mqtts://127.0.0.1", "--mqtt-ca", file + "-not", "--outbox", folder.file("o")], "--mqtt-ca"),
            (
                ["--mqtt", "mqtt://127.0.0.1", "--mqtt-credentials", file, "--outbox", folder.file("o")],
                "user:password"
            ),
        ] {
            let outcome = try await Framegrep.run(
                ["run", Self.picture(), "--find", "EXIT", "--engine", "tesseract"] + options)
            #expect(outcome.status == 2 && outcome.stderr.contains(expected), "\(options): \(outcome.stderr)")
            #expect(!outcome.stderr.contains("geheim") && outcome.stdout.isEmpty)
        }
    }
}
