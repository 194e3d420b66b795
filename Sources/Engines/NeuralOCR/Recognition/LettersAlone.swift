extension StraightLine {
    /// The brightness, as a share of that of the letters, up to which everything is made black. An outline and the
    /// edges of letters, which fill narrow gaps between words, are darker.
    private static let leastOfLetters: Float = 0.55
    /// The share of the pixels that are darker than letters are.
    private static let shareBelowLetters = 0.97

    /// Returns the line with its light letters on black.
    ///
    /// Captions have a dark outline, which fills the gaps between words in narrow fonts, and the network reads words
    /// that touch as one. In the result they mostly do not touch, but letters may lose thin strokes: it shows gaps, and is not a
    /// better picture of the letters.
    ///
    /// - Returns: the line, and whether an outline that is darker than the background was removed.
    func lettersAlone() -> (line: StraightLine, isOutlined: Bool) {
        let size = planes.count / 3
        var brightness = [Float](repeating: .infinity, count: size)
        for plane in 0..<3 {
            let values = planes[plane * size..<(plane + 1) * size].map { $0 + 1 }
            let bright = Self.bright(values)
            for index in 0..<size { brightness[index] = min(brightness[index], values[index] / bright) }
        }
        let bright = Self.bright(brightness)
        for index in 0..<size { brightness[index] = min(1, brightness[index] / bright) }
        let least = Self.leastOfLetters
        let alone = brightness.map { max(0, ($0 - least) / (1 - least)) * 2 - 1 }
        return (StraightLine(self, planes: alone + alone + alone), isOutlined(brightness))
    }

    /// Returns the value that a few in a hundred exceed: that of light letters.
    ///
    /// - Parameter values: those above 2 count as 2.
    private static func bright(_ values: [Float]) -> Float {
        var histogram = [Int](repeating: 0, count: 512)
        for value in values { histogram[max(0, min(511, Int(value * 256)))] += 1 }
        var below = 0
        let bin = histogram.firstIndex { count in
            below += count
            return Double(below) > shareBelowLetters * Double(values.count)
        }
        return Float(max(1, bin ?? 511)) / 256
    }

    /// Returns whether the pixels around light letters are darker than those further away.
    ///
    /// - Parameter brightness: as shares of that of the letters.
    private func isOutlined(_ brightness: [Float]) -> Bool {
        let rows = ink.height / 8..<ink.height - ink.height / 8
        // The distances from the letters, along rows and columns: from the left and above, then from the right and below.
        var distances = brightness.map { $0 >= Self.leastOfLetters ? 0 : ink.height }
        func approach(_ index: Int, from other: Int) { distances[index] = min(distances[index], distances[other] + 1) }
        for y in rows {
            for x in 0..<width {
                if x > 0 { approach(y * width + x, from: y * width + x - 1) }
                if y > rows.lowerBound { approach(y * width + x, from: (y - 1) * width + x) }
            }
        }
        var near: (sum: Float, count: Float) = (0, 0)
        var far = near
        for y in rows.reversed() {
            for x in (0..<width).reversed() {
                let index = y * width + x
                if x < width - 1 { approach(index, from: index + 1) }
                if y < rows.upperBound - 1 { approach(index, from: index + width) }
                switch distances[index] {
                case 0...1: continue  // Letters and their edges.
                case 2...ink.height / 12: near = (near.sum + brightness[index], near.count + 1)
                default: far = (far.sum + brightness[index], far.count + 1)
                }
            }
        }
        guard near.count > 0, far.count > 0 else { return false }
        let background = far.sum / far.count
        return background > Self.leastBackground && near.sum / near.count < Self.mostOfOutline * background
    }

    /// The least brightness of a background on which an outline is seen, as a share of that of the letters.
    private static let leastBackground: Float = 0.03
    /// The greatest brightness of an outline, as a share of that of the background.
    private static let mostOfOutline: Float = 0.75
}
