import Glibc

extension Affine {
    /// Exact at the quarter turns.
    static func sineAndCosine(degrees: Double) -> (Double, Double) {
        switch degrees.truncatingRemainder(dividingBy: 360) {
        case 0: return (0, 1)
        case 90, -270: return (1, 0)
        case 180, -180: return (0, -1)
        case 270, -90: return (-1, 0)
        case let angle:
            let radians = angle * .pi / 180
            return (sin(radians), cos(radians))
        }
    }
}
