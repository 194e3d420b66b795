/// A still picture in memory of its own: 8 bits a sample, rows from the top, no padding between rows.
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
    /// In pixels.
    public let width: Int
    /// In pixels.
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

    /// Both have the very same storage, so they are equal without looking.
    public func sharesBytes(with other: Picture) -> Bool {
        bytes.withUnsafeBufferPointer { mine in
            other.bytes.withUnsafeBufferPointer { theirs in mine.baseAddress == theirs.baseAddress }
        }
    }

    /// The part of the picture in `rect`, which is cut to whole pixels inside the picture.
    public func cropped(to rect: Rect) -> Picture {
        let inside = rect.intersection(bounds)
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
