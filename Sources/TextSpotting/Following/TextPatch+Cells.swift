extension TextPatch {
    /// Finds where each letter went by itself, when the whole went roughly by whole pixels: this reveals turning and growing.
    ///
    /// Each cell is looked for within two pixels of where it should be, to fractions of a pixel (the parabola through the
    /// best place and its neighbors); cells that are found nowhere are left out.
    func cellSteps(in picture: Picture, movedBy dx: Int, _ dy: Int) -> [PlanarMotion.Step] {
        cells.indices.compactMap { cell in
            let score = { (x: Int, y: Int) in correlation(ofCell: cell, in: picture, movedBy: dx + x, dy + y) }
            var best = (x: 0, y: 0, score: -1.0)
            for y in -Self.cellReach...Self.cellReach {
                for x in -Self.cellReach...Self.cellReach {
                    let value = score(x, y)
                    // A letter that is alike everywhere along a stroke stays where it should be.
                    if value > best.score + 0.01 * Double(abs(x) + abs(y)) { best = (x, y, value) }
                }
            }
            guard best.score >= 0.5 else { return nil }
            let fineX = Self.vertex(score(best.x - 1, best.y), best.score, score(best.x + 1, best.y))
            let fineY = Self.vertex(score(best.x, best.y - 1), best.score, score(best.x, best.y + 1))
            let from = center(ofCell: cell)
            return PlanarMotion.Step(
                from: from, to: from + Point(Double(dx + best.x) + fineX, Double(dy + best.y) + fineY))
        }
    }

    private static let cellReach = 2
    /// More samples of a cell than this tell nothing new.
    private static let cellSamples = 96

    private func center(ofCell cell: Int) -> Point {
        let range = cells[cell]
        let x = xs[range].reduce(0.0) { $0 + Double($1) }
        let y = ys[range].reduce(0.0) { $0 + Double($1) }
        return Point(x / Double(range.count) + 0.5, y / Double(range.count) + 0.5)
    }

    /// Where between −0.5 and 0.5 the parabola through three values at −1, 0 and 1 is highest.
    private static func vertex(_ before: Double, _ at: Double, _ after: Double) -> Double {
        let bend = before - 2 * at + after
        return bend < -1e-6 ? max(-0.5, min(0.5, 0.5 * (before - after) / bend)) : 0
    }

    /// −1 to 1; −1 where much of the cell would be outside the picture.
    private func correlation(ofCell cell: Int, in picture: Picture, movedBy dx: Int, _ dy: Int) -> Double {
        let (range, moment) = (cells[cell], moments[cell])
        let (moveX, moveY) = (Int32(clamping: dx), Int32(clamping: dy))
        let (width, height) = (Int32(picture.width), Int32(picture.height))
        var (sum, squares, products, own, count): (Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0)
        picture.bytes.withUnsafeBufferPointer { pixels in
            // An odd stride walks across the columns instead of along one row of each.
            for index in stride(from: range.lowerBound, to: range.upperBound, by: range.count / Self.cellSamples | 1) {
                let x = xs[index] &+ moveX
                let y = ys[index] &+ moveY
                guard x >= 0, y >= 0, x < width, y < height else { continue }
                let value = Float(pixels[Int(y) * Int(width) + Int(x)])
                let deviation = values[index] - moment.mean
                sum += value
                squares += value * value
                products += value * deviation
                own += deviation
                count += 1
            }
        }
        guard count >= 8 else { return -1 }
        let mean = sum / count
        let spread = max(0, squares / count - mean * mean).squareRoot()
        guard spread >= 2 else { return 0 }
        return Double((products / count - mean * own / count) / (spread * moment.deviation))
    }
}
