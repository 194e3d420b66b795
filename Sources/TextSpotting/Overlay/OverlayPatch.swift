/// A small drawn piece of an overlay, ready to be blended onto a picture.
///
/// A value: copying it shares the bytes.
public struct OverlayPatch: Sendable, Hashable {
    /// The left edge in pixels of the picture it is blended onto.
    public let x: Int
    /// The top edge in pixels of the picture it is blended onto.
    public let y: Int
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    /// Blue, green, red and alpha bytes, colors multiplied by alpha; rows from the top, no padding between rows.
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
}
