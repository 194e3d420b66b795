/// Pixels to lay over a frame at a place: what drawing makes of boxes and labels, and what the picture's owner blends in.
///
/// A value: copying it shares the bytes until one copy is changed.
public struct OverlayPatch: Hashable, Sendable {
    /// The left edge, in pixels of the frame; negative and beyond the frame are allowed and are cut off there.
    public var x: Int
    /// The top edge, in pixels of the frame, counted downwards.
    public var y: Int
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    /// Four bytes a pixel: blue, green, red, alpha, the colors already multiplied by alpha; rows from the top, no padding.
    public let bgra: [UInt8]

    /// - Precondition: `bgra` has exactly `width * height * 4` elements.
    public init(x: Int, y: Int, width: Int, height: Int, bgra: [UInt8]) {
        precondition(bgra.count == width * height * 4, "a patch's bytes must fill it")
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.bgra = bgra
    }

    /// Where the patch lies in the frame.
    public var bounds: Rect { Rect(x: Double(x), y: Double(y), width: Double(width), height: Double(height)) }
}
