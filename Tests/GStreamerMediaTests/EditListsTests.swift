import Foundation
import TestSupport
import Testing
import TextSpotting

@testable import GStreamerMedia

/// Trimmed and cut movies, as phones and `ffmpeg -c copy` write them: every part that the edit list shows is read.
@Suite(.timeLimit(.minutes(2))) struct EditListsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        _ = try MediaRuntime.initialize(arguments: [])
    }

    /// A part of a movie: where it begins in the recording, and its length, in frames.
    struct Part: Sendable {
        let begin, length: Int
    }

    /// Parts of a movie of a hundred frames of 100 ms.
    static let cuts: [[Part]] = [
        [Part(begin: 0, length: 100)],
        [Part(begin: 26, length: 74)],
        [Part(begin: 26, length: 25)],
        [Part(begin: 82, length: 17)],
        [Part(begin: 99, length: 1)],
        [Part(begin: 0, length: 25), Part(begin: 62, length: 25)],
        [Part(begin: 82, length: 10), Part(begin: 10, length: 10), Part(begin: 40, length: 10)],
    ]

    @Test(.enabled(if: MediaRuntime.hasElement("x264enc")), arguments: cuts, [0, 1])
    func allPartsAreRead(of parts: [Part], version: Int) async throws {
        for distance in [25, 100] {
            let path = folder.file("a\(distance).mp4")
            let encoder = "x264enc bframes=0 key-int-max=\(distance) ! mp4mux movie-timescale=1000 trak-timescale=1000"
            try await record(100, to: path, encoder: encoder)
            try cut(path, into: parts, version: UInt8(version))
            let times = try await collect("uridecodebin uri=file://\(path) ! videoconvert ! appsink name=frames") {
                $0.streamTime?.seconds ?? -1
            }
            let wanted = parts.map(\.length).reduce(0, +)
            #expect(times.count == wanted, "\(parts), a key frame each \(distance)")
            for (index, time) in times.enumerated() { #expect(abs(time - Double(index) * 0.1) < 0.001) }
            let reader = try Pipeline(parsing: "uridecodebin uri=file://\(path) ! videoconvert ! appsink name=frames")
            _ = try await reader.prepare()
            #expect(abs((reader.duration?.seconds ?? 0) - Double(wanted) * 0.1) < 0.001)
            await reader.stop()
        }
    }

    /// Whatever is in the boxes, nothing happens but that the file is read as it is.
    @Test func damagedListsAreLeft() async throws {
        let path = folder.file("a.mp4")
        try await record(10, to: path)
        try cut(path, into: [Part(begin: 5, length: 2)], version: 0)
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        var random = SystemRandomNumberGenerator()
        let header = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("mvhd".utf8)) })
        for round in 0..<200 {
            var damaged = bytes
            // A second without parts.
            if round == 0 { damaged.replaceSubrange(header + 16..<header + 20, with: [0, 0, 0, 0]) }
            for _ in 0..<(round == 0 ? 0 : Int.random(in: 1...8, using: &random)) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if round > 0, Bool.random() { damaged.removeLast(Int.random(in: 0..<damaged.count, using: &random)) }
            try Data(damaged).write(to: URL(fileURLWithPath: path))
            if let found = EditLists.replacement(in: path) {
                #expect(Int(found.offset) + found.bytes.count <= damaged.count)
            }
        }
    }

    /// Gives the only track of a movie an edit list, whose header and entries are of a version.
    private func cut(_ path: String, into parts: [Part], version: UInt8) throws {
        var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        let width = version == 1 ? 8 : 4
        func number(_ value: Int, bytes count: Int = 4) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            number(content.count + 8) + Array(name.utf8) + content
        }
        func start(of name: String) -> Int {
            let name = Array(name.utf8)
            return bytes.indices.last { bytes[$0...].starts(with: name) } ?? 0
        }
        func enlarge(_ name: String, by count: Int) {
            let place = start(of: name) - 4
            let size = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            bytes.replaceSubrange(place..<place + 4, with: number(size + count))
        }
        var entries: [UInt8] = []
        for part in parts {
            entries += number(part.length * 100, bytes: width) + number(part.begin * 100, bytes: width) + [0, 1, 0, 0]
        }
        let list = box("edts", box("elst", [version, 0, 0, 0] + number(parts.count) + entries))
        let duration = start(of: "mvhd") + 4 + 16
        bytes.replaceSubrange(duration..<duration + 4, with: number(parts.map(\.length).reduce(0, +) * 100))
        // The movie's own list, if there is one, is replaced.
        let old = start(of: "edts")
        if old > 0 {
            let size = bytes[old - 4..<old].reduce(0) { $0 << 8 | Int($1) }
            bytes.removeSubrange(old - 4..<old - 4 + size)
            for name in ["trak", "moov"] { enlarge(name, by: -size) }
        }
        bytes.insert(contentsOf: list, at: start(of: "mdia") - 4)
        for name in ["trak", "moov"] { enlarge(name, by: list.count) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
}
