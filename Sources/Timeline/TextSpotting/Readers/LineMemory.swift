import Synchronization

/// Remembers how lines were read. Most of a picture that changes stays the same to the last bit, and the same pixels are
/// read the same way. Thread-safe.
final class LineMemory: Sendable {
    /// A place and all pixels that its reading depends on.
    struct Key: Hashable, Sendable {
        private let quad: Quad
        private let width: Int
        private let height: Int
        private let sum: Int

        /// - Parameter margin: the distance beyond the line within which pixels are read, in pixels.
        init(_ quad: Quad, in picture: Picture, margin: Double) {
            self.quad = quad
            (width, height) = (picture.width, picture.height)
            sum = picture.cropped(to: quad.bounds.grown(by: margin).intersection(picture.bounds)).checksum
        }
    }

    /// The newest readings, and those before them, which are forgotten when there are enough new ones.
    private let readings = Mutex<(new: [Key: TextLine?], old: [Key: TextLine?])>(([:], [:]))
    /// The number of new readings that are enough.
    private static let enough = 2_000

    /// Returns the remembered reading of a line; nil if there is none.
    subscript(key: Key) -> TextLine?? { readings.withLock { $0.new[key] ?? $0.old[key] } }

    func remember(_ line: TextLine?, as key: Key) {
        readings.withLock { readings in
            if readings.new.count >= Self.enough { readings = ([:], readings.new) }
            readings.new[key] = .some(line)
        }
    }
}

extension Picture {
    /// A checksum of all pixels and the size, comparable only within one run of the program.
    public var checksum: Int {
        var hasher = Hasher()
        hasher.combine(width)
        hasher.combine(height)
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
