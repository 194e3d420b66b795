internal import TextSpotting

/// How much a line of text leans, from where its letters stand.
///
/// The baseline that Tesseract gives is too level: of 6 degrees it shows 1. This is the median of the slopes between
/// letters (Theil, 1950; Sen, 1968), which letters below the baseline (g, p, a comma) do not disturb.
enum TextSlope {
    /// Lines that rise or fall by less, 1 pixel in 40, are taken for level: it may come from rounding.
    private static let leastSlope = 0.025
    /// With fewer letters nothing is known.
    private static let fewestLetters = 5
    /// Of longer lines that many letters are looked at, evenly spread.
    private static let mostLetters = 40

    /// The direction of the text, of length 1; (1, 0) for a line that is level or too short to tell.
    ///
    /// - Parameter feet: the middles of the letters' bottom edges, in pixels.
    static func direction(ofFeet feet: [Point]) -> Point {
        let level = Point(1, 0)
        guard feet.count >= fewestLetters else { return level }
        let step = max(1, feet.count / mostLetters)
        let sample = stride(from: 0, to: feet.count, by: step).map { feet[$0] }
        let xs = sample.map(\.x)
        let length = (xs.max() ?? 0) - (xs.min() ?? 0)
        var slopes: [Double] = []
        for (index, a) in sample.enumerated() {
            for b in sample[(index + 1)...] where abs(b.x - a.x) > length / 3 {
                slopes.append((b.y - a.y) / (b.x - a.x))
            }
        }
        guard slopes.count >= 3 else { return level }
        slopes.sort()
        let slope = slopes[slopes.count / 2]
        guard abs(slope) > leastSlope else { return level }
        let along = Point(1, slope)
        return along * (1 / along.length)
    }
}
