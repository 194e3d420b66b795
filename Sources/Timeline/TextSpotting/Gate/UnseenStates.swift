/// Tracks which tiles of a picture show something that no reading has seen, so that each state of a place is read
/// before it is gone.
///
/// A tile that changes again is lost unless the frame before is read. So is a tile that returned to the state that the
/// last whole reading saw: to later readings it never changed. In a moving picture tiles change with every frame for
/// that reason alone; there a tile counts only if its strokes stand still while its surroundings move. This is checked
/// in every second frame, so that anything that lasts for two frames is seen. A value that takes one frame after the
/// other.
struct UnseenStates: Sendable {
    /// For each tile, whether it changed since it was last read.
    private var touched: [Bool]
    /// For each tile, for how many frames it has shown the same since then.
    private var stood: [UInt8]
    /// For each tile, whether a state other than the one the last whole reading saw has been read since.
    private var strayed: [Bool]
    /// The tiles in which strokes stood still between the last two frames; empty if the picture did not move.
    private var overlaid: [Bool] = []
    /// Whether the frame before the last one was lost for such a tile.
    private var wasTold = false

    /// The number of frames after which a returning text counts as such.
    private static let settled: UInt8 = 2

    init(count: Int = 0) {
        touched = [Bool](repeating: false, count: count)
        stood = [UInt8](repeating: 0, count: count)
        strayed = touched
    }

    /// Returns the tiles that changed since they were read; nil if there are none.
    func tiles(of grid: TileGrid) -> TileMask? {
        touched.contains(true) ? TileMask(grid: grid, flags: touched) : nil
    }

    /// Takes the next frame.
    ///
    /// - Parameters:
    ///   - changed: the tiles that differ from what the last whole reading saw.
    ///   - sincePrevious: the tiles that differ from the frame before.
    ///   - motion: the frame before and this one, if the picture's own movement changes tiles with every frame;
    ///     otherwise nil.
    ///   - reads: the tiles to read in this frame. Tiles that were read differently in the meantime are added.
    ///   - readsPrevious: the tiles to read in the frame before.
    /// - Returns: the tiles of the frame before that show something no reading saw or will see; nil if there are none.
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
        // Anything that moved along with the picture is not an overlay.
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
            // A reading of a moving picture sees everything that did not move along.
            let flags = read.flags.indices.map { read.flags[$0] || motion == nil && touched[$0] && strayed[$0] }
            reads = TileMask(grid: read.grid, flags: flags)
            for tile in flags.indices where flags[tile] { (touched[tile], strayed[tile]) = (false, false) }
        }
        return lost
    }
}

extension TileGrid {
    /// Returns which of the flagged tiles show strokes that stand still, at least two of them next to each other:
    /// something drawn over a moving picture.
    ///
    /// - Precondition: both are luma pictures of the grid's size, and there is a flag for each tile.
    func standingStrokes(_ now: Picture, _ before: Picture, where flags: [Bool]) -> [Bool] {
        precondition(now.bytes.count == width * height && before.bytes.count == width * height)
        var found = [Bool](repeating: false, count: count)
        now.bytes.withUnsafeBytes { now in
            before.bytes.withUnsafeBytes { before in
                for tile in indices where flags[tile] {
                    let (left, top) = (tile % columns * side, tile / columns * side)
                    // One more pixel is needed on the right.
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

    /// Returns the flags of the tiles that changed in a moving picture, and of those that changed less than it moves but
    /// mostly stand: in a box in front of it, a letter that becomes another changes little of its tile.
    ///
    /// - Parameter differences: the difference of each tile.
    /// - Precondition: both are luma pictures of the grid's size, and there is a flag for each tile.
    func changes(_ flags: [Bool], _ differences: [Float], _ now: Picture, _ before: Picture) -> [Bool] {
        precondition(now.bytes.count == width * height && before.bytes.count == width * height)
        return now.bytes.withUnsafeBytes { now in
            before.bytes.withUnsafeBytes { before in
                indices.map { tile in
                    let (left, top) = (tile % columns * side, tile / columns * side)
                    guard !flags[tile], differences[tile] > TileNoise.usualBar, side == 16, left + 16 <= width else {
                        return flags[tile]
                    }
                    let lines = top..<min(height, top + side)
                    let standing = lines.reduce(0) { $0 + Self.standingPixels(now, before, at: $1 * width + left) }
                    return 2 * standing >= 16 * lines.count
                }
            }
        }
    }

    /// Returns how many of sixteen pixels in a row have not changed.
    @inline(__always)
    private static func standingPixels(
        _ now: UnsafeRawBufferPointer, _ before: UnsafeRawBufferPointer, at place: Int
    ) -> Int {
        let pixels = now.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self)
        let earlier = before.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self)
        let stands = difference(pixels, earlier) .<= SIMD16(repeating: mostShimmer)
        return Int(SIMD16<UInt8>(repeating: 0).replacing(with: 1, where: stands).wrappedSum())
    }

    /// Returns how many of sixteen pixels in a row are edges that have not changed.
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

    /// The least step of an edge, in gray levels.
    private static let leastEdge: UInt8 = 32
    private static let mostShimmer: UInt8 = 10
    /// The least number of edge pixels among the 256 of a tile: two strokes of half its height.
    private static let fewestEdges = 16
}
