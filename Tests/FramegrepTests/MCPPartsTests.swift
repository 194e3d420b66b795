import Errors
import Foundation
import TestSupport
import Testing

@testable import framegrep

/// The parts of `mcp`, without a process: JSON from any client, names of readable files, pages.
struct MCPPartsTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONParser.value(Array(text.utf8)) }

    @Test func valuesAreReadAndWritten() throws {
        let text = #"{"a":[1,-2.5,true,false,null,"x\n\"\\\/é😀"],"b":{}}"#
        let value = try parse(text)
        #expect(value["a"]?.array?.map(\.integer) == [1, nil, nil, nil, nil, nil])
        #expect(value["a"]?.array?[1].number == -2.5)
        #expect(value["a"]?.array?[5].string == "x\n\"\\/é😀")
        #expect(try parse(value.text) == value)
        #expect(try parse(#""\ud83d\ude00\u00e9""#).string == "😀é")
        #expect(try parse(" [ ] ") == [])
        #expect(try parse("2.0").integer == 2)
        #expect(try parse("12345678901234567890").integer == nil)
        // Text from a picture cannot end a line or a string.
        #expect(JSONValue.string("a\u{1B}[0m\n\u{2028}").text == #""a\u001b[0m\n\u2028""#)
        #expect(JSONValue.number(.nan).text == "null")
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "01", "+1", ".5", "1.", "1e400", "nul", "tru", "\"",
        "\"\\x\"", "\"\\u12\"",
        "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"a\u{1}\"", "[1] 2", "inf", "NaN", "'a'", "[1 2]",
        "{\"a\" 1}", "-", "--1",
    ]) func whatIsNoJSONIsAFault(text: String) {
        #expect(throws: JSONParser.Fault.self) { try parse(text) }
    }

    @Test func hostileBytesAreFaults() {
        for bytes: [UInt8] in [
            [0xFF], Array("\"".utf8) + [0xC3] + Array("\"".utf8), [0x22, 0xED, 0xA0, 0x80, 0x22], [0],
            [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000),
            Array(String(repeating: "{\"a\":", count: 100_000).utf8),
        ] { #expect(throws: JSONParser.Fault.self) { try JSONParser.value(bytes) } }
        // This is the deepest nesting allowed.
        let deep = String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
        #expect(throws: Never.self) { try parse(deep) }
    }

    @Test func whatNobodySeesIsShown() {
        #expect(PlainText.text("EXIT 12") == "EXIT 12")
        #expect(PlainText.text("a\u{1B}[31mb\u{7}\u{202E}") == "a␛[31mb␇\u{FFFD}")
        // Tag characters, which could form a hidden message, are replaced; joiners stay.
        #expect(PlainText.text("x\u{E0041}\u{E0042}\u{200B}") == "x\u{FFFD}\u{FFFD}\u{FFFD}")
        #expect(PlainText.text("क्\u{200D}ष") == "क्\u{200D}ष")
    }

    @Test(arguments: [
        ("rtsp://camera/stream", "rtsp://camera/stream", true), ("rtsp://camera/", "rtsp://camera/stream/1", true),
        ("rtsp://camera", "rtsp://camera/stream", true), ("rtsp://camera/a", "rtsp://camera/ab", false),
        ("rtsp://camera/a", "rtsp://camera/a/../b", false), ("rtsp://camera/a", "rtsp://camera/a/%2e%2e/b", false),
        ("rtsp://camera", "rtsp://camera.example.com/", false), ("rtsp://camera", "http://camera/", false),
        ("rtsp://camera", "rtsp://camera:554/", false), ("rtsp://camera", "rtsp://user@camera/", false),
        ("http://host/a", "http://host@evil/a", false), ("http://host", "http://HOST/x", true),
        ("file:///tmp", "file:///tmp/x", false), ("http://host/", "http://host\\@evil/", false),
    ]) func anAddressLeadsOnlyBelowItself(allowed: String, name: String, leads: Bool) {
        #expect(MCPAccess.leads(allowed, to: name) == leads)
    }

    @Test func onlyWhatIsBelowAnAllowedFolderMayBeRead() throws {
        let folder = try TemporaryFolder()
        let manager = FileManager.default
        for name in ["in/deep", "out", "inner"] {
            try manager.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        }
        for name in ["in/a.mp4", "in/deep/b.mp4", "out/c.mp4", "inner/d.mp4", "in/-e"] {
            _ = try folder.write("", to: name)
        }
        try manager.createSymbolicLink(atPath: folder.file("in/link.mp4"), withDestinationPath: "../out/c.mp4")
        try manager.createSymbolicLink(atPath: folder.file("in/folder"), withDestinationPath: "../out")
        try manager.createSymbolicLink(atPath: folder.file("in/good.mp4"), withDestinationPath: "deep/b.mp4")
        let access = try MCPAccess(allowing: [folder.file("in") + "/"])
        for name in ["in/a.mp4", "in/deep/b.mp4", "in/good.mp4", "in/../in/a.mp4", "in/-e", "in", "in//a.mp4"] {
            let place = try access.place(folder.file(name), among: [])
            #expect(place.name.contains("/in"), "\(name)")
        }
        for name in [
            "out/c.mp4", "in/link.mp4", "in/folder/c.mp4", "in/../out/c.mp4", "inner/d.mp4", "in/none.mp4",
            "in/a.mp4/..", "",
        ] {
            #expect(throws: FramegrepError.self, "\(name)") { try access.place(folder.file(name), among: []) }
        }
        for name in [
            "", "-", "a\0b", String(repeating: "x", count: 5000), "http://x/", "file:///etc/passwd",
            "v4l2:///dev/video0",
        ] {
            #expect(throws: FramegrepError.self, "\(name)") { try access.place(name, among: []) }
        }
        for allowed in ["/nowhere/at/all", "http:", ""] {
            #expect(throws: FramegrepError.self, "\(allowed)") { try MCPAccess(allowing: [allowed]) }
        }
    }

    @Test func pagesAreWholeAndCursorsTheirOwnQuestions() throws {
        let items = Array(0..<23)
        var (seen, cursor): ([Int], String?) = ([], nil)
        repeat {
            let page = try MCPPage.cut(items, after: cursor, most: 5, of: "a question")
            seen += page.items
            cursor = page.next
        } while cursor != nil
        #expect(seen == items)
        let next = try #require(try MCPPage.cut(items, after: nil, most: 5, of: "a question").next)
        for (cursor, question) in [
            (next, "another"), ("", "a question"), ("5", "a question"), ("-5." + next, "a question"), ("x.y", ""),
        ] {
            #expect(throws: FramegrepError.self) { try MCPPage.cut(items, after: cursor, most: 5, of: question) }
        }
        // The list has become shorter.
        #expect(try MCPPage.cut([1], after: next, most: 5, of: "a question").items.isEmpty)
    }

    @Test func everyArgumentOfAToolIsDescribedAndItsExampleFits() throws {
        for tool in MCPToolList.tools.array ?? [] {
            let name = try #require(tool["name"]?.string.flatMap(MCPToolName.init))
            let schema = try #require(tool["inputSchema"])
            let properties = try #require(schema["properties"]?.object)
            for (property, field) in properties {
                #expect(field["description"]?.string?.isEmpty == false, "\(name) \(property)")
            }
            let example = try #require(schema["examples"]?.array?.first?.object)
            #expect(Set(example.keys).isSubset(of: properties.keys))
            for needed in schema["required"]?.array ?? [] { #expect(example[needed.string ?? ""] != nil) }
            #expect(MCPToolList.arguments(of: name) == properties.keys.sorted())
        }
        #expect(MCPToolName.allCases.count == MCPToolList.tools.array?.count)
    }

    // MARK: The output

    @Test(.timeLimit(.minutes(1))) func aClientThatReadsLateHoldsNobodyUp() async throws {
        let pipe = Pipe()
        let output = MCPStream.Output(pipe.fileHandleForWriting.fileDescriptor)
        // The first message is larger than a pipe holds.
        let long = JSONValue.string(String(repeating: "x", count: 1 << 20))
        let messages: [JSONValue] = [long] + (0..<100).map { .integer($0) }
        for message in messages { output.send(message) }
        await output.flush(within: .milliseconds(20))
        #expect(output.hasReader)
        let expected = Data(messages.map { $0.text + "\n" }.joined().utf8)
        var got = Data()
        while got.count < expected.count { got += pipe.fileHandleForReading.availableData }
        #expect(got == expected)
        await output.flush(within: .seconds(600))
        withExtendedLifetime(pipe) {}
    }

    @Test(.timeLimit(.minutes(1))) func aClientThatReadsNothingIsGone() async throws {
        let pipe = Pipe()
        let output = MCPStream.Output(pipe.fileHandleForWriting.fileDescriptor, limit: 1000)
        let message = JSONValue.string(String(repeating: "x", count: 1 << 20))
        output.send(message)
        // It is now being written and does not fit into the pipe.
        var got = pipe.fileHandleForReading.availableData.count
        #expect(output.hasReader)
        output.send(1)
        #expect(!output.hasReader)
        await output.flush(within: .seconds(600))
        // A message that was begun is completed; nothing comes after it.
        while got < message.text.utf8.count + 1 { got += pipe.fileHandleForReading.availableData.count }
        #expect(got == message.text.utf8.count + 1)
        withExtendedLifetime(pipe) {}
    }
}
