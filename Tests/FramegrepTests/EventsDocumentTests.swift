import Foundation
import Testing

/// `find`, `live` and `run` print JSON lines as `docs/EVENTS.md` and its schema describe them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct EventsDocumentTests {
    private static func schema() throws -> JSONSchema { try JSONSchema(try Checkout.text("docs/events.schema.json")) }

    private let engine = ["--engine", "tesseract"]

    /// Checks that each line is an object of the schema; returns the types.
    private func types(
        in outcome: Framegrep.Outcome, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Set<String> {
        let schema = try Self.schema()
        #expect(!outcome.lines.isEmpty && outcome.objects.count == outcome.lines.count, sourceLocation: sourceLocation)
        for (line, object) in zip(outcome.lines, outcome.objects) {
            let faults = schema.faults(of: object)
            #expect(faults.isEmpty, "\(faults) in \(line)", sourceLocation: sourceLocation)
        }
        return Set(outcome.objects.compactMap { $0["type"] as? String })
    }

    @Test func findPrintsWhatIsDocumented() async throws {
        let clip = try await cutsClip()
        let outcome = try await Framegrep.run(
            ["find", "-e", "EXIT", "-e", "GATE", clip, "--format", "jsonl", "--all-text", "--boxes", "-"] + engine)
        #expect(try types(in: outcome) == ["sighting", "text", "box"])
        #expect(outcome.objects.allSatisfy { $0["source"] as? String == clip })
    }

    @Test func liveAndRunPrintWhatIsDocumented() async throws {
        let clip = try await cutsClip()
        let engine = engine
        let pipeline =
            "filesrc location=\(clip) ! decodebin ! appsink name=frames appsrc name=overlay ! fakesink sync=true"
        async let ran = Framegrep.run(["run", pipeline, "--find", "GATE", "--format", "jsonl", "--boxes"] + engine)
        let live = try await Framegrep.run(
            ["live", "GATE", clip, "--headless", "--format", "jsonl", "--stats", "--exec", "exit 3"] + engine)
        #expect(
            try types(in: live) == ["state", "appeared", "disappeared", "stats", "warning", "end"], "\(live.stderr)")
        #expect(live.objects.allSatisfy { $0["source"] as? String == clip })
        let text = try await Framegrep.run(["live", "--all-text", clip, "--headless", "--format", "jsonl"] + engine)
        #expect(try types(in: text) == ["state", "text", "end"], "\(text.stderr)")
        let run = try await ran
        // Statistics are printed only if requested.
        #expect(try types(in: run) == ["state", "appeared", "box", "disappeared", "end"], "\(run.stderr)")
    }

    @Test func theSchemaRefusesWhatIsNotDocumented() throws {
        let schema = try Self.schema()
        let box: [String: Any] = [
            "type": "box", "version": 1, "id": 1, "source": "a", "t": 0.5,
            "quad": Array(repeating: [1, 2.5], count: 4),
        ]
        #expect(schema.faults(of: box).isEmpty)
        for (name, value) in [
            ("more", 1), ("version", 2), ("id", 0), ("id", 1.5), ("id", "1"), ("t", NSNull()), ("quad", [[1, 2]]),
            ("quad", Array(repeating: [1], count: 4)), ("type", "boxes"), ("source", 3),
        ] as [(String, Any)] {
            #expect(!schema.faults(of: box.merging([name: value]) { $1 }).isEmpty, "\(name) \(value)")
        }
        for name in box.keys { #expect(!schema.faults(of: box.filter { $0.key != name }).isEmpty, "without \(name)") }
    }

    @Test func theDocumentHasEveryTypeAndField() throws {
        let document = try Checkout.text("docs/EVENTS.md")
        let root = try #require(
            try JSONSerialization.jsonObject(with: Data(try Checkout.text("docs/events.schema.json").utf8))
                as? [String: Any])
        let definitions = try #require(root["$defs"] as? [String: [String: Any]])
        var names = Set<String>()
        for definition in definitions.values {
            guard let properties = definition["properties"] as? [String: [String: Any]] else { continue }
            names.formUnion(properties.keys)
            for property in properties.values {
                names.formUnion(
                    (property["enum"] as? [String] ?? []) + [property["const"] as? String].compactMap(\.self))
            }
        }
        #expect(names.isSuperset(of: ["sighting", "latency_ms", "reconnecting", "timeout"]))
        for name in names.sorted() { #expect(document.contains("`\(name)`"), "\(name)") }
        // The examples are objects of the schema too.
        let schema = try Self.schema()
        let examples = document.split(separator: "\n").filter { $0.hasPrefix("{\"type\"") }
        #expect(examples.count >= 4)
        for example in examples {
            let faults = schema.faults(of: try JSONSerialization.jsonObject(with: Data(example.utf8)))
            #expect(faults.isEmpty, "\(faults) in \(example)")
        }
        for line in try Checkout.text("README.md").split(separator: "\n") where line.hasPrefix("{\"type\"") {
            #expect(schema.faults(of: try JSONSerialization.jsonObject(with: Data(line.utf8))).isEmpty, "\(line)")
        }
    }
}
