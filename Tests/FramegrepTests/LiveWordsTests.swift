import ArgumentParser
import Errors
import Foundation
import Spotter
import Synchronization
import TestSupport
import Testing
import TextMatching
import TextSpotting

@testable import framegrep

/// Words that arrive while a job runs, or before: they are applied one after the other, in order.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LiveWordsTests {
    /// A reader that reads nothing.
    private struct Blind: TextReader {
        let name = "nothing"
        let pictureFormat = Picture.Format.luma
        let concurrency = 1
        func read(_ picture: Picture) async throws -> [TextLine] { [] }
    }

    private func spotter(_ options: PatternOptions) throws -> LiveSpotter {
        LiveSpotter(
            description: "videotestsrc is-live=true ! video/x-raw,width=64,height=48 ! appsink name=frames",
            settings: LiveSettings(), reader: Blind(), matcher: try options.matcher(positional: nil))
    }

    private func attach(_ words: LiveCommands, to spotter: LiveSpotter, _ options: PatternOptions) {
        words.attach(
            spotter, patterns: options, targets: nil, readsInput: false,
            endings: LiveCommands.Endings(end: {}, last: {}))
    }

    /// An end that is requested before a job exists ends it as soon as it does.
    @Test func anEndThatComesTooSoonIsKept() throws {
        let options = try PatternOptions.parse(["-e", "GATE"])
        let ended = Mutex(0)
        let commands = LiveCommands()
        defer { commands.close() }
        commands.end()
        commands.attach(
            try spotter(options), patterns: options, targets: nil, readsInput: false,
            endings: LiveCommands.Endings(end: { ended.withLock { $0 += 1 } }, last: {}))
        #expect(ended.withLock { $0 } == 1)
    }

    @Test func theLastWordsHold() async throws {
        let options = try PatternOptions.parse(["-e", "GATE"])
        let spotter = try spotter(options)
        let words = LiveCommands()
        attach(words, to: spotter, options)
        defer { words.close() }
        words.take(.warning(FramegrepError(.badPattern, "It runs.")))
        for pair in 1...1000 {
            words.replace(with: ["FIRST \(pair)"])
            words.replace(with: ["LAST \(pair)", "TOO"])
            let deadline = ContinuousClock.now + .seconds(30)
            while spotter.matcher.patterns.first?.text != "LAST \(pair)", .now < deadline { await Task.yield() }
            // An overtaken pattern would arrive now.
            for _ in 1...5 { await Task.yield() }
            #expect(spotter.matcher.patterns.map(\.text) == ["LAST \(pair)", "TOO"])
        }
    }

    /// Changed options of a service and words from a broker go through the same mailbox.
    @Test func ordersOfAllKindsKeepTheirOrder() async throws {
        let options = try PatternOptions.parse(["-e", "GATE"])
        let spotter = try spotter(options)
        let words = LiveCommands()
        defer { words.close() }
        words.use(try PatternOptions.parse(["-e", "BEFORE"]))
        attach(words, to: spotter, options)
        // Nothing happens before the job runs.
        words.replace(with: ["EARLY"])
        try await Task.sleep(for: .milliseconds(20))
        #expect(spotter.matcher.patterns.map(\.text) == ["GATE"])
        words.take(.warning(FramegrepError(.badPattern, "It runs.")))
        #expect(try await holds(within: 20) { spotter.matcher.patterns.map(\.text) == ["EARLY"] })
        for number in 1...200 {
            words.replace(with: ["BROKER \(number)"])
            words.use(try PatternOptions.parse(["-e", "FILE \(number)"]))
        }
        #expect(try await holds(within: 20) { spotter.matcher.patterns.map(\.text) == ["FILE 200"] })
        words.close()
        words.replace(with: ["LATE"])
        try await Task.sleep(for: .milliseconds(20))
        #expect(spotter.matcher.patterns.map(\.text) == ["FILE 200"])
    }

    private func appeared(_ running: Running, _ pattern: String) -> Bool {
        running.stdout.split(separator: "\n").contains { $0.contains("\"appeared\"") && $0.contains("\"\(pattern)\"") }
    }

    /// Runs with a source that always shows a word, and a broker that may change the patterns.
    private func run(_ broker: TestBroker, outbox: String) throws -> Running {
        let picture =
            "videotestsrc is-live=true pattern=white ! video/x-raw,width=320,height=180,framerate=10/1 "
            + "! textoverlay text=EXIT color=0xff000000 draw-outline=false draw-shadow=false valignment=center "
            + "halignment=center font-desc=\"Sans 32\" ! videoconvert ! appsink name=frames"
        return try Running(
            Framegrep.path,
            [
                "run", picture, "--find", "NOTHERE", "--engine", "tesseract", "--language", "eng", "--headless",
                "--format", "jsonl", "--mqtt", broker.address, "--mqtt-node", "n", "--mqtt-patterns", "--outbox",
                outbox,
            ])
    }

    /// The broker has them before there is a subscriber, and sends them as soon as there is one.
    @Test(.enabled(if: TestBroker.isInstalled, "needs mosquitto and mosquitto-clients"))
    func retainedWordsAreNotLost() async throws {
        let folder = try TemporaryFolder()
        let broker = try await TestBroker()
        let listener = try broker.listen()
        let first = try run(broker, outbox: folder.file("outbox"))
        #expect(
            await first.wait { Heard.all(in: listener.stdout).contains { $0.topic.hasSuffix("/present") } },
            "\(first.stderr)")
        let topic = try #require(Heard.all(in: listener.stdout).first { $0.topic.hasSuffix("/present") }?.topic)
        first.send(SIGTERM)
        _ = await first.end(within: 60)
        let source = topic.split(separator: "/")[2]
        _ = try await Tool("mosquitto_pub")?.run([
            "-h", "127.0.0.1", "-p", String(broker.port), "-q", "1", "-r", "-t", "framegrep/n/\(source)/patterns/set",
            "-m", "EXIT",
        ])
        for _ in 1...5 {
            let next = try run(broker, outbox: folder.file("outbox"))
            #expect(await next.wait { appeared(next, "EXIT") }, "\(next.stdout) \(next.stderr)")
            next.send(SIGTERM)
            #expect(!(await next.end(within: 60)).timedOut)
        }
        await TestBroker.kill(listener)
        await broker.stop()
    }

    /// Sends many changes on one connection, as fast as it accepts them.
    @Test(.enabled(if: TestBroker.isInstalled, "needs mosquitto and mosquitto-clients"))
    func theLastOfManyMessagesHolds() async throws {
        let folder = try TemporaryFolder()
        let broker = try await TestBroker()
        let listener = try broker.listen()
        let running = try run(broker, outbox: folder.file("outbox"))
        #expect(
            await running.wait { Heard.all(in: listener.stdout).contains { $0.topic.hasSuffix("/present") } },
            "\(running.stderr)")
        let topic = try #require(Heard.all(in: listener.stdout).first { $0.topic.hasSuffix("/present") }?.topic)
        let source = topic.split(separator: "/")[2]
        let lines = (1...1000).flatMap { ["FIRST \($0)", "LAST \($0)"] } + ["EXIT"]
        let file = try folder.write(lines.joined(separator: "\n") + "\n", to: "lines")
        #expect(
            try await holds {
                _ = try await Tool("sh")?.run([
                    "-c",
                    "mosquitto_pub -h 127.0.0.1 -p \(broker.port) -q 1 -t 'framegrep/n/\(source)/patterns/set' -l < \(file)",
                ])
                return appeared(running, "EXIT")
            })
        running.send(SIGTERM)
        #expect(!(await running.end(within: 60)).timedOut)
        await TestBroker.kill(listener)
        await broker.stop()
    }
}
