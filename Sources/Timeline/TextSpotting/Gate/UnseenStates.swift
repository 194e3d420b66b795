/// Which tiles of a picture show something that no reading has seen, so that each state of a place is read before it is gone.
///
/// A tile that changes again is lost unless the frame before is read, and so is one that returned to what the last whole reading saw of it:
/// for later readings it did not change. Where the picture moves, tiles change with every frame for that alone: there a tile counts whose
/// strokes stand still while what is around them moves, in every second frame, so that what stands for two is seen. A value fed with frame
/// after frame.
struct UnseenStates: Sendable {
    /// Per tile: it changed since it was read last.
    private var touched: [Bool]
    /// Per tile: for how many frames it has shown the same since then.
    private var stood: [UInt8]
    /// Per tile: since the last whole reading another state of it was read than that reading saw.
    private var strayed: [Bool]
    /// Tiles in which strokes stood still from the frame before the last one to the last one; empty where the picture did not move.
    private var overlaid: [Bool] = []
    /// The last frame but one was lost for such a tile.
    private var wasTold = false

    /// A returning text counts as such when it has been there for this many frames.
    private static let settled: UInt8 = 2

    init(count: Int = 0) {
        touched = [Bool](repeating: false, count: count)
        stood = [UInt8](repeating: 0, count: count)
        strayed = touched
    }

    /// The change since it was read; nil if there was none.
    func tiles(of grid: TileGrid) -> TileMask? {
        touched.contains(true) ? TileMask(grid: grid, flags: touched) : nil
    }

    /// Takes the next frame.
    ///
    /// - Parameters:
    ///   - changed: the tiles that differ from what the last whole reading saw of them.
    ///   - sincePrevious: those that differ from the frame before.
    ///   - motion: the frame before and this one, where the picture's own movement changes tiles with every frame; nil where it does not.
    ///   - reads: what is read of this frame. Tiles are added that were read otherwise meanwhile.
    ///   - readsPrevious: what is read of the frame before.
    /// - Returns: where the frame before shows what no reading saw or will see; nil if it does not.
    mutating func advance(
        _ changed: TileMask, _ sincePrevious: [Bool], motion: (before: Picture, now: Picture)?,
        reads: inout TileMask?, readsPrevious: TileMask?
    ) -> TileMask? {
        var (isLost, isOverlaid) = (false, false)
        for tile in sincePrevious.indices where touched[tile] {
            if readsPrevious?.flags[tile] == true {
                (touched[tile], strayed[tile]) = (false, false)
            } else if sincePrevious[tile] {
                isLost = isLost || motion == nil || stood[tile] > 0
                isOverlaid = isOverlaid || !overlaid.isEmpty && overlaid[tile]
            } else {
                isLost = isLost || (stood[tile] == Self.settled && !changed.flags[tile])
            }
        }
        isLost = isLost || isOverlaid && !wasTold
        wasTold = isLost
        // Something that moved along with the picture is no overlay.
        let flags = motion == nil ? [] : zip(sincePrevious, changed.flags).map { $0 && $1 }
        overlaid = motion.map { changed.grid.standingStrokes($0.now, $0.before, where: flags) } ?? []
        let lost = isLost ? tiles(of: changed.grid) : nil
        for tile in sincePrevious.indices {
            if lost != nil, touched[tile] {
                strayed[tile] = strayed[tile] || motion == nil || stood[tile] > 0
                touched[tile] = false
            }
            if sincePrevious[tile] {
                (touched[tile], stood[tile]) = (true, 0)
            } else if touched[tile] {
                stood[tile] = min(stood[tile], 253) + 1
            }
        }
        if let read = reads {
            // A reading of a moving picture shows everything that did not move along.
            let flags = read.flags.indices.map { read.flags[$0] || motion == nil && touched[$0] && strayed[$0] }
            reads = TileMask(grid: read.grid, flags: flags)
            for tile in flags.indices where flags[tile] { (touched[tile], strayed[tile]) = (false, false) }
        }
        return lost
    }
}

extension TileGrid {
    /// Which of the flagged tiles show strokes that stand still, two of them beside each other at least: what is drawn over a moving picture.
    ///
    /// - Precondition: both are luma pictures of the grid's size; a flag for each tile.
    func standingStrokes(_ now: Picture, _ before: Picture, where flags: [Bool]) -> [Bool] {
        precondition(now.bytes.count == width * height && before.bytes.count == width * height)
        var found = [Bool](repeating: false, count: count)
        now.bytes.withUnsafeBytes { now in
            before.bytes.withUnsafeBytes { before in
                for tile in indices where flags[tile] {
                    let (left, top) = (tile % columns * side, tile / columns * side)
                    // A pixel more is needed on the right.
                    guard left + 17 <= width, side == 16 else { continue }
                    var edges = 0
                    for line in top..<min(height, top + side) {
                        edges += Self.standingEdges(now, before, at: line * width + left)
                    }
                    found[tile] = edges >= Self.fewestEdges
                }
            }
        }
        return indices.map { tile in
            found[tile]
                && (tile % columns > 0 && found[tile - 1] || tile % columns < columns - 1 && found[tile + 1])
        }
    }

    /// Of sixteen pixels in a row, how many are edges and as they were.
    @inline(__always)
    private static func standingEdges(
        _ now: UnsafeRawBufferPointer, _ before: UnsafeRawBufferPointer, at place: Int
    ) -> Int {
        let pixels = now.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self)
        let beside = now.loadUnaligned(fromByteOffset: place + 1, as: SIMD16<UInt8>.self)
        let earlier = before.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self)
        let isEdge = difference(pixels, beside) .>= SIMD16(repeating: leastEdge)
        let stands = difference(pixels, earlier) .<= SIMD16(repeating: mostShimmer)
        let counted = SIMD16<UInt8>(repeating: 0).replacing(with: 1, where: isEdge .& stands)
        return Int(counted.wrappedSum())
    }

    @inline(__always)
    private static func difference(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> {
        let isLess = a .< b
        return a.replacing(with: b, where: isLess) &- b.replacing(with: a, where: isLess)
    }

    /// In gray levels.
    private static let leastEdge: UInt8 = 32
    private static let mostShimmer: UInt8 = 10
    /// Of the 256 pixels of a tile: two strokes of half its height.
    private static let fewestEdges = 16
}
