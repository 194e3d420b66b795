import Foundation
import Processes
import Testing

@Suite struct PipeBytesTests {
    /// A descriptor that these bytes come from.
    private func withFile(of bytes: [UInt8], _ body: (Int32) throws -> Void) throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        #expect(PipeBytes.write(bytes, to: fileno(file)))
        rewind(file)
        try body(fileno(file))
    }

    @Test func linesOfAnyLengthAreTakenApart() throws {
        let (first, long) = ([UInt8](repeating: 0x61, count: 99_000), [UInt8](repeating: 0x62, count: 200_000))
        let last = Array("last".utf8)
        try withFile(of: first + [0x0A, 0x0A] + long + [0x0A] + first + [0x0A] + last) { descriptor in
            let lines = LineReader(descriptor, longest: first.count)
            let expected: [LineReader.Line?] = [.line(first), .line([]), .tooLong, .line(first), .line(last), nil, nil]
            for line in expected { #expect(lines.next() == line) }
        }
    }

    @Test func aTooLongLineIsOneAtTheEndToo() throws {
        try withFile(of: Array("1234\n12345".utf8)) { descriptor in
            let lines = LineReader(descriptor, longest: 4)
            let expected: [LineReader.Line?] = [.line(Array("1234".utf8)), .tooLong, nil]
            for line in expected { #expect(lines.next() == line) }
        }
    }

    @Test func asManyBytesAreReadAsAreWanted() throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        try withFile(of: bytes) { descriptor in
            #expect(PipeBytes.read(70_000, from: descriptor) == Array(bytes[..<70_000]))
            #expect(PipeBytes.read(70_000, from: descriptor) == nil)
        }
        try withFile(of: bytes) { descriptor in
            #expect(PipeBytes.readAll(atMost: 1000, from: descriptor) == Array(bytes[..<1000]))
            #expect(PipeBytes.readAll(atMost: 1 << 20, from: descriptor) == Array(bytes[1000...]))
        }
    }
}
