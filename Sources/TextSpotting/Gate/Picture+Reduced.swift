extension Picture {
    /// A luma picture a whole number of times smaller (at most 16), each pixel the mean of a square.
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

    /// The sums of the lines, one below the other, sixteen at a time.
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
