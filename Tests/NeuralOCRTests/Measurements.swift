import Foundation
import Testing
import TextSpotting

@testable import NeuralOCR

private let isMeasurementWanted =
    Engines.isInstalled && ProcessInfo.processInfo.environment["FRAMEGREP_MEASURE"] != nil

/// Prints the tables of docs/decisions/networks.md; asserts nothing. Run as that file says.
@Suite(.serialized, .enabled(if: isMeasurementWanted, "FRAMEGREP_MEASURE is not set"))
struct Measurements {
    static let sentences = [
        "let width = max(1, picture.width)", "func detect(in picture: Picture) async", "error: cannot find the file",
        "Follow instructions to run the application", "return lines.filter { line in", "structured action plan",
        "Watching for changes in Sources", "import TextSpotting and Testing", "commit 4855139 neural engine",
        "The quick brown fox jumps over", "Downloaded 125 models from server", "Software Engineer, Middle East",
    ]

    /// Returns the shortest of ten runs, in milliseconds, which is the least disturbed.
    func milliseconds(_ work: () async throws -> Void) async rethrows -> Double {
        var best = Double.infinity
        for _ in 0..<10 {
            let start = ContinuousClock.now
            try await work()
            best = min(best, (ContinuousClock.now - start) / .milliseconds(1))
        }
        return best
    }

    func engine(_ level: NeuralLevel, threads: Int, mode: NeuralEngine.Mode = .throughput, side: Int?) async throws
        -> NeuralEngine
    {
        var settings = NeuralEngine.Settings()
        settings.level = level
        settings.threads = threads
        settings.mode = mode
        settings.detectionSide = side
        return try await NeuralEngine.load(settings: settings)
    }

    func report(_ parts: Any...) { print("measured\t" + parts.map { "\($0)" }.joined(separator: "\t")) }

    /// A screen full of small text, three columns of it.
    func screen(width: Int, height: Int, size: Double, pitch: Double) -> RenderedText {
        var lines: [RenderedText.Line] = []
        for y in stride(from: 12.0, to: Double(height) - size * 1.5, by: size * pitch) {
            for x in stride(from: 20.0, to: Double(width) - 300, by: 640) {
                lines.append(
                    .init(
                        text: Self.sentences[lines.count * 5 % Self.sentences.count],
                        font: lines.count % 3 == 0 ? "DejaVu Sans" : "DejaVu Sans Mono", size: size,
                        origin: Point(x, y), ink: 0.85))
            }
        }
        return RenderedText(width: width, height: height, paper: 0.12, lines: lines)
    }

    /// Letters and digits only, as words of three and more.
    func tokens(_ text: String) -> [String] {
        text.lowercased().split { !($0.isLetter || $0.isNumber) }.map(String.init).filter { $0.count >= 3 }
    }

    @Test func times() async throws {
        let rendered = screen(width: 1280, height: 720, size: 14, pitch: 4)
        for level in NeuralLevel.allCases {
            let start = ContinuousClock.now
            _ = try await engine(level, threads: 1, side: nil)
            report("load", level, (ContinuousClock.now - start) / .milliseconds(1))
            for side in [640, 960, 1280] {
                for (threads, mode) in [(1, NeuralEngine.Mode.throughput), (2, .throughput), (2, .latency)] {
                    let engine = try await engine(level, threads: threads, mode: mode, side: side)
                    _ = try await engine.detector.detect(in: rendered.picture)
                    let together = mode == .throughput ? threads : 1
                    let time = try await milliseconds {
                        try await withThrowingTaskGroup(of: Void.self) { group in
                            for _ in 0..<together {
                                group.addTask { _ = try await engine.detector.detect(in: rendered.picture) }
                            }
                            try await group.waitForAll()
                        }
                    }
                    report("detect", level, side, "threads \(threads)", mode, time / Double(together))
                }
            }
            let recognizer = try await engine(level, threads: 1, side: nil).recognizer
            for width in WidthBuckets.all {
                let quad = Quad(Rect(x: 10, y: 10, width: Double(width) / 4, height: 12))
                _ = try await recognizer.recognize([quad], in: rendered.picture)
                report(
                    "line", level, width,
                    try await milliseconds { _ = try await recognizer.recognize([quad], in: rendered.picture) })
            }
        }
    }

    @Test(arguments: [(1280, 720, 1.5), (1920, 1080, 1.5), (3840, 2160, 4)])
    func wordsOfAScreenBySide(width: Int, height: Int, pitch: Double) async throws {
        for size in [10.0, 12, 14] {
            let rendered = screen(width: width, height: height, size: size, pitch: pitch)
            let truth = rendered.lines.flatMap { tokens($0.text) }
            for side in [960, 1280, 1920, 2560] where side <= width {
                let lines = try await engine(.fast, threads: 2, side: side).reader.read(rendered.picture)
                var left: [String: Int] = [:]
                for word in lines.flatMap({ tokens($0.text) }) { left[word, default: 0] += 1 }
                var hits = 0
                for word in truth where left[word, default: 0] > 0 {
                    left[word, default: 0] -= 1
                    hits += 1
                }
                report("screen", "\(width)x\(height)", "font \(size)", side, hits, truth.count)
            }
        }
    }

    @Test(arguments: NeuralLevel.allCases)
    func placesOfWords(level: NeuralLevel) async throws {
        let reader = try await engine(level, threads: 2, side: nil).reader
        for size in [14.0, 24, 48] {
            var overlaps: [Double] = []
            var missed = 0
            for (index, angle) in [0.0, 10, 30].flatMap({ angle in (0..<12).map { ($0, angle) } }) {
                let font = ["DejaVu Sans", "DejaVu Serif Bold", "DejaVu Sans Mono", "DejaVu Sans Condensed"][index % 4]
                let rendered = RenderedText(
                    width: 1280, height: 720, paper: index % 2 == 0 ? 1 : 0.1,
                    lines: [
                        .init(
                            text: Self.sentences[index], font: font, size: size, origin: Point(60, 50), angle: angle,
                            ink: index % 2 == 0 ? 0.1 : 0.95)
                    ])
                let words = try await reader.read(rendered.picture).flatMap(\.words)
                for truth in rendered.words {
                    let overlap = words.filter { $0.text == truth.text }.map { $0.quad.overlap(truth.quad) }.max() ?? 0
                    if overlap > 0 { overlaps.append(overlap) } else { missed += 1 }
                }
            }
            overlaps.sort()
            report(
                "places", level, "font \(size)", "words \(overlaps.count + missed)", "not read alike \(missed)",
                overlaps[overlaps.count / 20], overlaps[overlaps.count / 2])
        }
    }

    /// `FRAMEGREP_MEASURE` may name a file of lines `group <tab> picture.ppm <tab> words|words`.
    @Test func wordsOfListedPictures() async throws {
        let list = ProcessInfo.processInfo.environment["FRAMEGREP_MEASURE"] ?? ""
        guard let text = try? String(contentsOfFile: list, encoding: .utf8) else { return }
        let rows = text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }.filter {
            $0.count == 3
        }
        func plain(_ text: String) -> String { String(text.lowercased().filter { $0.isLetter || $0.isNumber }) }
        for level in NeuralLevel.allCases {
            for side in [320, 480, 640, 960, 1280, 1600, 1920, nil] {
                let reader = try await engine(level, threads: 2, side: side).reader
                var found: [String: (hits: Int, of: Int)] = [:]
                for row in rows {
                    let picture = try #require(PortablePixmap.read(row[1]))
                    let read = plain(try await reader.read(picture).map(\.text).joined())
                    for words in row[2].split(separator: "|") {
                        found[row[0], default: (0, 0)].of += 1
                        if read.contains(plain(String(words))) { found[row[0], default: (0, 0)].hits += 1 }
                    }
                }
                for (group, count) in found.sorted(by: { $0.key < $1.key }) {
                    report("listed", level, side.map { "\($0)" } ?? "default", group, count.hits, count.of)
                }
            }
        }
    }
}

/// Binary PPM files, as `ffmpeg` and ImageMagick write them.
enum PortablePixmap {
    static func read(_ path: String) -> Picture? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let fields = data.prefix(64).split(maxSplits: 4, omittingEmptySubsequences: true) { $0 == 32 || $0 == 10 }
        guard fields.count == 5, fields[0].elementsEqual("P6".utf8),
            let width = Int(String(decoding: fields[1], as: UTF8.self)),
            let height = Int(String(decoding: fields[2], as: UTF8.self)), data.count >= width * height * 3
        else { return nil }
        return Picture(format: .rgb, width: width, height: height, bytes: Array(data.suffix(width * height * 3)))
    }
}
