/// Lines that are written as they are sent.
final class LineChunks: ChunkSource {
    // @unchecked: one task asks for one piece after the other.
    private final class Lines: @unchecked Sendable {
        var iterator: any IteratorProtocol<String>
        init(_ iterator: any IteratorProtocol<String>) { self.iterator = iterator }
    }

    private let lines: Lines

    init(_ lines: some Sequence<String>) { self.lines = Lines(lines.makeIterator()) }

    func next() async throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < 32 << 10, let line = lines.iterator.next() {
            bytes += line.utf8
            bytes.append(0x0A)
        }
        return bytes.isEmpty ? nil : bytes
    }

    static func response(_ lines: some Sequence<String>, headers: [(name: String, value: String)] = []) -> PageResponse
    {
        PageResponse(
            status: 200, headers: [("Content-Type", "application/x-ndjson")] + headers,
            body: .chunks(LineChunks(lines), length: nil))
    }
}
