public import TextMatching
public import TextSpotting

/// The part of the pictures that is searched, and how: the same for every kind of job, whose settings contain it as a
/// whole.
public struct ReadingPlan: Sendable, Hashable {
    /// The lowest score of what is hidden: lower than for findings, because an unnecessary bar costs less than a
    /// missing one.
    public static let hidingScore = 0.2

    /// The part of the picture to search; nil for all of it.
    public var region: RegionOfInterest?
    /// Matches below this score are ignored.
    public var minimumScore: Double
    /// The time after which text that seems unchanged is read again; nil for the default of the kind of job.
    public var maximumAge: StreamTime?

    public init(
        region: RegionOfInterest? = nil, minimumScore: Double = Matcher.usualMinimumScore,
        maximumAge: StreamTime? = nil
    ) {
        (self.region, self.minimumScore, self.maximumAge) = (region, minimumScore, maximumAge)
    }

    /// The time after which text of a running picture is read again, and a box whose words were not read is no longer
    /// drawn.
    public var runningAge: StreamTime { maximumAge ?? StreamTime(seconds: 2) }
}
