import Foundation
import TestSupport
import TextIndex
import TextMatching
import TextSpotting

@testable import Page

/// A page with its own index for a test, queried without a network.
final class PageFixture: Sendable {
    static let port = 8437
    /// For tests that change nothing.
    static let shared = Result { try PageFixture() }
    let folder: TemporaryFolder
    let service: PageService
    let keys: SessionKeys
    let cookie: String

    /// - Parameters:
    ///   - texts: by the recording's name, the lines that are read in it, two seconds after each other.
    ///   - disk: the number of the disk that the index names for the recordings; nil for their own.
    ///   - meaning: search by meaning is set up.
    ///   - voice: the folder of what understands speech.
    init(
        _ texts: [String: [String]] = ["lobby.mp4": ["GATE 12 EXIT", "nothing here", "EXIT"]], disk: Int64? = nil,
        meaning: MeaningSource? = nil, voice: String? = nil
    ) throws {
        folder = try TemporaryFolder()
        let index = try IndexFolder(folder.file("index"))
        let writer = try TextIndex.forWriting(index, meaning: meaning)
        for (name, lines) in texts.sorted(by: { $0.key < $1.key }) {
            let path = try folder.write(String(repeating: name, count: 100), to: name)
            var source = IndexedSource(
                id: .drawn(), name: path, manner: "made up", stamp: FileStamp(path: path), digest: nil,
                state: .complete, end: StreamTime(seconds: Double(2 * lines.count)))
            if let disk { source.stamp?.device = disk }
            _ = try writer.add(Self.part(lines), of: source, inPlaceOf: nil)
        }
        keys = SessionKeys(port: Self.port)
        cookie = String(try needed(keys.open(with: keys.key)).prefix { $0 != ";" })
        service = PageService(
            index: index, hosts: HostList(port: Self.port), keys: keys, decoder: "/bin/false",
            meaning: meaning ?? ServeSettings().meaningSource, voice: voice)
    }

    /// Returns the number that the page uses for a recording.
    func number(_ name: String = "lobby.mp4") throws -> String {
        let source = try service.view.snapshot().sources.first { $0.name == folder.file(name) }
        return SourceNumber.text(try needed(source).id)
    }

    /// Sends a request as the page itself does.
    func get(_ target: String, headers: [(name: String, value: String)] = [], method: String = "GET") async
        -> PageResponse
    {
        await ask(
            target, method: method,
            headers: [("Host", "127.0.0.1:8437"), ("Cookie", cookie), ("Sec-Fetch-Site", "same-origin")] + headers)
    }

    /// Sends a request with exactly these headers.
    func ask(
        _ target: String, method: String = "GET", headers: [(name: String, value: String)], body: String = ""
    ) async -> PageResponse {
        let halves = target.split(separator: "?", maxSplits: 1).map(String.init)
        return await service.answer(
            PageRequest(
                method: method, path: halves.first ?? "", query: halves.count > 1 ? halves[1] : "", headers: headers,
                body: Array(body.utf8)))
    }

    private static func part(_ texts: [String]) -> RecordedPart {
        let lines = texts.enumerated().map { number, text in
            let start = StreamTime(seconds: 2 * Double(number))
            let line = line(text)
            return RecordedLine(
                line: line, steps: number..<number + 1,
                words: line.words.map { _ in .init(id: number + 1, start: start, end: start + StreamTime(seconds: 1)) })
        }
        let span = Int64(texts.count) * 2_000_000_000
        return RecordedPart(
            from: .zero, to: StreamTime(nanoseconds: span),
            frames: FrameTimes(runs: [.init(start: 0, count: 2 * texts.count, span: span)]),
            steps: texts.indices.map { 2 * $0 }, lines: lines)
    }

    /// Returns a line from a reader without evidence.
    private static func line(_ text: String) -> TextLine {
        var (words, x): ([TextWord], Double) = ([], 20)
        for word in text.split(separator: " ") {
            let letters = Array(word)
            let step = 1 / Double(letters.count)
            let spans = letters.enumerated().map { index, letter in
                CharacterSpan(
                    character: letter, start: Double(index) * step, end: Double(index + 1) * step, confidence: 0.99)
            }
            let width = 12 * Double(letters.count)
            words.append(
                TextWord(quad: Quad(Rect(x: x, y: 40, width: width, height: 20)), characters: spans, confidence: 0.99))
            x += width + 10
        }
        return TextLine(
            quad: Quad(Rect(x: 20, y: 40, width: x - 30, height: 20)), words: words, confidence: 0.98, evidence: [],
            source: .tesseract)
    }
}

/// Treats all texts that contain "exit" or "way" as equal, and any other text as different.
struct WaysOut: MeaningModel {
    let name = "ways out"
    let background = [Float](repeating: 0, count: 512)

    func vectors(of texts: [String]) -> [[Float]] {
        texts.map { text in
            let isWayOut = text.contains("exit") || text.contains("way")
            var state = isWayOut ? 1 : text.utf8.reduce(UInt64(2)) { $0 &* 31 &+ UInt64($1) }
            return (0..<512).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return (state >> 63 == 0 ? 1 : -1) / Float(512).squareRoot()
            }
        }
    }

    func probability(ofCloseness closeness: Double) -> Double { closeness < 0.5 ? 0 : min(1, closeness) }
}

struct Missing: Error {}

/// Does the same as `#require`, outside a test.
func needed<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
}

extension PageResponse {
    /// Returns all bytes of the body.
    func bytes() async throws -> [UInt8] {
        switch body {
        case .bytes(let bytes): return bytes
        case .chunks(let chunks, _):
            var all: [UInt8] = []
            while let some = try await chunks.next() { all += some }
            return all
        }
    }

    func text() async throws -> String { String(decoding: try await bytes(), as: UTF8.self) }

    /// Returns the objects of its lines.
    func objects() async throws -> [[String: any Sendable]] {
        try await text().split(separator: "\n").map { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: any Sendable] ?? [:]
        }
    }
}
