import CCairo
public import Errors
public import TextSpotting

/// A picture to draw on. Drawing functions that only tools and tests need are in `Tools/Painting`.
///
/// Drawing the same things in the same order gives the same bytes on the same system (the fonts and libraries decide
/// the last bit). Not `Sendable`: one task uses it at a time; it may move between threads.
public final class Canvas {
    public let width: Int
    public let height: Int
    package let drawing: Drawing
    package lazy var shaper = TextShaper()

    package init(takingOwnershipOf drawing: Drawing) {
        width = drawing.width
        height = drawing.height
        self.drawing = drawing
    }

    /// Blends patches over the picture, as a player does with an overlay.
    public func draw(_ patches: [OverlayPatch]) throws(FramegrepError) {
        for patch in patches {
            let piece = try Drawing(width: patch.width, height: patch.height)
            piece.copy(bgra: patch.bgra)
            drawing.paint(piece, x: Double(patch.x), y: Double(patch.y))
        }
    }
}

extension Canvas {
    /// Four bytes a pixel: blue, green, red and alpha (255 on an opaque canvas), rows from the top, tightly packed.
    public var bgra: [UInt8] { drawing.bgra }

    /// Creates a canvas that shows `picture`.
    /// - Throws: `FramegrepError` (`outputFailed`) for sizes that cannot be drawn (over 32767 on a side).
    public convenience init(_ picture: Picture) throws(FramegrepError) {
        let drawing = try Drawing(width: picture.width, height: picture.height)
        var bgra = [UInt8](repeating: 255, count: picture.width * picture.height * 4)
        let step = picture.format.bytesPerPixel
        for pixel in 0..<picture.width * picture.height {
            let source = pixel * step
            bgra[pixel * 4 + 2] = picture.bytes[source]
            bgra[pixel * 4 + 1] = picture.bytes[step == 3 ? source + 1 : source]
            bgra[pixel * 4] = picture.bytes[step == 3 ? source + 2 : source]
        }
        drawing.copy(bgra: bgra)
        self.init(takingOwnershipOf: drawing)
    }
}

extension Drawing {
    /// Replaces the pixels with tightly packed ones.
    package func copy(bgra: [UInt8]) {
        let row = width * 4
        withPixels { pixels, stride in
            bgra.withUnsafeBufferPointer { source in
                guard let from = source.baseAddress, let to = pixels.baseAddress else { return }
                for y in 0..<min(height, source.count / row) {
                    (to + y * stride).update(from: from + y * row, count: row)
                }
            }
        }
    }
}
