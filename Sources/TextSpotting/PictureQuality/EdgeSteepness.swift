/// Measures how steep the edges of a picture are along one direction.
///
/// In each tile every other line along the direction is looked at by itself: how far apart its brightest and its darkest
/// pixel are, half a tile beyond both ends included, and how much of that lies between two neighbors inside. Stripes along the direction have no contrast along it, so they
/// tell nothing; letters have some along every direction.
struct EdgeSteepness {
    let direction: EdgeDirection
    /// The standard deviation of the picture's noise, which makes steps of its own.
    let noise: Double

    /// Lines with less contrast than this (of 255) tell nothing.
    private static let leastContrast = 28
    /// Fewer tiles than this tell nothing.
    private static let leastTiles = 3

    /// How steep the steepest edges are; nil if too few tiles have contrast.
    ///
    /// The result is that of the tile that nine of ten do not exceed: one sharp spot (a dead pixel, a logo) does not make a
    /// picture sharp, and a blurred background does not make it blurred.
    func measure(_ picture: Picture) -> Double? {
        let side = PictureMeasures.tile
        var tiles: [Double] = []
        picture.bytes.withUnsafeBufferPointer { bytes in
            for y in stride(from: 0, through: picture.height - side, by: side) {
                for x in stride(from: 0, through: picture.width - side, by: side) {
                    if let steepness = steepness(bytes, picture.width, x: x, y: y, side) { tiles.append(steepness) }
                }
            }
        }
        guard tiles.count >= Self.leastTiles else { return nil }
        return tiles.sorted()[(tiles.count - 1) * 9 / 10]
    }

    /// That of the line with the most contrast in a tile.
    private func steepness(
        _ bytes: UnsafeBufferPointer<UInt8>, _ width: Int, x: Int, y: Int, _ side: Int
    ) -> Double? {
        let step = direction.step
        // Lines begin at the tile's side that they leave from and are followed through the tile only: diagonal ones from
        // its middle half, so that all are at least half as long as the tile.
        let isDiagonal = step.x != 0 && step.y != 0
        let starts = isDiagonal ? side / 2 : side
        let length = isDiagonal ? side / 2 : side
        let height = bytes.count / width
        var best: (contrast: Int, jump: Int) = (0, 0)
        for line in stride(from: 0, to: starts, by: 2) {
            let startX = step.x == 0 ? x + line : x
            let startY =
                switch direction {
                case .across, .falling: y + line
                case .down: y
                case .rising: y + side - 1 - line
                }
            // The contrast around: a tile may hold only a part of a blurred edge, which would look steeper than it is.
            let first = -Self.room(
                startX, y: startY, step: (-step.x, -step.y), width: width, height: height, atMost: side / 2)
            let last = Self.room(startX, y: startY, step: step, width: width, height: height, atMost: length + side / 2)
            var at = (startY &+ first &* step.y) &* width &+ startX &+ first &* step.x
            var before = Int(bytes[at])
            var (low, high, jump) = (before, before, 0)
            var place = first &+ 1
            while place <= last {
                at = at &+ step.y &* width &+ step.x
                let value = Int(bytes[at])
                low = min(low, value)
                high = max(high, value)
                if place > 0, place < length { jump = max(jump, abs(value &- before)) }
                before = value
                place &+= 1
            }
            if high - low > best.contrast { best = (high - low, jump) }
        }
        guard best.contrast >= Self.leastContrast else { return nil }
        // Of many differences of noise, each with √2 times its deviation, the largest is some 3 times that.
        let spurious = noise * 3 * 2.0.squareRoot()
        let contrast = max(1, Double(best.contrast) - spurious)
        guard contrast >= Double(Self.leastContrast) else { return nil }
        return max(0, Double(best.jump) - spurious) / contrast
    }

    /// How many steps can be made from a pixel without leaving the picture.
    private static func room(
        _ x: Int, y: Int, step: (x: Int, y: Int), width: Int, height: Int, atMost limit: Int
    ) -> Int {
        func steps(_ at: Int, _ step: Int, _ size: Int) -> Int { step == 0 ? limit : step > 0 ? size - 1 - at : at }
        return min(limit, steps(x, step.x, width), steps(y, step.y, height))
    }
}
