import Synchronization
import TextMatching
import TextSpotting

/// Stands in for an engine: "reads" anything bright in the left half of a picture as LEFT, and in the right half as
/// RIGHT.
final class BlotReader: TextReader {
    let name = "blots"
    let pictureFormat = Picture.Format.luma
    let concurrency: Int
    private let confidence: Double
    private let before: @Sendable (_ reading: Int) async throws -> Void
    private let count = Mutex(0)

    /// - Parameter before: called before each reading with its number; it may wait, or fail.
    init(
        concurrency: Int = 1, confidence: Double = 0.9,
        before: @escaping @Sendable (_ reading: Int) async throws -> Void = { _ in }
    ) {
        self.concurrency = concurrency
        self.confidence = confidence
        self.before = before
    }

    /// The number of readings that were begun.
    var readings: Int { count.withLock { $0 } }

    func read(_ picture: Picture) async throws -> [TextLine] {
        let number = count.withLock { count in
            defer { count += 1 }
            return count
        }
        try await before(number)
        let middle = picture.width / 2
        return [("LEFT", 0..<middle), ("RIGHT", middle..<picture.width)].compactMap { text, columns in
            guard let box = bounds(of: picture, in: columns) else { return nil }
            let word = TextWord(text: text, quad: Quad(box), confidence: confidence)
            return TextLine(quad: Quad(box), words: [word], confidence: confidence)
        }
    }

    private func bounds(of picture: Picture, in columns: Range<Int>) -> Rect? {
        var (left, right, top, bottom) = (Int.max, -1, Int.max, -1)
        picture.bytes.withUnsafeBufferPointer { bytes in
            for y in 0..<picture.height {
                for x in columns where bytes[y * picture.width + x] > 160 {
                    (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), max(bottom, y))
                }
            }
        }
        guard right >= 0 else { return nil }
        return Rect(x: Double(left), y: Double(top), width: Double(right - left + 1), height: Double(bottom - top + 1))
    }
}

func matcher(_ words: String...) throws -> Matcher {
    Matcher(patterns: try words.map { try Pattern(text: $0) })
}
