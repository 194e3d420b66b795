public import Errors
public import TextSpotting

/// The totals of a search.
public struct FindSummary: Sendable, Hashable {
    /// The number of sightings found.
    public var sightings = 0
    /// The number of frames considered.
    public var frames = 0
    /// The number of frames read.
    public var readings = 0
    /// The number of lines of text read in them, and of lines in view that were already known.
    public var linesRead = 0
    public var linesKnown = 0
    /// Lines that were not read because too many places changed at once.
    public var leftOut = LeftOutTexts()
    /// The end of the last frame.
    public var end = StreamTime.zero
    /// The error of a source that broke off or is damaged; its readable part was searched.
    public var damage: FramegrepError?
    /// Whether ``damage`` is a change of the file while it was read.
    public var hasChanged = false

    public init() {}
}

/// Texts that were not read, because more places changed between two readings of the whole picture than may be reread.
public struct LeftOutTexts: Sendable, Hashable {
    /// The time and place of such a text, in pixels of the picture as displayed.
    public struct Place: Sendable, Hashable {
        public var time: StreamTime
        public var quad: Quad
    }

    /// The number of these texts.
    public private(set) var count = 0
    /// The first of these texts; not all of them if there are thousands.
    public private(set) var places: [Place] = []

    private static let mostPlaces = 10_000

    mutating func add(_ quads: [Quad], at time: StreamTime) {
        count += quads.count
        places += quads.prefix(max(0, Self.mostPlaces - places.count)).map { Place(time: time, quad: $0) }
    }
}

extension FindSummary {
    mutating func add(_ reading: SightingJoiner.Reading) {
        if let time = reading.time { leftOut.add(reading.leftOut, at: time.start) }
        end = max(end, reading.time?.end ?? .zero)
        frames += reading.frames.count
        readings += !reading.isNews || (reading.lines.isEmpty && !reading.isComplete) ? 0 : 1
        linesRead += reading.counts.read
        linesKnown += reading.counts.known
    }
}
