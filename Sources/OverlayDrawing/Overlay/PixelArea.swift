import TextSpotting

/// A rectangle of whole pixels.
struct PixelArea: Hashable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The pixels that `rect` touches inside a picture of `width`×`height`; nil if there are none.
    init?(covering rect: Rect, width: Int, height: Int) {
        guard [rect.minX, rect.minY, rect.maxX, rect.maxY].allSatisfy({ $0.isFinite && abs($0) < 1e9 }) else {
            return nil
        }
        let left = max(0, Int(rect.minX.rounded(.down)))
        let top = max(0, Int(rect.minY.rounded(.down)))
        let right = min(width, Int(rect.maxX.rounded(.up)))
        let bottom = min(height, Int(rect.maxY.rounded(.up)))
        guard left < right, top < bottom else { return nil }
        self.init(x: left, y: top, width: right - left, height: bottom - top)
    }

    var rect: Rect { Rect(x: Double(x), y: Double(y), width: Double(width), height: Double(height)) }
}
