/// At which sizes a still picture is looked at for text: all of it at once for large letters, in parts at its own size, and in parts that
/// are enlarged for small ones.
///
/// All parts are given one size for the network, because it prepares for each size anew. How much is done depends on the picture's
/// size alone.
struct StillPlan: Sendable, Hashable {
    /// What is looked at in one go.
    struct Look: Sendable, Hashable {
        /// In pixels of the picture.
        var part: Rect
        /// The network's pixels for one of the picture's.
        var scale: Double
        /// Another detector than the best one does for it.
        var isQuick: Bool
    }

    /// The size that each part is given for the network, in pixels.
    let width: Int
    let height: Int
    let looks: [Look]

    /// Neighboring parts have this many of the network's pixels in common, so that lines are whole in one of them.
    static let overlap = 96
    /// The longest side of a part, in the network's pixels: the size that detectors find lines of usual height at.
    static let longest = 1120
    /// How many of the network's pixels the best detector may look at, and a quicker one besides: some two seconds of one processor.
    static let most = 5_500_000.0
    static let mostQuick = 12_000_000.0

    init(width: Int, height: Int) {
        let area = Double(max(1, width * height))
        // A picture too large for its own size is looked at in the largest that goes.
        let fitting = min(1, (Self.most / (1.6 * area)).squareRoot())
        let scales =
            4 * 1.3 * area <= Self.mostQuick
            ? [(fitting, false), (2, true)] : [(fitting, false)]
        let across = Self.side(of: width, scales.map(\.0))
        let down = Self.side(of: height, scales.map(\.0))
        (self.width, self.height) = (across, down)
        let whole = Look(
            part: Rect(x: 0, y: 0, width: Double(width), height: Double(height)),
            scale: min(Double(across) / Double(max(1, width)), Double(down) / Double(max(1, height))), isQuick: false)
        var looks = [whole]
        for (scale, isQuick) in scales {
            let columns = Self.places(of: width, scale, side: across)
            let rows = Self.places(of: height, scale, side: down)
            guard columns.count * rows.count > 1 else { continue }
            for row in rows {
                for column in columns {
                    looks.append(
                        Look(
                            part: Rect(
                                x: column, y: row, width: min(Double(width), Double(across) / scale),
                                height: min(Double(height), Double(down) / scale)), scale: scale, isQuick: isQuick))
                }
            }
        }
        self.looks = looks
    }

    /// How many parts of a side cover a length.
    private static func count(_ length: Int, _ scale: Double, side: Int) -> Int {
        let scaled = Double(length) * scale
        guard scaled > Double(side) else { return 1 }
        return Int(((scaled - Double(overlap)) / Double(side - overlap)).rounded(.up))
    }

    /// The side with the least work over all scales, in whole multiples of 32.
    private static func side(of length: Int, _ scales: [Double]) -> Int {
        let longest = min(longest, (Int(Double(length) * (scales.max() ?? 1)) + 31) / 32 * 32)
        let shortest = min(longest, 480)
        let sides = stride(from: shortest / 32 * 32, through: max(32, longest), by: 32).filter { $0 > 0 }
        func work(_ side: Int) -> Int {
            scales.reduce(0) { $0 + count(length, $1, side: side) * side * Int(max(1, $1)) }
        }
        return sides.min { (work($0), -$0) < (work($1), -$1) } ?? 32
    }

    /// Where parts begin, evenly spread.
    private static func places(of length: Int, _ scale: Double, side: Int) -> [Double] {
        let count = count(length, scale, side: side)
        let last = max(0, Double(length) - Double(side) / scale)
        return (0..<count).map { count == 1 ? 0 : (last * Double($0) / Double(count - 1)).rounded(.down) }
    }
}
