import Spotter
import TextSpotting

extension LiveSettings {
    /// What the options say of how a source is read, whoever shows it: a window, a recording or the page.
    ///
    /// - Throws: ``FramegrepError`` for a region that is none.
    mutating func use(
        _ reading: ReadingOptions, _ output: LiveOutputOptions, sourceName: String, _ memory: LiveMemory?
    ) throws {
        region = try reading.region.map(RegionOfInterest.init(parsing:))
        minimumScore = reading.minScore
        overlay = output.timing
        maximumAge = reading.maximumAge ?? maximumAge
        self.sourceName = sourceName
        keepReading = memory?.take
    }
}
