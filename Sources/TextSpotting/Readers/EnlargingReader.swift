/// Has pictures read at twice their size: engines made for printed pages find more small text so, in four times the time.
public struct EnlargingReader: TextReader {
    private let reader: any TextReader

    public init(_ reader: any TextReader) {
        self.reader = reader
    }

    public var name: String { reader.name + ", enlarged" }
    public var pictureFormat: Picture.Format { reader.pictureFormat }
    public var concurrency: Int { reader.concurrency }

    /// Larger pictures than this many pixels are read as they are: there small text has pixels enough.
    private static let mostPixels = 1920 * 1080

    public func read(_ picture: Picture) async throws -> [TextLine] {
        guard picture.width * picture.height <= Self.mostPixels else { return try await reader.read(picture) }
        return try await reader.read(picture.doubled()).map { line in
            var line = line
            line.quad = line.quad.scaled(x: 0.5, y: 0.5)
            line.words = line.words.map { word in
                var word = word
                word.quad = word.quad.scaled(x: 0.5, y: 0.5)
                return word
            }
            return line
        }
    }
}

extension Picture {
    /// The picture at twice its size, each new pixel between its neighbors (bilinear, pixel centers a quarter off).
    func doubled() -> Picture {
        let step = format.bytesPerPixel
        let (newWidth, newHeight) = (width * 2, height * 2)
        let result = bytes.withUnsafeBufferPointer { source in
            [UInt8](unsafeUninitializedCapacity: newWidth * newHeight * step) { target, count in
                for y in 0..<newHeight {
                    // A new row lies a quarter of a pixel above or below the center of its old one.
                    let near = (y / 2) &* width
                    let far = min(max(y / 2 + (y % 2 == 0 ? -1 : 1), 0), height - 1) &* width
                    for x in 0..<newWidth {
                        let left = x / 2
                        let right = min(max(left + (x % 2 == 0 ? -1 : 1), 0), width - 1)
                        for channel in 0..<step {
                            func at(_ row: Int, _ column: Int) -> Int {
                                Int(source[(row &+ column) &* step &+ channel])
                            }
                            let sum =
                                9 &* at(near, left) &+ 3 &* at(near, right) &+ 3 &* at(far, left) &+ at(far, right)
                            target[(y &* newWidth &+ x) &* step &+ channel] = UInt8(truncatingIfNeeded: (sum &+ 8) >> 4)
                        }
                    }
                }
                count = newWidth * newHeight * step
            }
        }
        return Picture(format: format, width: newWidth, height: newHeight, bytes: result)
    }
}
