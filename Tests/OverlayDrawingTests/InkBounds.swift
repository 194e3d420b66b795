import OverlayDrawing
import Painting
import TextSpotting

extension Canvas {
    /// Returns the smallest rectangle of whole pixels that differ from `color` by more than `tolerance` in any channel.
    func ink(on color: OverlayColor = .white, tolerance: Int = 60) -> Rect? {
        let bytes = bgra
        let ground = [color.blue, color.green, color.red].map { Int(($0 * 255).rounded()) }
        var (left, top, right, bottom) = (width, height, -1, -1)
        for y in 0..<height {
            for x in 0..<width {
                let pixel = (y * width + x) * 4
                guard (0..<3).contains(where: { abs(Int(bytes[pixel + $0]) - ground[$0]) > tolerance }) else {
                    continue
                }
                (left, right) = (min(left, x), max(right, x))
                (top, bottom) = (min(top, y), max(bottom, y))
            }
        }
        guard right >= 0 else { return nil }
        return Rect(
            x: Double(left), y: Double(top), width: Double(right + 1 - left), height: Double(bottom + 1 - top))
    }

    /// One pixel: red, green, blue.
    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        let bytes = bgra
        let pixel = (y * width + x) * 4
        return [bytes[pixel + 2], bytes[pixel + 1], bytes[pixel]]
    }
}

extension Rect {
    /// Returns whether no side is farther than `distance` pixels from the same side of `other`.
    func isWithin(_ distance: Double, of other: Rect) -> Bool {
        [minX - other.minX, minY - other.minY, maxX - other.maxX, maxY - other.maxY].allSatisfy { abs($0) <= distance }
    }

    func contains(_ other: Rect) -> Bool { intersection(other) == other }
}
