public import TextSpotting

/// What a search of a recording is asked to do besides finding its patterns.
public struct FindSettings: Sendable {
    /// When frames are read.
    public var gate = ChangeGate.Settings()
    /// The part of the picture to search; nil for all of it.
    public var region: RegionOfInterest?
    /// Search from this time on; nil for the beginning.
    public var from: StreamTime?
    /// Search up to this time; nil for the end.
    public var to: StreamTime?
    /// Matches below this score are ignored.
    public var minimumScore = 0.5
    /// Stop after this many sightings; nil for all.
    public var maximumCount: Int?
    /// Keep the box of every frame of each sighting.
    public var keepsBoxes = false
    /// Report every line that is read, besides the matches.
    public var reportsAllText = false

    public init() {}
}
