import CGStreamer
public import TextSpotting

/// Makes places of a mapped I420 frame unreadable, in the frame's own numbers; or of a picture in red, green and blue. Used while these
/// are lent, by one thread.
struct HiddenPixels {
    /// One of the three kinds of numbers of a frame: brightness, and two of color, each for four pixels.
    private struct Plane {
        let start: UnsafeMutablePointer<UInt8>
        let stride: Int
        /// In bytes, from one number of a row to the next.
        let pitch: Int
        let width: Int
        let height: Int
        /// How many pixels of the frame lie side by side under one number: 1 or 2.
        let step: Int
        /// What black is.
        let black: UInt8

        subscript(x: Int, y: Int) -> UInt8 {
            get { start[y &* stride &+ x &* pitch] }
            nonmutating set { start[y &* stride &+ x &* pitch] = newValue }
        }

        func fill(_ y: Int, _ columns: Range<Int>, _ value: UInt8) {
            if pitch == 1 {
                return (start + y * stride + columns.lowerBound).update(repeating: value, count: columns.count)
            }
            for x in columns { self[x, y] = value }
        }
    }

    private let planes: [Plane]
    private let width: Int
    private let height: Int

    /// - Returns: nil for a frame of another format, or of two fields: nothing may pass that cannot be drawn on.
    init?(_ frame: GstVideoFrame) {
        guard let format = frame.info.finfo?.pointee.format, format == GST_VIDEO_FORMAT_I420,
            frame.info.interlace_mode == GST_VIDEO_INTERLACE_MODE_PROGRESSIVE
        else { return nil }
        (width, height) = (Int(frame.info.width), Int(frame.info.height))
        let black: UInt8 = frame.info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255 ? 0 : 16
        var planes: [Plane] = []
        for index in 0..<3 {
            let base = withUnsafeBytes(of: frame.data) { $0.assumingMemoryBound(to: gpointer?.self)[index] }
            guard let base else { return nil }
            let stride = withUnsafeBytes(of: frame.info.stride) { Int($0.assumingMemoryBound(to: gint.self)[index]) }
            let step = index == 0 ? 1 : 2
            planes.append(
                Plane(
                    start: base.assumingMemoryBound(to: UInt8.self), stride: stride, pitch: 1,
                    width: (width + step - 1) / step, height: (height + step - 1) / step, step: step,
                    black: index == 0 ? black : 128))
        }
        self.planes = planes
    }

    /// The same for red, green and blue.
    private init(rgb start: UnsafeMutablePointer<UInt8>, width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        planes = (0..<3).map { color in
            Plane(
                start: start + color, stride: 3 * width, pitch: 3, width: width, height: height, step: 1, black: 0)
        }
    }

    /// Makes places of a picture unreadable.
    static func hide(_ quads: [Quad], _ style: HidingStyle, in picture: inout Picture) {
        let (width, height) = (picture.width, picture.height)
        picture.bytes.withUnsafeMutableBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            let pixels = HiddenPixels(rgb: start, width: width, height: height)
            for quad in quads { pixels.hide(quad, style) }
        }
    }

    /// - Parameter quad: in pixels of the frame; what lies outside of it is left out.
    func hide(_ quad: Quad, _ style: HidingStyle) {
        let spans = ConvexSpans(quad, width: width, height: height)
        // As coarse as the letters are high: nothing of a letter's shape is left.
        let coarse = max(8, Int((quad.height * 0.75).rounded(.up)))
        for plane in planes {
            let rows = Self.rows(spans, of: plane)
            guard !rows.isEmpty else { continue }
            switch style {
            case .black: for row in rows { plane.fill(row.y, row.columns, plane.black) }
            case .pixelate: Self.pixelate(rows, of: plane, cell: max(4, coarse / plane.step))
            case .blur: Self.blur(rows, of: plane, radius: max(4, coarse / plane.step))
            }
        }
    }

    /// Numbers of a plane that lie side by side.
    private typealias Row = (y: Int, columns: Range<Int>)

    private static func rows(_ spans: ConvexSpans, of plane: Plane) -> [Row] {
        var rows: [Row] = []
        for (offset, columns) in spans.rows.enumerated() where !columns.isEmpty {
            let y = (spans.top + offset) / plane.step
            let own =
                columns.lowerBound / plane.step..<min(plane.width, (columns.upperBound + plane.step - 1) / plane.step)
            guard y < plane.height, !own.isEmpty else { continue }
            if let last = rows.last, last.y == y {
                let lower = min(last.columns.lowerBound, own.lowerBound)
                rows[rows.count - 1].columns = lower..<max(last.columns.upperBound, own.upperBound)
            } else {
                rows.append((y, own))
            }
        }
        return rows
    }

    private static func pixelate(_ rows: [Row], of plane: Plane, cell: Int) {
        guard let top = rows.first?.y, let left = rows.map(\.columns.lowerBound).min(),
            let right = rows.map(\.columns.upperBound).max()
        else { return }
        for begin in stride(from: 0, to: rows.count, by: cell) {
            let band = rows[begin..<min(rows.count, begin + cell)]
            for column in stride(from: left, to: right, by: cell) {
                let columns = column..<min(right, column + cell)
                var (sum, count) = (0, 0)
                for y in top + begin..<top + begin + band.count {
                    for x in columns { sum += Int(plane[x, y]) }
                    count += columns.count
                }
                let mean = UInt8(clamping: count > 0 ? sum / count : 0)
                for row in band {
                    let own = row.columns.clamped(to: columns)
                    if !own.isEmpty { plane.fill(row.y, own, mean) }
                }
            }
        }
    }

    /// The mean of a square around each number, three times: nearly a Gaussian.
    private static func blur(_ rows: [Row], of plane: Plane, radius: Int) {
        guard let top = rows.first?.y, let bottom = rows.last?.y, let left = rows.map(\.columns.lowerBound).min(),
            let right = rows.map(\.columns.upperBound).max()
        else { return }
        let (width, height) = (right - left, bottom - top + 1)
        var values = [Int32](repeating: 0, count: width * height)
        for y in 0..<height {
            for x in 0..<width { values[y * width + x] = Int32(plane[left + x, top + y]) }
        }
        for _ in 0..<3 {
            for y in 0..<height { mean(&values, from: y * width, step: 1, count: width, radius) }
            for x in 0..<width { mean(&values, from: x, step: width, count: height, radius) }
        }
        for row in rows {
            for x in row.columns {
                plane[x, row.y] = UInt8(clamping: values[(row.y - top) * width + x - left])
            }
        }
    }

    /// Replaces each of some numbers by the mean of those around it.
    private static func mean(_ values: inout [Int32], from start: Int, step: Int, count: Int, _ radius: Int) {
        guard count > 1 else { return }
        let line = (0..<count).map { values[start + $0 * step] }
        var sum = line[0..<min(count, radius)].reduce(0, +)
        for index in 0..<count {
            if index + radius < count { sum += line[index + radius] }
            if index - radius - 1 >= 0 { sum -= line[index - radius - 1] }
            let width = min(count - 1, index + radius) - max(0, index - radius) + 1
            values[start + index * step] = sum / Int32(width)
        }
    }
}

extension Picture {
    /// Makes places of it unreadable.
    ///
    /// - Parameter quads: in its pixels.
    /// - Precondition: it is in red, green and blue.
    public mutating func hide(_ quads: [Quad], _ style: HidingStyle) {
        precondition(format == .rgb, "places are hidden in colors")
        HiddenPixels.hide(quads, style, in: &self)
    }
}
