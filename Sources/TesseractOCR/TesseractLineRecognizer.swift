public import TextSpotting
import Threads

/// Tesseract on single lines that something else found: the reading half of a pair.
///
/// It shares the threads and instances of the engine it is made from.
public struct TesseractLineRecognizer: LineRecognizer {
    public let pictureFormat: Picture.Format
    private let pool: WorkerPool<TesseractInstance>

    /// - Parameter pictureFormat: the format that the detector wants; Tesseract itself reads brightness only.
    public init(_ engine: TesseractEngine, pictureFormat: Picture.Format = .luma) {
        self.pictureFormat = pictureFormat
        pool = engine.pool
    }

    public func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        try await recognize(quads, in: picture) { _, _ in }
    }

    public func recognize(
        _ quads: [Quad], in picture: Picture, _ see: @escaping @Sendable (Int, TextLine) -> Void
    ) async throws -> [TextLine?] {
        try await withThrowingTaskGroup(of: (Int, TextLine?).self) { group in
            for (index, quad) in quads.enumerated() {
                group.addTask { (index, try await recognize(quad, in: picture)) }
            }
            var lines = [TextLine?](repeating: nil, count: quads.count)
            for try await (index, line) in group {
                lines[index] = line
                if let line { see(index, line) }
            }
            return lines
        }
    }

    private func recognize(_ quad: Quad, in picture: Picture) async throws -> TextLine? {
        try await pool.run { instance, cancellation in
            guard let crop = LineCrop(of: quad, in: picture) else { return nil }
            let read = try instance.read(crop.picture, mode: .line, cancellation: cancellation)
            guard var line = TextLine(read.flatMap(\.words), along: Point(1, 0))?.mapped(crop.original) else {
                return nil
            }
            line.quad = quad
            return line
        }
    }
}
