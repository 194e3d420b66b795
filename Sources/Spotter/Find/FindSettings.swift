import TextMatching
public import TextSpotting

/// Settings of a search of a recording besides its patterns.
public struct FindSettings: Sendable {
    /// When frames are read.
    public var gate = ChangeGate.Settings()
    /// Which lines are read again, and how readings of one line are put together.
    public var tracking = TextTracker.Settings()
    /// The part of the picture to search; nil for all of it.
    public var region: RegionOfInterest?
    /// Search from this time on; nil for the beginning.
    public var from: StreamTime?
    /// Whether the source may be asked to begin at ``from``; one that comes through a pipe is read up to there.
    public var canSeek = true
    /// Search up to this time; nil for the end.
    public var to: StreamTime?
    /// Matches below this score are ignored.
    public var minimumScore = Matcher.usualMinimumScore
    /// Stop as soon as so many sightings have begun, which are those that are reported; nil for all. Their ends are those
    /// known then, so a sighting that is not over ends with the last frame that was searched.
    public var maximumCount: Int?
    /// Keep the box of every frame of each sighting.
    public var keepsBoxes = false
    /// Sightings last from the first trace of a fade to the last, not from half to half.
    public var keepsFades = false
    /// Report every line that is read, besides the matches.
    public var reportsAllText = false
    /// Of a line that gets longer or shorter, as it is typed, report each state that was read, not only the best.
    public var reportsEachChange = false
    /// Report lines in the order in which they began, each once: what is told of one line several times is put together. They come
    /// later then.
    public var ordersText = false
    /// Is called with each step as it is joined, for showing sightings before they are over; with ``keepsBoxes`` each box is reported once,
    /// here or in the sighting that is over.
    var see: (@Sendable (SightingStep) -> Void)?
    /// Told of each line as soon as it is read, in pixels of the frame as stored, on any thread.
    var partialResult: (@Sendable (TextLine, FrameTime) -> Void)?
    /// Tell sightings when they begin too, and the boxes of each reading.
    var tellsBeginnings = false
    /// Collects where all text stands, for drawing labels later; nil if they are not drawn.
    public var textPlaces: TextRegions?
    /// Report what each reading found, besides the matches.
    public var reportsFindings = false
    /// Look at some pictures only; nil for all of them.
    public var skim: SkimPlan?
    /// How long the source may bring no picture while there is nothing to do, before that is an error.
    public var patience = Duration.seconds(30)

    /// How many times as long as the bound on age a line may go unread that is free of doubt and looks as it did.
    static let settledAges: Int64 = 12

    public init() {}

    /// Pictures that are so far apart are read where they differ, however old the last reading is.
    ///
    /// - Parameter plan: which pictures are looked at.
    /// - Parameter maximumAge: the bound that a person asked for.
    public mutating func skim(_ plan: SkimPlan, maximumAge: StreamTime?) {
        skim = plan
        gate.maximumAge = maximumAge ?? Self.skimmedAge
    }

    private static let skimmedAge = StreamTime(seconds: 60)

    /// The same as it goes with the gate: where every frame is read, so is every line of it, and each reading stands for
    /// itself.
    var trackingInEffect: TextTracker.Settings {
        var settings = tracking
        settings.maximumAge = gate.maximumAge
        // Finding lines again and comparing their pictures is cheap, reading a screen full of them is not.
        settings.settledAge = StreamTime(nanoseconds: Self.settledAges * gate.maximumAge.nanoseconds)
        if gate.readsEveryFrame {
            settings.keepsKnown = false
            settings.votes = false
        }
        return settings
    }
}
