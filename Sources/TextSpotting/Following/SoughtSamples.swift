/// Some pixels of a patch, to be compared with a picture at many offsets.
struct SoughtSamples {
    /// Sums over the samples that lie inside the picture.
    struct Sums {
        var values: Float = 0
        var squares: Float = 0
        /// Of the picture's pixels with the samples' differences from their mean.
        var products: Float = 0
        var inside: Float = 0
    }

    private struct Sample {
        var x: Int32
        var y: Int32
        /// Where the pixel is in the picture when nothing is moved.
        var place: Int32
        var difference: Float
    }

    private let samples: [Sample]
    private let width: Int32
    private let height: Int32
    /// The bounds of the samples.
    private let left: Int32
    private let right: Int32
    private let top: Int32
    private let bottom: Int32

    /// - Parameter samples: where each is, and by how much it differs from their mean.
    init(_ samples: [(x: Int32, y: Int32, difference: Float)], in picture: Picture) {
        width = Int32(picture.width)
        height = Int32(picture.height)
        self.samples = samples.map { [width] in
            Sample(x: $0.x, y: $0.y, place: $0.y &* width &+ $0.x, difference: $0.difference)
        }
        left = samples.map(\.x).min() ?? 0
        right = samples.map(\.x).max() ?? 0
        top = samples.map(\.y).min() ?? 0
        bottom = samples.map(\.y).max() ?? 0
    }

    /// The sums where the samples are moved by an offset, always added up in the same order.
    func sums(movedBy dx: Int32, _ dy: Int32, _ pixels: UnsafeBufferPointer<UInt8>) -> Sums {
        var sums = Sums()
        let isInside = left &+ dx >= 0 && right &+ dx < width && top &+ dy >= 0 && bottom &+ dy < height
        let offset = dy &* width &+ dx
        for sample in samples {
            if !isInside {
                let (x, y) = (sample.x &+ dx, sample.y &+ dy)
                guard x >= 0, y >= 0, x < width, y < height else { continue }
            }
            let value = Float(pixels[Int(sample.place &+ offset)])
            sums.values += value
            sums.squares += value * value
            sums.products += value * sample.difference
            sums.inside += 1
        }
        return sums
    }
}
