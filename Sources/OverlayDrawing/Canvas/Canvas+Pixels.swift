public import Errors
public import TextSpotting

extension Canvas {
    /// Four bytes a pixel: blue, green, red and alpha (255 on an opaque canvas), rows from the top, tightly packed.
    public var bgra: [UInt8] { drawing.bgra }

    /// The picture for a recognizer. Brightness is (77·R + 150·G + 29·B) / 256, the weights of ITU-R BT.601.
    public func picture(_ format: Picture.Format) -> Picture {
        let bytes = drawing.withPixels { pixels, stride in
            [UInt8](unsafeUninitializedCapacity: width * height * format.bytesPerPixel) { bytes, count in
                var next = 0
                for y in 0..<height {
                    for pixel in Swift.stride(from: y * stride, to: y * stride + width * 4, by: 4) {
                        let (blue, green, red) = (pixels[pixel], pixels[pixel + 1], pixels[pixel + 2])
                        switch format {
                        case .luma:
                            let sum = 77 * UInt32(red) + 150 * UInt32(green) + 29 * UInt32(blue)
                            bytes[next] = UInt8(truncatingIfNeeded: sum >> 8)
                            next += 1
                        case .rgb:
                            bytes[next] = red
                            bytes[next + 1] = green
                            bytes[next + 2] = blue
                            next += 3
                        }
                    }
                }
                count = next
            }
        }
        return Picture(format: format, width: width, height: height, bytes: bytes)
    }

    /// A canvas that shows `picture`.
    /// - Throws: As ``init(width:height:color:)``.
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

    /// A canvas that shows premultiplied BGRA bytes, tightly packed.
    /// - Precondition: `bgra` has exactly `width * height * 4` elements.
    /// - Throws: As ``init(width:height:color:)``.
    public convenience init(bgra: [UInt8], width: Int, height: Int) throws(FramegrepError) {
        precondition(bgra.count == width * height * 4, "a picture's bytes must fill it")
        let drawing = try Drawing(width: width, height: height)
        drawing.copy(bgra: bgra)
        self.init(takingOwnershipOf: drawing)
    }
}

extension Drawing {
    /// Replaces the pixels by tightly packed ones.
    func copy(bgra: [UInt8]) {
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
