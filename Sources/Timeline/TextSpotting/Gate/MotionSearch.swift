import TextMatching

/// Finds the displacement at which one luma picture looks most like another.
///
/// Pixels at edges are picked from the first picture, because flat areas look alike everywhere, and are compared with
/// the second picture at every candidate displacement. The difference of each pixel is capped, so that areas that moved
/// differently cannot outvote the rest (a truncated sum of absolute differences).
struct MotionSearch: Sendable {
    private let width: Int
    private let height: Int
    private let places: [Place]

    /// The bounds of all the picked pixels, in pixels of the first picture.
    private let bounds: (x: ClosedRange<Int32>, y: ClosedRange<Int32>)

    private struct Place {
        var x: Int32
        var y: Int32
        var level: Int32
        /// The offset into the bytes of the picture.
        var at: Int32
    }

    /// The largest number of pixels that are compared.
    private static let mostPlaces = 600
    /// With fewer pixels than this the result means nothing.
    private static let fewestPlaces = 40
    /// The least difference between neighboring pixels that makes an edge, in gray levels.
    private static let edge: UInt16 = 14
    /// The cap on the difference that one pixel contributes.
    private static let limit: Int32 = 40

    /// - Parameters:
    ///   - picture: a luma picture.
    ///   - stride: the distance between the pixels that are looked at, across and down.
    init(_ picture: Picture, stride: Int) {
        width = picture.width
        height = picture.height
        let edges = Self.edges(of: picture, stride: stride)
        let step = max(1, edges.count / Self.mostPlaces)
        let width = Int32(picture.width)
        places = Swift.stride(from: 0, to: edges.count, by: step).map { number in
            let at = edges[number]
            return Place(x: at % width, y: at / width, level: Int32(picture.bytes[Int(at)]), at: at)
        }
        let (x, y) = (places.map(\.x), places.map(\.y))
        bounds = ((x.min() ?? 0)...(x.max() ?? 0), (y.min() ?? 0)...(y.max() ?? 0))
    }

    /// Returns the pixels that differ from their right and lower neighbors, row by row, as offsets into the bytes of
    /// the picture.
    private static func edges(of picture: Picture, stride: Int) -> [Int32] {
        let (width, height) = (picture.width, picture.height)
        return picture.bytes.withUnsafeBufferPointer { pixels in
            [Int32](unsafeUninitializedCapacity: max(1, (width / stride + 1) * (height / stride + 1))) { found, count in
                guard let start = pixels.baseAddress, let found = found.baseAddress else { return }
                var number = 0
                for y in Swift.stride(from: 0, to: height - 1, by: stride) {
                    let (row, below) = (start + y &* width, start + (y &+ 1) &* width)
                    var x = 0
                    while x < width &- 1 {
                        let level = row[x]
                        let (right, down) = (row[x &+ 1], below[x])
                        let across = level > right ? level &- right : right &- level
                        let drop = level > down ? level &- down : down &- level
                        // Always write and only advance on a hit: this avoids a branch that the processor could
                        // mispredict.
                        found[number] = Int32(truncatingIfNeeded: y &* width &+ x)
                        number &+= UInt16(across) &+ UInt16(drop) >= edge ? 1 : 0
                        x = x &+ stride
                    }
                }
                count = number
            }
        }
    }

    /// Returns the displacement within `radius` of `guess` at which `picture` looks most like the first one, and the
    /// mean difference there; nil if there is too little to compare.
    ///
    /// - Precondition: `picture` has the size of the first one.
    func best(in picture: Picture, near guess: Displacement, radius: Int) -> (displacement: Displacement, cost: Double)?
    {
        guard places.count >= Self.fewestPlaces else { return nil }
        var best: (cost: Double, distance: Int, displacement: Displacement)?
        picture.bytes.withUnsafeBufferPointer { pixels in
            places.withUnsafeBufferPointer { places in
                // The cost of the guess is an upper bound for the best.
                let bound = cost(of: places, Int32(guess.dx), Int32(guess.dy), pixels, atMost: .infinity) ?? .infinity
                for dy in (guess.dy - radius)...(guess.dy + radius) {
                    for dx in (guess.dx - radius)...(guess.dx + radius) {
                        let most = min(bound, best?.cost ?? .infinity)
                        guard let cost = cost(of: places, Int32(dx), Int32(dy), pixels, atMost: most) else { continue }
                        // Ties go to the displacement nearest to the guess: a repeating pattern fits in many places.
                        let distance = abs(dx - guess.dx) + abs(dy - guess.dy)
                        if best.map({ (cost, distance) < ($0.cost, $0.distance) }) ?? true {
                            best = (cost, distance, Displacement(dx: dx, dy: dy))
                        }
                    }
                }
            }
        }
        return best.map { ($0.displacement, $0.cost) }
    }

    /// Returns the mean difference of the pixels that stay inside the picture; nil if most of them do not. May also
    /// return nil if the mean exceeds `most`.
    private func cost(
        of places: UnsafeBufferPointer<Place>, _ dx: Int32, _ dy: Int32, _ pixels: UnsafeBufferPointer<UInt8>,
        atMost most: Double
    ) -> Double? {
        // However many pixels stay in the picture, a sum above this means a mean above `most`.
        let largest = most * Double(places.count)
        // Add one because the mean is rounded.
        let enough = largest < Double(Int32.max - 2) ? Int32(largest.rounded(.up)) + 1 : Int32.max
        guard let (sum, count) = sum(of: places, dx, dy, pixels, atMost: enough) else { return nil }
        return count * 3 < places.count ? nil : Double(sum) / Double(count)
    }

    /// Returns the sum of the capped differences and the number of pixels; nil if the sum exceeds `enough`.
    private func sum(
        of places: UnsafeBufferPointer<Place>, _ dx: Int32, _ dy: Int32, _ pixels: UnsafeBufferPointer<UInt8>,
        atMost enough: Int32
    ) -> (sum: Int32, count: Int)? {
        guard let start = pixels.baseAddress, let first = places.baseAddress else { return nil }
        let (width, height) = (Int32(width), Int32(height))
        let areAllInside =
            bounds.x.lowerBound &+ dx >= 0 && bounds.x.upperBound &+ dx < width && bounds.y.lowerBound &+ dy >= 0
            && bounds.y.upperBound &+ dy < height
        let step = dy &* width &+ dx
        var (sum, count, done): (Int32, Int, Int) = (0, 0, 0)
        while done < places.count {
            let end = min(places.count, done &+ Self.run)
            for number in done..<end {
                let place = first[number]
                if !areAllInside {
                    let (x, y) = (place.x &+ dx, place.y &+ dy)
                    guard x >= 0, y >= 0, x < width, y < height else { continue }
                }
                let difference = place.level &- Int32(start[Int(place.at &+ step)])
                sum &+= min(Self.limit, difference < 0 ? 0 &- difference : difference)
                count &+= 1
            }
            if sum > enough { return nil }
            done = end
        }
        return (sum, count)
    }

    /// The number of pixels after which the sum is checked against the bound again.
    private static let run = 40
}

/// Follows how far the whole picture has moved since it was last read: a pan, rolling credits, a page being scrolled.
///
/// The step from frame to frame is found on pictures reduced to a quarter; then the sum of the steps is corrected
/// against the picture that was read, so that errors do not add up. Only translations count as motion: a picture that
/// turns or comes nearer counts as changed.
struct GlobalMotion: Sendable {
    /// The motion of the whole picture, and the part of the picture that the motion does not explain.
    struct Shift: Sendable {
        /// The displacement since the last reading.
        var displacement: Displacement
        /// The tiles of the current picture that the motion does not explain: tiles that it uncovered and tiles that
        /// changed.
        var unexplained: TileMask
    }

    private static let reduction = 4
    /// How far a step may differ from the one before, in pixels of the reduced picture.
    private static let reach = 9
    /// Below this mean difference at the edges a step counts as correct.
    private static let fits = 6.0
    /// The share of the textured tiles that a motion must explain to count as one.
    private static let needed = 0.75
    /// The least number of textured tiles.
    private static let fewestTiles = 6
    /// A tile with a smaller mean difference between neighbors is flat.
    private static let flat: Float = 1.5

    private var displacement = Displacement.none
    private var step = Displacement.none
    private var search: MotionSearch?
    private var reduced: (picture: Picture, of: Picture)?

    /// Whether the picture moved since the last reading.
    var hasMoved: Bool { displacement != .none }

    /// Records that the picture was read; motion counts from here on.
    mutating func restart() {
        displacement = .none
        search = nil
    }

    /// Returns the motion from `reference`, the picture last read, through `previous` to `current`; nil if no motion
    /// explains the picture.
    ///
    /// Call this after ``advance(from:to:)``.
    /// - Parameter bar: differences up to this count as noise, in gray levels.
    mutating func shift(to current: Picture, reference: Picture, grid: TileGrid, bar: Float) -> Shift? {
        guard displacement != .none else { return nil }
        return compared(current, with: reference, grid, bar)
    }

    /// Takes a frame that differs from the one before; `reference` is the picture that was last read.
    mutating func advance(from previous: Picture, to current: Picture, since reference: Picture) {
        let before =
            reduced.flatMap { $0.of.sharesBytes(with: previous) ? $0.picture : nil }
            ?? previous.reduced(by: Self.reduction)
        let now = current.reduced(by: Self.reduction)
        reduced = (now, current)
        let search = MotionSearch(before, stride: 1)
        // Most pictures keep moving as before; search widely only if this does not fit.
        let steady = search.best(in: now, near: step, radius: 1)
        let isSteady = steady.map { $0.cost <= Self.fits && $0.displacement == step } ?? false
        let found = isSteady ? steady : search.best(in: now, near: step, radius: Self.reach)
        step = found?.displacement ?? .none
        displacement = displacement + Displacement(dx: step.dx * Self.reduction, dy: step.dy * Self.reduction)
        let whole = self.search ?? MotionSearch(reference, stride: 2)
        self.search = whole
        if let corrected = whole.best(in: current, near: displacement, radius: 3) {
            displacement = corrected.displacement
        }
    }

    /// Compares each tile with the place it came from.
    ///
    /// Half a pixel of misplacement changes an edge by half its height, hence the tolerance; it does not make a letter or a
    /// sign disappear, so there is none where the current picture is flat.
    private func compared(_ current: Picture, with reference: Picture, _ grid: TileGrid, _ bar: Float)
        -> Shift?
    {
        let back = Displacement(dx: -displacement.dx, dy: -displacement.dy)
        let differences = grid.differences(current, offsetA: .none, b: reference, offsetB: back)
        let roughnessThen = Self.roughness(of: reference, movedBy: back, grid)
        let roughnessNow = Self.roughness(of: current, movedBy: .none, grid)
        let standing = grid.differences(current, offsetA: .none, b: reference, offsetB: .none)
        var flags = [Bool](repeating: true, count: grid.count)
        var (textured, explained, changed, followed) = (0, 0, 0, 0)
        for tile in grid.indices {
            guard let difference = differences[tile] else { continue }
            let roughness = roughnessThen[tile]
            let fits = difference <= bar + (roughnessNow[tile] < Self.flat ? 0 : 0.6 * roughness)
            flags[tile] = !fits
            guard roughness >= Self.flat else { continue }
            textured += 1
            if fits { explained += 1 }
            guard standing[tile].map({ $0 > bar }) ?? false else { continue }
            changed += 1
            if fits { followed += 1 }
        }
        // If one caption replaces another on a smooth ground, the tiles that stand still fit, but hardly any that changed.
        guard textured >= Self.fewestTiles, Double(explained) >= Self.needed * Double(textured),
            Double(followed) >= Self.needed * Double(changed)
        else { return nil }
        return Shift(displacement: displacement, unexplained: TileMask(grid: grid, flags: flags))
    }

    /// Returns the mean difference between neighboring pixels for each tile moved by an offset.
    private static func roughness(of picture: Picture, movedBy offset: Displacement, _ grid: TileGrid) -> [Float] {
        let (right, below) = (Displacement(dx: 1, dy: 0), Displacement(dx: 0, dy: 1))
        let across = grid.differences(picture, offsetA: offset, b: picture, offsetB: offset + right)
        let down = grid.differences(picture, offsetA: offset, b: picture, offsetB: offset + below)
        return zip(across, down).map { ($0 ?? 0) + ($1 ?? 0) }
    }
}

/// The motion of a picture in whole pixels: the pixel from `(x, y)` is at `(x + dx, y + dy)`.
public struct Displacement: Sendable, Hashable {
    public var dx: Int
    public var dy: Int

    public init(dx: Int, dy: Int) {
        self.dx = dx
        self.dy = dy
    }

    public static let none = Displacement(dx: 0, dy: 0)

    static func + (a: Displacement, b: Displacement) -> Displacement {
        Displacement(dx: a.dx + b.dx, dy: a.dy + b.dy)
    }

    /// The displacement as a vector.
    public var point: Point { Point(Double(dx), Double(dy)) }
}
