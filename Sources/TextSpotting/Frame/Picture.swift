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
}
