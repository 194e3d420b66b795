import Foundation
import Testing

@testable import NeuralOCR
@testable import TextSpotting

private let isMeasurementWanted =
    Engines.isInstalled && ProcessInfo.processInfo.environment["FRAMEGREP_MEASURE"] != nil

/// Prints how often a line is read exactly: by one reading, and by the vote of several. Asserts nothing; the table is in
/// docs/benchmarks/tables.md.
@Suite(.serialized, .enabled(if: isMeasurementWanted, "FRAMEGREP_MEASURE is not set"))
struct VoteMeasurements {
    struct Condition {
        var name: String
        var size: Double
        var contrast: Double
        var noise: Double
        /// The blur in pixels, from the sharpest picture of a line to the blurriest.
        var blur: ClosedRange<Double>
    }

    static let conditions = [
        Condition(name: "small", size: 11, contrast: 0.5, noise: 6, blur: 0.6...0.9),
        Condition(name: "noisy", size: 18, contrast: 0.4, noise: 20, blur: 0.4...0.4),
        Condition(name: "blurred", size: 20, contrast: 0.6, noise: 4, blur: 1.5...3),
        Condition(name: "noisy and blurred", size: 20, contrast: 0.5, noise: 9, blur: 0.8...1.8),
    ]
    static let pictures = 8

    @Test func exactLines() async throws {
        let engine = try await Engines.engine()
        for condition in Self.conditions {
            var single = [Int](repeating: 0, count: Self.pictures)
            var voted = [Int](repeating: 0, count: Self.pictures + 1)
            var (count, any) = (0, 0)
            for (number, text) in (Measurements.sentences + Self.codes).enumerated() {
                for variant in 0..<2 {
                    let seed = UInt64(1000 * number + variant)
                    let readings = try await Self.read(text, condition, seed, engine)
                    count += 1
                    var tracker = TextTracker()
                    for (index, (line, picture)) in readings.enumerated() {
                        if line?.text == text { single[index] += 1 }
                        tracker.add(line.map { [$0] } ?? [], in: picture, at: Self.time(index))
                        if tracker.lines.count == 1, tracker.lines[0].text == text { voted[index + 1] += 1 }
                    }
                    if readings.contains(where: { $0.0?.text == text }) { any += 1 }
                }
            }
            func share(_ hits: Int) -> String { String(format: "%.0f %%", 100 * Double(hits) / Double(count)) }
            print(
                "measured\t\(condition.name)\t\(count) lines\tone: mean \(share(single.reduce(0, +) / Self.pictures))",
                "best \(share(single.max() ?? 0))\tvote of 3: \(share(voted[3]))\t5: \(share(voted[5]))\t8: \(share(voted[8]))",
                "\tany of 8 right: \(share(any))")
        }
    }

    /// Prints how much of a line its earlier picture does not explain: if it only moved by a fraction of a pixel, and
    /// if a letter was replaced by a similar one.
    @Test func likeness() async throws {
        var numbers = SeededNumbers(state: 5)
        let changes = [
            "8": "9", "3": "8", "e": "c", "1": "7", "i": "l", "0": "8", "5": "6", "o": "a", "h": "b", ".": ",",
        ]
        for size in [11.0, 14, 20, 32] {
            for blur in [0.5, 1, 1.6, 2.4] {
                var (same, other): ([LinePicture.Likeness], [LinePicture.Likeness]) = ([], [])
                for text in Measurements.sentences + Self.codes {
                    let from = Point(30 + numbers.unit() * 2, size + numbers.unit() * 2)
                    let to = Point(30 + numbers.unit() * 2, size + numbers.unit() * 2)
                    guard let (before, box) = Self.draw(text, size, 0.6, from),
                        let look = LinePicture(before.blurred(blur).noisy(3, &numbers), of: box)
                    else { continue }
                    var changed: [String] = []
                    for (old, new) in changes.sorted(by: { $0.key < $1.key }) {
                        guard let place = text.range(of: old) else { continue }
                        changed.append(text.replacingCharacters(in: place, with: new))
                    }
                    for now in [text, text] + changed {
                        guard let after = Self.draw(now, size, 0.6, to)?.0.blurred(blur).noisy(3, &numbers),
                            let found = look.likeness(in: after, near: Point(0, 0), reach: 3)
                        else { continue }
                        if now == text { same.append(found) } else { other.append(found) }
                    }
                }
                func at(_ share: Double, _ values: [Double]) -> String {
                    let sorted = values.sorted()
                    return String(format: "%.2f", sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))])
                }
                print(
                    "measured\tsize \(size)\tblur \(blur)\tsame: typical \(at(0.5, same.map(\.typical)))",
                    "worst \(at(0.5, same.map(\.worst))) \(at(0.95, same.map(\.worst))), kept \(same.count { $0.isSame })/\(same.count)",
                    "\tother: worst 1% \(at(0.01, other.map(\.worst))) 10% \(at(0.1, other.map(\.worst))) \(at(0.5, other.map(\.worst))),",
                    "kept \(other.count { $0.isSame })/\(other.count)")
            }
        }
    }

    /// The line is drawn four times as large and reduced, so that all of it moves by fractions of a pixel: at small
    /// sizes each letter would be aligned to whole pixels separately.
    private static func draw(_ text: String, _ size: Double, _ contrast: Double, _ origin: Point) -> (Picture, Quad)? {
        let large = RenderedText(
            width: 4 * (Int(size * 0.75 * Double(text.count)) + 80), height: 4 * Int(size * 4), paper: 0.25,
            lines: [
                .init(
                    text: text, size: 4 * size, origin: Point((4 * origin.x).rounded(), (4 * origin.y).rounded()),
                    ink: 0.25 + contrast)
            ])
        guard let quad = Quad.spanning(large.words.map(\.quad), along: Point(1, 0)) else { return nil }
        return (large.picture.reduced(by: 4), quad.scaled(x: 0.25, y: 0.25))
    }

    /// Serial numbers and the like, for which knowledge of a language does not help.
    static let codes = [
        "PN 74HC595-8021", "B7K-D0Q2-11lI", "192.168.10.245:8080", "0x7f3e9a1c4d", "Invoice 4481-09/B",
        "KLM 1865 gate D47",
        "TX-90215-UE rev.C", "sha 4c93f2e", "19:42:07.318", "Q3 1,284.50 EUR",
    ]

    private static func time(_ index: Int) -> FrameTime {
        FrameTime(
            index: index, start: StreamTime(seconds: 0.2 * Double(index)), duration: StreamTime(seconds: 0.2))
    }

    /// Reads eight pictures of a line, each with its own noise, blur and subpixel position.
    private static func read(
        _ text: String, _ condition: Condition, _ seed: UInt64, _ engine: NeuralEngine
    ) async throws -> [(TextLine?, Picture)] {
        var numbers = SeededNumbers(state: seed)
        var readings: [(TextLine?, Picture)] = []
        for _ in 0..<pictures {
            let (dx, dy) = (numbers.unit() * 4, numbers.unit() * 4)
            let blur =
                condition.blur.lowerBound
                + (condition.blur.upperBound - condition.blur.lowerBound) * numbers.unit()
            guard
                let (drawn, place) = draw(
                    text, condition.size, condition.contrast, Point(30 + dx, condition.size + dy))
            else { continue }
            let picture = drawn.blurred(blur).noisy(condition.noise, &numbers)
            // The place as a detector returns it: grown by a third of the height.
            let box = place.bounds
            let quad = Quad(box.grown(by: 0.33 * box.height))
            readings.append((try await engine.recognizer.recognize([quad], in: picture)[0], picture))
        }
        return readings
    }
}

/// SplitMix64, for the same noise every time.
private struct SeededNumbers {
    var state: UInt64

    mutating func unit() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
    }

    /// The sum of twelve uniform numbers is close to normal.
    mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + unit() } }
}

extension Picture {
    fileprivate func noisy(_ deviation: Double, _ numbers: inout SeededNumbers) -> Picture {
        var result = self
        for pixel in 0..<(width * height) {
            let change = Int((numbers.normal() * deviation).rounded())
            for channel in 0..<3 {
                result.bytes[3 * pixel + channel] = UInt8(clamping: Int(bytes[3 * pixel + channel]) + change)
            }
        }
        return result
    }

    /// Returns the mean of each square of pixels.
    fileprivate func reduced(by factor: Int) -> Picture {
        var result = Picture(
            format: .rgb, width: width / factor, height: height / factor,
            bytes: [UInt8](repeating: 0, count: 3 * (width / factor) * (height / factor)))
        for y in 0..<result.height {
            for x in 0..<result.width {
                var sum = 0
                for dy in 0..<factor {
                    for dx in 0..<factor { sum += Int(bytes[3 * ((y * factor + dy) * width + x * factor + dx)]) }
                }
                for channel in 0..<3 {
                    result.bytes[3 * (y * result.width + x) + channel] = UInt8(sum / (factor * factor))
                }
            }
        }
        return result
    }

    /// Convolves with a Gaussian of this many pixels.
    fileprivate func blurred(_ sigma: Double) -> Picture {
        let reach = max(1, Int((3 * sigma).rounded(.up)))
        let weights = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        let sum = weights.reduce(0, +)
        func along(_ source: Picture, _ dx: Int, _ dy: Int) -> Picture {
            var result = source
            for y in 0..<height {
                for x in 0..<width {
                    var value = 0.0
                    for (step, weight) in zip(-reach...reach, weights) {
                        let (sx, sy) = (min(width - 1, max(0, x + dx * step)), min(height - 1, max(0, y + dy * step)))
                        value += weight * Double(source.bytes[3 * (sy * width + sx)])
                    }
                    for channel in 0..<3 { result.bytes[3 * (y * width + x) + channel] = UInt8(value / sum) }
                }
            }
            return result
        }
        return along(along(self, 1, 0), 0, 1)
    }
}
