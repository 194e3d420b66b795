import Foundation
import Synchronization
import Testing
import TextMatching
import TextSpotting

@testable import Spotter

/// Live sources that end and are opened again, each time with other contents.
enum ReopenedSource {
    /// Sends frames of a live source that shows a word in one half (or in none), then does `ending`.
    static func picture(left: Bool = false, right: Bool = false, _ ending: String) -> String {
        let format = ShortClips.format.replacing("25/1", with: "50/1")
        return "videotestsrc is-live=true pattern=black ! \(format) \(ShortClips.words(left: left, right: right))"
            + "! \(ending) ! appsink name=frames"
    }

    /// A source that opens these one after the other; the last one is repeated.
    static func source(_ policy: LossPolicy, _ descriptions: [String]) -> LiveSource {
        let opened = Counter()
        return LiveSource(policy: policy) {
            LiveSource.Opening(description: descriptions[min(opened.next(), descriptions.count - 1)])
        }
    }

    /// Counts from 0. Thread-safe.
    final class Counter: Sendable {
        private let count = Atomic<Int>(0)
        func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
    }

    /// A job that searches for the words in a source.
    static func spotter(
        _ source: LiveSource, output: String? = nil, _ words: [String], reader: BlotReader = BlotReader(),
        change: (inout LiveSettings) -> Void = { _ in }
    ) throws -> LiveSpotter {
        var settings = LiveSettings()
        change(&settings)
        return LiveSpotter(
            source: source, output: output, settings: settings, reader: reader,
            matcher: Matcher(patterns: try words.map { try Pattern(text: $0) }))
    }
}

/// A file of raw frames in ``ShortClips/format``, written by a pipeline. It is removed when it is released.
final class RawFrames: Sendable {
    let path = NSTemporaryDirectory() + "framegrep-\(UUID().uuidString).raw"
    static let width = 160
    static let height = 90
    static let size = width * height * 3 / 2

    /// The end of an output that writes each frame to this file as soon as it arrives.
    var sink: String { "filesink buffer-mode=unbuffered location=\(path)" }

    /// How many frames have been written.
    var count: Int {
        ((try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0) / Self.size
    }

    /// Returns whether the file ends with a complete frame.
    func isWhole() throws -> Bool {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) % Self.size == 0
    }

    /// Returns the brightness of each frame's pixels.
    func luma() throws -> [[UInt8]] {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        return (0..<(bytes.count / Self.size)).map {
            Array(bytes[($0 * Self.size)..<($0 * Self.size + Self.width * Self.height)])
        }
    }

    /// Returns whether anything in these columns of a frame is brighter than the black around it: a word, or a box.
    static func isLit(_ luma: [UInt8], columns: Range<Int>) -> Bool {
        (0..<height).contains { row in columns.contains { luma[row * width + $0] > 40 } }
    }

    /// Returns the number of rows of a frame that contain something as bright as a word.
    static func litRows(_ luma: [UInt8]) -> Int {
        (0..<height).count { row in (0..<width).contains { luma[row * width + $0] > 160 } }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
