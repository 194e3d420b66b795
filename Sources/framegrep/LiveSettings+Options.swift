import Spotter
import TextSpotting

extension LiveSettings {
    /// Applies the options that concern how a source is read, for a window, a recording or the page.
    ///
    /// - Throws: ``FramegrepError`` for an invalid region.
    mutating func use(
        _ reading: ReadingOptions, _ output: LiveOutputOptions, sourceName: String
    ) throws {
        region = try reading.region.map(RegionOfInterest.init(parsing:))
        minimumScore = reading.minScore
        overlay = output.timing
        maximumAge = reading.maximumAge ?? maximumAge
        self.sourceName = sourceName
    }
}
