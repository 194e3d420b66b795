/// A still picture in memory of its own: 8 bits per sample, rows from the top, no padding between rows.
///
/// A value: copying it shares the bytes until one copy is changed.
public struct Picture: Sendable {
    public enum Format: Sendable {
        /// One byte a pixel: brightness, 0 (black) to 255 (white), full range.
        case luma
        /// Three bytes a pixel: red, green, blue.
        case rgb

        public var bytesPerPixel: Int { self == .luma ? 1 : 3 }
    }

    public let format: Format
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// `width * height * format.bytesPerPixel` bytes.
    public var bytes: [UInt8]

    /// - Precondition: `bytes` has exactly `width * height * format.bytesPerPixel` elements.
    public init(format: Format, width: Int, height: Int, bytes: [UInt8]) {
        precondition(bytes.count == width * height * format.bytesPerPixel, "a picture's bytes must fill it")
        self.format = format
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    public var bytesPerRow: Int { width * format.bytesPerPixel }

    /// The whole picture.
    public var bounds: Rect { Rect(x: 0, y: 0, width: Double(width), height: Double(height)) }

    /// Returns whether both share the same storage, which makes them equal without a comparison.
    public func sharesBytes(with other: Picture) -> Bool {
        bytes.withUnsafeBufferPointer { mine in
            other.bytes.withUnsafeBufferPointer { theirs in mine.baseAddress == theirs.baseAddress }
        }
    }

    /// Returns the picture extended by columns on either side and rows above and below that repeat its edges.
    public func repeatingEdges(x: Int, y: Int) -> Picture {
        guard width > 0, height > 0 else { return self }
        let (wide, size) = (width + 2 * x, format.bytesPerPixel)
        var all: [UInt8] = []
        all.reserveCapacity(wide * (height + 2 * y) * size)
        for row in -y..<height + y {
            let begin = max(0, min(height - 1, row)) * bytesPerRow
            let end = begin + bytesPerRow
            for _ in 0..<x { all += bytes[begin..<begin + size] }
            all += bytes[begin..<end]
            for _ in 0..<x { all += bytes[end - size..<end] }
        }
        return Picture(format: format, width: wide, height: height + 2 * y, bytes: all)
    }

    /// Returns the part of the picture in `rect`, which is rounded to whole pixels and clipped to the picture.
    public func cropped(to rect: Rect) -> Picture {
        let inside = rect.intersection(bounds)
        // Written so that coordinates that are not numbers fail too.
        guard inside.width > 0, inside.height > 0 else {
            return Picture(format: format, width: 0, height: 0, bytes: [])
        }
        let (left, top) = (Int(inside.minX.rounded(.down)), Int(inside.minY.rounded(.down)))
        let (right, bottom) = (Int(inside.maxX.rounded(.up)), Int(inside.maxY.rounded(.up)))
        let size = format.bytesPerPixel
        var part: [UInt8] = []
        part.reserveCapacity(max(0, right - left) * max(0, bottom - top) * size)
        for y in top..<max(top, bottom) {
            part += bytes[(y * bytesPerRow + left * size)..<(y * bytesPerRow + max(left, right) * size)]
        }
        return Picture(format: format, width: max(0, right - left), height: max(0, bottom - top), bytes: part)
    }
}

/// The brightness between the pixels of a picture; beyond the edge it is that of the edge.
///
/// Only valid inside the closure that lends the picture's bytes.
struct BrightnessSource {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let isLuma: Bool
    private let width: Int
    private let height: Int
    private let row: Int

    /// - Parameter bytes: the bytes of the picture, which must have at least one pixel.
    init(_ picture: Picture, _ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        isLuma = picture.format == .luma
        width = picture.width
        height = picture.height
        row = picture.bytesPerRow
    }

    /// Returns the brightness of a pixel, four times.
    @inline(__always)
    private func level(_ x: Int, _ y: Int) -> Int32 {
        guard !isLuma else { return Int32(bytes[y &* row &+ x]) &* 4 }
        let at = y &* row &+ 3 &* x
        return Int32(bytes[at]) &+ 2 &* Int32(bytes[at &+ 1]) &+ Int32(bytes[at &+ 2])
    }

    /// Returns the weighted mean of the four pixels around a point, 0 to 255, four times and in 4096ths.
    @inline(__always)
    private func blended(_ place: Point) -> Int32 {
        // Use 64ths of a pixel, so that the rest is integer arithmetic. (0.5, 0.5) is the middle of the first pixel.
        let fineX = Int(max(0, min(1e6, place.x - 0.5)) * 64)
        let fineY = Int(max(0, min(1e6, place.y - 0.5)) * 64)
        let (x, y) = (min(width - 1, fineX >> 6), min(height - 1, fineY >> 6))
        let (right, below) = (min(width - 1, x + 1), min(height - 1, y + 1))
        let (fx, fy) = (Int32(fineX & 63), Int32(fineY & 63))
        let upper = level(x, y) &* (64 &- fx) &+ level(right, y) &* fx
        let lower = level(x, below) &* (64 &- fx) &+ level(right, below) &* fx
        return upper &* (64 &- fy) &+ lower &* fy
    }

    /// Returns the bilinear interpolation between four pixels, 0 to 255.
    @inline(__always)
    func level(at place: Point) -> UInt8 { UInt8(truncatingIfNeeded: (blended(place) &+ 8192) >> 14) }

    /// Returns the mean of a square of pixels around a point, 0 to 255: interpolated if the square is one pixel wide,
    /// otherwise of whole pixels.
    @inline(__always)
    func mean(around place: Point, side: Int) -> Float {
        guard side > 1 else { return Float(blended(place)) * (1 / 16384) }
        let left = Int(max(-1e6, min(1e6, place.x - Double(side) / 2 + 0.5)))
        let top = Int(max(-1e6, min(1e6, place.y - Double(side) / 2 + 0.5)))
        var sum: Int32 = 0
        for y in top..<(top + side) {
            let y = max(0, min(height - 1, y))
            for x in left..<(left + side) { sum &+= level(max(0, min(width - 1, x)), y) }
        }
        return Float(sum) / Float(4 * side * side)
    }
}

extension Picture {
    /// Returns a luma picture reduced by a whole factor (at most 16), in which each pixel is the mean of a square.
    func reduced(by factor: Int) -> Picture {
        let (columns, rows) = (width / factor, height / factor)
        guard columns > 0, rows > 0, format == .luma else { return self }
        let width = width
        let area = UInt16(factor * factor)
        let result = bytes.withUnsafeBufferPointer { pixels in
            withUnsafeTemporaryAllocation(of: UInt16.self, capacity: width) { sums in
                [UInt8](unsafeUninitializedCapacity: columns * rows) { result, count in
                    for row in 0..<rows {
                        Self.add(pixels, lines: (row * factor)..<((row + 1) * factor), of: width, into: sums)
                        var x = 0
                        for column in 0..<columns {
                            var sum: UInt16 = 0
                            for _ in 0..<factor {
                                sum &+= sums[x]
                                x &+= 1
                            }
                            result[row &* columns &+ column] = UInt8(truncatingIfNeeded: sum / area)
                        }
                    }
                    count = columns * rows
                }
            }
        }
        return Picture(format: .luma, width: columns, height: rows, bytes: result)
    }

    /// Adds up the lines one below the other, sixteen columns at a time.
    private static func add(
        _ pixels: UnsafeBufferPointer<UInt8>, lines: Range<Int>, of width: Int,
        into sums: UnsafeMutableBufferPointer<UInt16>
    ) {
        guard let start = pixels.baseAddress, let end = sums.baseAddress else { return }
        var x = 0
        while x &+ 16 <= width {
            var sixteen = SIMD16<UInt16>(repeating: 0)
            for y in lines {
                let line = UnsafeRawPointer(start + (y &* width &+ x)).loadUnaligned(as: SIMD16<UInt8>.self)
                sixteen &+= SIMD16<UInt16>(truncatingIfNeeded: line)
            }
            UnsafeMutableRawPointer(end + x).storeBytes(of: sixteen, as: SIMD16<UInt16>.self)
            x &+= 16
        }
        while x < width {
            var sum: UInt16 = 0
            for y in lines { sum &+= UInt16(pixels[y &* width &+ x]) }
            sums[x] = sum
            x &+= 1
        }
    }
}

extension Picture {
    /// Returns the brightness of a part, row by row; pixels outside the picture repeat those of its edge.
    func brightness(left: Int, top: Int, width: Int, height: Int) -> [UInt8] {
        guard self.width > 0, self.height > 0 else { return [UInt8](repeating: 0, count: max(0, width * height)) }
        return [UInt8](unsafeUninitializedCapacity: width * height) { target, count in
            bytes.withUnsafeBufferPointer { source in
                var index = 0
                for y in top..<(top + height) {
                    let row = max(0, min(self.height - 1, y)) * bytesPerRow
                    for x in left..<(left + width) {
                        let column = max(0, min(self.width - 1, x))
                        switch format {
                        case .luma: target[index] = source[row + column]
                        case .rgb:
                            let at = row + 3 * column
                            let sum = UInt16(source[at]) + 2 * UInt16(source[at + 1]) + UInt16(source[at + 2])
                            target[index] = UInt8(sum / 4)
                        }
                        index += 1
                    }
                }
            }
            count = width * height
        }
    }
}

extension Picture {
    /// Returns the picture with some places of another one of the same size and format.
    func showing(_ places: [Rect], of other: Picture) -> Picture {
        guard !places.isEmpty, other.format == format, other.width == width, other.height == height else { return self }
        var picture = self
        for place in places.map({ $0.intersection(bounds) }) where !place.isEmpty {
            let columns = Int(place.minX) * format.bytesPerPixel..<Int(place.maxX.rounded(.up)) * format.bytesPerPixel
            for y in Int(place.minY)..<Int(place.maxY.rounded(.up)) {
                let row = y * bytesPerRow + columns.lowerBound..<y * bytesPerRow + columns.upperBound
                picture.bytes.replaceSubrange(row, with: other.bytes[row])
            }
        }
        return picture
    }
}
