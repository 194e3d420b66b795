import TextSpotting

/// An engine pair that truly reads what ``Sheet`` draws: words of at least three of ``SheetReader/letters``, one brightness
/// on a dark ground. The fourth pair of the protocols; it reads what is there and knows nothing of what was there before.
enum SheetReader {
    /// Letters whose pattern reaches all four of its sides, so that a word's pixels tell where its squares are.
    static let letters: [Character] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz".filter {
        letter in
        guard let bits = pattern(of: letter) else { return false }
        let rows = (0..<7).map { row in (0..<5).contains { bits >> UInt64(row * 5 + $0) & 1 == 1 } }
        let columns = (0..<5).map { column in (0..<7).contains { bits >> UInt64($0 * 5 + column) & 1 == 1 } }
        return rows.allSatisfy { $0 } && columns.allSatisfy { $0 }
    }

    static func pattern(of letter: Character) -> UInt64? {
        guard let scalar = letter.unicodeScalars.first else { return nil }
        var numbers = SeededNumbers(seed: UInt64(scalar.value))
        return numbers.next() & (1 << 35 - 1)
    }

    static let byPattern = Dictionary(
        letters.compactMap { letter in pattern(of: letter).map { ($0, letter) } },
        uniquingKeysWith: { first, _ in first })

    struct Detector: TextDetector {
        let pictureFormat = Picture.Format.luma

        func detect(in picture: Picture) async throws -> [TextRegion] {
            func isLit(_ x: Int, _ y: Int) -> Bool { picture.bytes[y * picture.width + x] > 120 }
            var regions: [TextRegion] = []
            let rows = (0..<picture.height).map { y in (0..<picture.width).contains { isLit($0, y) } }
            for band in runs(rows, gap: 1) {
                let columns = (0..<picture.width).map { x in band.contains { isLit(x, $0) } }
                for run in runs(columns, gap: 12) {
                    let tall = band.filter { y in run.contains { isLit($0, y) } }
                    guard let top = tall.first, let bottom = tall.last else { continue }
                    let box = Rect(
                        x: Double(run.lowerBound), y: Double(top), width: Double(run.count),
                        height: Double(bottom - top + 1))
                    regions.append(TextRegion(quad: Quad(box), score: 1))
                }
            }
            return regions
        }

        /// Runs of true; shorter interruptions than `gap` belong to them.
        private func runs(_ flags: [Bool], gap: Int) -> [Range<Int>] {
            var found: [Range<Int>] = []
            for index in flags.indices where flags[index] {
                if let last = found.last, index - last.upperBound < gap {
                    found[found.count - 1] = last.lowerBound..<index + 1
                } else {
                    found.append(index..<index + 1)
                }
            }
            return found
        }
    }

    /// Counts what it was asked to read, so not a value: one a test.
    final class Recognizer: LineRecognizer {
        let pictureFormat = Picture.Format.luma

        func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
            quads.map { quad in
                let box = lit(quad.bounds, in: picture)
                let count = Int((box.width / Double(6 * Sheet.square)).rounded(.up))
                let letters = (0..<count).map { letter(number: $0, of: box, in: picture) }
                let word = TextWord(
                    quad: Quad(box),
                    characters: letters.enumerated().map { index, letter in
                        CharacterSpan(
                            character: letter ?? "?", start: Double(index) / Double(count),
                            end: Double(index + 1) / Double(count), confidence: letter == nil ? 0.3 : 0.99)
                    }, confidence: 0.99)
                return TextLine(quad: Quad(box), words: [word], confidence: 0.99)
            }
        }

        /// Returns the part of a place that has text: where a longer text may be, more is read than the text.
        private func lit(_ place: Rect, in picture: Picture) -> Rect {
            let inside = place.intersection(picture.bounds)
            let (columns, rows) = (Int(inside.minX)..<Int(inside.maxX), Int(inside.minY)..<Int(inside.maxY))
            func isLit(_ x: Int, _ y: Int) -> Bool { picture.bytes[y * picture.width + x] > 120 }
            let wide = columns.filter { x in rows.contains { isLit(x, $0) } }
            let tall = rows.filter { y in columns.contains { isLit($0, y) } }
            guard let left = wide.first, let right = wide.last, let top = tall.first, let bottom = tall.last else {
                return place
            }
            return Rect(
                x: Double(left), y: Double(top), width: Double(right - left + 1), height: Double(bottom - top + 1))
        }

        private func letter(number: Int, of box: Rect, in picture: Picture) -> Character? {
            var bits: UInt64 = 0
            for bit in 0..<35 {
                let x = Int(box.x) + (number * 6 + bit % 5) * Sheet.square + 1
                let y = Int(box.y) + bit / 5 * Sheet.square + 1
                guard x < picture.width, y < picture.height else { return nil }
                if picture.bytes[y * picture.width + x] > 120 { bits |= 1 << UInt64(bit) }
            }
            return SheetReader.byPattern[bits]
        }
    }

    static func reader() -> DetectingReader {
        DetectingReader(name: "sheets", detector: Detector(), recognizer: Recognizer(), concurrency: 1)
    }
}
