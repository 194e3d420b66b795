import TextMatching

/// Follows how far the whole picture has moved since it was last read: a pan, credits that roll, a page being scrolled.
///
/// The step from frame to frame is found on pictures reduced to a quarter, then the sum of the steps is corrected against
/// the picture that was read, so that errors do not add up. Only translations: what turns or comes nearer is a change.
struct GlobalMotion: Sendable {
    /// How the picture moved as a whole, and what of it that does not explain.
    struct Shift: Sendable {
        /// Since the reading.
        var displacement: Displacement
        /// Tiles of the current picture that the motion does not explain: those it uncovered, and those that changed.
        var unexplained: TileMask
    }

    private static let reduction = 4
    /// How far a step may differ from the one before, in pixels of the reduced picture.
    private static let reach = 9
    /// With a smaller mean difference at the edges a step is right.
    private static let fits = 6.0
    /// This share of the tiles with something on them must be explained by the motion for it to be one.
    private static let needed = 0.75
    /// The least number of them.
    private static let fewestTiles = 6
    /// A tile with a smaller mean difference between neighbors is flat.
    private static let flat: Float = 1.5

    private var displacement = Displacement.none
    private var step = Displacement.none
    private var search: MotionSearch?
    private var reduced: (picture: Picture, of: Picture)?

    /// Something moved since the reading.
    var hasMoved: Bool { displacement != .none }

    /// The picture was read: motion counts from here on.
    mutating func restart() {
        displacement = .none
        search = nil
    }

    /// How the picture moved from `reference`, as last read, by way of `previous` to `current`.
    ///
    /// To be called after ``advance(from:to:)``; nil when no motion explains the picture.
    /// - Parameter bar: differences up to this are noise, in gray levels.
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
        // Most pictures move as they did before; only where that does not fit the search is wide.
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

    /// Compares each tile with where it came from.
    ///
    /// Half a pixel of misplacement changes an edge by half its height, hence the tolerance.
    private func compared(_ current: Picture, with reference: Picture, _ grid: TileGrid, _ bar: Float)
        -> Shift?
    {
        let back = Displacement(dx: -displacement.dx, dy: -displacement.dy)
        let differences = grid.differences(current, offsetA: .none, b: reference, offsetB: back)
        let across = grid.differences(
            reference, offsetA: back, b: reference, offsetB: back + Displacement(dx: 1, dy: 0))
        let down = grid.differences(reference, offsetA: back, b: reference, offsetB: back + Displacement(dx: 0, dy: 1))
        var flags = [Bool](repeating: true, count: grid.count)
        var (textured, explained) = (0, 0)
        for tile in grid.indices {
            guard let difference = differences[tile] else { continue }
            let roughness = (across[tile] ?? 0) + (down[tile] ?? 0)
            let fits = difference <= bar + 0.6 * roughness
            flags[tile] = !fits
            guard roughness >= Self.flat else { continue }
            textured += 1
            if fits { explained += 1 }
        }
        guard textured >= Self.fewestTiles, Double(explained) >= Self.needed * Double(textured) else { return nil }
        return Shift(displacement: displacement, unexplained: TileMask(grid: grid, flags: flags))
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

    /// As a vector.
    public var point: Point { Point(Double(dx), Double(dy)) }
}
