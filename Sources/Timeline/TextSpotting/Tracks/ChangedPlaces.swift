/// Determines where a picture shows something that no reading saw, and which known lines must be read again for that.
///
/// Text that scrolls past is not another text at the place of a line: two consecutive frames tell whether the content
/// at a place stands still. The frame to be read may be the first that shows it, or the last.
struct ChangedPlaces {
    /// The tiles that changed, in pixels of the thumbnails.
    private let tiles: TileMask
    /// Thumbnails of the frame to be read and of its neighbors: the one before and, if it is known, the next.
    private let now: Picture
    private let neighbors: [Picture]
    /// The size of the thumbnails divided by that of the picture that is read.
    private let scale: Double
    /// Whether much of the picture changes from frame to frame.
    private let moves: Bool

    /// - Parameter frames: the frame before, the one to be read and, if it is known, the next.
    /// - Returns: nil if the frames are not known.
    init?(_ tiles: TileMask, in frames: [FrameHistory.Frame], scale: Double) {
        guard frames.count > 1 else { return nil }
        let now = frames[1].picture
        self.tiles = tiles
        self.now = now
        neighbors = [frames[0].picture] + frames.dropFirst(2).map(\.picture)
        guard neighbors.allSatisfy({ $0.bytes.count == now.bytes.count && $0.width == now.width }) else { return nil }
        self.scale = scale
        moves = Self.moves(now, since: neighbors[0])
    }

    /// Returns whether a line may have changed its text: its place changed, and the content there stands still. A value
    /// may change with every frame if nothing around it moves.
    ///
    /// In a box over a moving picture a line that got longer or shorter stands too.
    func concern(_ track: TextTrack) -> Bool {
        guard track.stands || track.standsAtOneEnd, !track.hasAppeared, isChanged(track.region),
            track.stands || moves && ground(of: track) != nil
        else { return false }
        let place = track.region.scaled(x: scale, y: scale).bounds
        return neighbors.contains { strokesStand(in: place, as: $0) }
            || track.isValue && tiles.share < Self.mostSmall && surroundingsStand(of: place)
    }

    private func isChanged(_ quad: Quad) -> Bool { tiles.intersects(quad.scaled(x: scale, y: scale).bounds) }

    /// Returns whether most edges at a place are where another frame shows them.
    private func strokesStand(in place: Rect, as other: Picture) -> Bool {
        let (edges, standing) = strokes(in: place, as: other)
        return Double(edges) >= Self.fewestEdges * place.height && 4 * standing >= 3 * edges
    }

    /// Returns the number of edges at a place, and how many of them another frame shows too.
    private func strokes(in place: Rect, as other: Picture) -> (edges: Int, standing: Int) {
        var (edges, standing) = (0, 0)
        eachPixel(in: place, and: other) { pixels, others, at in
            guard abs(Int(pixels[at]) - Int(pixels[at + 1])) >= Self.leastEdge else { return }
            edges += 1
            if abs(Int(pixels[at]) - Int(others[at])) <= Self.mostShimmer { standing += 1 }
        }
        return (edges, standing)
    }

    /// Returns whether nothing changed in a margin around a place since the frame before.
    private func surroundingsStand(of place: Rect) -> Bool {
        let inner = place.grown(by: 0.1 * place.height)
        var (sum, count) = (0, 0)
        eachPixel(in: place.grown(by: 0.5 * place.height), and: neighbors[0]) { pixels, earlier, at in
            let (x, y) = (Double(at % now.width), Double(at / now.width))
            guard !inner.holds(Point(x, y)) else { return }
            sum += abs(Int(pixels[at]) - Int(earlier[at]))
            count += 1
        }
        return count > 0 && sum <= Self.mostMovement * count
    }

    /// Visits every pixel of a place except those of the last column, with its position in both pictures.
    private func eachPixel(
        in place: Rect, and other: Picture,
        _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>, Int) -> Void
    ) {
        let inside = place.intersection(now.bounds)
        guard !inside.isEmpty else { return }
        let columns = Int(inside.minX)..<max(Int(inside.minX), min(Int(inside.maxX), now.width - 1))
        let rows = Int(inside.minY)..<Int(inside.maxY)
        now.bytes.withUnsafeBufferPointer { pixels in
            other.bytes.withUnsafeBufferPointer { others in
                for row in rows { for column in columns { body(pixels, others, row * now.width + column) } }
            }
        }
    }

    /// The least step of an edge, in gray levels.
    private static let leastEdge = 32
    private static let mostShimmer = 10
    private static let mostMovement = 2
    /// The least number of edges for each pixel of a line's height; a single slim letter has more.
    private static let fewestEdges = 0.5

    // MARK: Longer texts

    /// Returns the region of a line extended by what changed to the left and right of it, where a longer text may have
    /// replaced it; nil if nothing changed there.
    func stretched(_ track: TextTrack, among tracks: [TextTrack], in picture: Rect) -> Quad? {
        let own = track.region
        let others = tracks.filter { $0.isInView && $0.id != track.id }.map(\.region.bounds)
        if moves { return stretchedOnGround(track, besides: others) }
        guard tiles.share < Self.mostSmall else { return nil }
        let step = Self.step * own.height / max(1, own.width)
        func reach(_ slice: (Double) -> Quad) -> Double {
            var reach = 0.0
            for _ in 0..<Self.mostSteps {
                let next = slice(reach)
                // A changed tile at the end of a line extends beyond it; a further letter there shows as strokes.
                let place = next.scaled(x: scale, y: scale).bounds
                guard isChanged(next), Double(strokes(in: place, as: now).edges) >= Self.fewestEdges * place.height,
                    picture.holds(next.center),
                    !others.contains(where: { $0.intersection(next.bounds).area > 0 })
                else { break }
                reach += step
            }
            return reach
        }
        let before = reach { own.slice(from: -$0 - step, to: -$0) }
        let after = reach { own.slice(from: 1 + $0, to: 1 + $0 + step) }
        return before + after > 0 ? own.slice(from: -before, to: 1 + after) : nil
    }

    /// Returns the region of a line extended by what stands beside it in its box: over a moving picture only that can be
    /// more of it.
    private func stretchedOnGround(_ track: TextTrack, besides others: [Rect]) -> Quad? {
        let taken = others.map { Quad($0).scaled(x: scale, y: scale).bounds }
        let longer = ground(of: track)?.extended(
            isTaken: { place in taken.contains { !$0.intersection(place).isEmpty } }, isNew: tiles.intersects)
        let region = track.region
        guard let longer,
            let all = Quad.spanning(
                [region, longer.scaled(x: 1 / scale, y: 1 / scale)], along: region.direction),
            all.width > region.width + 1
        else { return nil }
        return all
    }

    private func ground(of track: TextTrack) -> EvenGround? {
        EvenGround(under: track.line.quad.scaled(x: scale, y: scale), in: now)
    }

    private static func moves(_ now: Picture, since before: Picture) -> Bool {
        var (changed, count) = (0, 0)
        for at in stride(from: 0, to: now.bytes.count, by: pace) {
            if abs(Int(now.bytes[at]) - Int(before.bytes[at])) > mostShimmer { changed += 1 }
            count += 1
        }
        return Double(changed) > mostSmall * Double(count)
    }

    /// One pixel in so many tells whether the picture moves: a prime number, so that most sizes have them in all columns.
    private static let pace = 61
    /// If more than this share of the picture changed, changes next to a line are not taken for text.
    private static let mostSmall = 0.1
    /// The step by which a region is extended, in heights of the line.
    private static let step = 0.5
    /// The largest number of steps by which a region is extended on either side.
    private static let mostSteps = 24
}
