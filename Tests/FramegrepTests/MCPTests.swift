import Foundation
import TestSupport
import Testing

@testable import framegrep

/// `framegrep mcp` over its streams. scripts/check mcp has the official client.
@Suite(.serialized, .timeLimit(.minutes(5))) struct MCPTests {
    private let folder: TemporaryFolder

    /// Prepares a clip in the index, a copy outside it, and a folder that may be read.
    init() async throws {
        folder = try TemporaryFolder()
        for name in ["in", "out"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        }
        for name in ["in/c.mp4", "out/c.mp4"] {
            try FileManager.default.copyItem(atPath: try await cutsClip(), toPath: folder.file(name))
        }
        let made = try await Framegrep.run(
            ["index", "-q", "--index", "x", "in/c.mp4", "--engine", "tesseract", "--language", "eng"], in: folder.path)
        #expect(made.status == 0, "\(made)")
    }

    /// Returns the answers to lines on standard input; the input then ends.
    private func answers(
        to lines: [String], _ words: [String] = [], environment: [String: String] = [:]
    ) async throws -> (outcome: Framegrep.Outcome, answers: [JSONValue]) {
        let path = try folder.write(lines.joined(separator: "\n") + "\n", to: "input")
        let running = try Running(
            Framegrep.path, ["mcp", "--index", folder.file("x")] + words, environment: environment,
            input: FileHandle(forReadingAtPath: path))
        let outcome = await running.end(within: 90)
        // There are only messages, each on its own line.
        let answers = try outcome.lines.map { try JSONParser.value(Array($0.utf8)) }
        #expect(answers.allSatisfy { $0["jsonrpc"]?.string == "2.0" }, "\(outcome)")
        return (outcome, answers)
    }

    private static let hello =
        #"{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#

    private static func call(_ id: Int, _ tool: String, _ arguments: JSONValue) -> String {
        let message: JSONValue = [
            "jsonrpc": "2.0", "id": .integer(id), "method": "tools/call",
            "params": ["name": .string(tool), "arguments": arguments],
        ]
        return message.text
    }

    @Test func toolsAnswerFromTheIndex() async throws {
        let name = JSONValue.string(folder.file("in/c.mp4"))
        let (outcome, answers) = try await answers(to: [
            Self.hello, #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            Self.call(1, "search", ["patterns": ["GATE"]]),
            Self.call(2, "list_recordings", [:]), Self.call(3, "read_text", ["recording": name]),
            Self.call(4, "frame", ["recording": name, "time": 0.5, "width": 160]),
        ])
        #expect(outcome.status == 0 && answers.count == 5, "\(outcome)")
        func result(_ id: Int) throws -> JSONValue {
            try #require(answers.first { $0["id"]?.integer == id }?["result"]?["structuredContent"])
        }
        let found = try #require(try result(1)["sightings"]?.array?.first)
        #expect(found["text"]?.string?.contains("GATE") == true && found["origin"]?.string == "picture")
        #expect(try result(2)["recordings"]?.array?.count == 1)
        let lines = try #require(try result(3)["lines"]?.array)
        #expect(lines.contains { $0["text"]?.string?.contains("GATE") == true })
        let picture = try #require(answers.first { $0["id"]?.integer == 4 }?["result"]?["content"]?.array?.first)
        let bytes = try #require(Data(base64Encoded: picture["data"]?.string ?? ""))
        #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]), "\(picture)")
    }

    @Test func theCurrentRevisionNeedsNoHandshake() async throws {
        let meta =
            #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#
        let (_, answers) = try await answers(to: [
            #"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{\#(meta)}}"#,
            #"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{\#(meta)}}"#,
            #"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#,
            #"{"jsonrpc":"2.0","id":4,"method":"ping","params":{\#(meta)}}"#,
        ])
        #expect(answers[0]["result"]?["supportedVersions"]?.array?.first?.string == "2026-07-28")
        #expect(answers[0]["result"]?["resultType"]?.string == "complete")
        #expect(answers[1]["result"]?["tools"]?.array?.count == 6)
        #expect(answers[1]["result"]?["_meta"]?["io.modelcontextprotocol/serverInfo"]?["name"]?.string == "framegrep")
        // Requests without a revision and without a handshake, and ones that the revision no longer has.
        #expect(answers[2]["error"]?["code"]?.integer == -32600)
        #expect(answers[3]["error"]?["code"]?.integer == -32601)
    }

    @Test func nothingOutsideIsRead() async throws {
        let outside = folder.file("out/c.mp4")
        try FileManager.default.createSymbolicLink(atPath: folder.file("in/link.mp4"), withDestinationPath: outside)
        let names = [
            outside, folder.file("in/../out/c.mp4"), folder.file("in/link.mp4"), "file://" + outside,
            "http://127.0.0.1:9/",
        ]
        let calls = names.enumerated().flatMap { number, name in
            [
                Self.call(10 * number, "search", ["patterns": ["GATE"], "recordings": [.string(name)]]),
                Self.call(10 * number + 1, "frame", ["recording": .string(name)]),
                Self.call(10 * number + 2, "index", ["recordings": [.string(name)]]),
                Self.call(10 * number + 3, "watch", ["patterns": ["GATE"], "source": .string(name), "seconds": 1]),
            ]
        }
        let (outcome, answers) = try await answers(to: [Self.hello] + calls, ["--allow", folder.file("in")])
        #expect(outcome.status == 0 && answers.count == calls.count + 1)
        for answer in answers where answer["id"]?.string != "hello" {
            #expect(answer["result"]?["isError"]?.bool == true, "\(answer.text)")
            #expect(
                answer["result"]?["structuredContent"]?["error"]?["code"]?.string == "source-unavailable",
                "\(answer.text)")
        }
    }

    /// A list in the allowed folder leads out of it: the list is opened, but not its targets.
    @Test func aListLeadsToNothingOutside() async throws {
        var clip = KnownClip.cuts
        clip.encoding = "x264enc bframes=0 speed-preset=veryfast key-int-max=25 ! mpegtsmux"
        let piece = try await ClipCache.shared.path("piece.ts", clip)
        for name in ["in/p.ts", "out/p.ts"] {
            try FileManager.default.copyItem(atPath: piece, toPath: folder.file(name))
        }
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:3.0,\n"
        _ = try folder.write(head + "p.ts\n#EXT-X-ENDLIST\n", to: "in/good.m3u8")
        _ = try folder.write(head + "../out/p.ts\n#EXT-X-ENDLIST\n", to: "in/bad.m3u8")
        let lists = ["good", "bad"].map { folder.file("in/\($0).m3u8") }
        let search = ["find", "BUBBLES", "--engine", "tesseract", "--language", "eng", "--no-index"]
        let bounds = ["FRAMEGREP_ONLY_BELOW": URL(fileURLWithPath: folder.file("in")).resolvingSymlinksInPath().path]
        #expect(try await Framegrep.run(search + [lists[0]], environment: bounds).status == 0)
        #expect(try await Framegrep.run(search + [lists[1]]).status == 0)
        let refused = try await Framegrep.run(search + [lists[1]], environment: bounds)
        #expect(
            refused.status == 2 && refused.stdout == "" && refused.stderr.contains("folders that may be read"),
            "\(refused)")
        // If nothing is allowed, a list leads nowhere.
        let nowhere = try await Framegrep.run(search + [lists[0]], environment: ["FRAMEGREP_ONLY_BELOW": "\n"])
        #expect(nowhere.status == 2 && nowhere.stdout == "", "\(nowhere)")
    }

    @Test func whatIsNoMessageIsAnErrorEach() async throws {
        let (outcome, answers) = try await answers(to: [
            "nonsense", "[]", #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            String(repeating: "x", count: 2 << 20), Self.hello,
            Self.hello, Self.call(2, "search", ["patterns": []]),
            #"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}}"#,
            #"{"jsonrpc":"2.0","id":4,"meth"#,
        ])
        #expect(outcome.status == 0 && outcome.signal == nil)
        let codes = answers.map { $0["error"]?["code"]?.integer }
        #expect(codes.filter { $0 == -32700 }.count == 3 && codes.filter { $0 == -32600 }.count == 3, "\(codes)")
        #expect(codes.filter { $0 == -32602 }.count == 1 && answers.count == 9, "\(codes)")
    }

    /// GStreamer is told to print its messages on standard output.
    @Test func whatLibrariesPrintIsNotInTheProtocol() async throws {
        let name = JSONValue.string(folder.file("in/c.mp4"))
        let (outcome, answers) = try await answers(
            to: [
                Self.hello, Self.call(1, "frame", ["recording": name, "time": 0.5]),
                Self.call(2, "search", ["patterns": ["GATE"]]),
            ],
            environment: ["GST_DEBUG": "3,*:4", "GST_DEBUG_FILE": "-", "G_MESSAGES_DEBUG": "all"])
        #expect(answers.count == 3 && outcome.stderr.contains("gst"), "\(outcome.stderr.prefix(300))")
    }

    @Test func messagesForProgramsAreLines() async throws {
        let machine = ["FRAMEGREP_MESSAGES": "jsonl"]
        let missing = try await Framegrep.run(["find", "GATE", "/nowhere.mp4"], environment: machine)
        let last = missing.stderr.split(separator: "\n").last.map(String.init) ?? ""
        let error = try JSONParser.value(Array(last.utf8))
        #expect(error["type"]?.string == "error" && error["code"]?.string == "source-unavailable", "\(missing)")
        let found = try await Framegrep.run(
            ["find", "GATE", folder.file("out/c.mp4"), "--no-index", "--engine", "tesseract", "--language", "eng"],
            environment: machine)
        let lines = found.stderr.split(separator: "\n").compactMap { try? JSONParser.value(Array($0.utf8)) }
        let progress = try #require(lines.first { $0["type"]?.string == "progress" })
        #expect(progress["t"]?.number != nil && progress["duration"]?.number != nil, "\(found)")
        #expect(found.status == 0 && found.stdout.contains("GATE"))
    }

    // MARK: Clients that are not there

    @Test func answersThatCannotBeWrittenAreAnError() async throws {
        let path = try folder.write(Self.hello + "\n", to: "input")
        let running = try Running(
            Framegrep.path, ["mcp", "--index", folder.file("x")], output: "/dev/full",
            input: FileHandle(forReadingAtPath: path))
        let outcome = await running.end(within: 90)
        #expect(outcome.status == 2 && outcome.stderr.contains("No space left"), "\(outcome)")
    }

    /// Its end of the input stays open, as if a third program held it.
    @Test(arguments: [false, true]) func aClientThatReadsNoMoreEndsIt(isAsked: Bool) async throws {
        let (input, output) = (Pipe(), Pipe())
        let running = try Running(
            Framegrep.path, ["mcp", "--index", folder.file("x")], input: input.fileHandleForReading,
            outputHandle: output.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        if isAsked {
            try input.fileHandleForWriting.write(contentsOf: Data((Self.hello + "\n").utf8))
            #expect(!output.fileHandleForReading.availableData.isEmpty)
        }
        try output.fileHandleForReading.close()
        let outcome = await running.end(within: 90)
        #expect(outcome.status == 0 && !outcome.timedOut && outcome.stderr.isEmpty, "\(outcome)")
        withExtendedLifetime(input) {}
    }
}
