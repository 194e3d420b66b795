extension Picture {
    /// The brightness of a part, row by row; pixels outside of the picture repeat those of its edge.
    func brightness(left: Int, top: Int, width: Int, height: Int) -> [UInt8] {
        guard self.width > 0, self.height > 0 else { return [UInt8](repeating: 0, count: max(0, width * height)) }
        return [UInt8](unsafeUninitializedCapacity: width * height) { target, count in
            bytes.withUnsafeBufferPointer { source in
                var index = 0
                for y in top..<(top + height) {
                    let row = max(0, min(self.height - 1, y)) * bytesPerRow
                    for x in left..<(left + width) {
                        let column = max(0, min(self.width - 1, x))
                        switch format {
                        case .luma: target[index] = source[row + column]
                        case .rgb:
                            let at = row + 3 * column
                            let sum = UInt16(source[at]) + 2 * UInt16(source[at + 1]) + UInt16(source[at + 2])
                            target[index] = UInt8(sum / 4)
                        }
                        index += 1
                    }
                }
            }
            count = width * height
        }
    }
}
