/// Finds out by how much one luma picture has to be moved to look like another.
///
/// Pixels at edges are picked from the first picture, because flat areas look alike wherever they are, and compared with
/// the second one at every displacement in question. A pixel counts against a displacement up to a limit only, so that
/// what moved otherwise cannot outvote the rest (a truncated sum of absolute differences).
struct MotionSearch: Sendable {
    private let width: Int
    private let height: Int
    private let places: [Place]

    private struct Place {
        var x: Int32
        var y: Int32
        var level: Int32
    }

    /// As many pixels are compared at the most.
    private static let mostPlaces = 600
    /// Fewer pixels tell nothing.
    private static let fewestPlaces = 40
    /// The least difference between two neighbors that makes an edge, in gray levels.
    private static let edge = 14
    /// A pixel counts no more than this against a displacement.
    private static let limit: Int32 = 40

    /// - Parameters:
    ///   - picture: a luma picture.
    ///   - stride: every so many pixels, across and down, one is looked at.
    init(_ picture: Picture, stride: Int) {
        width = picture.width
        height = picture.height
        var found: [Place] = []
        picture.bytes.withUnsafeBufferPointer { pixels in
            for y in Swift.stride(from: 0, to: picture.height - 1, by: stride) {
                for x in Swift.stride(from: 0, to: picture.width - 1, by: stride) {
                    let at = y * picture.width + x
                    let across = abs(Int(pixels[at]) - Int(pixels[at + 1]))
                    let down = abs(Int(pixels[at]) - Int(pixels[at + picture.width]))
                    if across + down >= Self.edge {
                        found.append(Place(x: Int32(x), y: Int32(y), level: Int32(pixels[at])))
                    }
                }
            }
        }
        let step = max(1, found.count / Self.mostPlaces)
        places = Swift.stride(from: 0, to: found.count, by: step).map { found[$0] }
    }

    /// The displacement within `radius` of `guess` at which `picture` looks most like the first one, and the mean
    /// difference there; nil where there is too little to go by.
    ///
    /// - Precondition: `picture` has the size of the first one.
    func best(in picture: Picture, near guess: Displacement, radius: Int) -> (displacement: Displacement, cost: Double)?
    {
        guard places.count >= Self.fewestPlaces else { return nil }
        var best: (cost: Double, distance: Int, displacement: Displacement)?
        picture.bytes.withUnsafeBufferPointer { pixels in
            places.withUnsafeBufferPointer { places in
                // Nothing dearer than the guess can be the best.
                let bound = cost(of: places, Int32(guess.dx), Int32(guess.dy), pixels, atMost: .infinity) ?? .infinity
                for dy in (guess.dy - radius)...(guess.dy + radius) {
                    for dx in (guess.dx - radius)...(guess.dx + radius) {
                        let most = min(bound, best?.cost ?? .infinity)
                        guard let cost = cost(of: places, Int32(dx), Int32(dy), pixels, atMost: most) else { continue }
                        // Of equals the one nearest to the guess: a repeating pattern fits in many places.
                        let distance = abs(dx - guess.dx) + abs(dy - guess.dy)
                        if best.map({ (cost, distance) < ($0.cost, $0.distance) }) ?? true {
                            best = (cost, distance, Displacement(dx: dx, dy: dy))
                        }
                    }
                }
            }
        }
        return best.map { ($0.displacement, $0.cost) }
    }

    /// The mean difference of the pixels that stay in the picture; nil when most do not, and may be nil where it is more than
    /// `most`.
    private func cost(
        of places: UnsafeBufferPointer<Place>, _ dx: Int32, _ dy: Int32, _ pixels: UnsafeBufferPointer<UInt8>,
        atMost most: Double
    ) -> Double? {
        let (width, height) = (Int32(width), Int32(height))
        // However many pixels stay in the picture, with a larger sum their mean is larger than that.
        let largest = most * Double(places.count)
        // One more, because a mean is rounded.
        let enough = largest < Double(Int32.max - 2) ? Int32(largest.rounded(.up)) + 1 : Int32.max
        var sum: Int32 = 0
        var count = 0
        var start = 0
        while start < places.count {
            let end = min(places.count, start + Self.run)
            for place in places[start..<end] {
                let x = place.x &+ dx
                let y = place.y &+ dy
                guard x >= 0, y >= 0, x < width, y < height else { continue }
                sum &+= min(Self.limit, abs(place.level &- Int32(pixels[Int(y &* width &+ x)])))
                count += 1
            }
            if sum > enough { return nil }
            start = end
        }
        return count * 3 < places.count ? nil : Double(sum) / Double(count)
    }

    /// After so many pixels it is asked whether the others can still make it the best.
    private static let run = 40
}
