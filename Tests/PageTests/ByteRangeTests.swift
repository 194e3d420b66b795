import Foundation
import TestSupport
import Testing
import TextIndex

@testable import Page

/// The bytes of a file that a request gets (RFC 9110, section 14).
@Suite struct ByteRangeTests {
    @Test(arguments: [
        (nil, 100, ByteRange.whole),
        ("bytes=0-", 100, .part(0..<100)),
        ("bytes=0-0", 100, .part(0..<1)),
        ("bytes=10-19", 100, .part(10..<20)),
        ("bytes=90-200", 100, .part(90..<100)),
        ("bytes=99-", 100, .part(99..<100)),
        ("bytes=-1", 100, .part(99..<100)),
        ("bytes=-500", 100, .part(0..<100)),
        ("BYTES= 5-6 ", 100, .part(5..<7)),
        ("bytes=100-", 100, ByteRange.none),
        ("bytes=100-200", 100, .none),
        ("bytes=-0", 100, .none),
        ("bytes=0-", 0, .none),
        ("bytes=-5", 0, .none),
        ("bytes=99999999999999999999-", 100, .none),
        ("bytes=0-99999999999999999999", 100, .part(0..<100)),
        ("bytes=9223372036854775807-9223372036854775807", 100, .none),
        // A header that is not a range of bytes is ignored.
        ("bytes=20-10", 100, .whole),
        ("bytes=-", 100, .whole),
        ("bytes=", 100, .whole),
        ("bytes", 100, .whole),
        ("bytes=a-b", 100, .whole),
        ("bytes=+1-2", 100, .whole),
        ("bytes=--5", 100, .whole),
        ("bytes=1--5", 100, .whole),
        ("bytes=٣-٤", 100, .whole),
        ("items=0-5", 100, .whole),
        // For several ranges the whole file is a valid answer too.
        ("bytes=0-1,5-6", 100, .whole),
    ])
    func range(header: String?, size: Int64, expected: ByteRange) {
        #expect(ByteRange(header, size: size) == expected)
    }

    /// A file is checked when it is opened, and what is written into it afterwards is another recording's: the answer
    /// breaks off, which shows the browser that something is missing.
    @Test(arguments: ["nothing", "moved", "written", "cut", "grown"])
    func aFileThatChangesWhileItIsSentIsSentNoFurther(deed: String) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([UInt8](repeating: 7, count: 300_000), to: "a.mp4")
        var past = [timeval(tv_sec: 1_700_000_000, tv_usec: 0), timeval(tv_sec: 1_700_000_000, tv_usec: 0)]
        utimes(path, &past)
        let source = IndexedSource(id: .drawn(), name: path, manner: "", stamp: FileStamp(path: path), digest: nil)
        let chunks = RecordingFile.Chunks(try RecordingFile.opened(source), 0..<300_000)
        #expect(try await chunks.next()?.allSatisfy { $0 == 7 } == true)
        switch deed {
        case "moved": rename(try folder.write([UInt8](repeating: 8, count: 300_000), to: "b.mp4"), path)
        case "cut": truncate(path, 200_000)
        case "written", "grown":
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.seek(toOffset: deed == "grown" ? 300_000 : 200_000)
            try file.write(contentsOf: Data(repeating: 8, count: 1000))
        default: break
        }
        var rest: [UInt8] = []
        func readAll() async throws { while let bytes = try await chunks.next() { rest += bytes } }
        if ["nothing", "moved"].contains(deed) {
            try await readAll()
            #expect(rest.count == 300_000 - 131_072)
        } else {
            await #expect(throws: PageProblem.self) { try await readAll() }
        }
        #expect(rest.allSatisfy { $0 == 7 })
    }
}
