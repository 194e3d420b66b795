/// Why a picture cannot be read.
public enum PictureProblem: String, Sendable, CaseIterable {
    case dark, blurred, smeared, moving

    /// Diagnoses a measured picture; nil if nothing is wrong, or if that is unclear.
    ///
    /// - Parameters:
    ///   - speed: how fast the picture moves, in its own widths a second; nil if that is not known.
    ///   - known: the problem that the pictures before had: it is over only when the figures are clearly better.
    public static func of(
        _ measures: PictureMeasures, speed: Double?, knowing known: PictureProblem? = nil
    ) -> PictureProblem? {
        // Each limit is 1.25 times easier to meet for a problem that is there already.
        func limit(_ value: Double, _ problem: PictureProblem) -> Double { known == problem ? value * 1.25 : value }
        // A picture of one brightness is a picture of nothing (a fade, a blank screen), not a dark room.
        let isBlank = measures.highlight - measures.shadow < 3
        if !isBlank, Double(measures.highlight) < limit(Self.darkHighlight, .dark) { return .dark }
        if let speed, speed * (known == .moving ? 1.25 : 1) > Self.fastSpeed { return .moving }
        let values = EdgeDirection.allCases.compactMap { measures.sharpness[$0] }
        guard let least = values.min(), let most = values.max() else { return nil }
        if most < limit(Self.blurredSharpness, .blurred) { return .blurred }
        let isDirected = EdgeDirection.allCases.contains { direction in
            guard let along = measures.sharpness[direction], let across = measures.sharpness[direction.other] else {
                return false
            }
            return along == least && along < limit(Self.smearedSharpness, .smeared)
                && across > along * (known == .smeared ? 1.6 : 2)
        }
        return isDirected ? .smeared : nil
    }

    /// Of 255: where 98 of 100 pixels are darker than this, letters drown in the sensor's noise.
    private static let darkHighlight = 48.0
    /// In widths a second: at 1, a letter passes by its own width within a frame or two.
    private static let fastSpeed = 0.8
    /// The sharpness of a Gaussian of 2 pixels (0.4/σ): strokes of usual text run into each other.
    private static let blurredSharpness = 0.2
    /// Along the direction of a smear.
    private static let smearedSharpness = 0.2
}
