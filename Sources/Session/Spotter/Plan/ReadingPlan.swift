public import TextMatching
public import TextSpotting

/// Which part of the pictures is searched, and how: the same for every kind of job, whose settings hold it whole.
public struct ReadingPlan: Sendable, Hashable {
    /// The lowest score of what is hidden: lower than of what is found, because a bar too many costs less than one too few.
    public static let hidingScore = 0.2

    /// The part of the picture to search; nil for all of it.
    public var region: RegionOfInterest?
    /// Matches below this score are ignored.
    public var minimumScore: Double
    /// Text that seems not to change is read again after this time; nil for the time that is usual for the kind of job.
    public var maximumAge: StreamTime?

    public init(
        region: RegionOfInterest? = nil, minimumScore: Double = Matcher.usualMinimumScore,
        maximumAge: StreamTime? = nil
    ) {
        (self.region, self.minimumScore, self.maximumAge) = (region, minimumScore, maximumAge)
    }

    /// The time after which text of a running picture is read again, and a box whose words were not read is no longer drawn.
    public var runningAge: StreamTime { maximumAge ?? StreamTime(seconds: 2) }
}
