public import TextSpotting

/// Settings of a search of a recording, apart from its patterns.
public struct FindSettings: Sendable {
    /// The settings for which frames are read.
    public var gate = ChangeGate.Settings()
    /// The settings for which lines are read again, and how readings of one line are combined.
    public var tracking = TextTracker.Settings()
    public var reading: ReadingPlan
    /// The time to search from; nil for the beginning.
    public var from: StreamTime?
    /// Whether the source may be asked to begin at ``from``; a source that comes through a pipe is read up to there.
    public var canSeek = true
    /// The time to search up to; nil for the end.
    public var to: StreamTime?
    /// The number of sightings after whose start the search stops; nil for all. Exactly these are reported, with the
    /// ends known by then: a sighting that is not over ends with the last frame that was searched.
    public var maximumCount: Int?
    /// Whether to keep the box of every frame of each sighting.
    public var keepsBoxes = false
    /// Whether sightings include fades, from the first trace to the last rather than from half to half.
    public var keepsFades = false
    /// Whether to report every line that is read, in addition to the matches.
    public var reportsAllText = false
    /// Whether to report each state of a line that gets longer or shorter, as it is typed, rather than only the best.
    public var reportsEachChange = false
    /// Whether to report lines in the order of their starts, each once, combining several reports of one line. They are
    /// reported later then.
    public var ordersText = false
    /// Called with each step as it is joined, for showing sightings before they are over. With ``keepsBoxes`` each box
    /// is reported once, here or in the finished sighting.
    var see: (@Sendable (SightingStep) -> Void)?
    /// Called with each line as soon as it is read, in pixels of the frame as stored, on any thread.
    var partialResult: (@Sendable (TextLine, FrameTime) -> Void)?
    /// Whether to report the start of sightings too, and the boxes of each reading.
    var tellsBeginnings = false
    /// Collects the places of all text, for drawing labels later; nil if none are drawn.
    public var textPlaces: TextRegions?
    /// Whether to report the findings of each reading, in addition to the matches.
    public var reportsFindings = false
    /// The plan for searching only some pictures; nil for all of them.
    public var skim: SkimPlan?
    /// Limits for reading parts side by side, which change the time it takes, but not the result; nil to read the
    /// recording as a whole. Otherwise reading starts anew at fixed times; see ``PartGrid``.
    public var parts: SideBySide?
    /// The time for which the source may supply no picture while the program is idle, before that is an error.
    public var patience = Duration.seconds(30)

    /// The factor by which a line without doubtful letters that looks unchanged may go unread for longer than the bound
    /// on age.
    static let settledAges: Int64 = 12

    /// - Parameter reading: its bound on age, if given, is used for the gate.
    public init(_ reading: ReadingPlan = ReadingPlan()) {
        self.reading = reading
        gate.maximumAge = reading.maximumAge ?? gate.maximumAge
    }

    /// Adjusts the settings for pictures that are far apart: they are read where they differ, whatever the age of the
    /// last reading.
    ///
    /// - Parameter plan: determines which pictures are searched.
    public mutating func skim(_ plan: SkimPlan) {
        skim = plan
        gate.maximumAge = reading.maximumAge ?? Self.skimmedAge
    }

    private static let skimmedAge = StreamTime(seconds: 60)

    /// The tracking settings adjusted to the gate: if every frame is read, so is every line of it, and each reading
    /// stands for itself.
    var trackingInEffect: TextTracker.Settings {
        var settings = tracking
        settings.maximumAge = gate.maximumAge
        // Locating lines again and comparing their pictures is cheap; reading a full screen of them is not.
        settings.settledAge = StreamTime(nanoseconds: Self.settledAges * gate.maximumAge.nanoseconds)
        return gate.policy == .everyFrame ? settings.readingAnew : settings
    }
}

/// Limits for reading parts of a recording side by side.
public struct SideBySide: Sendable, Hashable {
    /// The largest number of parts that are read at a time.
    public var parts: Int
    /// The memory, in bytes, that they may take together, besides that of the engine.
    public var memory: Int

    /// - Parameters:
    ///   - parts: the largest number of parts of a recording that are read at a time.
    ///   - memory: in bytes.
    public init(parts: Int = 1, memory: Int = 0) { (self.parts, self.memory) = (parts, memory) }

    /// Creates limits for one of several recordings that are read at a time. Decoding and reading a part keep two
    /// processors busy.
    ///
    /// - Parameters:
    ///   - processors: the number of processors that may be used.
    ///   - memory: for all recordings together, in bytes.
    ///   - inputs: the number of recordings read at a time.
    public init(processors: Int, memory: Int, inputs: Int) {
        self.init(parts: processors > 2 ? max(1, (processors + 1) / 2 / inputs) : 1, memory: memory / inputs)
    }
}
