public import TextSpotting
import Threads

/// A line cut out of a picture and straightened, with a margin, at a height that Tesseract reads well.
struct LineCrop {
    /// The line with ``margin`` pixels around it, in luma.
    let picture: Picture
    private let quad: Quad
    private let inner: (width: Double, height: Double)

    /// The margin in pixels of the crop, because Tesseract loses letters at the very edge.
    static let margin = 10
    /// Lower lines are enlarged to this height, in pixels.
    static let leastHeight = 40.0
    /// Higher lines are shrunk to this height, in pixels.
    static let mostHeight = 96.0
    /// The largest width, which protects against malicious quads.
    static let mostWidth = 8_000.0

    /// Nil if the quad has no area or lies outside the picture.
    init?(of quad: Quad, in picture: Picture) {
        let coordinates = quad.corners.flatMap { [$0.x, $0.y] }
        guard coordinates.allSatisfy(\.isFinite), quad.width >= 2, quad.height >= 2,
            !quad.bounds.intersection(picture.bounds).isEmpty
        else { return nil }
        let scale = min(max(1, Self.leastHeight / quad.height), Self.mostHeight / quad.height)
        let width = min(Self.mostWidth, max(4, (quad.width * scale).rounded()))
        let height = (quad.height * scale).rounded()
        self.quad = quad
        inner = (width, height)
        self.picture = Self.laidFlat(quad, of: picture, width: Int(width), height: Int(height))
    }

    /// Maps a place in the crop to the original picture.
    func original(_ place: Point) -> Point {
        let margin = Double(Self.margin)
        return Self.place(in: quad, (place.x - margin) / inner.width, (place.y - margin) / inner.height)
    }

    private static func place(in quad: Quad, _ across: Double, _ down: Double) -> Point {
        quad.topLeft.interpolated(to: quad.topRight, at: across)
            .interpolated(to: quad.bottomLeft.interpolated(to: quad.bottomRight, at: across), at: down)
    }

    private static func laidFlat(_ quad: Quad, of picture: Picture, width: Int, height: Int) -> Picture {
        let fullWidth = width + 2 * margin
        let fullHeight = height + 2 * margin
        let brightness = Brightness(picture: picture)
        var line = [UInt8](repeating: 0, count: width * height)
        for y in 0..<height {
            for x in 0..<width {
                let place = place(in: quad, (Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
                line[y * width + x] = brightness.at(place)
            }
        }
        var bytes = [UInt8](
            repeating: medianOfEdges(line, width: width, height: height), count: fullWidth * fullHeight)
        for y in 0..<height {
            let start = (y + margin) * fullWidth + margin
            bytes.replaceSubrange(start..<start + width, with: line[y * width..<(y + 1) * width])
        }
        return Picture(format: .luma, width: fullWidth, height: fullHeight, bytes: bytes)
    }

    /// Returns the median of the pixels around the line: its background, even if letters touch the edge. Repeating the edge
    /// itself would extend such letters into strokes, which are then read.
    private static func medianOfEdges(_ bytes: [UInt8], width: Int, height: Int) -> UInt8 {
        var edges = Array(bytes.prefix(width)) + Array(bytes.suffix(width))
        for y in 0..<height {
            edges.append(bytes[y * width])
            edges.append(bytes[(y + 1) * width - 1])
        }
        edges.sort()
        return edges[edges.count / 2]
    }
}

/// The brightness of a picture between its pixels.
private struct Brightness {
    let picture: Picture

    func at(_ place: Point) -> UInt8 {
        let x = min(Double(picture.width - 1), max(0, place.x - 0.5))
        let y = min(Double(picture.height - 1), max(0, place.y - 0.5))
        let left = Int(x)
        let top = Int(y)
        let right = min(picture.width - 1, left + 1)
        let bottom = min(picture.height - 1, top + 1)
        let across = x - Double(left)
        let above = pixel(left, top) * (1 - across) + pixel(right, top) * across
        let below = pixel(left, bottom) * (1 - across) + pixel(right, bottom) * across
        return UInt8(min(255, max(0, above + (below - above) * (y - Double(top)))))
    }

    private func pixel(_ x: Int, _ y: Int) -> Double {
        let index = y * picture.width + x
        guard picture.format == .rgb else { return Double(picture.bytes[index]) }
        let red = Double(picture.bytes[3 * index])
        let green = Double(picture.bytes[3 * index + 1])
        let blue = Double(picture.bytes[3 * index + 2])
        return 0.299 * red + 0.587 * green + 0.114 * blue
    }
}

/// Uses Tesseract to read single lines that another engine found: the reading half of a pair.
///
/// It shares the threads and instances of the engine it is made from.
public struct TesseractLineRecognizer: LineRecognizer {
    public let pictureFormat: Picture.Format
    private let pool: WorkerPool<TesseractInstance>

    /// - Parameter pictureFormat: the format that the detector needs; Tesseract itself reads only brightness.
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
            guard var line = TextLine(read.flatMap(\.words), along: Point(1, 0))?.mapped({ $0.mapped(crop.original) })
            else {
                return nil
            }
            line.quad = quad
            return line
        }
    }
}

extension Picture {
    /// Returns the picture's brightness: the picture itself if it is luma, else the weighted sum of ITU-R BT.601 (0.299, 0.587, 0.114).
    func gray() -> Picture {
        guard format == .rgb else { return self }
        var gray = [UInt8](repeating: 0, count: width * height)
        bytes.withUnsafeBufferPointer { source in
            for index in gray.indices {
                let red = Int(source[3 * index]) * 77
                let green = Int(source[3 * index + 1]) * 150
                let blue = Int(source[3 * index + 2]) * 29
                gray[index] = UInt8((red + green + blue) >> 8)
            }
        }
        return Picture(format: .luma, width: width, height: height, bytes: gray)
    }

    /// Returns a luma picture in another size: by bilinear interpolation if it grows, as the mean of the covered pixels if it shrinks.
    ///
    /// - Precondition: the format is luma and no side is 0, before or after.
    func resized(width newWidth: Int, height newHeight: Int) -> Picture {
        if newWidth == width && newHeight == height { return self }
        let columns = ResamplingAxis(from: width, to: newWidth)
        let rows = ResamplingAxis(from: height, to: newHeight)
        // Across first, then down; in whole steps of 1/256 so that the result is the same on every machine.
        var narrow = [UInt8](repeating: 0, count: newWidth * height)
        bytes.withUnsafeBufferPointer { source in
            for y in 0..<height {
                for x in 0..<newWidth {
                    narrow[y * newWidth + x] = columns.sample(x) { source[y * width + $0] }
                }
            }
        }
        var result = [UInt8](repeating: 0, count: newWidth * newHeight)
        narrow.withUnsafeBufferPointer { source in
            for y in 0..<newHeight {
                for x in 0..<newWidth {
                    result[y * newWidth + x] = rows.sample(y) { source[$0 * newWidth + x] }
                }
            }
        }
        return Picture(format: .luma, width: newWidth, height: newHeight, bytes: result)
    }
}

/// The old pixels that make up each new one along one side of a picture.
private struct ResamplingAxis {
    /// The first pixel, the last, and for two neighbors the second's weight in 1/256; a run has equal weights.
    private var taps: [(first: Int, last: Int, weight: Int)] = []

    init(from old: Int, to new: Int) {
        let step = Double(old) / Double(new)
        for index in 0..<new {
            if step > 1 {
                let first = Int(Double(index) * step)
                taps.append((first, max(first, min(old, Int(Double(index + 1) * step)) - 1), -1))
            } else {
                let place = max(0, (Double(index) + 0.5) * step - 0.5)
                let first = min(old - 1, Int(place))
                taps.append((first, min(old - 1, first + 1), Int((place - Double(first)) * 256)))
            }
        }
    }

    @inline(__always)
    func sample(_ index: Int, _ pixel: (Int) -> UInt8) -> UInt8 {
        let tap = taps[index]
        if tap.weight >= 0 {
            return UInt8((Int(pixel(tap.first)) * (256 - tap.weight) + Int(pixel(tap.last)) * tap.weight) >> 8)
        }
        var sum = 0
        for place in tap.first...tap.last { sum += Int(pixel(place)) }
        return UInt8(sum / (tap.last - tap.first + 1))
    }
}
