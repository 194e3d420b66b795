import CGStreamer
import TextSpotting

/// Draws patches on 8-bit frames in which four pixels share a color: I420, YV12, NV12 and NV21, the formats of nearly
/// all decoded video.
///
/// GStreamer's blending converts every line and the patch to 4:4:4 and back: ten boxes on 720p took 3 ms, with this a
/// tenth of that. It also assumes one color standard, so some colors of BT.601 are off by a tenth; here the frame's own
/// standard is used. Other formats are left to GStreamer.
struct PlanarBlend {
    /// The contribution of a premultiplied pixel to one value of the frame, in 1/65536.
    private struct Weights {
        let blue: Int32
        let green: Int32
        let red: Int32
        let alpha: Int32

        init(blue: Double, green: Double, red: Double, offset: Double) {
            func fixed(_ weight: Double) -> Int32 { Int32((weight * 65536).rounded()) }
            (self.blue, self.green, self.red, alpha) = (fixed(blue), fixed(green), fixed(red), fixed(offset / 255))
        }

        /// - Parameter color: the color of one pixel, or the sum of several, because all of this is linear.
        @inline(__always)
        func value(_ color: Premultiplied) -> Int32 {
            color.blue &* blue &+ color.green &* green &+ color.red &* red &+ color.alpha &* alpha
        }
    }

    /// A pixel of a patch, or the sum of several.
    private struct Premultiplied {
        var (blue, green, red, alpha) = (Int32(0), Int32(0), Int32(0), Int32(0))
        /// The largest alpha of the pixels that were added.
        var strongest = Int32(0)

        @inline(__always)
        mutating func add(_ pixel: UnsafePointer<UInt8>) {
            blue &+= Int32(pixel[0])
            green &+= Int32(pixel[1])
            red &+= Int32(pixel[2])
            alpha &+= Int32(pixel[3])
            strongest = max(strongest, Int32(pixel[3]))
        }

        /// Returns their common color as the sum of four pixels with the largest alpha.
        @inline(__always)
        mutating func fill() {
            guard alpha != 4 &* strongest else { return }
            (blue, green, red) = (
                blue &* 4 &* strongest / alpha, green &* 4 &* strongest / alpha, red &* 4 &* strongest / alpha
            )
            alpha = 4 &* strongest
        }
    }

    /// The values of one component in a frame.
    private struct Values {
        let start: UnsafeMutablePointer<UInt8>
        /// The distances from one value to the next and from one row to the next, in bytes.
        let step: Int
        let stride: Int
    }

    private let luma: Values
    private let colors: (first: Values, second: Values)
    private let size: (width: Int, height: Int)
    private let weights: (luma: Weights, first: Weights, second: Weights)

    /// - Parameter frame: mapped for writing while this is used.
    /// - Returns: nil for a frame in another format, and for an interlaced one.
    init?(_ frame: GstVideoFrame) {
        let formats = [
            GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YV12, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_NV21,
        ]
        guard let format = frame.info.finfo?.pointee, formats.contains(format.format),
            frame.info.interlace_mode == GST_VIDEO_INTERLACE_MODE_PROGRESSIVE,
            let luma = Self.values(0, of: frame, format), let first = Self.values(1, of: frame, format),
            let second = Self.values(2, of: frame, format)
        else { return nil }
        (self.luma, colors) = (luma, (first, second))
        size = (Int(frame.info.width), Int(frame.info.height))
        weights = Self.weights(of: frame.info.colorimetry)
    }

    private static func values(_ component: Int, of frame: GstVideoFrame, _ format: GstVideoFormatInfo) -> Values? {
        func number<Table>(_ table: Table) -> Int {
            withUnsafeBytes(of: table) { Int($0.assumingMemoryBound(to: gint.self)[component]) }
        }
        let plane = number(format.plane)
        let base = withUnsafeBytes(of: frame.data) { $0.assumingMemoryBound(to: gpointer?.self)[plane] }
        guard let base else { return nil }
        let stride = withUnsafeBytes(of: frame.info.stride) { Int($0.assumingMemoryBound(to: gint.self)[plane]) }
        let start = base.advanced(by: number(format.poffset)).assumingMemoryBound(to: UInt8.self)
        return Values(start: start, step: number(format.pixel_stride), stride: stride)
    }

    /// ITU-R BT.601, BT.709 and BT.2020 differ in how bright red and blue are; the other weights follow from these.
    private static func weights(of colors: GstVideoColorimetry) -> (luma: Weights, first: Weights, second: Weights) {
        var (red, blue) = (0.0, 0.0)
        if gst_video_color_matrix_get_Kr_Kb(colors.matrix, &red, &blue) == 0 { (red, blue) = (0.299, 0.114) }
        let green = 1 - red - blue
        let isFull = colors.range == GST_VIDEO_COLOR_RANGE_0_255
        let (spread, colorSpread) = isFull ? (1.0, 1.0) : (219 / 255.0, 224 / 255.0)
        let (toBlue, toRed) = (colorSpread / (2 * (1 - blue)), colorSpread / (2 * (1 - red)))
        return (
            Weights(blue: blue * spread, green: green * spread, red: red * spread, offset: isFull ? 0 : 16),
            Weights(blue: (1 - blue) * toBlue, green: -green * toBlue, red: -red * toBlue, offset: 128),
            Weights(blue: -blue * toRed, green: -green * toRed, red: (1 - red) * toRed, offset: 128)
        )
    }

    /// Draws a patch on the frame; parts outside the frame are left out.
    func blend(_ patch: OverlayPatch) {
        let (left, right) = (max(0, -patch.x), min(patch.width, size.width - patch.x))
        let (top, bottom) = (max(0, -patch.y), min(patch.height, size.height - patch.y))
        guard left < right, top < bottom else { return }
        let (columns, rows) = (left..<right, top..<bottom)
        patch.bgra.withUnsafeBufferPointer { pixels in
            guard let pixels = pixels.baseAddress else { return }
            blendLuma(patch, pixels: pixels, columns: columns, rows: rows)
            blendColors(patch, pixels: pixels, columns: columns, rows: rows)
        }
    }

    private func blendLuma(
        _ patch: OverlayPatch, pixels: UnsafePointer<UInt8>, columns: Range<Int>, rows: Range<Int>
    ) {
        for row in rows {
            let line = luma.start + (patch.y + row) * luma.stride + patch.x
            let source = pixels + row * patch.width * 4
            for column in columns {
                let pixel = source + 4 &* column
                guard pixel[3] > 0 else { continue }
                // 257/65536 is 1/255, as near as bytes can tell.
                var color = Premultiplied()
                color.add(pixel)
                let under = Int32(line[column]) &* (255 &- color.alpha) &* 257
                line[column] = Self.byte((under &+ weights.luma.value(color) &+ 1 << 15) >> 16)
            }
        }
    }

    /// Blends the colors. Four pixels share a color, and the patch may cover only some of them. The covered ones
    /// decide: otherwise the side of a box, two pixels wide, would lose half of its color wherever it begins at an odd
    /// position.
    private func blendColors(
        _ patch: OverlayPatch, pixels: UnsafePointer<UInt8>, columns: Range<Int>, rows: Range<Int>
    ) {
        let across = (patch.x + columns.lowerBound) / 2...(patch.x + columns.upperBound - 1) / 2
        for y in (patch.y + rows.lowerBound) / 2...(patch.y + rows.upperBound - 1) / 2 {
            let first = colors.first.start + y * colors.first.stride
            let second = colors.second.start + y * colors.second.stride
            let lines = max(rows.lowerBound, 2 * y - patch.y)..<min(rows.upperBound, 2 * y + 2 - patch.y)
            for x in across {
                let left = max(columns.lowerBound, 2 &* x &- patch.x)
                let right = min(columns.upperBound, 2 &* x &+ 2 &- patch.x)
                var color = Premultiplied()
                for row in lines {
                    let line = pixels + row &* patch.width &* 4
                    color.add(line + left &* 4)
                    if right &- left == 2 { color.add(line + left &* 4 + 4) }
                }
                guard color.alpha > 0 else { continue }
                color.fill()
                let under = (1020 &- color.alpha) &* 257
                let (a, b) = (x &* colors.first.step, x &* colors.second.step)
                first[a] = Self.byte((Int32(first[a]) &* under &+ weights.first.value(color) &+ 1 << 17) >> 18)
                second[b] = Self.byte((Int32(second[b]) &* under &+ weights.second.value(color) &+ 1 << 17) >> 18)
            }
        }
    }

    @inline(__always)
    private static func byte(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(255, value))) }
}
