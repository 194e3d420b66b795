internal import TextSpotting

extension Picture {
    /// The picture's brightness: itself where it is luma, else the weighted sum of ITU-R BT.601 (0.299, 0.587, 0.114).
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

    /// A luma picture in another size: bilinear where it grows, the mean of the pixels covered where it shrinks.
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

/// Which old pixels make up each new one along one side of a picture.
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
