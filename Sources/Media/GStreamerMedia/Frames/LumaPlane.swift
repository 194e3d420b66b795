import CGStreamer
import TextSpotting

/// A part of the Y plane of a frame in an 8-bit format that has one.
///
/// Valid while the frame is mapped.
struct LumaPlane {
    private let start: UnsafePointer<UInt8>
    private let stride: Int
    private let width: Int
    private let height: Int
    private let isVideoRange: Bool

    /// Returns nil if the format stores brightness in another form: in more than 8 bits, interleaved with colors, in
    /// tiles, or not at all.
    init?(_ frame: borrowing GstVideoFrame, _ part: PixelRegion) {
        guard let format = frame.info.finfo else { return nil }
        let has8BitPlane =
            format.pointee.depth.0 == 8 && format.pointee.pixel_stride.0 == 1
            && format.pointee.shift.0 == 0 && format.pointee.plane.0 == 0 && format.pointee.poffset.0 == 0
        guard has8BitPlane, fgst_format_is_tiled(format) == 0,
            fgst_format_is_yuv(format) != 0 || fgst_format_is_gray(format) != 0
        else { return nil }
        let plane = plane(0, of: frame)
        guard let first = plane.start else { return nil }
        start = (first + part.y * plane.stride + part.x).assumingMemoryBound(to: UInt8.self)
        stride = plane.stride
        width = part.width
        height = part.height
        isVideoRange = frame.info.colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235
    }

    /// Returns the plane at its own size or at a whole fraction of it; nil for any other size.
    func picture(width: Int, height: Int) -> Picture? {
        let across = self.width / width
        let down = self.height / height
        guard across * width == self.width, down * height == self.height, across <= 16, down <= 16, across > 0, down > 0
        else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: width * height) { bytes, filled in
            if let output = bytes.baseAddress {
                if across == 1 && down == 1 {
                    copyRows(to: output)
                } else {
                    reduce(to: output, width, height: height, across: across, down: down)
                }
            }
            filled = width * height
        }
        return Picture(format: .luma, width: width, height: height, bytes: bytes)
    }

    private func copyRows(to output: UnsafeMutablePointer<UInt8>) {
        for row in 0..<height {
            let from = start + row * stride
            let to = output + row * width
            if isVideoRange {
                for x in 0..<width { to[x] = spreadToFullRange(from[x]) }
            } else {
                to.update(from: from, count: width)
            }
        }
    }

    /// Makes each pixel the mean of 2 × 2: the usual case, in steps that the compiler vectorizes.
    private func halve(to output: UnsafeMutablePointer<UInt8>, _ width: Int, _ height: Int) {
        for row in 0..<height {
            let first = UnsafeRawPointer(start + 2 * row * stride)
            let second = first + stride
            let to = output + row * width
            // Two adjacent pixels are read as one 16-bit number; which of them is its lower half makes no difference.
            @inline(__always) func mean(_ x: Int) -> UInt16 {
                let above = first.loadUnaligned(fromByteOffset: 2 &* x, as: UInt16.self)
                let below = second.loadUnaligned(fromByteOffset: 2 &* x, as: UInt16.self)
                return ((above & 0xFF) &+ (above &>> 8) &+ (below & 0xFF) &+ (below &>> 8) &+ 2) &>> 2
            }
            if isVideoRange {
                for x in 0..<width { to[x] = spreadToFullRange(mean(x)) }
            } else {
                for x in 0..<width { to[x] = UInt8(truncatingIfNeeded: mean(x)) }
            }
        }
    }

    /// Makes each pixel the mean of `across` × `down` pixels.
    private func reduce(
        to output: UnsafeMutablePointer<UInt8>, _ width: Int, height: Int, across: Int, down: Int
    ) {
        if across == 2 && down == 2 { return halve(to: output, width, height) }
        // A division would take longer than everything else. Multiplying by 2³²/area, rounded up, gives the same
        // result: a sum below 65536 makes it too large by less than 65536 · area / 2³² of 1/area, and a quotient that
        // is not whole lacks at least 1/area to be so.
        let area = UInt32(across * down)
        let inverse = (UInt64(1) << 32 + UInt64(area) - 1) / UInt64(area)
        // The sum of 16 rows of 255 is well below 65536, and so is that of 16 × 16 pixels plus half of their number.
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: self.width) { sums in
            guard let sums = sums.baseAddress else { return }
            for row in 0..<height {
                let from = start + row * down * stride
                for x in 0..<self.width { sums[x] = UInt16(from[x]) }
                for line in 1..<max(1, down) {
                    let next = from + line * stride
                    for x in 0..<self.width { sums[x] &+= UInt16(next[x]) }
                }
                Self.addColumns(of: sums, to: width, across)
                let to = output + row * width
                @inline(__always) func mean(_ x: Int) -> UInt16 {
                    UInt16(truncatingIfNeeded: (UInt64(UInt32(sums[x]) &+ area / 2) &* inverse) &>> 32)
                }
                if isVideoRange {
                    for x in 0..<width { to[x] = spreadToFullRange(mean(x)) }
                } else {
                    for x in 0..<width { to[x] = UInt8(truncatingIfNeeded: mean(x)) }
                }
            }
        }
    }

    /// Replaces the first `width` sums by those of `across` columns each.
    private static func addColumns(of sums: UnsafeMutablePointer<UInt16>, to width: Int, _ across: Int) {
        // The compiler vectorizes this if the count is a constant.
        @inline(__always) func add(_ count: Int) {
            for x in 0..<width {
                var sum = sums[x &* count]
                for column in 1..<max(1, count) { sum &+= sums[x &* count &+ column] }
                sums[x] = sum
            }
        }
        switch across {
        case 3: add(3)
        case 4: add(4)
        case 6: add(6)
        default: add(across)
        }
    }
}

/// Converts a video-range Y (16 black, 235 white; BT.601 and BT.709) to full range (0 black, 255 white).
@inline(__always)
func spreadToFullRange(_ y: UInt8) -> UInt8 { spreadToFullRange(UInt16(y)) }

/// Does the same for a number below 256 in 16 bits: a processor handles twice as many of them at a time as of 32 bits.
@inline(__always)
private func spreadToFullRange(_ y: UInt16) -> UInt8 {
    // 255/219 in 1/256: 298.08, which is 1 and 42/256.
    let above = y > 16 ? y &- 16 : 0
    return UInt8(truncatingIfNeeded: min(above &+ (above &* 42 &+ 128) &>> 8, 255))
}

/// One plane of a mapped frame; valid while the frame is mapped.
struct Plane {
    /// Nil if the frame has no memory for it.
    let start: UnsafeRawPointer?
    /// The distance from one row to the next, in bytes.
    let stride: Int
    /// The number of bytes from the first row to the end of the last.
    let count: Int
}

func planeCount(_ frame: borrowing GstVideoFrame) -> Int { Int(frame.info.finfo?.pointee.n_planes ?? 0) }

/// Returns a plane of a mapped frame, with its actual strides.
///
/// - Precondition: `index` is below ``planeCount(_:)``.
func plane(_ index: Int, of frame: borrowing GstVideoFrame) -> Plane {
    let data = [frame.data.0, frame.data.1, frame.data.2, frame.data.3]
    let strides = [frame.info.stride.0, frame.info.stride.1, frame.info.stride.2, frame.info.stride.3]
    let stride = Int(strides[index])
    // Tiled formats keep their tile counts in the stride, so their rows cannot be counted.
    var info = frame.info
    let isTiled = info.finfo.map { fgst_format_is_tiled($0) != 0 } ?? false
    let count = isTiled ? 0 : stride * planeRows(index, &info)
    return Plane(start: data[index].map { UnsafeRawPointer($0) }, stride: stride, count: count)
}

/// Returns the number of rows of a plane, which is less than the picture's if its colors are subsampled.
private func planeRows(_ index: Int, _ info: inout GstVideoInfo) -> Int {
    guard let format = info.finfo?.pointee else { return 0 }
    let planes = [format.plane.0, format.plane.1, format.plane.2, format.plane.3]
    let subsampling = [format.h_sub.0, format.h_sub.1, format.h_sub.2, format.h_sub.3]
    for component in 0..<Int(min(4, format.n_components)) where planes[component] == UInt32(index) {
        // This rounds up: three rows of luma have two rows of color at half the height.
        return Int((info.height + (1 << subsampling[component]) - 1) >> subsampling[component])
    }
    return Int(info.height)
}
