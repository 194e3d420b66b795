/// Finds known lines that moved, turned or grew, using the thumbnails between two readings and no detector.
///
/// Each line is followed from frame to frame (``PlanarTemplate``), then compared letter by letter with its look when it
/// was read. A line that fails this test is not carried: it is searched for and read.
struct LineCarrier {
    /// The frame of the previous reading, and those since; the last of them is to be read now.
    let frames: [FrameHistory.Frame]
    /// The size of the thumbnails divided by that of the pictures that are read.
    let scale: Double
    /// The motion of everything else from the first frame to the last, in pixels of the thumbnails.
    let background: PlanarMotion

    /// With more lines than this, a detection costs less than comparing each with the picture.
    private static let mostLines = 40
    /// With more independently moving lines than this, a detection costs less than following each from frame to frame.
    private static let mostFollowed = 8
    /// The interval, in frames, at which a line is located: words seldom move by more than a few pixels from one frame
    /// to the next.
    private static let pace = 2
    /// A line whose size or direction changed by more than this is read again.
    private static let mostGrowth = 1.69
    private static let leastGrowth = 0.5
    private static let mostTurn = 0.35
    /// The number of rows of the picture that a line is followed with: more would be more exact, but from less far
    /// away.
    private static let coarseRows = 9.0
    /// The correlation from which a line counts as found; whether it is unchanged is tested at the end.
    private static let alike = 0.7
    /// The difference from which a picture counts as another one, in levels of brightness.
    private static let fresh = 0.5

    /// Returns the lines of `tracks` that the last frame shows, and their motion; `picture` is the one to be read.
    func carry(_ tracks: [TextTrack], in picture: Picture) -> [CarriedLine] {
        guard tracks.count <= Self.mostLines, frames.count > 1 else { return [] }
        var carried: [CarriedLine] = []
        var others: [TextTrack] = []
        for track in tracks {
            if let line = line(track, after: background, in: picture) {
                carried.append(line)
            } else {
                others.append(track)
            }
        }
        guard others.count <= Self.mostFollowed else { return carried }
        return carried
            + others.compactMap { track in follow(track).flatMap { line(track, after: $0, in: picture) } }
    }

    /// Returns the line at its place after a motion of the thumbnails; nil if the picture shows something else there.
    private func line(_ track: TextTrack, after followed: PlanarMotion, in picture: Picture) -> CarriedLine? {
        // More of a line that was cut by the edge of the picture may be visible now.
        guard !track.wasCut, let look = track.look, let back = track.motion.inverse,
            let (likeness, motion) = look.likeness(
                in: picture, after: followed.scaled(by: 1 / scale).after(track.motion)),
            likeness.isSameReshaped
        else { return nil }
        let turn = abs(motion.xAxis.y) / max(1e-6, motion.xAxis.length)
        return CarriedLine(
            track: track.id, step: motion.after(back), isFresh: likeness.difference >= Self.fresh,
            isClearer: motion.growth > Self.mostGrowth || motion.growth < Self.leastGrowth || turn > Self.mostTurn)
    }

    /// Returns the motion of the line from the first frame to the last, in pixels of the thumbnails; nil if it is lost.
    private func follow(_ track: TextTrack) -> PlanarMotion? {
        guard let first = frames.first else { return nil }
        let quad = track.line.quad.scaled(x: scale, y: scale)
        let coarseness = max(1, min(6, Int(quad.height / Self.coarseRows)))
        guard let template = PlanarTemplate(first.picture, in: quad, coarseness: coarseness) else { return nil }
        var motion = PlanarMotion.none
        var step = PlanarMotion.none
        var last = first.time
        for (number, frame) in frames.enumerated().dropFirst()
        where (frames.count - 1 - number).isMultiple(of: Self.pace) {
            if number <= Self.pace {
                step = PlanarMotion(shift: track.velocity * scale * (frame.time.start - last.start).seconds)
            }
            let found =
                fit(template, in: frame.picture, near: step.after(motion))
                ?? jump(track, from: motion, to: frame.picture).flatMap { fit(template, in: frame.picture, near: $0) }
            guard let found else { return nil }
            if let back = motion.inverse { step = found.after(back) }
            motion = found
            last = frame.time
        }
        return motion
    }

    private func fit(_ template: PlanarTemplate, in picture: Picture, near guess: PlanarMotion) -> PlanarMotion? {
        guard let fit = template.fit(in: picture, near: guess), fit.correlation >= Self.alike else { return nil }
        return fit.motion
    }

    /// Returns a motion of the same shape some whole pixels further, for a line that changed its motion.
    private func jump(_ track: TextTrack, from motion: PlanarMotion, to picture: Picture) -> PlanarMotion? {
        guard let first = frames.first,
            let patch = TextPatch(
                first.picture, quad: track.line.quad.scaled(x: scale, y: scale),
                characters: max(1, track.line.text.count)),
            let place = PatchFollower().locate(patch.moved(by: motion), in: picture, near: (0, 0))
        else { return nil }
        return PlanarMotion(shift: Point(Double(place.dx), Double(place.dy))).after(motion)
    }
}

/// Predicts a thumbnail in which known lines have only moved: the previous picture, with the lines at their current
/// places.
///
/// Tiles that show something else have changed. Nothing in particular is expected where a line has left, but text is
/// rough, so smooth areas contain none.
struct ExpectedPicture {
    /// The place of a line in the reference, in its pixels, and its motion since.
    struct Line {
        let footprint: Footprint
        let arrived: Footprint
        /// The old and new places of the area that may have moved along with the line, such as the plate of a sign or a
        /// vehicle.
        let surroundings: Footprint
        let arrivedSurroundings: Footprint
        /// The inverse motion; nil if there is none.
        let back: PlanarMotion?

        /// The extent of the area that moves along with a line, as a multiple of its height.
        private static let reach = 1.5

        init(_ quad: Quad, movedBy motion: PlanarMotion) {
            let there = quad.mapped(motion.apply)
            footprint = Footprint(quad, margin: Self.margin(of: quad))
            arrived = Footprint(there, margin: Self.margin(of: there))
            surroundings = Footprint(quad, margin: Self.reach * quad.height)
            arrivedSurroundings = Footprint(there, margin: Self.reach * there.height)
            back = motion.inverse
        }

        /// Returns the margin for the blur around a line.
        private static func margin(of quad: Quad) -> Double { max(2.5, 0.12 * quad.height) }
    }

    /// A quad with a margin around it.
    struct Footprint {
        let bounds: Rect
        private let origin: Point
        private let along: Point
        private let across: Point
        private let marginAlong: Double
        private let marginAcross: Double

        init(_ quad: Quad, margin: Double) {
            origin = quad.topLeft
            let (right, down) = (quad.topRight - quad.topLeft, quad.bottomLeft - quad.topLeft)
            let area = right.x * down.y - right.y * down.x
            let unit = abs(area) < 1e-6 ? 0 : 1 / area
            along = Point(down.y, -down.x) * unit
            across = Point(-right.y, right.x) * unit
            marginAlong = margin / max(1, right.length)
            marginAcross = margin / max(1, down.length)
            bounds = quad.bounds.grown(by: margin)
        }

        @inline(__always)
        func holds(_ point: Point) -> Bool {
            let (x, y) = (point.x - origin.x, point.y - origin.y)
            let (u, v) = (x * along.x + y * along.y, x * across.x + y * across.y)
            return u >= -marginAlong && u <= 1 + marginAlong && v >= -marginAcross && v <= 1 + marginAcross
        }
    }

    /// The picture that was read, and the current one; both luma pictures of the same size.
    let reference: Picture
    let current: Picture
    let lines: [Line]
    /// The inverse motion of everything else.
    let back: PlanarMotion

    /// The largest difference that noise makes, in gray levels.
    private static let noise = 4.0
    /// Half a pixel of misplacement changes an edge by half its height.
    private static let tolerance = 0.6
    /// The mean steepness, in gray levels, below which there is no writing.
    private static let smooth = 2.0

    /// Returns the changed tiles that show something other than expected.
    ///
    /// - Parameter lost: the places of known lines that are not in ``lines``: nothing explains changes there.
    func unexplained(_ changed: TileMask, lost: [Rect]) -> TileMask {
        let grid = changed.grid
        var flags = changed.flags
        current.bytes.withUnsafeBufferPointer { now in
            reference.bytes.withUnsafeBufferPointer { before in
                let pixels = Pixels(
                    now: now, width: current.width, height: current.height, before: BrightnessSource(reference, before))
                for tile in grid.indices where flags[tile] {
                    let place = Rect(
                        x: Double(tile % grid.columns * grid.side), y: Double(tile / grid.columns * grid.side),
                        width: Double(grid.side), height: Double(grid.side)
                    ).intersection(current.bounds)
                    flags[tile] = lost.contains { !$0.intersection(place).isEmpty } || !isExplained(place, pixels)
                }
            }
        }
        return TileMask(grid: grid, flags: flags)
    }

    /// The bytes of both pictures while they are lent.
    private struct Pixels {
        let now: UnsafeBufferPointer<UInt8>
        let width: Int
        let height: Int
        let before: BrightnessSource

        /// Returns a pixel, and its differences from the neighbors to the right and below.
        @inline(__always)
        func look(_ x: Int, _ y: Int) -> (level: Double, steepness: Double) {
            let at = y * width + x
            let level = Double(now[at])
            let right = x + 1 < width ? Double(now[at + 1]) : level
            let below = y + 1 < height ? Double(now[at + width]) : level
            return (level, abs(right - level) + abs(below - level))
        }
    }

    /// Sums over some pixels of a tile.
    private struct Sums {
        var count = 0.0
        var steepness = 0.0
        var difference = 0.0

        mutating func add(steepness: Double, difference: Double = 0) {
            count += 1
            self.steepness += steepness
            self.difference += difference
        }
    }

    private func isExplained(_ tile: Rect, _ pixels: Pixels) -> Bool {
        let gone = Quad(tile).mapped(back.apply).bounds
        let near = lines.filter {
            !$0.arrivedSurroundings.bounds.intersection(tile).isEmpty
                || !$0.surroundings.bounds.intersection(gone).isEmpty
        }
        // Changes that no moving line explains happened on their own.
        guard !near.isEmpty || back != .none else { return false }
        var (known, bare) = (Sums(), Sums())
        for y in stride(from: Int(tile.minY), to: Int(tile.maxY), by: near.isEmpty ? 2 : 1) {
            for x in stride(from: Int(tile.minX), to: Int(tile.maxX), by: near.isEmpty ? 2 : 1) {
                let place = Point(Double(x) + 0.5, Double(y) + 0.5)
                // Lines have already been compared with their own pictures, more closely than is possible here.
                guard !near.contains(where: { $0.arrived.holds(place) }) else { continue }
                let (level, steepness) = pixels.look(x, y)
                if let difference = difference(of: level, steepness, at: place, near, pixels) {
                    known.add(steepness: steepness, difference: difference)
                } else {
                    bare.add(steepness: steepness)
                }
            }
        }
        // A few pixels say little about how smooth the tile is.
        let least = tile.area / (near.isEmpty ? 16 : 4)
        guard bare.steepness <= Self.smooth * max(bare.count, least) else { return false }
        guard known.count > 0 else { return true }
        return known.difference <= Self.noise * max(known.count, least) + Self.tolerance * known.steepness
    }

    /// Returns the difference of a pixel from the one that it came from; nil if that was not in view.
    ///
    /// It moved with the rest of the picture or with a nearby line. A pixel that was uncovered was behind something
    /// before.
    private func difference(
        of level: Double, _ steepness: Double, at place: Point, _ near: [Line], _ pixels: Pixels
    ) -> Double? {
        func difference(from source: Point) -> Double? {
            guard reference.bounds.holds(source), !near.contains(where: { $0.footprint.holds(source) }) else {
                return nil
            }
            return abs(level - Double(pixels.before.mean(around: source, side: 1)))
        }
        let source = back.apply(place)
        var least = difference(from: source)
        let bar = Self.noise + Self.tolerance * steepness
        for line in near where least ?? .infinity > bar && line.arrivedSurroundings.holds(place) {
            guard let there = line.back?.apply(place), let other = difference(from: there) else { continue }
            least = min(least ?? other, other)
        }
        guard let least, least > bar, near.contains(where: { $0.surroundings.holds(source) }) else { return least }
        return nil
    }
}
