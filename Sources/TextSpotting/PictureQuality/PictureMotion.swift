/// How far a picture as a whole moved between two frames.
public enum PictureMotion {
    /// The pictures are compared this wide, in pixels.
    private static let width = 80
    /// How far they are moved against each other at most, in those pixels.
    private static let reach = 16

    /// The distance in widths of the picture; nil if no move explains the difference, or the picture has nothing in it
    /// that could be seen to move.
    public static func distance(from before: Picture, to after: Picture) -> Double? {
        guard before.format == .luma, after.format == .luma, before.width == after.width,
            before.height == after.height, before.width >= width
        else { return nil }
        let factor = before.width / width
        let (first, second) = (reduced(before, factor), reduced(after, factor))
        guard first.height > 3 * reach / 2 else { return nil }
        let still = difference(first, second, dx: 0, dy: 0)
        var best = (difference: still, dx: 0, dy: 0)
        for dy in -reach / 2...reach / 2 {
            for dx in -reach...reach where dx != 0 || dy != 0 {
                let found = difference(first, second, dx: dx, dy: dy)
                if found < best.difference { best = (found, dx, dy) }
            }
        }
        // Nothing moved, or the motion is unclear.
        guard best.dx != 0 || best.dy != 0 else { return still < 4 ? 0 : nil }
        guard best.difference < still * 0.6, still >= 2 else { return still < 4 ? 0 : nil }
        return Point(Double(best.dx), Double(best.dy)).length / Double(first.width)
    }

    private struct Small {
        let width: Int
        let height: Int
        let bytes: [UInt8]
    }

    private static func reduced(_ picture: Picture, _ factor: Int) -> Small {
        let (width, height) = (picture.width / factor, picture.height / factor)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height)
        for y in 0..<height {
            for x in 0..<width {
                var sum = 0
                for row in 0..<factor {
                    let start = (y * factor + row) * picture.width + x * factor
                    for column in 0..<factor { sum += Int(picture.bytes[start + column]) }
                }
                bytes.append(UInt8(sum / (factor * factor)))
            }
        }
        return Small(width: width, height: height, bytes: bytes)
    }

    /// The mean difference of brightness where both pictures overlap, the second moved back by (dx, dy).
    private static func difference(_ first: Small, _ second: Small, dx: Int, dy: Int) -> Double {
        let xs = max(0, -dx)..<min(first.width, first.width - dx)
        let ys = max(0, -dy)..<min(first.height, first.height - dy)
        var sum = 0
        first.bytes.withUnsafeBufferPointer { a in
            second.bytes.withUnsafeBufferPointer { b in
                for y in ys {
                    let from = y &* first.width
                    let to = (y &+ dy) &* second.width &+ dx
                    for x in xs { sum &+= abs(Int(a[from &+ x]) &- Int(b[to &+ x])) }
                }
            }
        }
        return Double(sum) / Double(max(1, xs.count * ys.count))
    }
}
