import Errors
import Foundation
import Testing
import TextMatching

@testable import Meaning

@Suite(.enabled(if: Model.isInstalled, "\(Model.reason)"))
struct MeaningEncoderTests {
    private static func cosine(_ a: [Float], _ b: [Float]) -> Double {
        func product(_ a: [Float], _ b: [Float]) -> Double { zip(a, b).reduce(0) { $0 + Double($1.0) * Double($1.1) } }
        return product(a, b) / (product(a, a) * product(b, b)).squareRoot()
    }

    @Test("pieces and vectors are those of the package's own Python: 200 texts in ten languages")
    func reference() throws {
        let encoder = try #require(Model.encoder)
        let lines = try Fixture.lines("reference.txt")
        #expect(lines.count == 600)
        var least = 1.0
        for start in stride(from: 0, to: lines.count, by: 3) {
            let text = lines[start].replacingOccurrences(of: "\\t", with: "\t")
            let pieces = lines[start + 1].split(separator: " ").compactMap { UInt32($0) }
            #expect(encoder.pieces(of: text) == pieces, "\(text)")
            let stored = try #require(Data(base64Encoded: lines[start + 2].trimmingCharacters(in: .whitespaces)))
            let cosine = Self.cosine(stored.map { Float(Int8(bitPattern: $0)) }, encoder.vectors(of: [text])[0])
            #expect(cosine >= 0.999, "\(text)")
            least = min(least, cosine)
        }
        #expect(least < 1, "all 200 were compared")
    }

    @Test("a text's vector is the same to the last bit, whatever is asked for beside it and by how many threads")
    func independence() async throws {
        let encoder = try #require(Model.encoder)
        let texts = try MeaningItem.all().items.map(\.text)
        let alone = texts.map { encoder.vectors(of: [$0])[0] }
        #expect(encoder.vectors(of: texts) == alone)
        #expect(encoder.vectors(of: texts.reversed()) == alone.reversed())
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 { group.addTask { encoder.vectors(of: texts) == alone } }
            for await isSame in group { #expect(isSame) }
        }
    }

    @Test(
        "whatever the text, a vector of length 1 comes out",
        arguments: [
            "", " ", "\u{0}", "7", "🙂🙂🙂", "\u{FFFD}", "\u{301}", "👨‍👩‍👧‍👦", String(repeating: "x", count: 10_000),
            String(repeating: "가나다 ", count: 3_000), "ⴰⵣⵓⵍ ᚠᚢᚦ 𒀀𒁀", "<s></s><unk>", "\u{202E}abc", "▁▁▁",
            String(repeating: "\n", count: 500),
        ])
    func oddTexts(_ text: String) throws {
        let vector = try #require(Model.encoder).vectors(of: [text])[0]
        #expect(vector.count == 512)
        #expect(abs(vector.reduce(0) { $0 + Double($1) * Double($1) } - 1) < 1e-4)
    }

    @Test("the background is the mean of the lines that it says it is of")
    func background() throws {
        let encoder = try #require(Model.encoder)
        let vectors = encoder.vectors(of: try Fixture.lines("background.txt").map { $0.lowercased() + "?" })
        let mean = (0..<512).map { column in vectors.reduce(0) { $0 + $1[column] } / Float(vectors.count) }
        // Numbers alone become another number there (docs/MEANING.md), so not all digits.
        #expect(Self.cosine(mean, encoder.background) > 0.999)
    }
}

struct ModelFileTests {
    @Test("a file that is not there, or is none, is a sentence that says how to get it")
    func missing() {
        let error = #expect(throws: FramegrepError.self) { try MeaningEncoder(path: "/nonexistent/encoder") }
        #expect(error?.code == .engineUnavailable)
        #expect(error?.message.contains("framegrep setup --meaning") == true)
    }

    @Test(
        "a damaged file is a sentence and no crash",
        arguments: ["", "FGMEAN", "no model at all, but some bytes that are long enough for a head", "FGMEAN\0\u{1}"])
    func damaged(_ text: String) throws {
        let path = NSTemporaryDirectory() + "/encoder-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(text.utf8 + [UInt8](repeating: 0xFF, count: text.isEmpty ? 0 : 40)).write(
            to: URL(fileURLWithPath: path))
        #expect(throws: FramegrepError.self) { try MeaningEncoder(path: path) }
    }

    @Test(
        "a file cut off anywhere, or with other lengths in its head, is a sentence and no crash",
        .enabled(if: Model.isInstalled))
    func changed() throws {
        let folder = try #require(MeaningInstallationFolder.path)
        let whole = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder + "/encoder")).read(upToCount: 4096)
        let head = try #require(whole)
        let path = NSTemporaryDirectory() + "/encoder-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var numbers = SystemRandomNumberGenerator()
        for length in [16, 40, 100, 1000, 4096] {
            try head.prefix(length).write(to: URL(fileURLWithPath: path))
            #expect(throws: FramegrepError.self) { try MeaningEncoder(path: path) }
            var other = head.prefix(length)
            other[other.startIndex + 12 + Int.random(in: 0..<4, using: &numbers)] = 0xFF
            try other.write(to: URL(fileURLWithPath: path))
            #expect(throws: FramegrepError.self) { try MeaningEncoder(path: path) }
        }
    }
}
