import Foundation
import TestSupport
import Testing
import TextSpotting

@testable import framegrep

/// `framegrep values`: the values at a place over time, and the examples of docs/VALUES.md.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ValuesTests {
    /// A speed that changes each second, and a clock below it.
    private static let drive = KnownClip(
        words: [KnownWord(text: "SPEED", x: 40, y: 40, frames: 0..<75)]
            + zip(["42 km/h", "43 km/h", "45 km/h"], [0, 25, 50]).map {
                KnownWord(text: $0.0, x: 260, y: 40, frames: $0.1..<$0.1 + 25)
            }
            + zip(["12:30:05", "12:30:06", "12:30:07"], [0, 25, 50]).map {
                KnownWord(text: $0.0, x: 60, y: 250, frames: $0.1..<$0.1 + 25)
            })

    private static let reading = ["--engine", "tesseract", "--language", "eng"]

    private static func clip() async throws -> String { try await ClipCache.shared.path("drive.mp4", drive) }

    /// Returns start, end, text, value, unit and the mark; the confidence differs between engines.
    private static func rows(_ csv: [String]) -> [[String]] {
        csv.map { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            return fields.count > 5 ? Array(fields[..<4] + fields[5...]) : fields
        }
    }

    @Test func theValueBehindAWordIsATable() async throws {
        let outcome = try await Framegrep.run(
            ["values", try await Self.clip(), "--near", "speed", "--format", "csv"] + Self.reading)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            Self.rows(outcome.lines) == [
                ["start", "end", "text", "value", "unit", "skipped"], ["0", "1", "42 km/h", "42", "km/h", ""],
                ["1", "2", "43 km/h", "43", "km/h", ""], ["2", "3", "45 km/h", "45", "km/h", ""],
            ], "\(outcome)")
    }

    /// A number with its unit is no formula, whatever its sign; anything else that begins with a sign might be one.
    @Test(arguments: [
        ("-3", nil, "-3"), ("-3 °C", "°C", "-3 °C"), ("-3°C", "°C", "-3°C"), ("+7 km/h", "km/h", "+7 km/h"),
        ("-12%", "%", "-12%"), ("-3%*A", "%*A", "'-3%*A"), ("-A1", nil, "'-A1"), ("=3", nil, "'=3"),
    ])
    func signsOfNumbersAreNotEscaped(text: String, unit: String?, expected: String) {
        let row = ValueRow(
            start: .zero, end: StreamTime(seconds: 1), text: text, value: unit == nil ? nil : -3, unit: unit, score: 1)
        let line = ValueFormatter(format: .csv, source: "").line(row)
        let field = expected.hasPrefix("'") ? "\"\(expected)\"" : expected
        #expect(line.hasPrefix("0,1,\(field),"), "\(line)")
    }

    @Test func aRegionHasItsOwnTable() async throws {
        let outcome = try await Framegrep.run(
            ["values", try await Self.clip(), "--region", "20,220,400,120", "--format", "jsonl", "--every", "500ms"]
                + Self.reading)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.objects.compactMap { $0["type"] as? String } == Array(repeating: "value", count: 6))
        #expect(
            outcome.objects.compactMap { $0["value"] as? Double } == [45_005, 45_005, 45_006, 45_006, 45_007, 45_007])
        #expect(outcome.objects.compactMap { $0["start"] as? Double } == [0, 0.5, 1, 1.5, 2, 2.5])
    }

    // MARK: While it runs

    @Test func ofASourceThatRunsEachRowComesWhenItIsOver() async throws {
        let outcome = try await Framegrep.run(
            ["values", try await Self.clip(), "--live", "--near", "SPEED", "--format", "jsonl"] + Self.reading)
        #expect(outcome.status == 0, "\(outcome)")
        let schema = try JSONSchema(try Checkout.text("docs/events.schema.json"))
        for object in outcome.objects { #expect(schema.faults(of: object).isEmpty, "\(object)") }
        #expect(outcome.objects.compactMap { $0["value"] as? Double } == [42, 43, 45], "\(outcome)")
        #expect(outcome.objects.allSatisfy { $0["wall_start"] is String })
        let times = outcome.objects.compactMap { $0["start"] as? Double }
        // Not every frame is read, but one that is read late has its own time.
        for (time, truth) in zip(times, [0, 1, 2.0]) { #expect(abs(time - truth) < 0.5, "\(times)") }
    }

    @Test func aCameraIsNoForbiddenAddress() async throws {
        let outcome = try await Framegrep.run([
            "values", "/dev/video97", "--near", "kWh", "--on-lost", "exit", "--timeout", "2s",
        ])
        #expect(outcome.status == 2 && outcome.stderr.contains("/dev/video97"), "\(outcome)")
        #expect(!outcome.stderr.contains("--allow"), "\(outcome)")
    }

    @Test(arguments: [
        (["--live"], "--near"), (["--live", "--near", "SPEED", "--every", "1s"], "--every"),
        (["--near", "SPEED", "--mqtt", "mqtt://127.0.0.1:1"], "--live"),
        (["--near", "SPEED", "--timeout", "1s"], "--live"),
        (["--live", "--near", "SPEED", "--size", "640x480"], "--size"), (["--mqtt-node", "n"], "--mqtt"),
        (["--near", "SPEED", "--reconnect", "3"], "--reconnect"),
        (["--near", "SPEED", "--on-lost", "wait"], "--on-lost"),
        (["--near", "SPEED", "--torch", "on"], "--torch"), (["--near", "SPEED", "--exposure", "auto"], "--exposure"),
        (["--near", "SPEED", "--brightness", "1"], "--brightness"),
        (["--near", "SPEED", "--autofocus", "once"], "--autofocus"),
        (["--live", "--near", "SPEED", "--reconnect", "3"], "--reconnect"),
        (["--live", "--near", "SPEED", "--on-lost", "exit"], "--on-lost"),
        (["--near", "SPEED", "--mqtt-discovery", "none"], "--mqtt-discovery"),
    ]) func whatASourceThatRunsDoesNotTakeIsRefused(_ options: [String], _ mentioned: String) async throws {
        let outcome = try await Framegrep.run(["values", try await Self.clip()] + options)
        #expect(outcome.status == 2 && outcome.stdout.isEmpty && outcome.stderr.contains(mentioned), "\(outcome)")
    }

    @Test(.enabled(if: TestBroker.isInstalled, "needs mosquitto and mosquitto-clients"))
    func aBrokerIsToldWhatStandsThereNow() async throws {
        let broker = try await TestBroker()
        let listener = try broker.listen()
        #expect(
            try await holds {
                try await broker.publish("x", to: "test/begin")
                return listener.stdout.contains("test/begin")
            })
        let outcome = try await Framegrep.run(
            [
                "values", try await Self.clip(), "--live", "--near", "SPEED", "--mqtt", broker.address, "--mqtt-node",
                "n",
            ] + Self.reading)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            try await holds {
                Heard.all(in: listener.stdout).contains { $0.topic.hasSuffix("/status") && $0.text == "offline" }
            })
        let heard = Heard.all(in: listener.stdout)
        #expect(
            heard.filter { $0.topic.hasSuffix("/values/SPEED/state") }.map(\.text) == ["42", "43", "45", "None"],
            "\(heard.map { ($0.topic, $0.text) })")
        #expect(heard.contains { $0.topic.hasSuffix("/attributes") && $0.object["unit"] as? String == "km/h" })
        let sensor =
            heard.first { $0.topic.hasPrefix("homeassistant/device/framegrep_n_") }?.object["cmps"]
            as? [String: [String: Any]]
        #expect(sensor?["value"]?["unit_of_measurement"] as? String == "km/h")
        #expect(sensor?["value"]?["state_class"] as? String == "measurement")
        await TestBroker.kill(listener)
        await broker.stop()
    }

    @Test func placesThatChangeEquallyOftenAreListed() async throws {
        let outcome = try await Framegrep.run(["values", try await Self.clip()] + Self.reading)
        #expect(outcome.status == 2 && outcome.stdout.isEmpty, "\(outcome)")
        #expect(outcome.stderr.components(separatedBy: "--region ").count == 3, "\(outcome)")
    }

    @Test func whatIsNotThereIsNotFound() async throws {
        let outcome = try await Framegrep.run(["values", try await Self.clip(), "--near", "ZEBRA"] + Self.reading)
        #expect(outcome.status == 1 && outcome.stdout.isEmpty && outcome.stderr.contains("ZEBRA"), "\(outcome)")
        let codes = try await Framegrep.run(
            ["values", try await Self.clip(), "--near", "SPEED", "--kind", "money", "-q"] + Self.reading)
        #expect(codes.status == 1 && codes.stdout.isEmpty && codes.stderr.isEmpty, "\(codes)")
        let money = try await Framegrep.run(["values", try await Self.clip(), "--kind", "money"] + Self.reading)
        #expect(money.status == 1 && money.stdout.isEmpty && money.stderr.contains("kind 'money'"), "\(money)")
    }

    @Test(arguments: [
        ["--every", "0"], ["--near", " "], ["--kind", "speed"], ["--plot", "a.svg", "--kind", "code"],
        ["--region", "1,2"],
    ]) func wrongOptionsAreRefused(_ options: [String]) async throws {
        let outcome = try await Framegrep.run(["values", try await Self.clip()] + options)
        #expect(outcome.status == 2 && outcome.stdout.isEmpty && !outcome.stderr.isEmpty, "\(outcome)")
    }

    @Test func anInputIsNotWrittenOver() async throws {
        let clip = try await Self.clip()
        let before = try Data(contentsOf: URL(fileURLWithPath: clip))
        for option in ["-o", "--plot"] {
            let outcome = try await Framegrep.run(["values", clip, option, clip])
            #expect(outcome.status == 2 && outcome.stderr.contains("is an input"), "\(outcome)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: clip)) == before)
    }

    @Test func theDocumentsExamplesPrintWhatItShows() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("drive.mp4"), withDestinationPath: try await Self.clip())
        let blocks = try Checkout.text("docs/VALUES.md").components(separatedBy: "```console\n$ framegrep ").dropFirst()
        #expect(blocks.count == 3)
        for block in blocks {
            let lines = block.components(separatedBy: "\n```")[0].split(separator: "\n").map(String.init)
            let words = lines[0].split(separator: " ").map(String.init)
            let outcome = try await Framegrep.run(words + Self.reading, in: folder.path)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(Self.rows(outcome.lines) == Self.rows(Array(lines.dropFirst())), "\(outcome)")
        }
        let svg = try String(contentsOfFile: folder.file("speed.svg"), encoding: .utf8)
        #expect(svg.contains("<svg") && svg.contains("drive.mp4: SPEED") && svg.hasSuffix("</svg>\n"))
    }
}
